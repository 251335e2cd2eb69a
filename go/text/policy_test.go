// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/text"
)

const kindEmail = `
[kinds.email]
key = "people:1"
namespace = "e-mail"
`

func policy(t *testing.T, given string) *text.Policy {
	t.Helper()
	p, err := text.ParsePolicy(given, "test")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parts(t *testing.T, p *text.Policy, given string) (made []string) {
	t.Helper()
	spans, err := p.Find(given)
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range spans {
		made = append(made, span.Kind+" "+given[span.Start:span.End])
	}
	return made
}

func TestFind(t *testing.T) {
	p := policy(t, kindEmail+`scan = ["email"]

[kinds.money]
key = "people:1"
namespace = "money"
scan = ["card", "iban"]
patterns = ['(?:\A|\W)(?P<value>INV-\d{4})(?:\W|\Z)']

[kinds.name]
key = "people:1"
namespace = "name"
words = ["Zoë", "Zoë Grant", "a."]
ignore_case = true
`)
	for given, want := range map[string][]string{
		"é, jane.doe@example.org":          {"email jane.doe@example.org"},
		"4111 1111 1111 1111, INV-1234":    {"money 4111 1111 1111 1111", "money INV-1234"},
		"xINV-1234 INV-12345":              nil,
		"INV-١٢٣٤":                         {"money INV-١٢٣٤"}, // digits of all scripts, as in Python
		"ZOË zoë grant, zoëx xzoë _zoë":    {"name ZOË", "name zoë grant"},
		"a. a.b a.a. éa.":                  {"name a.", "name a."},
		"DE89 3704 0044 0532 0130 00\n@\n": {"money DE89 3704 0044 0532 0130 00"},
		"":                                 nil,
	} {
		if got := parts(t, p, given); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", given, got, want)
		}
	}
	many := strings.Repeat("jane.doe@example.org, ", 1000) // more than one call has space for
	if got := parts(t, p, many); len(got) != 1000 {
		t.Errorf("%d findings", len(got))
	}
}

func TestPatternsMeanTheSameAsInPython(t *testing.T) {
	for _, c := range []struct{ pattern, given, want string }{
		{`[\w.]+!`, "¿né.ß!", "email né.ß!"},
		{`a\sb`, "a\u00a0b", "email a\u00a0b"},
		{`[]x]+`, "a]x", "email ]x"},
		{`[^]x]`, "]xa", "email a"},
		{`\u00e9+`, "aéé", "email éé"},
		{`a\D`, "a1ab", "email ab"},
		{`\W+`, "é?!", "email ?!"},
		{`x\Z`, "xx", "email x"},
		{`[\b]`, "a\b", "email \b"},
		{`id=(?P<value>[0-9]*)|ID[0-9]+`, "id=123", "email 123"},
		{`id=(?P<value>[0-9]*)|ID[0-9]+`, "id= ID456", "email ID456"},
	} {
		p := policy(t, kindEmail+"patterns = ['"+c.pattern+"']\n")
		if got := parts(t, p, c.given); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q", c.pattern, got)
		}
	}
	for _, pattern := range []string{
		`\bx`, `x\B`, `x$`, `x{,3}`, `[\W]`, `[^\S]`, `[[:alpha:]]`, `(?<!x)y`, `(?=x)`, `(x)\1`, `x++`, `x\u12`, `(`,
	} {
		if _, err := text.ParsePolicy(kindEmail+"patterns = ['"+pattern+"']\n", "test"); !errors.Is(err, text.ErrPolicy) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

func TestRefusedPolicies(t *testing.T) {
	for given, want := range map[string]string{
		kindEmail + "secret = 'hunter2":          "not valid TOML",
		"version = " + strings.Repeat("9", 5000): "not valid TOML",
		"a = " + strings.Repeat("[", 100_000):    "nested too deep; ",
		strings.Repeat("a.", 20_000) + "a = 1":   "nested too deep; ",
		kindEmail + "\xff":                       "not UTF-8",
		strings.Repeat("#", 1<<20) + "#":         "the limit for a policy is 1048576 bytes",
		kindEmail + "patterns = ['(']":           "kinds.email.patterns: not a regular expression",
	} {
		_, err := text.ParsePolicy(given, "test")
		if !errors.Is(err, text.ErrPolicy) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.40q: %v", given, err)
		}
	}
	for _, c := range vectors.Load[struct{ TOML, Message string }](t, "text_policies") {
		_, err := text.ParsePolicy(c.TOML, "test")
		if c.Message == "" && err != nil || c.Message != "" && (!errors.Is(err, text.ErrPolicy) || !strings.HasSuffix(err.Error(), ": test: "+c.Message)) {
			t.Errorf("%q: %v, not %q", c.TOML, err, c.Message)
		}
	}
	if _, err := text.LoadPolicy(t.TempDir() + "/none"); !errors.Is(err, text.ErrPolicy) {
		t.Error(err)
	}
}
