// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/core"
)

// Record is a JSON object. Its fields are not decoded unless the policy names them.
type Record = map[string]json.RawMessage

// ErrRecord: a record can't be protected or revealed as it is; the error is a *RecordError.
var ErrRecord = errors.New("tallystick: a record does not match the policy")

// RecordError says which field of which record is wrong. It matches ErrRecord.
type RecordError struct {
	Record int // from 0
	Field  string
	Reason string // without any value
}

// Error says all of it.
func (e *RecordError) Error() string {
	return fmt.Sprintf("record %d, field %q: %s", e.Record, e.Field, e.Reason)
}

// Is reports whether target is ErrRecord.
func (e *RecordError) Is(target error) bool { return target == ErrRecord }

// ReasonUnlisted is the reason of a RecordError about a field that the policy does not name.
const ReasonUnlisted = "the policy does not name it; protect it, or add it to keep to let it pass in clear, or set " +
	"unlisted = \"keep\""

// ReasonText is the reason of a RecordError about a text that JSON can't have.
const ReasonText = "is not UTF-8, or has half of a surrogate pair, which is not a character; correct the program that wrote it"

// The other reasons of a RecordError beside those of fast.InvalidValueError.
const (
	reasonKind   = "is neither text, nor a number, nor null"
	reasonNumber = "is a number, but its format is for text; send it as text"
)

// ProtectRecords replaces the fields that the policy has rules for by tokens, in place. A field may
// be missing. It may be text, a number or null.
//
// A rule names a field of the record itself. Its name may be a path into nested data, such as contact.email, but no
// path is followed: a record with a field contact is a *RecordError, whatever the policy says about unlisted fields.
//
// A field that the policy does not name is a *RecordError, unless the policy says unlisted =
// "keep", because a service meets fields that nobody thought of. An invalid value is a *RecordError
// too, if its rule says so. If the call needs more work than MaxWork, it returns a *WorkError. Once
// the context is done, it stops between two batches and returns the context's error.
//
// After an error do not use the records: some fields may be tokens, and others not.
func (p *Protector) ProtectRecords(ctx context.Context, records []Record) error {
	return p.changeRecords(ctx, records, false)
}

// RevealRecords is the inverse of ProtectRecords. Fields of one-way formats stay as they are.
func (p *Protector) RevealRecords(ctx context.Context, records []Record) error {
	if p.protectOnly {
		return fast.ErrProtectOnly
	}
	return p.changeRecords(ctx, records, true)
}

func (p *Protector) changeRecords(ctx context.Context, records []Record, reveals bool) error {
	if err := p.checkPaths(records); err != nil {
		return err
	}
	if err := p.checkFields(records); err != nil {
		return err
	}
	fields, layers, symbols := make([]*field, len(p.rules)), int64(0), int64(0)
	var columns []string // that change
	for i := range p.rules {
		var err error
		if fields[i], err = readField(&p.rules[i], records); err != nil {
			return err
		}
		if len(fields[i].rows) > 0 && !(reveals && p.rules[i].Format.OneWay()) {
			if err := p.may(i, reveals); err != nil {
				return err
			}
			columns = append(columns, p.rules[i].Column)
		}
		more, length := p.work(i, fields[i].values)
		layers, symbols = layers+more, symbols+length
	}
	if err := p.allow(ctx, layers, symbols); err != nil {
		return err
	}
	if reveals {
		if err := p.aboutToReveal(ctx, columns, len(records)); err != nil {
			return err
		}
	}
	for i, field := range fields {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(field.rows) == 0 || reveals && field.rule.Format.OneWay() {
			continue
		}
		changed, err := p.transform(ctx, i, field.values, field.tweaks, reveals)
		var invalid *InvalidValueError
		if errors.As(err, &invalid) {
			return &RecordError{field.rows[invalid.Row], field.rule.Column, invalid.Why()}
		}
		if err == nil {
			err = field.write(changed, records)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Passes says whether a field without a rule may pass in clear: the policy names it, in keep or as a tweak, or
// says unlisted = "keep". A field that one of Paths leads into may not, whatever this says.
func (p *Protector) Passes(field string) bool {
	return p.unlisted == UnlistedKeep || slices.Contains(p.keep, field) ||
		slices.ContainsFunc(p.rules, func(rule Rule) bool { return rule.Tweak != "" && rule.Tweak == field })
}

// Path is the name of a rule's column or of its tweak that is a path into nested data, such as contact.email. A
// protector does not follow it: a value inside Field would stay in clear, so do not let such a field pass.
type Path struct{ Name, Field string }

// Reason is the reason why records with a path's field are refused.
func (p Path) Reason() string {
	return fmt.Sprintf("the policy's path %[1]q leads into it, and paths are not followed here; send the value as a field of the "+
		"name %[1]q, or use the command tallystick, Python or JavaScript", p.Name)
}

// Paths returns the columns and tweaks of all rules that are paths.
func (p *Protector) Paths() []Path { return slices.Clone(p.paths) }

// checkPaths refuses fields that paths lead into. A field may have a path's whole name: if it is there, a text, number or
// boolean beside it has nothing to do with the path.
func (p *Protector) checkPaths(records []Record) error {
	for row, record := range records {
		for _, path := range p.paths {
			value := bytes.TrimLeft(record[path.Field], " \t\r\n")
			_, whole := record[path.Name]
			if len(value) > 0 && (value[0] == '{' || value[0] == '[' || value[0] != 'n' && !whole) {
				return &RecordError{row, path.Field, path.Reason()}
			}
		}
	}
	return nil
}

// checkFields refuses fields that the policy does not name.
func (p *Protector) checkFields(records []Record) error {
	if p.unlisted == UnlistedKeep {
		return nil
	}
	named := map[string]bool{}
	for _, name := range p.keep {
		named[name] = true
	}
	for _, rule := range p.rules {
		named[rule.Column] = true
		if rule.Tweak != "" {
			named[rule.Tweak] = true
		}
	}
	for row, record := range records {
		var unlisted []string
		for name := range record {
			if !named[name] {
				unlisted = append(unlisted, name)
			}
		}
		if unlisted != nil {
			return &RecordError{row, slices.Min(unlisted), ReasonUnlisted}
		}
	}
	return nil
}

// field is one field of those records that have it.
type field struct {
	rule           *Rule
	rows           []int
	values, tweaks []Value
	numbers        []bool // whether a value is a number
}

func readField(rule *Rule, records []Record) (*field, error) {
	f := &field{rule: rule}
	for row, one := range records {
		raw, ok := one[rule.Column]
		if !ok {
			continue
		}
		value, isNumber, wrong := readValue(raw)
		if wrong != "" {
			return nil, &RecordError{row, rule.Column, wrong}
		}
		f.rows, f.values, f.numbers = append(f.rows, row), append(f.values, value), append(f.numbers, isNumber)
		if rule.Tweak == "" {
			continue
		}
		tweak := Value{Null: true}
		if raw, ok := one[rule.Tweak]; ok {
			if tweak, _, wrong = readValue(raw); wrong != "" {
				return nil, &RecordError{row, rule.Tweak, wrong}
			}
		}
		f.tweaks = append(f.tweaks, tweak)
	}
	return f, nil
}

// write puts changed values into their records. Numbers stay numbers where tokens are: an integer's token is one.
func (f *field) write(changed []Value, records []Record) (err error) {
	isInteger := f.rule.Format.String() == "integer"
	for i, row := range f.rows {
		raw := json.RawMessage("null")
		switch {
		case changed[i].Null:
		case f.numbers[i] && (isInteger || changed[i] == f.values[i]):
			raw = json.RawMessage(changed[i].Text)
		case f.numbers[i]:
			return &RecordError{row, f.rule.Column, reasonNumber}
		default:
			if raw, err = json.Marshal(changed[i].Text); err != nil {
				return err
			}
		}
		records[row][f.rule.Column] = raw
	}
	return nil
}

// readValue takes a field's value as text; a number as it is written. wrong is the reason if it has none.
func readValue(raw json.RawMessage) (value Value, isNumber bool, wrong string) {
	switch {
	case string(raw) == "null":
		return Value{Null: true}, false, ""
	case len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &value.Text) == nil:
		if strings.ContainsRune(value.Text, utf8.RuneError) && !core.IsText(raw) {
			return value, false, ReasonText
		}
		return value, false, ""
	case len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'):
		return Value{Text: string(raw)}, true, ""
	}
	return value, false, reasonKind
}
