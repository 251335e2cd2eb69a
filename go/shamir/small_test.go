// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/tallystick/tallystick/go/shamir"
)

// small disperses and recovers 50 bytes.
type small struct {
	data   []byte
	shares [3]bytes.Buffer
}

func (s *small) disperse(t testing.TB) {
	for i := range s.shares {
		s.shares[i].Reset()
	}
	_, err := shamir.Disperse(bytes.NewReader(s.data), []io.Writer{&s.shares[0], &s.shares[1], &s.shares[2]}, 2, "x")
	if err != nil {
		t.Fatal(err)
	}
}

func (s *small) recover(t testing.TB) {
	_, err := shamir.Recover(io.Discard, readers(s.shares[2].Bytes(), s.shares[0].Bytes()))
	if err != nil {
		t.Fatal(err)
	}
}

// Little data takes little memory: without cgo, more for the memory of WebAssembly.
func TestSmallDispersal(t *testing.T) {
	s := &small{data: data(50)}
	s.disperse(t)
	s.recover(t)
	for name, run := range map[string]func(testing.TB){"Disperse": s.disperse, "Recover": s.recover} {
		const rounds, limit = 20, 100 << 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			run(t)
		}
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) / rounds; used > limit {
			t.Errorf("%s: %d bytes were allocated for 50 bytes of data, more than %d", name, used, limit)
		}
	}
}

// BenchmarkSmall disperses and recovers 50 bytes:
//
//	go test ./go/shamir -run '^$' -bench Small
func BenchmarkSmall(b *testing.B) {
	s := &small{data: data(50)}
	for name, run := range map[string]func(testing.TB){"Disperse": s.disperse, "Recover": s.recover} {
		s.disperse(b)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run(b)
			}
		})
	}
}
