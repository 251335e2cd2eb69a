// SPDX-License-Identifier: Apache-2.0

package core

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// Folders of the core that Go does not use, or that are in the unit of textcore.
var notOfGo = []string{"csv", "include", "masked", "scan", "tests", "text"}

// Sources that Go never runs, as LEFT_OUT of wasm/build.py, and one that is in the unit of textcore.
var leftOut = regexp.MustCompile(`^core/(.*simd128|aes/bitslice_avx.*|sha2/sha512.*|tokens/(stream|table)|policy/kinds)\.c$`)

var source = regexp.MustCompile(`(?m)^/\* ---- (core/.*\.c) ---- \*/$`)

// Each source of the core is in one unit. `make wasm` makes the units, and a test of the tools compares
// every byte.
func TestEverySourceIsCompiledOnce(t *testing.T) {
	units, err := filepath.Glob("tallystick_*.c")
	if err != nil || len(units) == 0 {
		t.Fatalf("there are no units: %v", err)
	}
	compiled := map[string]int{}
	for _, name := range units {
		unit, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range source.FindAllStringSubmatch(string(unit), -1) {
			compiled[found[1]]++
		}
	}
	root := filepath.Join(vectors.Root(), "core")
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(filepath.Dir(root), path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(below)
		for _, folder := range notOfGo {
			if name == "core/"+folder {
				return filepath.SkipDir
			}
		}
		want := 1
		if leftOut.MatchString(name) {
			want = 0
		}
		if strings.HasSuffix(name, ".c") && compiled[name] != want {
			t.Errorf("%s is in %d units, not in %d: run make wasm", name, compiled[name], want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
