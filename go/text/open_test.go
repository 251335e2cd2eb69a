// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/text"
)

// A ring of the tests of go/keyring, and its root key.
const (
	ringPath = "../keyring/testdata/people.keys"
	rootText = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
)

func openRing(t *testing.T) *keyring.Keyring {
	t.Helper()
	t.Setenv("TEST_ROOT_KEY", rootText)
	root, err := keyring.ParseRoot("env:TEST_ROOT_KEY")
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(ringPath, root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ring.Close)
	return ring
}

const several = `
frame = "ascii"
check_bits = 48

[kinds.email]
key = "people:1"
namespace = "e-mail"
scan = ["email", "iban"]

[kinds.number]
key = "people:2"
namespace = "number"
scan = ["card"]
patterns = ['(?:\A|\W)(?P<value>[A-Z]{2}\d{3})(?:\W|\Z)', '\w+ß\s?']

[kinds.name]
key = "people:1"
namespace = "name"
words = ["Zoë", "Zoë Grant", "Grant.", "42"]
ignore_case = true
`

func opened(t *testing.T, options text.OpenOptions) *text.Protector {
	t.Helper()
	p, err := policy(t, several).Open(openRing(t), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestProtectFound(t *testing.T) {
	p := opened(t, text.OpenOptions{Scope: "a"})
	given := "Zoë Grant <zoe@example.com>, AB123"
	made, err := p.ProtectFound(given)
	if err != nil || strings.Count(made, "tly-") != 3 || strings.Contains(made, "zoe@") {
		t.Fatal(made, err)
	}
	if again, err := p.ProtectFound(made); err != nil || again != made {
		t.Errorf("protected again: %q, %v", again, err)
	}
	if more, err := p.ProtectFound(made + " Zoë"); err != nil || !strings.HasPrefix(more, made+" tly-name-") {
		t.Errorf("protected with more: %q, %v", more, err)
	}
	// Another's token is text, and what is found in it is protected.
	if forged, err := p.Protect("tly-name-00000000", []text.Span{{Start: 0, End: 17, Kind: "name"}}); err != nil ||
		strings.Contains(forged, "00000000") {
		t.Errorf("%q, %v", forged, err)
	}
	if back, err := p.Reveal(made, text.Plain); err != nil || back != given {
		t.Errorf("%q, %v", back, err)
	}
	if other, err := opened(t, text.OpenOptions{Scope: "b"}).Reveal(made, text.Plain); err != nil || other != made {
		t.Errorf("in another scope: %q, %v", other, err)
	}
	if _, err := protector(t, text.Options{}).ProtectFound("x"); !errors.Is(err, text.ErrNoPolicy) {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	only := opened(t, text.OpenOptions{ProtectOnly: true})
	if _, err := only.Reveal("x", text.Plain); !errors.Is(err, text.ErrNoReveal) {
		t.Error(err)
	}
	if made, err := only.ProtectFound("AB123"); err != nil || made == "AB123" {
		t.Error(made, err)
	}
	p := policy(t, kindEmail+"[kinds.x]\nkey = 'people:9'\nnamespace = 'x'\n")
	if _, err := p.Open(openRing(t), text.OpenOptions{}); !errors.Is(err, keyring.ErrNoKey) || !strings.Contains(err.Error(), "kinds.x") {
		t.Error(err)
	}
}

func TestTextsAreAsInPython(t *testing.T) {
	program := filepath.Join(vectors.Root(), ".venv", "bin", "python")
	if _, err := os.Stat(program); err != nil {
		t.Skip("there is no .venv with the Python package: run make setup")
	}
	p := opened(t, text.OpenOptions{})
	name, err := p.Token("name", "Zoë")
	if err != nil {
		t.Fatal(err)
	}
	pieces := []string{
		" ", " ", ", ", "\n", "é", "_", "x", "4", "Zoë", "ZOË", "Grant.", "Zoë Grant", "zoe@example.com", "AB123", "AB12",
		"4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "straß", "\u00a0", "٤٢", "42", "⟦", "tly-name-", name, "\U0001f600", "\x1c",
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 2000)
	for i := range texts {
		for range random.IntN(12) {
			texts[i] += pieces[random.IntN(len(pieces))]
		}
	}
	file := filepath.Join(t.TempDir(), "text.toml")
	if err := os.WriteFile(file, []byte(several), 0o600); err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "testdata/protect.py", file, ringPath, "env:TEST_ROOT_KEY")
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []string
	if err := json.Unmarshal(output, &theirs); err != nil || len(theirs) != len(texts) {
		t.Fatal(err)
	}
	for i, given := range texts {
		if made, err := p.ProtectFound(given); err != nil || made != theirs[i] {
			t.Errorf("%q:\nGo %q, %v\nPython %q", given, made, err, theirs[i])
		}
	}
}
