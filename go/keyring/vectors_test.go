// SPDX-License-Identifier: Apache-2.0

package keyring_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
)

// TestVectors opens the rings that every language reads.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "keyrings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Source, Text, File, Result, Message, Ring string
		RootKey                                   string `json:"root_key"`
		Held, References, Keys, Rights            []string
		Revision                                  uint32
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 100 {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ring")
	for _, c := range cases {
		data := []byte(c.Text)
		if c.File != "" {
			if data, err = hex.DecodeString(c.File); err != nil {
				t.Fatal(err)
			}
		}
		root, err := hex.DecodeString(c.RootKey)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ring, err := keyring.OpenWithKey(file, root)
		want := map[string]error{"key ring": keyring.ErrKeyring, "root key": keyring.ErrRootKey}[c.Result]
		if !errors.Is(err, want) || err != nil && !strings.HasSuffix(err.Error(), ": "+c.Message) {
			t.Errorf("%s: %v, not %s", c.Source, err, c.Message)
		}
		if err != nil {
			continue
		}
		if ring.ID() != c.Ring || !slices.Equal(ring.Keys(), c.Held) {
			t.Errorf("%s: %s has %v", c.Source, ring.ID(), ring.Keys())
		}
		if ring.Revision() != c.Revision {
			t.Errorf("%s: revision %d", c.Source, ring.Revision())
		}
		for i, rights := range c.Rights {
			if ring.Rights(c.Held[i]).String() != rights {
				t.Errorf("%s: %s may %v", c.Source, c.Held[i], ring.Rights(c.Held[i]))
			}
			if _, err := ring.Key(c.Held[i]); (err == nil) != (rights == keyring.AllRights.String()) {
				t.Errorf("%s: %s: %v", c.Source, c.Held[i], err)
			}
		}
		for i, reference := range c.References {
			key, err := ring.TokenizerKey(reference)
			message, refused := strings.CutPrefix(c.Keys[i], "! ")
			switch {
			case !refused && (err != nil || hex.EncodeToString(key) != c.Keys[i]):
				t.Errorf("%s: %s is another key: %v", c.Source, reference, err)
			case refused && !strings.HasSuffix(err.Error(), message):
				t.Errorf("%s: %q: %v, not %s", c.Source, reference, err, message)
			}
		}
		ring.Close()
	}
}
