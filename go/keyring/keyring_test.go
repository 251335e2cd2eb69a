// SPDX-License-Identifier: Apache-2.0

package keyring_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/keyring"
)

// rootText is the root key of the rings in testdata, which Python has made; keys.json has their keys.
const rootText = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func rootKey() []byte {
	key, _ := hex.DecodeString(rootText)
	return key
}

func environment(t testing.TB) keyring.Root {
	t.Helper()
	t.Setenv("TEST_ROOT_KEY", rootText+"\n")
	source, err := keyring.ParseRoot("env:TEST_ROOT_KEY")
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func TestRingsOfPython(t *testing.T) {
	text, err := os.ReadFile("testdata/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var rings map[string]map[string]string
	if err := json.Unmarshal(text, &rings); err != nil || len(rings) != 4 {
		t.Fatal(err)
	}
	for name, want := range rings {
		ring, err := keyring.OpenWithKey(filepath.Join("testdata", name), rootKey())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(ring.Keys()) != len(want) || len(ring.ID()) != 32 {
			t.Errorf("%s: keys %v", name, ring.Keys())
		}
		for reference, text := range want {
			if key, err := ring.Key(reference); err != nil || hex.EncodeToString(key) != text {
				t.Errorf("%s: %s is another key: %v", name, reference, err)
			}
		}
		for _, reference := range []string{"people", "people:0", "people:01", "People:1", ":1", "people:99999999999"} {
			if _, err := ring.Key(reference); !errors.Is(err, keyring.ErrReference) {
				t.Errorf("%s: %q: %v", name, reference, err)
			}
		}
		if _, err := ring.Key("people:3"); !errors.Is(err, keyring.ErrNoKey) {
			t.Errorf("%s: a key that there is not: %v", name, err)
		}
		ring.Close()
		if _, err := ring.Key("people:1"); !errors.Is(err, keyring.ErrKeyring) {
			t.Errorf("%s: closed: %v", name, err)
		}
	}
}

func TestSources(t *testing.T) {
	if _, err := keyring.Open("testdata/people.keys", environment(t)); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"shared.keys", "passphrase.keys"} {
		if _, err := keyring.Open(filepath.Join("testdata", name), environment(t)); !errors.Is(err, keyring.ErrRootKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "root.key")
	if err := os.WriteFile(file, []byte(rootText), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := keyring.ParseRoot("file:" + file)
	if err != nil || source.String() != "file:"+file {
		t.Fatal(err)
	}
	if _, err := keyring.Open("testdata/people.keys", source); err != nil {
		t.Error(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := keyring.Open("testdata/people.keys", source); !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("a file that others may read: %v", err)
		}
	}
	for _, text := range []string{"", "prompt", "shares", "file:", "env:", "env:1X", "file:" + rootText, rootText, "file:a\x00b",
		"file: " + rootText, "file:0x" + rootText, "file:" + rootText[:9] + " " + rootText[9:] + "\n", "file:" + rootText + "0"} {
		if _, err := keyring.ParseRoot(text); !errors.Is(err, keyring.ErrRootKey) || strings.Contains(err.Error(), rootText[9:]) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"env:NOBODY_SETS_THIS", "file:/none/such", "file:" + t.TempDir()} {
		source, err := keyring.ParseRoot(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keyring.Open("testdata/people.keys", source); !errors.Is(err, keyring.ErrRootKey) {
			t.Errorf("%s: %v", text, err)
		}
	}
	t.Setenv("TEST_ROOT_KEY", rootText[:63])
	source, err = keyring.ParseRoot("env:TEST_ROOT_KEY")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Open("testdata/people.keys", source); !errors.Is(err, keyring.ErrRootKey) {
		t.Errorf("63 digits: %v", err)
	}
}

func TestWrongRootKey(t *testing.T) {
	key := rootKey()
	key[31] ^= 1
	if _, err := keyring.OpenWithKey("testdata/people.keys", key); !errors.Is(err, keyring.ErrRootKey) {
		t.Errorf("another key: %v", err)
	}
	if _, err := keyring.OpenWithKey("testdata/people.keys", key[:16]); !errors.Is(err, keyring.ErrRootKey) {
		t.Errorf("a short key: %v", err)
	}
}

// TestEveryDamage changes each byte of a ring's file in turn.
func TestEveryDamage(t *testing.T) {
	good, err := os.ReadFile("testdata/people.keys")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ring")
	open := func(data []byte) error {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := keyring.OpenWithKey(file, rootKey())
		return err
	}
	if err := open(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if err := open(bad); !errors.Is(err, keyring.ErrKeyring) && !errors.Is(err, keyring.ErrRootKey) {
			t.Fatalf("byte %d was changed: %v", i, err)
		}
	}
	for name, bad := range map[string][]byte{
		"cut short": good[:len(good)-1], "longer": append(bytes.Clone(good), '\n'), "empty": nil,
		"reformatted": bytes.ReplaceAll(good, []byte("  "), []byte("\t")), "no JSON": []byte("ring"),
		"other version": bytes.Replace(good, []byte(`"version": 1`), []byte(`"version": 2`), 1),
		"too large":     bytes.Repeat([]byte(" "), 1<<21),
	} {
		if err := open(bad); !errors.Is(err, keyring.ErrKeyring) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := keyring.OpenWithKey(t.TempDir(), rootKey()); !errors.Is(err, keyring.ErrKeyring) {
		t.Errorf("a directory: %v", err)
	}
}

func ExampleOpenWithKey() {
	ring, err := keyring.OpenWithKey("testdata/people.keys", rootKey())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ring.Close()
	fmt.Println(ring.Keys())
	// Output: [people:1 people:2 cards:1]
}

func TestNilSource(t *testing.T) {
	if _, err := keyring.Open("testdata/empty.keys", nil); err == nil {
		t.Error("opened without a source")
	}
}
