// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"fmt"
	"strings"
	"testing"
)

// docs/reference/go.md says what is kept; these are the figures.
func TestSizesOfTheDocument(t *testing.T) {
	text := document(t)
	var sizes []any
	for _, radix := range []uint32{10, 256} {
		pool, err := NewPool(ProfileFAST, radix, make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		w, err := pool.get()
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, float64(w.module.Memory().Size())/1e6)
		pool.workers.put(w)
	}
	m, err := newMachine()
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	sizes = append(sizes, float64(m.module.Memory().Size())/1e6)
	if err := m.reserve(scratchLimit - 16); err != nil {
		t.Fatal(err)
	}
	sizes = append(sizes, float64(m.module.Memory().Size())/1e6)
	for _, says := range []string{
		fmt.Sprintf("| %.1f to %.1f MB, and the room", sizes[:2]...),
		fmt.Sprintf("up to %.1f MB |", sizes[3].(float64)-sizes[2].(float64)),
		fmt.Sprintf("memories of %.1f to %.1f MB", sizes[2:]...),
	} {
		if !strings.Contains(text, says) {
			t.Errorf("docs/reference/go.md does not say: %s", says)
		}
	}
}
