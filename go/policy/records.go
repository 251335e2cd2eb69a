// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tallystick/tallystick/go/fast"
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

// The other reasons of a RecordError beside those of fast.InvalidValueError.
const (
	reasonKind   = "is neither text, nor a number, nor null"
	reasonNumber = "is a number, but its format is for text; send it as text"
)

// ProtectRecords replaces the fields that the policy has rules for by tokens, in place. A field may
// be missing. It may be text, a number or null.
//
// A field that the policy does not name is a *RecordError, unless the policy says unlisted =
// "keep", because a service meets fields that nobody thought of. An invalid value is a *RecordError
// too, if its rule says so. If the call needs more work than MaxWork, it returns a *WorkError. Once
// the context is done, it stops between two batches and returns the context's error.
//
// After an error do not use the records: some fields may be tokens, and others not.
func (p *Protector) ProtectRecords(ctx context.Context, records []Record) error {
	return p.changeRecords(ctx, records, (*fast.Tokenizer).ProtectColumnContext, false)
}

// RevealRecords is the inverse of ProtectRecords. Fields of one-way formats stay as they are.
func (p *Protector) RevealRecords(ctx context.Context, records []Record) error {
	if p.protectOnly {
		return fast.ErrProtectOnly
	}
	return p.changeRecords(ctx, records, (*fast.Tokenizer).RevealColumnContext, true)
}

func (p *Protector) changeRecords(ctx context.Context, records []Record, apply columnFunc, reveals bool) error {
	if err := p.checkFields(records); err != nil {
		return err
	}
	fields, layers, symbols := make([]*field, len(p.rules)), int64(0), int64(0)
	for i := range p.rules {
		var err error
		if fields[i], err = readField(&p.rules[i], records); err != nil {
			return err
		}
		more, length := p.work(i, fields[i].values)
		layers, symbols = layers+more, symbols+length
	}
	if err := p.allow(ctx, layers, symbols); err != nil {
		return err
	}
	if reveals {
		var columns []string
		for _, field := range fields {
			if len(field.rows) > 0 && !field.rule.Format.OneWay() {
				columns = append(columns, field.rule.Column)
			}
		}
		if columns != nil {
			if err := p.aboutToReveal(ctx, columns, len(records)); err != nil {
				return err
			}
		}
	}
	for i, field := range fields {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(field.rows) == 0 || reveals && field.rule.Format.OneWay() {
			continue
		}
		changed, err := p.transform(ctx, i, field.values, field.tweaks, apply)
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
// says unlisted = "keep".
func (p *Protector) Passes(field string) bool {
	return p.unlisted == UnlistedKeep || slices.Contains(p.keep, field) ||
		slices.ContainsFunc(p.rules, func(rule Rule) bool { return rule.Tweak != "" && rule.Tweak == field })
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
		value, isNumber, ok := readValue(raw)
		if !ok {
			return nil, &RecordError{row, rule.Column, reasonKind}
		}
		f.rows, f.values, f.numbers = append(f.rows, row), append(f.values, value), append(f.numbers, isNumber)
		if rule.Tweak == "" {
			continue
		}
		tweak := Value{Null: true}
		if raw, ok := one[rule.Tweak]; ok {
			if tweak, _, ok = readValue(raw); !ok {
				return nil, &RecordError{row, rule.Tweak, reasonKind}
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

// readValue takes a field's value as text; a number as it is written.
func readValue(raw json.RawMessage) (value Value, isNumber, ok bool) {
	switch {
	case string(raw) == "null":
		return Value{Null: true}, false, true
	case len(raw) > 0 && raw[0] == '"':
		return value, false, json.Unmarshal(raw, &value.Text) == nil
	case len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'):
		return Value{Text: string(raw)}, true, true
	}
	return value, false, false
}
