// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"runtime"
	"testing"
	"unsafe"
)

// With another Go the Builder may be another: then memory is zeroed, and Split slower.
func TestBufferIsKnown(t *testing.T) {
	if !known {
		t.Errorf("a strings.Builder of %s is not as expected", runtime.Version())
	}
}

func TestLines(t *testing.T) {
	for _, size := range []int{1, line, line + 1, 100_001} {
		for number, count := range []int{2, 5, 255} {
			parts := lines(count, size)
			if len(parts) != count {
				t.Fatalf("%d parts, not %d", len(parts), count)
			}
			for i, part := range parts {
				if len(part) != size || cap(part) != size {
					t.Fatalf("%d bytes, and room for %d, not %d", len(part), cap(part), size)
				}
				if count*size >= large && uintptr(unsafe.Pointer(&part[0]))%line != 0 {
					t.Errorf("part %d of %d bytes begins amid a line", i, size)
				}
				for j := range part {
					part[j] = byte(i + number)
				}
			}
			for i, part := range parts {
				if part[0] != byte(i+number) || part[size-1] != byte(i+number) {
					t.Fatalf("part %d of %d bytes has been overwritten by another", i, size)
				}
			}
		}
	}
}
