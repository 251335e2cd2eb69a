// SPDX-License-Identifier: Apache-2.0

//go:build !race

package fast_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
)

const unclosed = "TALLYSTICK_TEST_UNCLOSED"

// Ciphers that nobody closes are collected before they take much memory. Another process makes them,
// so that the peak of its resident memory is theirs alone.
func TestUnclosedCiphers(t *testing.T) {
	const limit = 60 << 10 // KiB
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^TestUnclosedChild$")
	child.Env = append(os.Environ(), unclosed+"=5000", "GOGC=100", "GOMEMLIMIT=off")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	t.Logf("a peak of %d KiB", peak)
	if peak > limit {
		t.Errorf("a peak of %d KiB, more than %d", peak, limit)
	}
}

// TestUnclosedChild is the other process. Without the variable it makes one cipher.
func TestUnclosedChild(t *testing.T) {
	rounds := uint64(1)
	if set := os.Getenv(unclosed); set != "" {
		rounds, _ = strconv.ParseUint(set, 10, 64)
	}
	word := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for i := range rounds {
		own := binary.BigEndian.AppendUint64(make([]byte, 8), i)
		c, err := fast.New(own, 10)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Encrypt(word, nil); err != nil {
			t.Fatal(err)
		}
	}
}
