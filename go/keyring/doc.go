// SPDX-License-Identifier: Apache-2.0

// Package keyring reads the key rings of Tallystick: files of named, versioned data keys, wrapped under a
// root key (docs/reference/keyring.md). The files are those of the Python package and its command, which make and
// change them:
//
//	tallystick keyring new people.keys --root file:root.key
//	tallystick keyring add people.keys people
//
// A ring is opened only if all of it is authentic. Root keys in a file or an environment variable are
// read here ([ParseRoot]). For a ring whose root key comes from a passphrase or from shares, whoever gets
// the 32 bytes by other means, such as shamir.CombineAuthentic, hands them to [OpenWithKey].
package keyring
