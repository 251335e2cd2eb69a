// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

// store has keys of 16 bytes for people:1 and people:2; people:2 only reveals.
type store struct{}

func (store) TokenizerKey(reference string) ([]byte, error) {
	if !strings.HasPrefix(reference, "people:") {
		return nil, keyring.ErrNoKey
	}
	return make([]byte, 16), nil
}

func (store) Rights(reference string) keyring.Rights {
	if reference == "people:2" {
		return keyring.MayReveal
	}
	return keyring.AllRights
}

const ofStore = `{"keep": ["id"], "cipher": "ff1-2016", "columns": {
	"z": {"format": {"type": "date", "first": {"$date": "1950-01-01"}, "last": {"$date": "2050-01-01"}}, "key": "people:1", "namespace": "z", "cipher": "fast"},
	"ssn": {"format": "ssn", "key": "people:1", "namespace": "person id"},
	"note": {"format": {"type": "digits", "min_length": 6}, "key": "people:1", "namespace": "note", "tweak": "id", "on_invalid": "null"},
	"old": {"format": "ssn", "key": "people:2", "namespace": "old", "cipher": "fast"}}}`

// TestJSON reads a policy in JSON as the same policy in TOML.
func TestJSON(t *testing.T) {
	inJSON, err := policy.ParseJSON(ofStore, "policy")
	if err != nil {
		t.Fatal(err)
	}
	inTOML, err := policy.Parse(`
keep = ["id"]
cipher = "ff1-2016"
[columns]
z = { format = { type = "date", first = 1950-01-01, last = 2050-01-01 }, key = "people:1", namespace = "z", cipher = "fast" }
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
note = { format = { type = "digits", min_length = 6 }, key = "people:1", namespace = "note", tweak = "id", on_invalid = "null" }
old = { format = "ssn", key = "people:2", namespace = "old", cipher = "fast" }
`, "policy")
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range inTOML.Rules {
		other := inJSON.Rules[i]
		if !fast.SameTokens(rule.Format, other.Format) {
			t.Errorf("%s has another format", rule.Column)
		}
		rule.Format, other.Format = nil, nil
		if rule != other {
			t.Errorf("%v is not %v", other, rule)
		}
	}
	if !slices.Equal(inJSON.Keep, inTOML.Keep) || inJSON.Unlisted != inTOML.Unlisted {
		t.Error("other fields pass")
	}
	for _, text := range []string{"", "{", "[]", "{}", ofStore + "x", strings.Replace(ofStore, "people:1", "people", 1), strings.Repeat(" ", 1<<20) + ofStore} {
		if _, err := policy.ParseJSON(text, "policy"); !errors.Is(err, policy.ErrPolicy) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestOpenWith opens keys of a store, whose rights hold as those of a ring do.
func TestOpenWith(t *testing.T) {
	parsed, err := policy.ParseJSON(ofStore, "policy")
	if err != nil {
		t.Fatal(err)
	}
	protector, err := parsed.OpenWith(store{})
	if err != nil {
		t.Fatal(err)
	}
	defer protector.Close()
	if _, err := protector.Protect("old", []policy.Value{{Text: "078-05-1120"}}, nil); !errors.Is(err, fast.ErrRevealOnly) {
		t.Error(err)
	}
	if _, err := protector.Reveal("old", []policy.Value{{Text: "078-05-1120"}}, nil); err != nil {
		t.Error(err)
	}
	other := strings.ReplaceAll(ofStore, "people", "nobody")
	if parsed, err = policy.ParseJSON(other, "policy"); err != nil {
		t.Fatal(err)
	}
	var key *policy.KeyError
	if _, err := parsed.OpenWith(store{}); !errors.Is(err, keyring.ErrNoKey) || !errors.As(err, &key) || key.Column != "z" ||
		!strings.Contains(err.Error(), `column "z": its key in the policy, nobody:`) {
		t.Error(err)
	}
	if _, err := (&policy.Policy{Rules: []policy.Rule{{Column: "x"}}}).OpenWith(store{}); err == nil {
		t.Error("a rule without a format is opened")
	}
}

func TestOpenWithNothing(t *testing.T) {
	made, err := policy.ParseJSON(ofStore, "policy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.OpenWith(nil); !errors.Is(err, keyring.ErrKeyring) {
		t.Error(err)
	}
	protector, err := made.OpenWith(store{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	protector.Close()
	if _, err := protector.Protect("ssn", nil, nil); !errors.Is(err, fast.ErrClosed) {
		t.Error(err)
	}
}

// TestEach compares the rows of a column with bad values with the same rows one by one.
func TestEach(t *testing.T) {
	parsed, err := policy.ParseJSON(ofStore, "policy")
	if err != nil {
		t.Fatal(err)
	}
	protector, err := parsed.OpenWith(store{})
	if err != nil {
		t.Fatal(err)
	}
	defer protector.Close()
	for _, column := range []string{"ssn", "note"} {
		texts, null := make([]string, 60), make([]bool, 60)
		for i := range texts {
			switch null[i] = i%7 == 3; {
			case i%5 == 2:
				texts[i] = "x"
			case column == "ssn":
				texts[i] = fmt.Sprintf("%03d-05-1120", i+1)
			default:
				texts[i] = fmt.Sprint(1e6 + i)
			}
		}
		values, tweaks := policy.Texts{Column: fast.ColumnOf(texts), Null: null}, (*policy.Texts)(nil)
		if column == "note" {
			tweaks = &policy.Texts{Column: fast.ColumnOf(texts)}
		}
		for name, each := range map[string]func(context.Context, string, policy.Texts, *policy.Texts) (policy.Texts, []*policy.InvalidValueError, error){
			"protect": protector.ProtectEach, "reveal": protector.RevealEach,
		} {
			made, invalid, err := each(context.Background(), column, values, tweaks)
			if err != nil || made.Len() != len(texts) {
				t.Fatal(err)
			}
			one := map[string]func(string, []policy.Value, []policy.Value) ([]policy.Value, error){
				"protect": protector.Protect, "reveal": protector.Reveal,
			}[name]
			for i, text := range made.Strings() {
				var own []policy.Value
				if tweaks != nil {
					own = []policy.Value{{Text: texts[i]}}
				}
				want, err := one(column, []policy.Value{{Text: texts[i], Null: null[i]}}, own)
				failed := invalid != nil && invalid[i] != nil
				isNull := made.Null != nil && made.Null[i]
				if (err != nil) != failed || failed && (invalid[i].Row != i || !isNull) {
					t.Errorf("%s %s %d: %v", name, column, i, err)
				}
				if err == nil && (want[0].Null != isNull || !isNull && want[0].Text != text) {
					t.Errorf("%s %s %d: %q, not %v", name, column, i, text, want[0])
				}
			}
		}
	}
	good := policy.Texts{Column: fast.ColumnOf([]string{"078-05-1120"})}
	if _, invalid, err := protector.ProtectEach(context.Background(), "ssn", good, nil); err != nil || invalid != nil {
		t.Error(invalid, err)
	}
}
