// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

// Texts in one buffer become what the same values become one by one, for every rule about invalid values.
func TestTextsAreValues(t *testing.T) {
	protector := protector(t, parsed(t, `
		[columns]
		ssn = { format = "ssn", key = "people:1", namespace = "s" }
		kept = { format = "ssn", key = "people:1", namespace = "k", on_invalid = "keep", tweak = "id" }
		nulled = { format = "ssn", key = "people:1", namespace = "n", on_invalid = "null", tweak = "id" }
		`))
	ctx := context.Background()
	good := []string{"078-05-1120", "", "219-09-9999"}
	wrong := []string{"078-05-1120", "219-09-9998", "not one", "219-09-9999"}
	for column, values := range map[string][]string{"ssn": good, "kept": wrong, "nulled": wrong} {
		texts, list := policy.Texts{Column: fast.ColumnOf(values)}, []policy.Value{}
		if column == "ssn" {
			texts.Null = []bool{false, true, false}
		}
		var tweaks *policy.Texts
		var own []policy.Value
		for row, value := range values {
			list = append(list, policy.Value{Text: value, Null: texts.Null != nil && texts.Null[row]})
			own = append(own, policy.Value{Text: "7", Null: row == 1})
		}
		if column == "ssn" {
			own = nil
		} else {
			tweaks = &policy.Texts{Column: fast.ColumnOf([]string{"7", "", "7", "7"}), Null: []bool{false, true, false, false}}
		}
		want, err := protector.Protect(column, list, own)
		if err != nil {
			t.Fatal(err)
		}
		made, err := protector.ProtectTexts(ctx, column, texts, tweaks)
		if err != nil {
			t.Fatal(err)
		}
		for row, text := range made.Strings() {
			if null := made.Null != nil && made.Null[row]; null != want[row].Null || !null && text != want[row].Text || null && text != "" {
				t.Errorf("%s, row %d: %q", column, row, text)
			}
		}
		if column == "ssn" {
			back, err := protector.RevealTexts(ctx, column, made, nil)
			if err != nil || !slices.Equal(back.Strings(), values) {
				t.Errorf("revealed: %v", err)
			}
		}
	}
}

// What lies under a null is not looked at, and is not in the result.
func TestTextsUnderNulls(t *testing.T) {
	protector := openTestProtector(t)
	texts := policy.Texts{Column: fast.ColumnOf([]string{"a secret under a null", "078-05-1120"}), Null: []bool{true, false}}
	made, err := protector.ProtectTexts(context.Background(), "ssn", texts, nil)
	if err != nil || bytes.Contains(made.Values, []byte("secret")) {
		t.Errorf("%v", err)
	}
}

func TestTextsThatAreWrong(t *testing.T) {
	protector := openTestProtector(t)
	ctx := context.Background()
	var invalid *policy.InvalidValueError
	one := policy.Texts{Column: fast.ColumnOf([]string{"078-05-1120", "31337"})}
	if _, err := protector.ProtectTexts(ctx, "ssn", one, nil); !errors.As(err, &invalid) || invalid.Row != 1 {
		t.Errorf("an invalid value: %v", err)
	}
	for name, texts := range map[string]policy.Texts{
		"offsets beyond the values": {Column: fast.Column{Offsets: []int64{0, 9}}},
		"too few nulls":             {Column: fast.ColumnOf([]string{"a", "b"}), Null: []bool{true}},
	} {
		if _, err := protector.ProtectTexts(ctx, "ssn", texts, nil); !errors.Is(err, fast.ErrColumn) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := protector.ProtectTexts(ctx, "ssn", one, &one); !errors.Is(err, fast.ErrColumn) {
		t.Errorf("tweaks that no rule asks for: %v", err)
	}
	if _, err := protector.ProtectTexts(ctx, "other", one, nil); !errors.Is(err, policy.ErrPolicy) {
		t.Errorf("another column: %v", err)
	}
}

// Calls under one context share its budget.
func TestBudget(t *testing.T) {
	protector := openTestProtector(t)
	one := policy.Texts{Column: fast.ColumnOf([]string{"078-05-1120"})}
	for of, budget := range map[string]*policy.Budget{
		"symbols": policy.NewBudget(0, 30), "layers of FAST": policy.NewBudget(400, 0),
	} {
		ctx, done := policy.WithBudget(context.Background(), budget), 0
		var err error
		for err == nil && done < 100 {
			if done%2 == 0 {
				_, err = protector.ProtectTexts(ctx, "ssn", one, nil)
			} else {
				_, err = protector.ProtectContext(ctx, "ssn", []policy.Value{{Text: "078-05-1120"}}, nil)
			}
			done++
		}
		var work *policy.WorkError
		if !errors.As(err, &work) || work.Of != of || done < 2 {
			t.Errorf("%s: %d calls, %v", of, done, err)
		}
		if of == "symbols" && (done != 3 || budget.Symbols() != 33) {
			t.Errorf("%d calls took %d", done, budget.Symbols())
		}
	}
}

func openTestProtector(t *testing.T) *policy.Protector {
	t.Helper()
	return protector(t, parsed(t, `columns.ssn = { format = "ssn", key = "people:1", namespace = "s" }`))
}
