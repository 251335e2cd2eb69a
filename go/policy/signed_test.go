// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/policy"
)

type signatures struct {
	Public []string
	Cases  []struct {
		Source, Policy string
		Signatures     *string
		Signers        []string
		Refused        string
	}
}

func readSignatures(t *testing.T) (found signatures) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "policy_signatures.json"))
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil || len(found.Cases) < 20 {
		t.Fatal(err)
	}
	return found
}

// TestSignatures reads the policies that Python reads too.
func TestSignatures(t *testing.T) {
	for _, c := range readSignatures(t).Cases {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("p.toml", []byte(c.Policy), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.Signatures != nil {
			if err := os.WriteFile("p.toml.sig", []byte(*c.Signatures), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		made, err := policy.Load("p.toml")
		if err != nil {
			t.Fatal(err)
		}
		err = made.CheckSigned(c.Signers, "RING")
		if c.Refused == "" && err != nil || c.Refused != "" && (!errors.Is(err, policy.ErrPolicy) || !strings.HasSuffix(err.Error(), ": "+c.Refused)) {
			t.Errorf("%s: %v", c.Source, err)
		}
	}
}

// TestChangedPolicies changes a signed policy in memory.
func TestChangedPolicies(t *testing.T) {
	found := readSignatures(t)
	signed := func() *policy.Policy {
		c := found.Cases[0]
		made, err := policy.LoadSigned([]byte(c.Policy), []byte(*c.Signatures), "p.toml")
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for name, change := range map[string]func(*policy.Policy){
		"a value is kept": func(p *policy.Policy) { p.Rules[0].OnInvalid = policy.OnInvalidKeep },
		"another format":  func(p *policy.Policy) { p.Rules[0].Format = fast.Hex() },
		"another column":  func(p *policy.Policy) { p.Rules[0].Column = "other" },
		"a field is kept": func(p *policy.Policy) { p.Keep = []string{"name"} },
		"fields are kept": func(p *policy.Policy) { p.Unlisted = policy.UnlistedKeep },
		"formats mix":     func(p *policy.Policy) { p.MixedFormats = []string{"id"} },
		"no header":       func(p *policy.Policy) { p.CSV.NoHeader = true },
		"another dialect": func(p *policy.Policy) { p.CSV.Delimiter = ';' },
		"from no file":    func(p *policy.Policy) { *p = policy.Policy{Rules: p.Rules} },
		"a rule was added": func(p *policy.Policy) {
			p.Rules = append(slices.Clone(p.Rules), policy.Rule{Column: "more", Format: fast.Hex()})
		},
	} {
		made := signed()
		change(made)
		if err := made.CheckSigned(found.Public[:1], "RING"); !errors.Is(err, policy.ErrPolicy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, change := range []func(*policy.Policy){
		func(*policy.Policy) {}, func(p *policy.Policy) { p.Unlisted = policy.UnlistedError }, func(p *policy.Policy) { p.Rules = nil },
		func(p *policy.Policy) { p.CSV.Encoding = "latin-1" },
	} {
		made := signed()
		change(made)
		if err := made.CheckSigned(found.Public[:1], "RING"); err != nil {
			t.Error(err)
		}
	}
}
