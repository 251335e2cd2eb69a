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

// RootKeySize and DataKeySize are the bytes of a root key, and those of a data key at most.
const (
	RootKeySize = 32
	DataKeySize = 32
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
