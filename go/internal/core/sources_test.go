// SPDX-License-Identifier: Apache-2.0

package core

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// TestEverySourceIsCompiled compares the files c_*.c, one for each source, with the sources there are.
func TestEverySourceIsCompiled(t *testing.T) {
	want := map[string]string{}
	root := filepath.Join(vectors.Root(), "core")
	for _, part := range []string{"aes", "arrow", "base", "columns", "fast", "gf256", "library", "numbers", "sha2", "sharing"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".c" {
				var source string
				source, err = filepath.Rel(root, path)
				source = filepath.ToSlash(source)
				want["c_"+strings.ReplaceAll(source, "/", "_")] = fmt.Sprintf("#include \"../../../core/%s\"\n", source)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(want) == 0 {
		t.Fatal("there are no sources")
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
