// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testRoot is the root key of the rings in testdata.
func testRoot() []byte {
	root := make([]byte, rootSize)
	for i := range root {
		root[i] = byte(i)
	}
	return root
}

// tail is the bytes after the authenticated part: the MAC's digits, and the end.
const tail = 64 + len("\"\n}\n")

func subkey(t testing.TB, ring, purpose string, size int) []byte {
	t.Helper()
	salt, err := hex.DecodeString(ring)
	if err != nil {
		return nil
	}
	key, err := hkdf.Key(sha256.New, testRoot(), salt, "tallystick keyring 1 "+purpose, size)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sealed returns a file with the check value and MAC that belong to it, as far as it has such.
func sealed(t testing.TB, data []byte) []byte {
	t.Helper()
	var head struct{ Ring, Check string }
	if json.Unmarshal(data, &head) != nil || len(data) < tail || subkey(t, head.Ring, "check", 16) == nil {
		return data
	}
	if head.Check != "" {
		check := hex.EncodeToString(subkey(t, head.Ring, "check", 16))
		data = bytes.Replace(data, []byte(head.Check), []byte(check), 1)
	}
	if len(data) < tail {
		return data
	}
	body := data[:len(data)-tail]
	mac := hmac.New(sha256.New, subkey(t, head.Ring, "authentication", 32))
	mac.Write(body)
	return append(hex.AppendEncode(bytes.Clone(body), mac.Sum(nil)), data[len(body)+64:]...)
}

// FuzzOpen reads any file, also sealed anew after an edit, to see what is behind the seal.
func FuzzOpen(f *testing.F) {
	made := map[string]bool{}
	for _, name := range []string{"people.keys", "empty.keys", "shared.keys", "passphrase.keys"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		if !bytes.Equal(sealed(f, data), data) {
			f.Fatalf("%s is sealed otherwise", name)
		}
		made[string(data)] = true
		f.Add(data, false)
		for _, edit := range [][2]string{
			{`"version": 2`, `"version": 4294967295`}, {"people", "others"}, {`"size": 32`, `"size": 16`},
			{`"wrapped": "[^"]*"`, `"wrapped": "AAAA"`}, {"keyring", "ring"}, {"T", "t"},
		} {
			f.Add(regexp.MustCompile(edit[0]).ReplaceAll(data, []byte(edit[1])), true)
		}
	}
	f.Add([]byte(`{"format": "tallystick-keyring", "version": 1, "keys": [{}]}`), false)
	file := filepath.Join(f.TempDir(), "ring")
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealed(t, data)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ring, err := OpenWithKey(file, testRoot())
		if err != nil {
			if !errors.Is(err, ErrKeyring) && !errors.Is(err, ErrRootKey) {
				t.Errorf("not a documented error: %v", err)
			}
			if made[string(data)] {
				t.Error(err)
			}
			return
		}
		defer ring.Close()
		if !seal && !made[string(data)] {
			t.Error("a ring that nobody made is authentic")
		}
		for _, reference := range ring.Keys() {
			key, err := ring.Key(reference)
			if err == nil && !slices.Contains([]int{16, 24, 32}, len(key)) {
				t.Errorf("%s has %d bytes", reference, len(key))
			}
			// Behind a seal of ours a key may have been wrapped for another place.
			if err != nil && (!seal || !errors.Is(err, ErrKeyring)) {
				t.Errorf("%s: %v", reference, err)
			}
		}
	})
}

// FuzzParseRoot reads any text: an error repeats nothing of a text that is refused.
func FuzzParseRoot(f *testing.F) {
	_, refused := ParseRoot("")
	if refused == nil {
		f.Fatal("nothing is a source")
	}
	key := hex.EncodeToString(testRoot())
	for _, text := range []string{"file:root.key", "env:ROOT", "env:1X", key, "file:" + key, "env:" + strings.ToUpper(key), "file:a\x00b", "prompt", "shares:a,b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		source, err := ParseRoot(text)
		if err != nil {
			if !errors.Is(err, ErrRootKey) || err.Error() != refused.Error() || source != nil {
				t.Errorf("the error repeats some of the text: %v", err)
			}
			return
		}
		_, rest, _ := strings.Cut(text, ":")
		if _, err := hex.DecodeString(rest); err == nil && len(rest) == 64 {
			t.Error("a key is taken for a source")
		}
		if source.String() != text {
			t.Errorf("%q is read as %q", text, source)
		}
	})
}
