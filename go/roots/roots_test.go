// SPDX-License-Identifier: Apache-2.0

package roots_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/roots"
)

func python(t *testing.T) string {
	path := filepath.Join(vectors.Root(), ".venv", "bin", "python")
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no Python package here: run make setup")
	}
	return path
}

// TestVectors unwraps what Python wrapped.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "roots.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Root, File, Name, Context, Key, Wrapped string
		Environment                             map[string]string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 2 {
		t.Fatal(err)
	}
	for _, c := range cases {
		file := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(file, []byte(c.File), 0o600); err != nil {
			t.Fatal(err)
		}
		for name, value := range c.Environment {
			t.Setenv(name, value)
		}
		root, err := roots.Parse(strings.Replace(c.Root, "FILE", file, 1))
		if err != nil || root.String() != c.Name {
			t.Fatalf("%s: %v, %v", c.Root, root, err)
		}
		wrapper := root.(keyring.Wrapper)
		wrapped, err := hex.DecodeString(c.Wrapped)
		if err != nil {
			t.Fatal(err)
		}
		key, err := wrapper.Unwrap(context.Background(), wrapped, []byte(c.Context))
		if err != nil || hex.EncodeToString(key) != c.Key {
			t.Errorf("%s: %v", c.Root, err)
		}
		again, err := wrapper.Wrap(context.Background(), key, []byte(c.Context))
		if err != nil || bytes.Equal(again, wrapped) {
			t.Fatalf("%s: %v", c.Root, err)
		}
		if back, err := wrapper.Unwrap(context.Background(), again, []byte(c.Context)); err != nil || !bytes.Equal(back, key) {
			t.Errorf("%s: %v", c.Root, err)
		}
		if _, err := wrapper.Unwrap(context.Background(), wrapped[:len(wrapped)-1], []byte(c.Context)); !errors.Is(err, keyring.ErrRootDenied) {
			t.Errorf("%s: cut short: %v", c.Root, err)
		}
	}
}

func refused(t *testing.T, path, root string, kind error, says string) {
	t.Helper()
	source, err := roots.Parse(root)
	if err == nil {
		_, err = keyring.Open(path, source)
	}
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, not %q", root, err, says)
	}
}

func TestAge(t *testing.T) {
	folder := t.TempDir()
	secret := "AGE-SECRET-KEY-1" + strings.Repeat("Q", 58)
	file := filepath.Join(folder, "id")
	for text, says := range map[string]string{"": "has 0 X25519", secret: "typing error", secret + "\n" + secret: "has 2 X25519"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, "", "age:"+file, keyring.ErrRootKey, says)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, "", "age:"+file, keyring.ErrRootKey, "chmod 600")
	refused(t, "", "age:"+secret, keyring.ErrRootKey, "never write an identity")
	for _, scheme := range []string{"age:", "transit: ", "file: "} {
		refused(t, "", scheme+strings.Repeat("ab", 32), keyring.ErrRootKey, "never write the key")
	}
	for _, text := range []string{
		"age:" + strings.ToLower(secret), "age:" + secret[:40], "file:" + secret, "transit:a/" + strings.Repeat("ab", 32),
	} {
		if _, err := roots.Parse(text); !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), "never write") ||
			strings.Contains(err.Error(), text[10:]) {
			t.Errorf("a pasted key: %v", err)
		}
	}
	refused(t, "", "age:age1abc", keyring.ErrRootKey, "no recipient")
	refused(t, "", "age:"+file+"-absent", keyring.ErrRootLost, "no such age identity file")
	refused(t, "", "age:", keyring.ErrRootKey, "never write the key")
	refused(t, "", "transit:people", keyring.ErrRootKey, "MOUNT/KEY")
	t.Setenv("TALLYSTICK_AGE_PASSPHRASE", "")
	root, err := roots.Parse("age:passphrase")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.(keyring.Wrapper).Unwrap(context.Background(), nil, nil); !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), "is not set") {
		t.Error(err)
	}
}

// TestPythonsRings opens rings that Python's command makes, by each of their roots.
func TestPythonsRings(t *testing.T) {
	program, folder := python(t), t.TempDir()
	tests := filepath.Join(vectors.Root(), "python", "tests")
	server := exec.Command(program, "-m", "transit_server")
	server.Env = append(os.Environ(), "PYTHONPATH="+tests)
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close(); _ = server.Wait() }()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BAO_ADDR", strings.TrimSpace(address))
	t.Setenv("BAO_TOKEN", "s.test-token")
	identity := filepath.Join(folder, "id")
	make := exec.Command(program, "-c", "import pyrage; print(pyrage.x25519.Identity.generate())")
	text, err := make.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(identity, text, 0o600); err != nil {
		t.Fatal(err)
	}
	path, file := filepath.Join(folder, "a.ring"), filepath.Join(folder, "root.key")
	age, kms := "age:"+identity, "transit:transit/people"
	for _, arguments := range [][]string{
		{"new", path, "--root", "file:" + file, "--beside", age, "--beside", kms},
		{"add", path, "people", "--root", kms},
		{"add", path, "cards", "--root", age},
		{"rights", path, "cards:1", "--may", "reveal", "--root", age},
	} {
		run := "from tallystick.cli import main; main()"
		command := exec.Command(program, append([]string{"-c", run, "keyring"}, arguments...)...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", arguments, err, out)
		}
	}
	var first []byte
	for _, text := range []string{"file:" + file, age, kms} {
		root, err := roots.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		ring, err := keyring.Open(path, root)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ring.Key("people:1")
		if err != nil || first != nil && !bytes.Equal(key, first) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := ring.Key("cards:1"); !errors.Is(err, keyring.ErrRights) || ring.Rights("cards:1") != keyring.MayReveal {
			t.Errorf("%s: %v", text, err)
		}
		if ring.Revision() != 4 {
			t.Errorf("revision %d", ring.Revision())
		}
		first = key
		ring.Close()
	}
	refused(t, path, "env:ABSENT", keyring.ErrRootKey, "not set")
	refused(t, path, "transit:transit/other", keyring.ErrRootKey, "not from transit:transit/other")
	absent, err := roots.Parse("transit:transit/other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := absent.(keyring.Wrapper).Unwrap(context.Background(), []byte("vault:v1:"), nil); !errors.Is(err, keyring.ErrRootLost) {
		t.Errorf("a key that the server lacks: %v", err)
	}
	t.Setenv("BAO_TOKEN", "s.other")
	refused(t, path, kms, keyring.ErrRootDenied, "permission denied")
	t.Setenv("BAO_ADDR", "http://bao.example:8200")
	refused(t, path, kms, keyring.ErrRootKey, "unencrypted")
	t.Setenv("BAO_ADDR", "http://127.0.0.1:1")
	refused(t, path, kms, keyring.ErrRootKey, "can't reach")
	t.Setenv("BAO_ADDR", "")
	t.Setenv("VAULT_ADDR", "")
	refused(t, path, kms, keyring.ErrRootKey, "set BAO_ADDR")
}
