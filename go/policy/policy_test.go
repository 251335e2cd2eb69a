// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

const rootText = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func ringPath() string {
	return filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys")
}

func ring(t testing.TB) *keyring.Keyring {
	t.Helper()
	root, err := hex.DecodeString(rootText)
	if err != nil {
		t.Fatal(err)
	}
	made, err := keyring.OpenWithKey(ringPath(), root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

func protector(t testing.TB, p *policy.Policy, options ...policy.Option) *policy.Protector {
	t.Helper()
	made, err := p.Open(ring(t), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

func texts(list ...string) []policy.Value {
	values := make([]policy.Value, len(list))
	for i, text := range list {
		values[i] = policy.Value{Text: text, Null: text == "NULL"}
	}
	return values
}

func TestInvalidAndNull(t *testing.T) {
	p, err := policy.Parse(`
[columns]
first = { format = "ssn", key = "people:1", namespace = "d" }
"second one" = { format = "ssn", key = "people:1", namespace = "d", on_invalid = "null", tweak = "id" }
third = { format = "ssn", key = "people:1", namespace = "d", on_invalid = "keep" }
`, "test")
	if err != nil || len(p.Rules) != 3 || p.Rules[1].Column != "second one" {
		t.Fatalf("%v: %v", p, err)
	}
	made := protector(t, p)
	values := texts("078-05-1120", "NULL", "x", "078-05-1120")
	var invalid *policy.InvalidValueError
	if _, err := made.Protect("first", values, nil); !errors.As(err, &invalid) || !errors.Is(err, fast.ErrInvalidValue) ||
		invalid.Row != 2 || invalid.Column != "first" || invalid.Reason != fast.ForeignCharacter {
		t.Errorf("an error: %v", err)
	}
	tokens, err := made.Protect("second one", values, texts("1", "2", "3", "NULL"))
	if err != nil || tokens[0].Null || !tokens[1].Null || !tokens[2].Null || !tokens[3].Null {
		t.Errorf("null: %v: %v", tokens, err)
	}
	back, err := made.Reveal("second one", tokens[:1], texts("1"))
	if err != nil || back[0] != values[0] {
		t.Errorf("a value does not come back: %v", err)
	}
	tokens, err = made.Protect("third", values, nil)
	if err != nil || tokens[0] == values[0] || !tokens[1].Null || tokens[2] != values[2] || tokens[3] != tokens[0] {
		t.Errorf("keep: %v: %v", tokens, err)
	}
	says := []string{"has no tweak; pass nil", "one for each of 4 rows, not 0", "one for each of 4 rows, not 0"}
	for i, tweaks := range [][]policy.Value{texts("1", "2", "3", "4"), nil, {}} {
		_, err := made.Protect([]string{"first", "second one"}[min(i, 1)], values, tweaks)
		if !errors.Is(err, fast.ErrColumn) || !strings.Contains(err.Error(), says[i]) {
			t.Errorf("tweaks %d: %v", i, err)
		}
	}
	missing, err := policy.Parse(`columns = { a = { format = "ssn", key = "people:9", namespace = "d" } }`, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := missing.Open(ring(t)); !errors.Is(err, keyring.ErrNoKey) || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a key that there is not: %v", err)
	}
}

// What a policy says of fields that it has no rule for is read as Python reads it, and so is one key with two
// formats in a namespace.
func TestTopLevel(t *testing.T) {
	const columns = `
[columns]
a = { format = "digits", key = "people:1", namespace = "d", tweak = "id" }
b = { format = { type = "digits", min_length = 9, separators = "" }, key = "people:1", namespace = "d" }
`
	p, err := policy.Parse(`unlisted = "error"
keep = ["created", "lacking"]
mixed_formats = ["other"]
`+columns, "test")
	if err != nil || p.Unlisted != policy.UnlistedError || fmt.Sprint(p.Keep, p.MixedFormats) != "[created lacking] [other]" {
		t.Errorf("%+v: %v", p, err)
	}
	if p, err := policy.Parse(columns, "test"); err != nil || p.Unlisted != policy.UnlistedUnsaid || p.Keep != nil {
		t.Errorf("%+v: %v", p, err)
	}
	mixed := strings.Replace(columns, "min_length = 9", "keep_first = 2", 1)
	for text, says := range map[string]string{
		`unlisted = "drop"` + columns:   "unlisted: must be 'keep' or 'error'",
		`unlisted = true` + columns:     "unlisted: must be 'keep' or 'error', not true or false",
		`keep = "id"` + columns:         "keep: must be an array of column names",
		`keep = ["id", 7]` + columns:    "keep: must be an array of column names",
		`keep = ["a"]` + columns:        `keep: column 'a' has a rule in [columns] too`,
		`mixed_formats = 1` + columns:   "mixed_formats: must be an array of namespaces",
		`mixed_format = []` + columns:   "mixed_format: there is no such key",
		mixed:                           `columns 'a' and 'b' have two formats under key people:1 in namespace 'd'`,
		`mixed_formats = ["e"]` + mixed: `allow it with mixed_formats = ["d"]`,
	} {
		if _, err := policy.Parse(text, "test"); !errors.Is(err, policy.ErrPolicy) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	for _, text := range []string{
		`mixed_formats = ["d"]` + mixed, strings.Replace(mixed, "people:1", "people:2", 1), strings.Replace(mixed, `"d"`, `"e"`, 1),
	} {
		if _, err := policy.Parse(text, "test"); err != nil {
			t.Errorf("two formats that are allowed: %v", err)
		}
	}
}

// The first invalid row is named. Of a row without a tweak, the core chooses the reason: as in Python.
func TestFirstInvalidRow(t *testing.T) {
	p, err := policy.Parse(`
[columns]
a = { format = "ssn", key = "people:1", namespace = "d", tweak = "id" }
b = { format = "date", key = "people:1", namespace = "e", tweak = "id" }
`, "test")
	if err != nil {
		t.Fatal(err)
	}
	made := protector(t, p)
	good, day, tweak, null := "078-05-1120", "2000-02-29", "1", "NULL"
	for _, one := range []struct {
		column         string
		values, tweaks []string
		row            int
		reason         fast.Reason
	}{
		{"a", []string{good, "x", good}, []string{tweak, tweak, null}, 1, fast.ForeignCharacter},
		{"a", []string{good, good, "x"}, []string{tweak, null, tweak}, 1, fast.WrongTweak},
		{"a", []string{null, "x"}, []string{null, null}, 1, fast.ForeignCharacter},
		{"b", []string{day, "x"}, []string{tweak, null}, 1, fast.WrongNotation},
		{"b", []string{day, day}, []string{tweak, null}, 1, fast.WrongTweak},
	} {
		var invalid *policy.InvalidValueError
		_, err := made.Protect(one.column, texts(one.values...), texts(one.tweaks...))
		if !errors.As(err, &invalid) || invalid.Row != one.row || invalid.Reason != one.reason {
			t.Errorf("%v with tweaks %v: %v", one.values, one.tweaks, err)
		}
	}
}

// A date in quotes is one, as in Python, if it is written as TOML has it.
func TestQuotedDates(t *testing.T) {
	for text, good := range map[string]bool{
		`1900-03-05`: true, `"1900-03-05"`: true, `"1900-3-5"`: false, `"0000-01-01"`: false, `"1900-03-05T00:00:00"`: false,
		`1900-03-05T00:00:00`: false, `"1900-02-30"`: false, `""`: false,
	} {
		rule := `format = { type = "date", first = ` + text + ` }, key = "p:1", namespace = "d"`
		p, err := policy.Parse("columns.a = { "+rule+" }", "test")
		if (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && !fast.SameTokens(p.Rules[0].Format, fast.Date(fast.First(time.Date(1900, 3, 5, 0, 0, 0, 0, time.UTC)))) {
			t.Errorf("%s is another day", text)
		}
	}
}

// refusals has policies with one mistake each, and what the message must say.
var refusals = map[string]string{
	"":                       "columns",
	"=":                      "not valid TOML",
	"columns = 1":            "columns: must be a table",
	"columns = {}\nx = 1":    "x: there is no such key",
	"version = 2\n[columns]": "version: must be 1",
	"[csv]\nquotes=1\n[columns]\na={format=\"digits\",key=\"p:1\",namespace=\"d\"}": "csv.quotes: there is no such key",
	"[columns]\na = 'digits'": "columns.a: must be a table",
	"\xff":                    "UTF-8",
}

// rules has what is wrong with a rule of column a, in place of the right one.
var rules = map[string]string{
	`format = "digit", key = "p:1", namespace = "d"`:                                                   "format: there is no format 'digit'; did you mean 'digits'?",
	`key = "p:1", namespace = "d"`:                                                                     "format: ",
	`format = 7, key = "p:1", namespace = "d"`:                                                         "format: ",
	`format = { case = "x" }, key = "p:1", namespace = "d"`:                                            "format.type: must be the name of a format",
	`format = "digits", key = "p", namespace = "d"`:                                                    "key: ",
	`format = "digits", key = "p:0", namespace = "d"`:                                                  "key: ",
	`format = "digits", key = "p:1"`:                                                                   "namespace: is missing",
	`format = "digits", key = "p:1", namespace = ""`:                                                   "namespace: must not be empty",
	`format = "digits", key = "p:1", namespace = "d", tweak = "a"`:                                     "tweak: ",
	`format = "digits", key = "p:1", namespace = "d", tweak = "b"`:                                     "protected too",
	`format = "digits", key = "p:1", namespace = "d", on_invalid = "x"`:                                "on_invalid: must be 'error', 'null' or 'keep', not 'x'",
	`format = "digits", key = "p:1", domain = "d"`:                                                     "domain: this key is called 'namespace' now",
	`format = "digits", key = "p:1", namespace = "d", unfit = "null"`:                                  "unfit: this key is called 'on_invalid' now",
	`format = "digits", key = "p:1", namespace = "d", more = 1`:                                        "more: there is no such key",
	`format = { type = "digits", case = "lower" }, key = "p:1", namespace = "d"`:                       "format.case: there is no such key",
	`format = { type = "digits", keep_last = -1 }, key = "p:1", namespace = "d"`:                       "keep_last: digits: keep_first must be 0..64, and keep_last 0 or more",
	`format = { type = "digits", keep_first = 65 }, key = "p:1", namespace = "d"`:                      "keep_first: digits: keep_first must be 0..64",
	`format = { type = "digits", keep_first = "1" }, key = "p:1", namespace = "d"`:                     "keep_first: must be a whole number",
	`format = { type = "digits", max_length = 0 }, key = "p:1", namespace = "d"`:                       "max_length: digits: ",
	`format = { type = "digits", kept_as_tweak = 1 }, key = "p:1", namespace = "d"`:                    "kept_as_tweak: must be true or false",
	`format = { type = "hex", case = "mixed" }, key = "p:1", namespace = "d"`:                          "case: must be 'lower' or 'upper', not 'mixed'",
	`format = { type = "uuid", keep_first = 1 }, key = "p:1", namespace = "d"`:                         "keep_first: there is no such key",
	`format = "alphabet", key = "p:1", namespace = "d"`:                                                "alphabet: is missing",
	`format = { type = "alphabet", alphabet = "abc" }, key = "p:1", namespace = "d"`:                   "4..95",
	`format = { type = "card", luhn = "invalid" }, key = "p:1", namespace = "d", on_invalid = "keep"`:  "on_invalid: 'keep' can't go",
	`format = "integer", key = "p:1", namespace = "d"`:                                                 "min: is missing; it must be a whole number",
	`format = { type = "integer", min = 0, max = 5 }, key = "p:1", namespace = "d"`:                    "only 6 values",
	`format = { type = "integer", min = 0, max = 18446744073709551615 }, key = "p:1", namespace = "d"`: "not valid TOML",
	`format = { type = "date", first = "2000-1-1" }, key = "p:1", namespace = "d"`:                     "first: must be a date",
	`format = { type = "date", first = 2000-01-01T00:00:00Z }, key = "p:1", namespace = "d"`:           "first: must be a date",
	`format = { type = "date", last = 1900-01-01 }, key = "p:1", namespace = "d"`:                      "first must be before last",
	`format = { type = "date", notation = "YYYY" }, key = "p:1", namespace = "d"`:                      "the notation must have",
	`format = { type = "email", part = "domain" }, key = "p:1", namespace = "d"`:                       "part: must be 'local' or 'all', not 'domain'",
	`format = { type = "alphanumeric", case = "keep" }, key = "p:1", namespace = "d"`:                  "case: must be 'lower', 'upper' or 'mixed', not 'keep'",
}

func TestRefusals(t *testing.T) {
	all := map[string]string{}
	for text, says := range refusals {
		all[text] = says
	}
	for rule, says := range rules {
		all["[columns]\na = { "+rule+" }\nb = { format = \"digits\", key = \"p:1\", namespace = \"d\" }"] = says
	}
	for text, says := range all {
		if _, err := policy.Parse(text, "the file"); !errors.Is(err, policy.ErrPolicy) ||
			!strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "the file") {
			t.Errorf("%s:\n%v, not %s", text, err, says)
		}
	}
}

func TestLoad(t *testing.T) {
	if _, err := policy.Load(t.TempDir()); !errors.Is(err, policy.ErrPolicy) {
		t.Errorf("a folder: %v", err)
	}
	large := filepath.Join(t.TempDir(), "large.toml")
	if err := os.WriteFile(large, make([]byte, 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := policy.Load(large); !errors.Is(err, policy.ErrPolicy) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("too large: %v", err)
	}
	p, err := policy.Load("testdata/every.toml")
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Rules[1:] {
		if p.Rules[0].Column != "digits" || p.Rules[i+1].Column == p.Rules[i].Column {
			t.Error("rules are not in the order of the file")
		}
	}
	if _, err := policy.Parse("\ufeffcolumns.a = { format = 'ssn', key = 'p:1', namespace = 'd' }", "t"); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	every, err := os.ReadFile("testdata/every.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(every))
	for text := range refusals {
		f.Add(text)
	}
	for rule := range rules {
		f.Add("[columns]\na = { " + rule + " }")
	}
	root, _ := hex.DecodeString(rootText)
	ring, err := keyring.OpenWithKey(ringPath(), root)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := policy.Parse(text, "fuzz")
		if err != nil {
			if !errors.Is(err, policy.ErrPolicy) {
				t.Error(err)
			}
			return
		}
		for _, rule := range p.Rules {
			if rule.Column == rule.Tweak || rule.Format.Check() != nil {
				t.Error("a rule that is none")
			}
		}
		made, err := p.Open(ring)
		if err != nil {
			if !errors.Is(err, keyring.ErrNoKey) && !errors.Is(err, fast.ErrNamespace) {
				t.Error(err)
			}
			return
		}
		defer made.Close()
		values := texts("53-042 18", "NULL", text, "2000-02-29", "abc@example.org")
		for _, rule := range p.Rules {
			var tweaks []policy.Value
			if rule.Tweak != "" {
				tweaks = texts("1", "2", "3", text, "NULL")
			}
			tokens, err := made.Protect(rule.Column, values, tweaks)
			if err != nil {
				continue
			}
			back, err := made.Reveal(rule.Column, tokens, tweaks)
			for row, value := range back {
				if value != values[row] && !tokens[row].Null {
					t.Errorf("a value does not come back: %v", err)
				}
			}
		}
	})
}

func ExamplePolicy_Open() {
	p, err := policy.Parse(`
		[columns]
		card = { format = { type = "card", keep_last = 4 }, key = "cards:1", namespace = "card" }`, "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	root, _ := hex.DecodeString(rootText) // from wherever the root key is kept
	ring, err := keyring.OpenWithKey(ringPath(), root)
	if err != nil {
		fmt.Println(err)
		return
	}
	protector, err := p.Open(ring)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer protector.Close()
	tokens, err := protector.Protect("card", []policy.Value{{Text: "4111111111111111"}, {Null: true}}, nil)
	fmt.Println(tokens[0].Text[12:], tokens[1].Null, err)
	// Output: 1111 true <nil>
}

func TestMisuse(t *testing.T) {
	p, err := policy.Parse("[columns.a]\nformat = \"digits\"\nkey = \"people:1\"\nnamespace = \"d\"\n", "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(nil); !errors.Is(err, keyring.ErrKeyring) {
		t.Errorf("without a ring: %v", err)
	}
	made := protector(t, p)
	const says = `no rule for column "b"; pass one of "a"`
	for _, apply := range []func(string, []policy.Value, []policy.Value) ([]policy.Value, error){made.Protect, made.Reveal} {
		if _, err := apply("b", nil, nil); !errors.Is(err, policy.ErrPolicy) || !strings.Contains(err.Error(), says) {
			t.Errorf("another column: %v", err)
		}
		if _, err := apply("a", nil, nil); err != nil {
			t.Errorf("no values: %v", err)
		}
	}
}

// The cipher of a column stands in its format, beside it, or above all columns.
func TestCiphers(t *testing.T) {
	const rule = `key = "people:1", namespace = "n"`
	for text, want := range map[string]string{
		"[columns]\na = { format = \"digits\", " + rule + " }":                                                          "fast",
		"[columns]\na = { format = \"digits\", cipher = \"ff1\", " + rule + " }":                                        "ff1",
		"[columns]\na = { format = { type = \"digits\", cipher = \"ff1-2016\" }, " + rule + " }":                        "ff1-2016",
		"cipher = \"ff1\"\n[columns]\na = { format = \"digits\", " + rule + " }":                                        "ff1",
		"cipher = \"ff1\"\n[columns]\na = { format = \"digits\", cipher = \"fast\", " + rule + " }":                     "fast",
		"cipher = \"ff1\"\n[columns]\na = { format = \"digits\", tweak_hex = \"00\", " + rule + " }":                    "ff1",
		"cipher = \"ff1\"\n[columns]\na = { format = \"mask\" }":                                                        "",
		"[columns]\na = { format = \"digits\", cipher = \"ff3-1\", tweak_hex = \"" + "00000000000000\", " + rule + " }": "ff3-1",
	} {
		read, err := policy.Parse(text, "test")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if found := read.Rules[0].Format.Cipher(); found != want {
			t.Errorf("%s: the cipher is %q, not %q", text, found, want)
		}
	}
	_, err := policy.Parse("cipher = \"ff1\"\n[columns]\na = { format = \"date\", "+rule+" }", "test")
	if !errors.Is(err, policy.ErrPolicy) || !strings.Contains(err.Error(), "ff1 needs 1000000 or more") {
		t.Errorf("a date under FF1: %v", err)
	}
}

// A format of FF3-1 reveals tokens and makes none.
func TestReadOnly(t *testing.T) {
	format := fast.Digits(fast.WithCipher("ff3-1"), fast.TweakHex("00000000000000"))
	tokens, err := fast.NewTokenizer(format, make([]byte, 16), "n")
	if err != nil {
		t.Fatal(err)
	}
	defer tokens.Close()
	if _, err := tokens.Protect("1234567"); !errors.Is(err, fast.ErrReadOnly) {
		t.Errorf("protected: %v", err)
	}
	if value, err := tokens.Reveal("1234567"); err != nil || len(value) != 7 {
		t.Errorf("revealed: %q, %v", value, err)
	}
}
