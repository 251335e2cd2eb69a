// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// listed returns the names of a list in a file of the repository, between two texts.
func listed(t *testing.T, begin, end string, path ...string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{vectors.Root()}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(text), begin)
	list, _, ended := strings.Cut(behind, end)
	if !found || !ended {
		t.Fatalf("%v has no list that begins with %q", path, begin)
	}
	return slices.Sorted(slices.Values(regexp.MustCompile(`[a-z_0-9]+`).FindAllString(list, -1)))
}

// The formats that Go refuses are listed in both documents, and with those that it has they are all.
func TestFormatsInDocuments(t *testing.T) {
	want := slices.Sorted(slices.Values(inPython))
	if got := listed(t, "in Python alone:", ".", "go", "policy", "doc.go"); !slices.Equal(got, want) {
		t.Errorf("go doc lists %v, and the code refuses %v", got, want)
	}
	if got := listed(t, "only the Python package has:", ".", "docs", "reference", "go.md"); !slices.Equal(got, want) {
		t.Errorf("docs/reference/go.md lists %v, and the code refuses %v", got, want)
	}
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
	if got := slices.Sorted(slices.Values(append(slices.Clone(names), inPython...))); !slices.Equal(got, all) {
		t.Errorf("docs/reference/formats/index.md has %v, and Go knows %v", all, got)
	}
}
