// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

// The reference lists the formats of the core.
func TestFormatsInDocuments(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(vectors.Root(), "docs", "reference", "formats", "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(table), "| format | for |")
	rows, _, _ = strings.Cut(rows, "\n\n")
	var all []string
	for _, row := range regexp.MustCompile("(?m)^\\| \\[`([a-z_0-9]+)`\\]").FindAllStringSubmatch(rows, -1) {
		all = append(all, row[1])
	}
	slices.Sort(all)
	if got := slices.Sorted(slices.Values(fast.FormatNames())); !slices.Equal(got, all) {
		t.Errorf("docs/reference/formats/index.md has %v, and the core %v", all, got)
	}
}
