// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
)

// Protector protects and reveals values by a policy. It is safe for concurrent use.
type Protector struct {
	rules      []Rule
	tokenizers []*fast.Tokenizer
}

// Open takes the keys that the policy names from a ring, which may be closed afterwards. It returns an error
// that names the column.
func (p *Policy) Open(ring *keyring.Keyring) (*Protector, error) {
	if ring == nil {
		return nil, fmt.Errorf("%w: no ring is given", keyring.ErrKeyring)
	}
	made := &Protector{rules: slices.Clone(p.Rules)} // the caller may go on to change the policy
	for _, rule := range p.Rules {
		key, err := ring.Key(rule.Key)
		if err == nil {
			var tokenizer *fast.Tokenizer
			if tokenizer, err = fast.NewTokenizer(rule.Format, key, rule.Domain); err == nil {
				made.tokenizers = append(made.tokenizers, tokenizer)
			}
			clear(key)
		}
		if err != nil {
			made.Close()
			return nil, fmt.Errorf("column %q, its key in the policy, %s: %w", rule.Column, rule.Key, err)
		}
	}
	return made, nil
}

// Close wipes all keys.
func (p *Protector) Close() {
	for _, tokenizer := range p.tokenizers {
		tokenizer.Close()
	}
}

// Rules returns the rules, in the order of the policy; they must not be changed.
func (p *Protector) Rules() []Rule { return p.rules }

// Value is a text that may be null.
type Value struct {
	Text string
	Null bool
}

// UnfitValueError says which value of which column does not fit. It matches fast.ErrUnfit.
type UnfitValueError struct {
	Column string
	Row    int
	Reason fast.Reason
}

// Error says it without the value.
func (e *UnfitValueError) Error() string {
	return fmt.Sprintf("column %q, row %d: %v", e.Column, e.Row, e.Reason)
}

// Is reports whether target is fast.ErrUnfit.
func (e *UnfitValueError) Is(target error) bool { return target == fast.ErrUnfit }

// Protect returns the tokens of the values of rule number i; nulls stay null. tweaks has the values of the
// rule's tweak column, one a row, and is nil if the rule has none; a row whose tweak is null does not fit.
// What does not fit is an *UnfitValueError, becomes null or is kept, as the rule says.
func (p *Protector) Protect(i int, values, tweaks []Value) ([]Value, error) {
	return p.transform(i, values, tweaks, (*fast.Tokenizer).ProtectColumn)
}

// Reveal is the inverse of Protect.
func (p *Protector) Reveal(i int, tokens, tweaks []Value) ([]Value, error) {
	return p.transform(i, tokens, tweaks, (*fast.Tokenizer).RevealColumn)
}

type columnFunc func(*fast.Tokenizer, fast.Column, *fast.Column) (fast.Column, []fast.Reason, error)

func (p *Protector) transform(i int, values, tweaks []Value, apply columnFunc) ([]Value, error) {
	if i < 0 || i >= len(p.rules) {
		return nil, fmt.Errorf("%w: there is no rule %d", ErrPolicy, i)
	}
	rule := &p.rules[i]
	switch {
	case rule.Tweak == "" && tweaks != nil:
		return nil, fmt.Errorf("column %q: %w: its rule has no tweak, so give nil", rule.Column, fast.ErrColumn)
	case rule.Tweak != "" && (tweaks == nil || len(tweaks) != len(values)):
		return nil, fmt.Errorf("column %q: %w: give the values of column %q, one for each of %d rows, not %d",
			rule.Column, fast.ErrColumn, rule.Tweak, len(values), len(tweaks))
	}
	// Nulls are left out, and put back where they were.
	var texts, own []string
	var rows []int
	out := make([]Value, len(values))
	unfit := func(row int, reason fast.Reason) error {
		switch rule.Unfit {
		case UnfitKeep:
			out[row] = values[row]
		case UnfitNull:
			out[row] = Value{Null: true}
		default:
			return &UnfitValueError{rule.Column, row, reason}
		}
		return nil
	}
	for row, value := range values {
		if value.Null {
			out[row] = value
			continue
		}
		texts, rows = append(texts, value.Text), append(rows, row)
		switch {
		case tweaks == nil:
		case tweaks[row].Null:
			own = append(own, "") // whether the value itself fits is told first
		default:
			own = append(own, tweaks[row].Text)
		}
	}
	var ownColumn *fast.Column
	if tweaks != nil {
		column := fast.ColumnOf(own)
		ownColumn = &column
	}
	made, reasons, err := apply(p.tokenizers[i], fast.ColumnOf(texts), ownColumn)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", rule.Column, err)
	}
	for at, text := range made.Strings() {
		row, reason := rows[at], reasons[at]
		if reason == fast.Fits && tweaks != nil && tweaks[row].Null {
			reason = fast.WrongTweak
		}
		if reason == fast.Fits {
			out[row] = Value{Text: text}
		} else if err := unfit(row, reason); err != nil {
			return nil, err
		}
	}
	return out, nil
}
