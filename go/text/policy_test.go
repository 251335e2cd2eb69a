// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

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
		"":                                       "needs a kind",
		"version = 2\n" + kindEmail:              "version must be 1",
		"frame = 'x'\n" + kindEmail:              "frame must be",
		"check_bits = 41\n" + kindEmail:          "check_bits",
		"check_bits = 'x'\n" + kindEmail:         "check_bits: must be a whole number",
		"wrong = 1\n" + kindEmail:                "wrong: no such key",
		"[columns]":                              "a policy for tables",
		"[kinds.email]\nkey = 'people:1'":        "kinds.email.namespace: is missing",
		"kinds = 1":                              "kinds: must be a table",
		"[kinds]\nemail = 1":                     "kinds.email: must be a table",
		kindEmail + "scan = ['mail']":            "no such kind",
		kindEmail + "scan = ['jwt', 'jwt']":      "jwt is of kinds.email too",
		kindEmail + "words = ['']":               "kinds.email.words: must be a list of texts",
		kindEmail + "words = 'x'":                "kinds.email.words: must be a list of texts",
		kindEmail + "secret = 'hunter2":          "not valid TOML",
		"[kinds.x]\nkey='p'\nnamespace='x'":      "kinds.x.key",
		"version = " + strings.Repeat("9", 5000): "not valid TOML",
		"a = " + strings.Repeat("[", 100_000):    "nested too deep; ",
		strings.Repeat("a.", 20_000) + "a = 1":   "nested too deep; ",
		kindEmail + "\xff":                       "not UTF-8",
		strings.Repeat("#", 1<<20) + "#":         "at most 1 MiB",
		kindEmail + "ignore_case = 'yes'":        "must be true or false",
		kindEmail + "patterns = ['x', 3]":        "kinds.email.patterns",
	} {
		_, err := text.ParsePolicy(given, "test")
		if !errors.Is(err, text.ErrPolicy) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.40q: %v", given, err)
		}
	}
	if _, err := text.LoadPolicy(t.TempDir() + "/none"); !errors.Is(err, text.ErrPolicy) {
		t.Error(err)
	}
}
