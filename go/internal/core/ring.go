// SPDX-License-Identifier: Apache-2.0

package core

import (
	"bytes"
	"strconv"
	"unsafe"
)

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
)

// RootKeySize and DataKeySize are the bytes of a root key, and those of a data key at most.
const (
	RootKeySize = 32
	DataKeySize = 32
)

// problem is tally_problem, field by field.
type problem struct {
	place [256]byte
	text  [768]byte
}

// refusal is a problem as an error.
type refusal struct {
	status      Status
	place, text string
}

// Refused is an error that the core describes: Error gives the description, where it has a place with
// that before it, and errors.Is tells its Status.
func (p *problem) refused(status Status) error {
	return &refusal{status, terminated(p.place[:]), terminated(p.text[:])}
}

func (r *refusal) Error() string {
	if r.place != "" {
		return r.place + ": " + r.text
	}
	return r.text
}

func (r *refusal) Is(target error) bool { return target == r.status }

// terminated returns the text that ends with a zero.
func terminated(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// keyInfo is tally_key_info, field by field.
type keyInfo struct {
	name    [65]byte
	_       [3]byte
	version uint32
	size    uint32
	created [24]byte
}

const (
	problemBytes = int(unsafe.Sizeof(problem{}))
	keyInfoBytes = int(unsafe.Sizeof(keyInfo{}))
)

func (k *keyInfo) reference() string {
	return terminated(k.name[:]) + ":" + strconv.FormatUint(uint64(k.version), 10)
}
