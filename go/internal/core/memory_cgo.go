// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

// #include <stdint.h>
import "C"

import (
	"runtime"
	"sync"
)

// memory is a buffer of Go's in which C keeps an object. The garbage collector sees its size, so
// objects that nobody closed make it run. It is pinned, since such an object has pointers into itself.
type memory struct {
	bytes  []byte
	pinner runtime.Pinner
}

// recycler gives out zeroed memory of one size. What comes back to it is wiped; the garbage
// collector takes what stays unused.
type recycler struct{ unused sync.Pool }

func (r *recycler) get(size int) *memory {
	m, _ := r.unused.Get().(*memory)
	if m == nil {
		m = &memory{bytes: make([]byte, size)}
	}
	m.pinner.Pin(&m.bytes[0])
	return m
}

// put takes memory that was wiped.
func (r *recycler) put(m *memory) {
	m.pinner.Unpin()
	r.unused.Put(m)
}

// wipe wipes memory and takes it back.
func (r *recycler) wipe(m *memory) {
	clear(m.bytes)
	r.put(m)
}

// at returns the address of a byte.
func (m *memory) at(offset C.size_t) *C.uint8_t { return (*C.uint8_t)(&m.bytes[offset]) }

func (m *memory) size() C.size_t { return C.size_t(len(m.bytes)) }
