// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/tallystick/tallystick/go/shamir"
)

// A body that was cut off, of HTTP or gzip, ends with io.ErrUnexpectedEOF: not data to share.
func TestCutOffData(t *testing.T) {
	for _, size := range []int{0, 1000, 32768, 5 << 20} {
		var shares [2]bytes.Buffer
		from := io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := shamir.Disperse(from, []io.Writer{&shares[0], &shares[1]}, 2, "x"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// Copies of one share are held too, and must not multiply what is in memory.
func TestManyCopies(t *testing.T) {
	var shares [2]bytes.Buffer
	if _, err := shamir.Disperse(bytes.NewReader(make([]byte, 3<<20)), []io.Writer{&shares[0], &shares[1]}, 2, "x"); err != nil {
		t.Fatal(err)
	}
	list := []io.Reader{bytes.NewReader(shares[1].Bytes())}
	for range 200 {
		list = append(list, bytes.NewReader(shares[0].Bytes()))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := shamir.Recover(io.Discard, list); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 150<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}
