// SPDX-License-Identifier: Apache-2.0

package core

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// TestEverySourceIsCompiled compares the files c_*.c, one for each source, with the sources there are.
func TestEverySourceIsCompiled(t *testing.T) {
	want := map[string]string{}
	for _, part := range []string{"aes", "base", "fast", "numbers", "sha2", "sharing"} {
		sources, err := filepath.Glob(filepath.Join(vectors.Root(), "core", part, "*.c"))
		if err != nil || len(sources) == 0 {
			t.Fatalf("no sources in %s: %v", part, err)
		}
		for _, source := range sources {
			name := strings.TrimSuffix(filepath.Base(source), ".c")
			want[fmt.Sprintf("c_%s_%s.c", part, name)] = fmt.Sprintf("#include \"../../../core/%s/%s.c\"\n", part, name)
		}
	}
	found, err := filepath.Glob("c_*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil || want[file] == "" || !strings.HasSuffix(string(text), want[file]) {
			t.Errorf("%s does not stand for a source of the core: remove it: %v", file, err)
		}
		delete(want, file)
	}
	for file, line := range want {
		t.Errorf("%s is missing: it has the tag cgo, as its neighbours, and %s", file, line)
	}
}
