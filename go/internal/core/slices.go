// SPDX-License-Identifier: Apache-2.0

package core

import "unsafe"

// Extend returns dst with more bytes, and these.
func Extend(dst []byte, more int) (head, tail []byte) {
	if total := len(dst) + more; total <= cap(dst) {
		head = dst[:total]
	} else {
		head = make([]byte, total)
		copy(head, dst)
	}
	return head, head[len(dst):]
}

// InexactOverlap says whether two slices share memory, but not from their first element.
func InexactOverlap[T any](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 || &x[0] == &y[0] {
		return false
	}
	first, second := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	size := unsafe.Sizeof(x[0])
	return first <= second+size*uintptr(len(y))-1 && second <= first+size*uintptr(len(x))-1
}
