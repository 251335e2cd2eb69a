// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"math"

	"github.com/tetratelabs/wazero/experimental"
)

// memory is that of a machine. When it grows it moves, and the place that it leaves is wiped: wazero's own
// would leave keys there, for the garbage collector to give to somebody else some day.
type memory struct{ bytes []byte }

func newMemory(capacity, _ uint64) experimental.LinearMemory {
	return &memory{make([]byte, 0, capacity)}
}

// Reallocate returns the memory with so many bytes, those that are new being 0; nil if that is too many.
func (m *memory) Reallocate(size uint64) []byte {
	if size > math.MaxInt {
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		moved := make([]byte, size, min(size+size/4, math.MaxInt))
		copy(moved, m.bytes)
		clear(m.bytes)
		m.bytes = moved
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free wipes the memory, when its machine is closed.
func (m *memory) Free() {
	clear(m.bytes)
	m.bytes = nil
}
