// SPDX-License-Identifier: Apache-2.0

// Package keyring reads the key rings of Tallystick: files of named, versioned data keys, wrapped
// under a root key (docs/reference/keyring.md). The Python package and its command make and change
// these files:
//
//	tallystick keyring new people.keys --root file:root.key
//	tallystick keyring add people.keys people
//
// A ring is opened only if all of it is authentic. [ParseRoot] reads root keys from a file or an
// environment variable. If the root key comes from a passphrase or from shares, get its 32 bytes by
// other means, such as shamir.CombineAuthentic, and pass them to [OpenWithKey].
package keyring
