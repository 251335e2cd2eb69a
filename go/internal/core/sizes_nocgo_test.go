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
		m.needWorkspace,
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
