// SPDX-License-Identifier: Apache-2.0

//go:build cgo && (amd64 || arm64)

package core

import (
	"fmt"
	"strings"
	"testing"
)

// docs/reference/go.md says what is kept; these are the figures. The core of Python has the same sizes.
func TestSizesOfTheDocument(t *testing.T) {
	text := document(t)
	row := "| with cgo |"
	for i, radix := range []uint32{10, 62, 256} {
		row += fmt.Sprintf("%s %d kB (radix %d)", []string{"", ",", ","}[i], (poolSize(radix)+500)/1000, radix)
	}
	row += fmt.Sprintf(" | %.2f MB", float64(cipherSize())/1e6)
	if !strings.Contains(text, row) {
		t.Errorf("docs/reference/go.md does not say: %s", row)
	}
}
