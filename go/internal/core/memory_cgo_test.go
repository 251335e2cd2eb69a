// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

// What comes back of a pool's memory is zero, whether it was closed or collected.
func TestPoolMemoryComesBackWiped(t *testing.T) {
	const radix = 77 // of no other test
	for _, closed := range []bool{true, false} {
		var back *memory
		for deadline := time.Now().Add(20 * time.Second); back == nil; {
			p, err := NewPool(ProfileFAST, radix, key)
			if err != nil {
				t.Fatal(err)
			}
			if closed {
				p.Close()
			} else {
				runtime.GC() // the pool is unreachable, and its cleanup runs
				time.Sleep(time.Millisecond)
			}
			// A sync.Pool may drop what it is given, so this is tried again.
			back, _ = poolMemory[radix].unused.Get().(*memory)
			if back == nil && time.Now().After(deadline) {
				t.Fatalf("closed %v: no memory came back", closed)
			}
		}
		if !bytes.Equal(back.bytes, make([]byte, len(back.bytes))) {
			t.Errorf("closed %v: the memory that came back is not wiped", closed)
		}
	}
}
