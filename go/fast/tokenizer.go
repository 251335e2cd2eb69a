// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Tokenizer replaces values of one format by tokens, under one key and namespace, and reveals them.
// Equal values have equal tokens wherever key, namespace and format are equal, in Python too, and
// unrelated tokens otherwise. It is safe for concurrent use. Do not copy it; closing one copy
// closes all.
type Tokenizer struct {
	format      *core.Format
	tokens      *core.Tokenizer
	protectOnly bool
	revealOnly  bool
	work        [cached]atomic.Uint32 // what Work returned, by length
}

// Option is an option of NewTokenizer.
type Option func(*Tokenizer)

// ProtectOnly makes a handle that protects and never reveals: its Reveal functions return
// ErrProtectOnly. Use it in code that must not read values. The process still holds the key, so a
// separate program protects better.
func ProtectOnly() Option { return func(t *Tokenizer) { t.protectOnly = true } }

// RevealOnly makes a handle that reveals and never protects: its Protect functions return ErrRevealOnly.
func RevealOnly() Option { return func(t *Tokenizer) { t.revealOnly = true } }

// NewTokenizer returns a tokenizer. The key has 16, 24 or 32 bytes, and may be overwritten
// afterwards; it is nil for a format without a key. The namespace says what the values mean, such
// as "person id". NewTokenizer returns an error that matches ErrFormat, ErrKeySize or ErrNamespace.
func NewTokenizer(format *Format, key []byte, namespace string, options ...Option) (*Tokenizer, error) {
	made, err := format.core()
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{format: made}
	for _, option := range options {
		if option != nil {
			option(t)
		}
	}
	if t.tokens, err = core.NewTokenizer(made, key, namespace); err != nil {
		return nil, err
	}
	return t, nil
}

// Close wipes the key; see Cipher.Close.
func (t *Tokenizer) Close() { t.tokens.Close() }

// Protect returns the token of a value. A value that does not match the format is an *InvalidValueError.
func (t *Tokenizer) Protect(value string) (string, error) { return t.one(false, value, nil) }

// Reveal returns the value of a token: the inverse of Protect.
func (t *Tokenizer) Reveal(token string) (string, error) { return t.one(true, token, nil) }

// ProtectTweaked is Protect under something public, such as a customer number, that makes the token
// incomparable with those of other rows: text in UTF-8, or a number in decimal.
func (t *Tokenizer) ProtectTweaked(value, tweak string) (string, error) {
	return t.one(false, value, &tweak)
}

// RevealTweaked is the inverse of ProtectTweaked.
func (t *Tokenizer) RevealTweaked(token, tweak string) (string, error) {
	return t.one(true, token, &tweak)
}

// AppendProtect appends the token of a value to dst and returns that; it allocates nothing if dst has
// the room. value[:0] is allowed as dst; other overlaps are ErrOverlap.
func (t *Tokenizer) AppendProtect(dst, value []byte) ([]byte, error) {
	return t.append(false, dst, value)
}

// AppendReveal is the inverse of AppendProtect.
func (t *Tokenizer) AppendReveal(dst, token []byte) ([]byte, error) {
	return t.append(true, dst, token)
}

// ProtectAll returns the tokens of many values, much faster than one by one. tweaks is nil, or has one
// for each value, as of ProtectTweaked. The first invalid value is an *InvalidValueError.
func (t *Tokenizer) ProtectAll(values, tweaks []string) ([]string, error) {
	return t.all(context.Background(), false, values, tweaks)
}

// RevealAll is the inverse of ProtectAll.
func (t *Tokenizer) RevealAll(tokens, tweaks []string) ([]string, error) {
	return t.all(context.Background(), true, tokens, tweaks)
}

// Column is texts in one buffer, as Apache Arrow lays them out with offsets of 64 bits. Text i is
// Values[Offsets[i]:Offsets[i+1]], so there is one offset more than there are texts.
type Column struct {
	Offsets []int64
	Values  []byte
}

// ColumnOf lays texts out as a column.
func ColumnOf(texts []string) Column {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	column := Column{make([]int64, 1, len(texts)+1), make([]byte, 0, size)}
	for _, text := range texts {
		column.Values = append(column.Values, text...)
		column.Offsets = append(column.Offsets, int64(len(column.Values)))
	}
	return column
}

// Len returns the number of texts.
func (c Column) Len() int { return max(len(c.Offsets)-1, 0) }

// Strings returns the texts; nil if the offsets do not fit the values.
func (c Column) Strings() []string {
	if c.Check() != nil {
		return nil
	}
	all, texts := string(c.Values), make([]string, c.Len())
	for i := range texts {
		texts[i] = all[c.Offsets[i]:c.Offsets[i+1]]
	}
	return texts
}

// Check returns ErrColumn if the offsets do not fit the values.
func (c Column) Check() error {
	last := int64(0)
	for _, offset := range c.Offsets {
		if offset < last || offset > int64(len(c.Values)) {
			return ErrColumn
		}
		last = offset
	}
	return nil
}

// ProtectColumn returns the tokens of a column, and for each row Fits or why it does not match its format;
// such rows keep their value. tweaks is nil, or has one for each row. It returns ErrColumn if a column is
// none or the tweaks are not as many. The column itself is left as it is.
func (t *Tokenizer) ProtectColumn(column Column, tweaks *Column) (Column, []Reason, error) {
	return t.ProtectColumnContext(context.Background(), column, tweaks)
}

// RevealColumn is the inverse of ProtectColumn.
func (t *Tokenizer) RevealColumn(column Column, tweaks *Column) (Column, []Reason, error) {
	return t.RevealColumnContext(context.Background(), column, tweaks)
}

// Fingerprints returns public bytes that identify what tokens depend on: the format with its namespace and whether each row
// has a tweak, and the key; zeros if the format has none. Markers have the first 8 bytes of each.
func (t *Tokenizer) Fingerprints(tweaked bool) (format, key [sha256.Size]byte, err error) {
	head, key, err := t.tokens.Identity(tweaked)
	return sha256.Sum256(head), key, err
}

// ProtectInt64 returns the token of an integer; the format is Integer's, else it is ErrFormat. An
// integer outside its range is an *InvalidValueError. The same integer as text has the same token.
func (t *Tokenizer) ProtectInt64(value int64) (int64, error) { return t.integer(false, value) }

// RevealInt64 is the inverse of ProtectInt64.
func (t *Tokenizer) RevealInt64(token int64) (int64, error) { return t.integer(true, token) }

// may returns ErrProtectOnly or ErrRevealOnly of a handle that was asked for more than it can.
func (t *Tokenizer) may(decrypt bool) error {
	if decrypt && t.protectOnly {
		return ErrProtectOnly
	}
	if !decrypt && t.revealOnly {
		return ErrRevealOnly
	}
	return nil
}

func (t *Tokenizer) integer(decrypt bool, value int64) (int64, error) {
	if err := t.may(decrypt); err != nil {
		return 0, err
	}
	if t.format == nil || t.format.Name != "integer" {
		return 0, fmt.Errorf("%w: this tokenizer is not for integers; make one with Integer", ErrFormat)
	}
	token, reason, err := t.tokens.Integer(decrypt, value)
	if err == nil && reason != 0 {
		err = &InvalidValueError{Row: -1, Reason: Reason(reason)}
	}
	return token, asFormatError(err)
}

// asFormatError makes what a format does not take an error of the format.
func asFormatError(err error) error {
	var problem *core.ProblemError
	if errors.As(err, &problem) || errors.Is(err, core.Type) {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return err
}

func (t *Tokenizer) append(decrypt bool, dst, value []byte) ([]byte, error) {
	if err := t.may(decrypt); err != nil {
		return nil, err
	}
	room := dst[len(dst):cap(dst)]
	if core.InexactOverlap(room, value) {
		return nil, ErrOverlap
	}
	var buffer [core.MaxValue]byte
	if len(room) > 0 && len(value) > 0 && &room[0] == &value[0] {
		value = append(buffer[:0], value...) // the core wants them apart
		defer clear(value)
	}
	return t.value(decrypt, dst, unsafe.String(unsafe.SliceData(value), len(value)), nil)
}

// value appends the token or value of one value.
func (t *Tokenizer) value(decrypt bool, dst []byte, value string, tweak *string) ([]byte, error) {
	own := ""
	if tweak != nil {
		own = *tweak
	}
	if len(value) > core.MaxOneValue || len(own) > core.MaxOneValue { // which only columns take
		return t.large(decrypt, dst, value, tweak)
	}
	made, reason, err := t.tokens.Value(decrypt, dst, value, own, tweak != nil)
	if err != nil {
		return nil, asFormatError(err)
	}
	if reason != 0 {
		return nil, t.InvalidValue(-1, value, Reason(reason))
	}
	return made, nil
}

// large is value by way of a column.
func (t *Tokenizer) large(decrypt bool, dst []byte, value string, tweak *string) ([]byte, error) {
	var tweaks *core.Strings
	if tweak != nil {
		tweaks = (*core.Strings)(ptr(ColumnOf([]string{*tweak})))
	}
	made, reasons, _, err := t.transform(context.Background(), decrypt, ColumnOf([]string{value}), tweaks, nil)
	if err != nil {
		return nil, err
	}
	if reasons[0] != 0 {
		return nil, t.InvalidValue(-1, value, Reason(reasons[0]))
	}
	return append(dst, made.Values...), nil
}

func (t *Tokenizer) one(decrypt bool, value string, tweak *string) (string, error) {
	if err := t.may(decrypt); err != nil {
		return "", err
	}
	text, err := t.value(decrypt, nil, value, tweak)
	return unsafe.String(unsafe.SliceData(text), len(text)), err
}

func (t *Tokenizer) all(ctx context.Context, decrypt bool, values, tweaks []string) ([]string, error) {
	var own *core.Strings
	if tweaks != nil {
		if len(tweaks) != len(values) {
			return nil, ErrColumn
		}
		own = (*core.Strings)(ptr(ColumnOf(tweaks)))
	}
	if err := t.may(decrypt); err != nil {
		return nil, err
	}
	made, reasons, _, err := t.transform(ctx, decrypt, ColumnOf(values), own, nil)
	if err != nil {
		return nil, err
	}
	for row, reason := range reasons {
		if reason != 0 {
			return nil, t.InvalidValue(row, values[row], Reason(reason))
		}
	}
	return Column(made).Strings(), nil
}

func ptr[T any](value T) *T { return &value }

// tweakOffsets has memory for copies of the offsets of tweaks.
var tweakOffsets = sync.Pool{New: func() any { return new([]int64) }}

func (t *Tokenizer) column(ctx context.Context, decrypt bool, column Column, tweaks *Column, nullTweaks []bool) (Column, []Reason, int, error) {
	if err := t.may(decrypt); err != nil {
		return Column{}, nil, 0, err
	}
	// What is checked is a copy of the offsets, which nobody else can write to. It becomes the result's.
	copied := Column{slices.Clone(column.Offsets), column.Values}
	if err := copied.Check(); err != nil {
		return Column{}, nil, 0, err
	}
	var own *core.Strings
	if tweaks != nil {
		held := tweakOffsets.Get().(*[]int64)
		defer tweakOffsets.Put(held)
		*held = append((*held)[:0], tweaks.Offsets...)
		theirs := core.Strings{Offsets: *held, Values: tweaks.Values}
		if err := Column(theirs).Check(); err != nil {
			return Column{}, nil, 0, err
		}
		if theirs.Rows() != copied.Len() {
			return Column{}, nil, 0, ErrColumn
		}
		own = &theirs
	}
	if nullTweaks != nil && (tweaks == nil || len(nullTweaks) != copied.Len()) {
		return Column{}, nil, 0, ErrColumn
	}
	made, status, small, err := t.transform(ctx, decrypt, copied, own, nullTweaks)
	if err != nil {
		return Column{}, nil, 0, err
	}
	return Column(made), unsafe.Slice((*Reason)(unsafe.SliceData(status)), len(status)), small, nil
}
