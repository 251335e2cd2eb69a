// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"reflect"
	"strings"
	"unsafe"
)

const (
	large = 1 << 15 // bytes from which on it matters where memory is, and whether it was zeroed
	line  = 64      // bytes of a cache line
)

// lines returns slices of some bytes each, of one allocation, to which nothing can be appended in place. They
// will be overwritten as a whole, or let go. Each begins a cache line, as the allocation does: stores of
// vectors that cross lines cost twice.
func lines(count, size int) [][]byte {
	stride := (size + line - 1) &^ (line - 1)
	all, made := unzeroed(count*stride), make([][]byte, count)
	for i := range made {
		made[i] = all[i*stride:][:size:size]
	}
	return made
}

// buffer is where a strings.Builder has its bytes, if it has them as this package expects.
var buffer, known = func() (uintptr, bool) {
	field, ok := reflect.TypeFor[strings.Builder]().FieldByName("buf")
	return field.Offset, ok && field.Type == reflect.TypeFor[[]byte]()
}()

// unzeroed returns memory with anything in it. Zeroing would take about as long as making large shares, and a
// strings.Builder is the one thing in the standard library that allocates without it. Its slice is taken before
// there is a string of it, so nothing that must not change is written to.
func unzeroed(size int) []byte {
	var b strings.Builder
	if known {
		b.Grow(size)
		if bytes := *(*[]byte)(unsafe.Add(unsafe.Pointer(&b), buffer)); cap(bytes) >= size {
			return bytes[:size]
		}
	}
	return make([]byte, size)
}
