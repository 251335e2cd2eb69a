// SPDX-License-Identifier: Apache-2.0

// Package homes tests homes of wrapping keys, on the servers that Python's tests start, with rings that Python makes.
package homes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/roots"
)

// Home is a home that runs, until the test's end.
type Home struct {
	Root, Absent, Idle string
	Environment, Stop  map[string]string
	test               *testing.T
	input              io.Writer
	output             *bufio.Reader
	python             string
}

// Start starts the home of a scheme, and gives the test its environment.
func Start(t *testing.T, scheme string) *Home {
	t.Helper()
	home := &Home{test: t, python: filepath.Join(vectors.Root(), ".venv", "bin", "python")}
	if _, err := os.Stat(home.python); err != nil {
		t.Skip("there is no Python package here: run make setup")
	}
	environment := append(os.Environ(), "PYTHONPATH="+filepath.Join(vectors.Root(), "python", "tests"))
	check := exec.Command(home.python, "-c", "import sys, key_homes; sys.exit(bool(key_homes.missing(sys.argv[1])))", scheme)
	check.Env = environment
	if check.Run() != nil {
		t.Skip("this machine lacks commands of the home: run make setup")
	}
	server := exec.Command(home.python, "-m", "key_homes", scheme)
	server.Env, server.Stderr = environment, os.Stderr
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = input.Close(); _ = server.Wait() })
	home.input, home.output = input, bufio.NewReader(output)
	home.answer(home)
	home.Set(home.Environment)
	return home
}

func (h *Home) answer(into any) {
	h.test.Helper()
	line, err := h.output.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, into)
	}
	if err != nil {
		h.test.Fatal(err)
	}
}

// Set changes the test's environment.
func (h *Home) Set(variables map[string]string) {
	for name, value := range variables {
		h.test.Setenv(name, value)
	}
}

// Do lets the home deny, allow or lose its key.
func (h *Home) Do(what string) {
	h.test.Helper()
	if _, err := io.WriteString(h.input, what+"\n"); err != nil {
		h.test.Fatal(err)
	}
	changes := map[string]string{}
	h.answer(&changes)
	h.Set(changes)
}

// Ring makes a ring in Python, with one key and the home's root.
func (h *Home) Ring() string {
	h.test.Helper()
	path := filepath.Join(h.test.TempDir(), "a.ring")
	for _, arguments := range [][]string{{"new", path, "--root", h.Root}, {"add", path, "people", "--root", h.Root}} {
		run := "from tallystick.cli import main; main()"
		command := exec.Command(h.python, append([]string{"-c", run, "keyring"}, arguments...)...)
		if out, err := command.CombinedOutput(); err != nil {
			h.test.Fatalf("%v: %v: %s", arguments, err, out)
		}
	}
	return path
}

// unwrap lets Python unwrap what Go wrapped.
func (h *Home) unwrap(wrapped, bound []byte) []byte {
	h.test.Helper()
	run := "import sys; from tallystick.keyring import RootKey; data = [bytes.fromhex(line) for line in sys.stdin];" +
		"sys.stdout.buffer.write(RootKey.parse(sys.argv[1]).root.unwrap(*data))"
	command := exec.Command(h.python, "-c", run, h.Root)
	command.Stdin = strings.NewReader(hexLine(wrapped) + hexLine(bound))
	out, err := command.Output()
	if err != nil {
		h.test.Fatal(err)
	}
	return out
}

func hexLine(data []byte) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for _, b := range data {
		text.WriteByte(digits[b>>4])
		text.WriteByte(digits[b&15])
	}
	return text.String() + "\n"
}

// Test opens a ring that Python made, and lets Python unwrap what Go wrapped. Then the key is denied, unreachable and
// lost; unreachable only if it stops, that is, keeps no connection to its home.
func Test(t *testing.T, scheme string, make roots.New, stops bool) {
	home.Waits = []time.Duration{0, 0}
	h := Start(t, scheme)
	roots.Register(scheme, make)
	root, err := roots.Parse(h.Root)
	if err != nil || root.String() != h.Root {
		t.Fatal(root, err)
	}
	path := h.Ring()
	ring, err := keyring.Open(path, root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Key("people:1"); err != nil {
		t.Error(err)
	}
	ring.Close()
	wrapper, key, bound := root.(keyring.Wrapper), bytes.Repeat([]byte{7}, 32), keyring.WrapContext("00")
	wrapped, err := wrapper.Wrap(context.Background(), key, bound)
	if err != nil {
		t.Fatal(err)
	}
	if back := h.unwrap(wrapped, bound); !bytes.Equal(back, key) {
		t.Errorf("Python does not unwrap what Go wrapped")
	}
	last := bytes.Clone(wrapped)
	last[len(last)-1] ^= 1
	for _, bad := range [][]byte{last, wrapped[:len(wrapped)-4], []byte("x")} {
		_, err := wrapper.Unwrap(context.Background(), bad, bound)
		if !errors.Is(err, keyring.ErrRootKey) || errors.Is(err, keyring.ErrRootLost) || errors.Is(err, keyring.ErrRootDenied) {
			t.Errorf("a changed record: %v", err)
		}
	}
	refused := func(kind error, says string) {
		t.Helper()
		if _, err := keyring.Open(path, root); !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, not %v: %q", err, kind, says)
		}
	}
	h.Do("deny")
	refused(keyring.ErrRootDenied, "is denied")
	h.Do("allow")
	if h.Absent != "" {
		absent, err := roots.Parse(h.Absent)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := absent.(keyring.Wrapper).Unwrap(context.Background(), wrapped, bound); !errors.Is(err, keyring.ErrRootLost) {
			t.Errorf("%s: %v", h.Absent, err)
		}
	}
	if h.Idle != "" {
		idle, err := roots.Parse(h.Idle)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := idle.(keyring.Wrapper).Wrap(context.Background(), key, bound); !errors.Is(err, keyring.ErrRootDenied) {
			t.Errorf("%s: %v", h.Idle, err)
		}
	}
	if stops && len(h.Stop) > 0 {
		h.Set(h.Stop)
		refused(keyring.ErrRootKey, h.Root)
		h.Set(h.Environment)
	}
	h.Do("lose")
	refused(keyring.ErrRootLost, "another of its roots")
}

// Refuse expects that texts after a scheme are no roots.
func Refuse(t *testing.T, make roots.New, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := make(text); !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), "is written") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
