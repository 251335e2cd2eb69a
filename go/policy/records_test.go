// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"encoding/json"
	"errors"
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
