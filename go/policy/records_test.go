// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

const recordRules = `
keep = ["note"]
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "s", tweak = "id" }
age = { format = { type = "integer", min = 0, max = 149 }, key = "people:1", namespace = "a" }
name = { format = "letters", key = "people:1", namespace = "n", on_invalid = "null" }
`

func parsed(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(text, "test")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decoded(t testing.TB, text string) (records []policy.Record) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &records); err != nil {
		t.Fatal(err)
	}
	return records
}

func encoded(t testing.TB, records []policy.Record) string {
	t.Helper()
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRecords(t *testing.T) {
	made := protector(t, parsed(t, recordRules))
	const given = `[{"age":41,"id":7,"name":"Anne","note":[1],"ssn":"078-05-1120"},{"age":42},{"name":"4","note":null},{}]`
	records := decoded(t, given)
	if err := made.ProtectRecords(context.Background(), records); err != nil {
		t.Fatal(err)
	}
	text := encoded(t, records)
	if strings.Contains(text, "078-05-1120") || strings.Contains(text, "Anne") || !strings.Contains(text, `"note":[1]`) ||
		!strings.Contains(text, `"id":7`) || !strings.Contains(text, `{"name":null,"note":null}`) {
		t.Errorf("tokens: %s", text)
	}
	if err := made.RevealRecords(context.Background(), records); err != nil {
		t.Fatal(err)
	}
	if got := encoded(t, records); got != strings.Replace(given, `"4"`, "null", 1) {
		t.Errorf("other values: %s", got)
	}
}

// Fields that a policy does not name are refused unless it says that they pass: in clear by accident is an error.
func TestUnlistedFields(t *testing.T) {
	const given = `[{"id": 1, "note": "x", "age": 41}, {"email": "jane@example.org", "zip": 7, "age": 41}]`
	for says, allowed := range map[string]bool{"": false, `unlisted = "error"`: false, `unlisted = "keep"`: true} {
		made := protector(t, parsed(t, says+recordRules))
		for name, change := range map[string]func(context.Context, []policy.Record) error{
			"protect": made.ProtectRecords, "reveal": made.RevealRecords,
		} {
			records := decoded(t, given)
			before := encoded(t, records)
			err := change(context.Background(), records)
			var record *policy.RecordError
			switch {
			case allowed && err != nil:
				t.Errorf("%s, %s: %v", says, name, err)
			case allowed:
			case !errors.As(err, &record) || !errors.Is(err, policy.ErrRecord) || record.Record != 1 || record.Field != "email" ||
				!strings.Contains(err.Error(), "does not name it") || strings.Contains(err.Error(), "jane"):
				t.Errorf("%s, %s: %v", says, name, err)
			case encoded(t, records) != before:
				t.Errorf("%s, %s: something was changed", says, name)
			}
		}
	}
}

// No path is followed, so nothing that one leads to may pass. A field that has a path's whole name is one like others.
func TestPathsInRecords(t *testing.T) {
	made := protector(t, parsed(t, `
unlisted = "keep"
[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "e-mail" }
"phones[]" = { format = "phone", key = "people:1", namespace = "phone" }
"'more'{}" = { format = "letters", key = "people:1", namespace = "n" }
'"a.b".c' = { format = "letters", key = "people:1", namespace = "n" }
zip = { format = "digits", key = "people:1", namespace = "z", tweak = "address.city", on_invalid = "keep" }
town = { format = "letters", key = "people:1", namespace = "n", tweak = "address.city" }
`))
	if got := fmt.Sprint(made.Paths()); got != `[{contact.email contact} {phones[] phones} {'more'{} 'more'} {"a.b".c a.b} {address.city address}]` {
		t.Errorf("paths: %s", got)
	}
	for given, path := range map[string]string{
		`[{}, {"contact": {"email": "ann@example.com"}}]`:                              `"contact": the policy's path "contact.email"`,
		`[{}, {"contact": {"email": "ann@example.com"}, "contact.email": null}]`:       `"contact": the policy's path "contact.email"`,
		`[{}, {"contact": "ann@example.com"}]`:                                         `"contact": the policy's path "contact.email"`,
		`[{}, {"contact": [{"email": "ann@example.com"}], "contact.email": "a@b.de"}]`: `"contact": the policy's path "contact.email"`,
		`[{}, {"phones": ["+1 202 555 0143"]}]`:                                        `"phones": the policy's path "phones[]"`,
		`[{}, {"'more'": {"x": "Ann"}}]`:                                               `"'more'": the policy's path "'more'{}"`,
		`[{}, {"a.b": {"c": "Ann"}}]`:                                                  `"a.b": the policy's path "\"a.b\".c"`,
		`[{}, {"address": {"city": "Bonn"}, "zip": "53111"}]`:                          `"address": the policy's path "address.city"`,
	} {
		for name, change := range map[string]func(context.Context, []policy.Record) error{
			"protect": made.ProtectRecords, "reveal": made.RevealRecords,
		} {
			records := decoded(t, given)
			err := change(context.Background(), records)
			if !errors.Is(err, policy.ErrRecord) || !strings.HasPrefix(err.Error(), "record 1, field "+path) || encoded(t, records) != encoded(t, decoded(t, given)) {
				t.Errorf("%s: %s: %v", name, given, err)
			}
		}
	}
	records := decoded(t, `[{"contact.email": "ann@example.com", "contact": "by mail", "zip": "53111", "address.city": "Bonn"}, {"contact": null, "b": {"c": 1}}]`)
	if err := made.ProtectRecords(context.Background(), records); err != nil {
		t.Fatal(err)
	}
	if text := encoded(t, records); strings.Contains(text, "ann@") || strings.Contains(text, "53111") || !strings.Contains(text, "by mail") {
		t.Errorf("fields with the names of paths: %s", text)
	}
}

func TestRecordErrors(t *testing.T) {
	made := protector(t, parsed(t, recordRules))
	for given, says := range map[string]string{
		`[{}, {"ssn": "x78-05-1120", "id": 1}]`: `record 1, field "ssn": it has a character that the format does not allow there (a letter, character 1)`,
		`[{"ssn": 123456789, "id": 1}]`:         `record 0, field "ssn": is a number, but its format is for text`,
		`[{"ssn": [1]}]`:                        `record 0, field "ssn": is neither text, nor a number`,
		`[{"ssn": "078-05-1120", "id": {}}]`:    `record 0, field "id": is neither text`,
		`[{"ssn": "078-05-1120"}]`:              `record 0, field "ssn": its tweak is null, too long`,
		`[{"age": 200}]`:                        `record 0, field "age": it is outside the format's range`,
	} {
		if err := made.ProtectRecords(context.Background(), decoded(t, given)); !errors.Is(err, policy.ErrRecord) || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// What is not text stays no text: encoding/json would make one value of many, and one tweak of many.
func TestMalformedText(t *testing.T) {
	made := protector(t, parsed(t, `
keep = ["note"]
[columns]
any = { format = "unicode", key = "people:1", namespace = "a", on_invalid = "keep" }
id = { format = "digits", key = "people:1", namespace = "i", tweak = "by", on_invalid = "keep" }
`))
	for _, bad := range []string{"ab\xffcd", "ab\xed\xb0\x81cd", `ab\udc01cd`, `ab\ud801cd`, `ab\ud801\u0041`, `\ud801\n\udc01`, `\\\udc01`} {
		for says, given := range map[string]policy.Record{
			`record 0, field "any": is not UTF-8, or has half`: {"any": []byte(`"` + bad + `"`)},
			`record 0, field "id": is not UTF-8`:               {"id": []byte(`"` + bad + `"`), "by": []byte("1")},
			`record 0, field "by": is not UTF-8`:               {"id": []byte(`"12345"`), "by": []byte(`"` + bad + `"`)},
		} {
			for _, change := range []func(context.Context, []policy.Record) error{made.ProtectRecords, made.RevealRecords} {
				if err := change(t.Context(), []policy.Record{given}); !errors.Is(err, policy.ErrRecord) || !strings.HasPrefix(err.Error(), says) {
					t.Errorf("%q: %v", bad, err)
				}
			}
		}
	}
	for _, good := range []string{"ab\ufffdcd", `ab\ufffdcd`, `\uFFFD\ud83d\ude00`, `\uFFFD\\udc01`, "\ufffd\U0001f600"} {
		record := policy.Record{"any": []byte(`"` + good + `"`), "note": []byte(`"` + good + `"`)}
		if err := made.ProtectRecords(t.Context(), []policy.Record{record}); err != nil || string(record["note"]) != `"`+good+`"` {
			t.Errorf("%q: %v", good, err)
		}
		if err := made.RevealRecords(t.Context(), []policy.Record{record}); err != nil {
			t.Fatal(err)
		}
		var before, after string
		if err := errors.Join(json.Unmarshal(record["note"], &before), json.Unmarshal(record["any"], &after)); err != nil || before != after {
			t.Errorf("%q: %q, %v", good, after, err)
		}
	}
}

// A call that needs more work than it may take does nothing, and one whose context is done ends.
func TestBounds(t *testing.T) {
	loaded := parsed(t, recordRules)
	made := protector(t, loaded, policy.MaxWork(3_000))
	const few = `[{"name": "Anne"}]`
	many := `[` + strings.Repeat(`{"name": "Anne"},`, 100) + few[1:]
	if err := made.ProtectRecords(context.Background(), decoded(t, few)); err != nil {
		t.Error(err)
	}
	records := decoded(t, many)
	var work *policy.WorkError
	err := made.ProtectRecords(context.Background(), records)
	if !errors.As(err, &work) || !errors.Is(err, policy.ErrWork) || work.Allowed != 3_000 || work.Needs <= 3_000 ||
		!strings.Contains(string(records[0]["name"]), "Anne") {
		t.Errorf("101 records: %v", err)
	}
	if _, err := made.Protect("name", texts(strings.Split(strings.Repeat("Anne ", 100), " ")[:100]...), nil); !errors.Is(err, policy.ErrWork) {
		t.Errorf("100 values: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	unbounded := protector(t, loaded)
	if err := unbounded.ProtectRecords(ctx, decoded(t, few)); !errors.Is(err, context.Canceled) {
		t.Errorf("records: %v", err)
	}
	if _, err := unbounded.RevealContext(ctx, "name", texts("Anne"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("values: %v", err)
	}
}

// A policy that a program made is held to what a file is.
func TestMadePolicies(t *testing.T) {
	rule := policy.Rule{Column: "a", Format: fast.Digits(), Key: "people:1", Namespace: "d", OnInvalid: policy.OnInvalidError}
	other := rule
	other.Column, other.Format = "b", fast.Hex()
	empty := rule
	empty.Format = nil
	for says, made := range map[string]*policy.Policy{
		"have two formats under key":  {Rules: []policy.Rule{rule, other}},
		"has a rule in [columns] too": {Rules: []policy.Rule{rule}, Keep: []string{"a"}},
		"must be 'keep' or 'error'":   {Rules: []policy.Rule{rule}, Unlisted: "drop"},
		"invalid format":              {Rules: []policy.Rule{empty}},
		"has two rules":               {Rules: []policy.Rule{rule, rule}},
	} {
		if _, err := made.Open(ring(t)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := (&policy.Policy{Rules: []policy.Rule{rule, other}, MixedFormats: []string{"d"}}).Open(ring(t)); err != nil {
		t.Error(err)
	}
}

func TestProtectOnly(t *testing.T) {
	made := protector(t, parsed(t, recordRules), policy.ProtectOnly())
	if _, err := made.Protect("age", texts("41"), nil); err != nil {
		t.Error(err)
	}
	_, one := made.Reveal("age", texts("41"), nil)
	_, none := made.Reveal("age", nil, nil)
	for i, err := range []error{one, none, made.RevealRecords(context.Background(), decoded(t, `[{"age": 41}]`))} {
		if !errors.Is(err, fast.ErrProtectOnly) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if made.Rules()[1].Column != "age" {
		t.Error("the rules are others")
	}
}
