// SPDX-License-Identifier: Apache-2.0

package core

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// document returns docs/reference/go.md, whose figures the tests compare with the code.
func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "docs", "reference", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
