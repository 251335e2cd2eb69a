// SPDX-License-Identifier: Apache-2.0

package core

import "strconv"

// The statuses of key rings.
const (
	Problem      Status = 4
	KeyringWrong Status = 96
	RootKeyWrong Status = 97
	NoKey        Status = 98
	Reference    Status = 99
)

// The kinds of root keys.
const (
	RootKey = iota
	RootScrypt
	RootShares
	RootWrapped
)

// Sizes and limits of key rings.
const (
	RootKeySize = 32      // bytes
	DataKeySize = 32      // bytes, at most
	MaxRing     = 1 << 20 // bytes of a file: about 4000 keys
	MaxRoots    = 16
	MaxWrapped  = 4096 // bytes of a wrapped root key
	MaxSigners  = 16
)

// keyInfo is tally_key_info, field by field.
type keyInfo struct {
	name    [65]byte
	_       [3]byte
	version uint32
	_       [28]byte // size and date
	_       uint32   // rights
}

func (k *keyInfo) reference() string {
	return terminated(k.name[:]) + ":" + strconv.FormatUint(uint64(k.version), 10)
}
