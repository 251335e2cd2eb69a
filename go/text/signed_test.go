// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/text"
)

// TestSignedPolicies opens text policies with a ring that demands signatures.
func TestSignedPolicies(t *testing.T) {
	ring, seed := ringWithSigners(t)
	const given = "[kinds.email]\nkey = 'people:1'\nnamespace = 'e-mail'\npatterns = ['\\w+@\\w+']\n"
	private := ed25519.NewKeyFromSeed(seed)
	signature := fmt.Sprintf("tallystick policy signature 1\n%x %x\n", private.Public(),
		ed25519.Sign(private, []byte("tallystick policy 1\n"+given)))
	stranger := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	theirs := fmt.Sprintf("tallystick policy signature 1\n%x %x\n", stranger.Public(),
		ed25519.Sign(stranger, []byte("tallystick policy 1\n"+given)))
	for _, c := range []struct{ name, policy, signatures, refused string }{
		{"as signed", given, signature, ""},
		{"changed", given + "# more\n", signature, "was changed after it was signed"},
		{"of a stranger", given, theirs, "no signature is of a signer"},
		{"no signature", given, "", "p.toml.sig can't be read"},
		{"damaged", given, signature[1:], "not a file of signatures"},
	} {
		t.Chdir(t.TempDir())
		write(t, "p.toml", c.policy)
		if c.signatures != "" {
			write(t, "p.toml.sig", c.signatures)
		}
		made, err := text.LoadPolicy("p.toml")
		if err != nil {
			t.Fatal(c.name, err)
		}
		protector, err := made.Open(ring, text.OpenOptions{ProtectOnly: true})
		if c.refused == "" {
			if err != nil {
				t.Fatal(c.name, err)
			}
			protector.Close()
		} else if !errors.Is(err, text.ErrPolicy) || !strings.Contains(err.Error(), c.refused) {
			t.Error(c.name, err)
		}
	}
	parsed, err := text.ParsePolicy(given, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parsed.Open(ring, text.OpenOptions{}); !errors.Is(err, text.ErrPolicy) ||
		!strings.Contains(err.Error(), "was read from no file") {
		t.Error(err)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ringWithSigners returns a ring of the vectors that demands signatures, and the seed of a signer.
func ringWithSigners(t *testing.T) (*keyring.Keyring, []byte) {
	t.Helper()
	var signers struct{ Seeds []string }
	var rings []struct {
		Source, Text string
		RootKey      string `json:"root_key"`
	}
	for name, into := range map[string]any{"policy_signatures": &signers, "keyrings": &rings} {
		found, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", name+".json"))
		if err == nil {
			err = json.Unmarshal(found, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range rings {
		if one.Source != "format 2: rights and signers" {
			continue
		}
		file := filepath.Join(t.TempDir(), "ring")
		write(t, file, one.Text)
		root, _ := hex.DecodeString(one.RootKey)
		ring, err := keyring.OpenWithKey(file, root)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(ring.Close)
		seed, _ := hex.DecodeString(signers.Seeds[0])
		return ring, seed
	}
	t.Fatal("the vectors have no such ring")
	return nil, nil
}
