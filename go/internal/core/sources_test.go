// SPDX-License-Identifier: Apache-2.0

package core

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// Each source of the core is in the unit of its module. `make wasm` makes the units, and a test of the
// tools compares every byte.
func TestEverySourceIsCompiled(t *testing.T) {
	root := filepath.Join(vectors.Root(), "core")
	units, err := filepath.Glob("tallystick_*.c")
	if err != nil || len(units) == 0 {
		t.Fatalf("there are no units: %v", err)
	}
	for _, name := range units {
		unit, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		part := strings.TrimSuffix(strings.TrimPrefix(name, "tallystick_"), ".c")
		err = filepath.WalkDir(filepath.Join(root, part), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".c" {
				return err
			}
			source, err := filepath.Rel(filepath.Dir(root), path)
			if err != nil {
				return err
			}
			if !strings.Contains(string(unit), "/* ---- "+filepath.ToSlash(source)+" ---- */") {
				t.Errorf("%s has no %s: run make wasm", name, source)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
