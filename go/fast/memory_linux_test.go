// SPDX-License-Identifier: Apache-2.0

//go:build !race

package fast_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strconv"
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
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, said, _ := bytes.Cut(out, []byte("VmHWM:"))
	peak := 0
	if _, err := fmt.Sscanf(string(said), "%d", &peak); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("a peak of %d KiB", peak)
	if peak > limit {
		t.Errorf("a peak of %d KiB, more than %d", peak, limit)
	}
}

// TestUnclosedChild is the other process, which prints its peak: what getrusage says of it counts the
// process that started it too. Without the variable it makes one cipher and prints nothing.
func TestUnclosedChild(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv(unclosed))
	other := err == nil
	if !other {
		rounds = 1
	}
	word := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for i := range rounds {
		own := binary.BigEndian.AppendUint64(make([]byte, 8), uint64(i))
		c, err := fast.New(own, 10)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Encrypt(word, nil); err != nil {
			t.Fatal(err)
		}
	}
	if status, err := os.ReadFile("/proc/self/status"); err != nil {
		t.Fatal(err)
	} else if other {
		fmt.Printf("%s", status)
	}
}
