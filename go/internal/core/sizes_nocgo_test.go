// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"fmt"
	"strings"
	"testing"
)

// columnCall returns a function that protects a column in a machine.
func columnCall(m *machine) func() error {
	return func() error {
		format, err := NewFormat(`"digits"`)
		if err != nil {
			return err
		}
		w, err := m.tokenize(format, make([]byte, 16), "d")
		if err != nil {
			return err
		}
		one := &Tokenizer{workers: newFreeList(newLimiter[tokenWorker](9), func() (*tokenWorker, error) { return w, nil },
			func(*tokenWorker) {}, func() {})}
		column := Strings{make([]int64, 1001), []byte("123456")}
		for i := range column.Offsets[1:] {
			column.Offsets[i+1] = 6 * int64(i/1000)
		}
		column.Offsets[1000] = 6
		_, _, err = one.Rows(false, column, nil, nil, make([]byte, 1000))
		return err
	}
}

// docs/reference/go.md says what is kept; these are the figures.
func TestSizesOfTheDocument(t *testing.T) {
	text := document(t)
	m, err := newMachine()
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	pool, err := m.setUpPool(ProfileFAST, 10, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	var sizes []any
	for i, grow := range []func() error{
		func() error { return nil },
		func() error { _, err := m.workOn(pool); return err },
		columnCall(m),
		func() error { return m.reserve(scratchLimit - 16) },
	} {
		if err := grow(); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		sizes = append(sizes, float64(m.module.Memory().Size())/1e6)
	}
	row := fmt.Sprintf("%.1f MB, %.1f MB with a cipher, %.1f MB after a column or row tweaks, up to %.1f MB after large calls", sizes...)
	if !strings.Contains(text, row) {
		t.Errorf("docs/reference/go.md does not say: %s", row)
	}
}
