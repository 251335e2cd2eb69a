// SPDX-License-Identifier: Apache-2.0

// Package core calls the C core, and is the only package that does. With cgo the core's sources are
// compiled with it; without, it is WebAssembly that was compiled from the same sources. What there is
// of it is the same both ways:
//
//   - Pool: FAST under one key and radix, for any number of goroutines at once
//   - FF1: that cipher under one key and radix, likewise
//   - Format: a checked format, and Tokenizer: a format with a key; both for any number of goroutines
//   - Dispersal: data under way to shares or from them, for one goroutine at a time
//   - Ring: a key ring, for any number of goroutines
//   - functions of numbers and of shares
//
// Arguments are checked by the core, and sizes of buffers by the packages above.
package core

import "errors"

// Status is the result of a function of the core: tally_status of tallystick/base.h.
type Status int32

// The statuses of the core, in the ranges of its headers.
const (
	OK          Status = 0
	Argument    Status = 1
	Entropy     Status = 2
	Memory      Status = 3
	KeySize     Status = 16
	Radix       Status = 32
	Length      Status = 33
	Parameters  Status = 34
	Symbol      Status = 35
	SharesFew   Status = 48
	SharesSets  Status = 49
	SharesFalse Status = 50
	FF1Radix    Status = 128
	FF1Length   Status = 129
	FF1Symbol   Status = 130
	FF1Tweak    Status = 131
)

// The profiles of FAST.
const (
	ProfileFAST        = 0
	ProfileBytesLegacy = 1
)

// The profiles of FF1, and FF3-1.
const (
	ProfileFF1     = 0
	ProfileFF12016 = 1
	ProfileFF31    = 2
)

// Limits of the core that callers check against.
const (
	MaxValue      = 64    // bytes of a value that is copied without an allocation
	MaxLength     = 65536 // symbols of a word
	PartSize      = 16384 // bytes of a stripe in one share
	RecordSize    = PartSize + 20
	DispersalKey  = 32
	MaxSecret     = 16384
	MaxLabel      = 255
	MaxGiven      = 1024
	MaxShares     = 255
	cacheCapacity = 64 // sequences that each cipher caches, as in Python
)

// ErrClosed is returned by a pool or a dispersal that was closed.
var ErrClosed = errors.New("tallystick: used after Close")

// ErrMemory is returned where there is no memory left.
var ErrMemory = errors.New("tallystick: no memory left")

// Error says in words what the core refuses.
func (s Status) Error() string { return "tallystick: " + statusText(s) }

// Params are the five numbers of an instance of FAST.
type Params struct {
	Radix, Length, Layers, W, WPrime uint32
}

// Strings are texts one behind the other: text i is Values[Offsets[i]:Offsets[i+1]], and there is
// one offset more than there are texts.
type Strings struct {
	Offsets []int64
	Values  []byte
}

// Rows returns how many texts there are.
func (s Strings) Rows() int { return max(len(s.Offsets)-1, 0) }

// Cut returns slices of some bytes each, to which nothing can be appended in place.
func Cut(all []byte, size int) [][]byte {
	made := make([][]byte, len(all)/size)
	for i := range made {
		made[i] = all[i*size : (i+1)*size : (i+1)*size]
	}
	return made
}

// Set is tally_go_set, field by field: a set of authentic shares, or one share.
type Set struct {
	Kind, Threshold, Count, SecretSize, LabelSize uint32
	Index                                         uint32
	Size                                          uint32
	ID                                            [16]byte
	Label                                         [256]byte
}

// The kinds of sets.
const (
	KindSecret = 0
	KindFile   = 1
)

// Found is what Unseal found.
type Found struct {
	Size, Stripes int
	IsLast        bool
	Missing       [32]byte
}
