// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// The program reads the tokens that the guide shows, which Python made, and prints the values that it shows.
func TestTokensOfPython(t *testing.T) {
	docs := filepath.Join(vectors.Root(), "docs")
	page, err := os.ReadFile(filepath.Join(docs, "how-to", "read-tokens-in-another-language.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```text[^\n]*\n(.*?)```").FindAllStringSubmatch(string(page), 2)
	if len(shown) != 2 {
		t.Fatal("the guide does not show tokens and values")
	}
	policy, err := filepath.Abs(filepath.Join(docs, "how-to", "practice", "people.toml"))
	if err != nil {
		t.Fatal(err)
	}
	ring, err := filepath.Abs(filepath.Join(docs, "tutorials", "practice.keys"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"people.toml": string(text), "tokens.csv": shown[0][1]} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TALLYSTICK_KEYRING", ring)
	t.Setenv("PRACTICE_ROOT", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	t.Setenv("TALLYSTICK_ROOT", "env:PRACTICE_ROOT")
	var out strings.Builder
	if err := reveal(&out, "tokens.csv", "phone"); err != nil {
		t.Fatal(err)
	}
	if out.String() != shown[1][1] {
		t.Errorf("the guide shows %q, and the program prints %q", shown[1][1], out.String())
	}
	if err := reveal(&out, "tokens.csv", "plan"); err == nil {
		t.Error("a column without a rule is revealed")
	}
}
