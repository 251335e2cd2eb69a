// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/core"
	"github.com/tallystick/tallystick/go/keyring"
)

// Protector protects and reveals values by a policy. It is safe for concurrent use. It must not be copied; a
// copy would be closed with it.
type Protector struct {
	rules       []Rule
	columns     map[string]int // the rule of each column
	tokenizers  []*fast.Tokenizer
	rights      []keyring.Rights // of each rule's key here
	unlisted    Unlisted
	keep        []string
	paths       []Path
	protectOnly bool
	maxWork     int64
	ring        string
	revision    uint32
	onReveal    func(context.Context, Reveal) error
	_           noCopy
}

// noCopy makes go vet refuse copies of what has it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Option changes what a protector does.
type Option func(*Protector)

// ProtectOnly makes a protector that never reveals: Reveal and its like return fast.ErrProtectOnly. See
// fast.ProtectOnly.
func ProtectOnly() Option { return func(p *Protector) { p.protectOnly = true } }

// MaxWork bounds the work of one call, in layers of FAST as fast.Tokenizer.Work estimates them. A
// call that needs more returns a *WorkError before it does anything. 0 is no bound.
func MaxWork(layers int64) Option { return func(p *Protector) { p.maxWork = layers } }

// Reveal says what is about to be revealed.
type Reveal struct {
	Columns  []string
	Rows     int    // or values, or records
	Ring     string // the id of the key ring
	Revision uint32 // of the key ring, when it was opened
}

// OnReveal lets a hook know before values are revealed: once for each call. If it returns an error, nothing is revealed,
// and the call returns the error. reveals.Log.Hook is one.
func OnReveal(hook func(context.Context, Reveal) error) Option {
	return func(p *Protector) { p.onReveal = hook }
}

func (p *Protector) aboutToReveal(ctx context.Context, columns []string, rows int) error {
	if p.onReveal == nil || len(columns) == 0 {
		return nil
	}
	return p.onReveal(ctx, Reveal{columns, rows, p.ring, p.revision})
}

// ErrWork: a call needs more work than MaxWork allows; the error is a *WorkError.
var ErrWork = errors.New("tallystick: too much work for one call")

// WorkError says how much work a call needs, and how much it may take. It matches ErrWork.
type WorkError struct {
	Needs, Allowed int64
	Of             string // "layers of FAST", or "symbols" of a Budget
}

// Error says all of it.
func (e *WorkError) Error() string {
	return fmt.Sprintf("%v: %d %s, but the limit is %d; send fewer or shorter values", ErrWork, e.Needs, e.Of, e.Allowed)
}

// Is reports whether target is ErrWork.
func (e *WorkError) Is(target error) bool { return target == ErrWork }

// Keys are where OpenWith takes data keys from. A *keyring.Keyring is one; a server can have a store of its own.
type Keys interface {
	// TokenizerKey returns the data key of a reference, such as people:1. It is overwritten afterwards.
	TokenizerKey(reference string) ([]byte, error)
	// Rights returns what that key may be used for.
	Rights(reference string) keyring.Rights
}

// KeyError is the error of a column whose key can't be had or used. It wraps the reason.
type KeyError struct {
	Column, Key string
	Err         error
}

// Error says all of it.
func (e *KeyError) Error() string {
	return fmt.Sprintf("column %q: its key in the policy, %s: %v", e.Column, e.Key, e.Err)
}

// Unwrap returns the reason.
func (e *KeyError) Unwrap() error { return e.Err }

// Open takes the keys that the policy names from a ring, which may be closed afterwards. A column whose key the
// ring lets only protect, or only reveal, is never revealed, or protected: fast.ErrProtectOnly, fast.ErrRevealOnly.
// The error of a key is a *KeyError.
func (p *Policy) Open(ring *keyring.Keyring, options ...Option) (*Protector, error) {
	if ring == nil {
		return nil, fmt.Errorf("%w: no key ring is given; pass an open one", keyring.ErrKeyring)
	}
	if err := p.checkAll(); err != nil {
		return nil, err
	}
	if err := p.CheckSigned(ring.Signers(), ring.Path()); err != nil {
		return nil, err
	}
	return p.open(ring, &Protector{ring: ring.ID(), revision: ring.Revision()}, options)
}

// OpenWith is Open with keys that are in no key ring, so nobody demands a signature.
func (p *Policy) OpenWith(keys Keys, options ...Option) (*Protector, error) {
	if keys == nil {
		return nil, fmt.Errorf("%w: no keys are given", keyring.ErrKeyring)
	}
	if err := p.checkAll(); err != nil {
		return nil, err
	}
	return p.open(keys, &Protector{}, options)
}

// checkAll refuses formats that can't be made, and what contradicts itself.
func (p *Policy) checkAll() error {
	for _, rule := range p.Rules {
		if err := rule.Format.Check(); err != nil {
			return fmt.Errorf("column %q: %w", rule.Column, err)
		}
	}
	if err := p.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	return nil
}

func (p *Policy) open(keys Keys, made *Protector, options []Option) (*Protector, error) {
	// The caller may go on to change the policy.
	made.rules, made.columns = slices.Clone(p.Rules), map[string]int{}
	made.unlisted, made.keep = p.Unlisted, slices.Clone(p.Keep)
	for i, rule := range p.Rules {
		made.columns[rule.Column] = i
		for _, name := range []string{rule.Column, rule.Tweak} {
			steps, err := core.PathSteps(name)
			if err != nil {
				return nil, err
			}
			if len(steps) > 1 && !slices.Contains(made.paths, Path{name, steps[0].Name}) {
				made.paths = append(made.paths, Path{name, steps[0].Name})
			}
		}
	}
	for _, option := range options {
		if option != nil {
			option(made)
		}
	}
	for _, rule := range p.Rules {
		var key []byte
		var err error
		rights := keyring.AllRights
		if rule.Format.Keyed() {
			if key, err = keys.TokenizerKey(rule.Key); err == nil {
				rights = keys.Rights(rule.Key)
			}
		}
		if made.protectOnly {
			rights &^= keyring.MayReveal
		}
		made.rights = append(made.rights, rights)
		var handle []fast.Option
		if rights&keyring.MayReveal == 0 {
			handle = append(handle, fast.ProtectOnly())
		}
		if rights&keyring.MayProtect == 0 {
			handle = append(handle, fast.RevealOnly())
		}
		if err == nil {
			var tokenizer *fast.Tokenizer
			if tokenizer, err = fast.NewTokenizer(rule.Format, key, rule.Namespace, handle...); err == nil {
				made.tokenizers = append(made.tokenizers, tokenizer)
			}
			clear(key)
		}
		if err != nil {
			made.Close()
			return nil, &KeyError{rule.Column, rule.Key, err}
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

// Rights returns what the protector may do with a column: the rights of its key, without those that an option took away.
// A column without a rule has none.
func (p *Protector) Rights(column string) keyring.Rights {
	if i, ok := p.columns[column]; ok {
		return p.rights[i]
	}
	return 0
}

// Fingerprints returns those of a column: see fast.Tokenizer.Fingerprints.
func (p *Protector) Fingerprints(column string) (format, key [sha256.Size]byte, err error) {
	i, err := p.rule(column)
	if err != nil {
		return format, key, err
	}
	return p.tokenizers[i].Fingerprints(p.rules[i].Tweak != "")
}

// may refuses what a rule's key does not let this protector do, before a hook hears of it.
func (p *Protector) may(i int, reveals bool) error {
	needed, err := keyring.MayProtect, fast.ErrRevealOnly
	if reveals {
		needed, err = keyring.MayReveal, fast.ErrProtectOnly
	}
	if p.rights[i]&needed != 0 {
		return nil
	}
	return fmt.Errorf("column %q: %w", p.rules[i].Column, err)
}

// revealed returns the column of a rule for the hook: none if its format is one-way, which reveals nothing.
func (p *Protector) revealed(i int) []string {
	if p.rules[i].Format.OneWay() {
		return nil
	}
	return []string{p.rules[i].Column}
}

// Rules returns the rules, in the order of the policy; they must not be changed.
func (p *Protector) Rules() []Rule { return p.rules }

// Value is a text that may be null.
type Value struct {
	Text string
	Null bool
}

// InvalidValueError says which value of which column is invalid. It matches fast.ErrInvalidValue.
type InvalidValueError struct {
	Column string
	fast.InvalidValueError
}

// Error says it without the value.
func (e *InvalidValueError) Error() string {
	return fmt.Sprintf("column %q, row %d: %s", e.Column, e.Row, e.Why())
}

// Is reports whether target is fast.ErrInvalidValue.
func (e *InvalidValueError) Is(target error) bool { return target == fast.ErrInvalidValue }

// Protect returns the tokens of a column's values. column is the name of a rule's column; another
// name is ErrPolicy, and the error lists the columns. Nulls stay null. tweaks has the values of the
// rule's tweak column, one a row, and is nil if the rule has no tweak. A row whose tweak is null is
// invalid. The rule's OnInvalid decides about an invalid value: an *InvalidValueError, null, or the
// value in clear.
func (p *Protector) Protect(column string, values, tweaks []Value) ([]Value, error) {
	return p.ProtectContext(context.Background(), column, values, tweaks)
}

// Reveal is the inverse of Protect.
func (p *Protector) Reveal(column string, tokens, tweaks []Value) ([]Value, error) {
	return p.RevealContext(context.Background(), column, tokens, tweaks)
}

// ProtectContext is Protect with a context. Once the context is done, it stops between two batches
// of values and returns the context's error.
func (p *Protector) ProtectContext(ctx context.Context, column string, values, tweaks []Value) ([]Value, error) {
	return p.named(ctx, column, values, tweaks, false)
}

// RevealContext is the inverse of ProtectContext.
func (p *Protector) RevealContext(ctx context.Context, column string, tokens, tweaks []Value) ([]Value, error) {
	return p.named(ctx, column, tokens, tweaks, true)
}

// named finds the rule of a column and applies it.
func (p *Protector) named(ctx context.Context, column string, values, tweaks []Value, reveals bool) ([]Value, error) {
	i, err := p.rule(column)
	if err != nil {
		return nil, err
	}
	if err := p.may(i, reveals); err != nil {
		return nil, err
	}
	layers, symbols := p.work(i, values)
	if err := p.allow(ctx, layers, symbols); err != nil {
		return nil, err
	}
	if reveals {
		if err := p.aboutToReveal(ctx, p.revealed(i), len(values)); err != nil {
			return nil, err
		}
	}
	return p.transform(ctx, i, values, tweaks, reveals)
}

// rule finds the rule of a column.
func (p *Protector) rule(column string) (int, error) {
	i, ok := p.columns[column]
	if !ok {
		known := make([]string, len(p.rules))
		for i, rule := range p.rules {
			known[i] = strconv.Quote(rule.Column)
		}
		return 0, fmt.Errorf("%w: it has no rule for column %q; pass one of %s", ErrPolicy, column,
			strings.Join(known, ", "))
	}
	return i, nil
}

// work estimates the work of a rule's values, and counts their symbols.
func (p *Protector) work(i int, values []Value) (layers, symbols int64) {
	for _, value := range values {
		if !value.Null {
			layers, symbols = layers+p.tokenizers[i].Work(len(value.Text)), symbols+int64(len(value.Text))
		}
	}
	return layers, symbols
}

func (p *Protector) transform(ctx context.Context, i int, values, tweaks []Value, reveals bool) ([]Value, error) {
	rule := &p.rules[i]
	switch {
	case rule.Tweak == "" && tweaks != nil:
		return nil, fmt.Errorf("column %q: %w: its rule has no tweak; pass nil", rule.Column, fast.ErrColumn)
	case rule.Tweak != "" && (tweaks == nil || len(tweaks) != len(values)):
		return nil, fmt.Errorf("column %q: %w: pass the values of column %q, one for each of %d rows, not %d",
			rule.Column, fast.ErrColumn, rule.Tweak, len(values), len(tweaks))
	}
	// Nulls are left out, and put back where they were.
	var texts, own []string
	var nullTweaks []bool
	var rows []int
	out := make([]Value, len(values))
	invalid := func(row int, reason fast.Reason) error {
		switch rule.OnInvalid {
		case OnInvalidKeep:
			out[row] = values[row]
		case OnInvalidNull:
			out[row] = Value{Null: true}
		default:
			return &InvalidValueError{rule.Column, *p.tokenizers[i].InvalidValue(row, values[row].Text, reason)}
		}
		return nil
	}
	for row, value := range values {
		if value.Null {
			out[row] = value
			continue
		}
		texts, rows = append(texts, value.Text), append(rows, row)
		if tweaks != nil {
			own, nullTweaks = append(own, tweaks[row].Text), append(nullTweaks, tweaks[row].Null)
		}
	}
	var ownColumn *fast.Column
	if tweaks != nil {
		column := fast.ColumnOf(own)
		ownColumn = &column
	}
	made, reasons, _, err := p.tokenizers[i].CountedColumn(ctx, reveals, fast.ColumnOf(texts), ownColumn, nullTweaks)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", rule.Column, err)
	}
	for at, text := range made.Strings() {
		row, reason := rows[at], reasons[at]
		if reason == fast.Fits {
			out[row] = Value{Text: text}
		} else if err := invalid(row, reason); err != nil {
			return nil, err
		}
	}
	return out, nil
}
