// SPDX-License-Identifier: Apache-2.0

// Package keyring reads, makes and changes the key rings of Tallystick: files of named, versioned
// data keys, wrapped under a root key (docs/reference/keyring.md). [Create] makes a ring and [Edit]
// changes it, as the command does:
//
//	tallystick keyring new people.keys --root file:root.key
//	tallystick keyring add people.keys people
//
// Only the command in Python splits a root key. A ring is opened only if all of it is authentic.
// [ParseRoot] reads root keys from a file or an environment variable, and package roots those that a
// KMS or an identity wraps. If the root key comes from a passphrase or from shares, get its 32 bytes
// by other means, such as shamir.CombineAuthentic, and pass them to [OpenWithKey].
package keyring
