// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

// maxNamespace is the bytes of a namespace's name, at most.
const maxNamespace = 256

// Tokenizer replaces values of one format by tokens, under one key and namespace, and reveals them.
// Equal values have equal tokens wherever key, namespace and format are equal, in Python too, and
// unrelated tokens otherwise. It is safe for concurrent use. Do not copy it; closing one copy
// closes all.
type Tokenizer struct {
	format      Format
	shape       *core.Shape       // of a TextFormat
	value       *core.ValueFormat // the same for single values
	pool        *core.Pool
	tweaks      [2][]byte // without and with tweaks of rows
	protectOnly bool
	work        [cached]atomic.Uint32 // what Work returned, by length
}

// Option is an option of NewTokenizer.
type Option func(*Tokenizer)

// ProtectOnly makes a handle that protects and never reveals: its Reveal functions return
// ErrProtectOnly. Use it in code that must not read values. The process still holds the key, so a
// separate program protects better.
func ProtectOnly() Option { return func(t *Tokenizer) { t.protectOnly = true } }

// NewTokenizer returns a tokenizer. The format must not change afterwards. The key has 16, 24 or 32
// bytes, and may be overwritten afterwards. The namespace says what the values mean, such as
// "person id". NewTokenizer returns an error that matches ErrFormat, ErrKeySize or ErrNamespace.
func NewTokenizer(format Format, key []byte, namespace string, options ...Option) (*Tokenizer, error) {
	if err := CheckFormat(format); err != nil {
		return nil, err
	}
	if len(namespace) == 0 || len(namespace) > maxNamespace || !utf8.ValidString(namespace) {
		return nil, ErrNamespace
	}
	t := &Tokenizer{format: format}
	for _, option := range options {
		option(t)
	}
	for i, rows := range []bool{false, true} {
		tweak, err := tweakOf(format, namespace, rows)
		if err != nil {
			return nil, err
		}
		t.tweaks[i] = tweak
	}
	if text, ok := format.(*TextFormat); ok {
		t.shape = text.shape()
		value, err := core.NewValueFormat(t.shape)
		if err != nil {
			return nil, err
		}
		t.value = value
	}
	pool, err := core.NewPool(core.ProfileFAST, format.radix(), key)
	if err != nil {
		return nil, err
	}
	t.pool = pool
	return t, nil
}

// Close wipes the key; see Cipher.Close.
func (t *Tokenizer) Close() { t.pool.Close() }

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

// AppendProtect appends the token of a value to dst and returns that; for a TextFormat it allocates
// nothing if dst has the room. value[:0] is allowed as dst; other overlaps are ErrOverlap.
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
	if c.check() != nil {
		return nil
	}
	all, texts := string(c.Values), make([]string, c.Len())
	for i := range texts {
		texts[i] = all[c.Offsets[i]:c.Offsets[i+1]]
	}
	return texts
}

func (c Column) check() error {
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
	return t.column(context.Background(), false, column, tweaks)
}

// RevealColumn is the inverse of ProtectColumn.
func (t *Tokenizer) RevealColumn(column Column, tweaks *Column) (Column, []Reason, error) {
	return t.column(context.Background(), true, column, tweaks)
}

// ProtectInt64 returns the token of an integer; the format is an IntegerFormat, else it is ErrFormat. An
// integer outside its range is an *InvalidValueError. The same integer as text has the same token.
func (t *Tokenizer) ProtectInt64(value int64) (int64, error) { return t.integer(false, value) }

// RevealInt64 is the inverse of ProtectInt64.
func (t *Tokenizer) RevealInt64(token int64) (int64, error) { return t.integer(true, token) }

// may returns ErrProtectOnly of a handle that was asked for more than it can.
func (t *Tokenizer) may(decrypt bool) error {
	if decrypt && t.protectOnly {
		return ErrProtectOnly
	}
	return nil
}

func (t *Tokenizer) integer(decrypt bool, value int64) (int64, error) {
	if err := t.may(decrypt); err != nil {
		return 0, err
	}
	form, ok := t.format.(*IntegerFormat)
	if !ok {
		return 0, fmt.Errorf("%w: this tokenizer is not for integers; make one with an IntegerFormat", ErrFormat)
	}
	if value < form.Min || value > form.Max {
		return 0, &InvalidValueError{Row: -1, Reason: OutOfRange}
	}
	rank := [1]uint64{uint64(value) - uint64(form.Min)}
	if err := t.pool.Range(decrypt, form.size(), t.tweaks[0], rank[:], rank[:]); err != nil {
		return 0, err
	}
	return int64(rank[0] + uint64(form.Min)), nil
}

func (t *Tokenizer) append(decrypt bool, dst, value []byte) ([]byte, error) {
	if t.shape == nil {
		result, err := t.one(decrypt, string(value), nil)
		if err != nil {
			return nil, err
		}
		return append(dst, result...), nil
	}
	head, tail := extend(dst, len(value))
	if inexactOverlap(tail, value) {
		return nil, ErrOverlap
	}
	copy(tail, value)
	if err := t.may(decrypt); err != nil {
		return nil, err
	}
	if err := t.text(decrypt, tail, nil); err != nil {
		return nil, err
	}
	return head, nil
}

// text replaces one text of a TextFormat in place.
func (t *Tokenizer) text(decrypt bool, text []byte, tweak *string) error {
	if len(text) > core.MaxValue {
		return t.longText(decrypt, text, tweak)
	}
	var own []byte
	kind := 0
	if tweak != nil {
		own, kind = unsafe.Slice(unsafe.StringData(*tweak), len(*tweak)), 1
	}
	status, err := t.pool.Value(decrypt, t.value, t.tweaks[kind], own, text)
	return t.textResult(text, status, err)
}

// longText is text for any size.
func (t *Tokenizer) longText(decrypt bool, text []byte, tweak *string) error {
	offsets, tweakOffsets := [2]int64{1: int64(len(text))}, [2]int64{}
	var status [1]byte
	var tweaks core.Strings
	kind := 0
	if tweak != nil {
		tweakOffsets[1], kind = int64(len(*tweak)), 1
		tweaks = core.Strings{Offsets: tweakOffsets[:], Values: []byte(*tweak)}
	}
	_, err := t.pool.Column(decrypt, t.shape, core.Strings{Offsets: offsets[:], Values: text},
		t.tweaks[kind], tweaks, text, status[:])
	return t.textResult(text, status[0], err)
}

// textResult makes a text's status an error. The text is as it was.
func (t *Tokenizer) textResult(text []byte, status byte, err error) error {
	if err == nil && status != 0 {
		err = t.InvalidValue(-1, string(text), Reason(status))
	}
	return err
}

func (t *Tokenizer) one(decrypt bool, value string, tweak *string) (string, error) {
	if err := t.may(decrypt); err != nil {
		return "", err
	}
	if t.shape != nil {
		text := []byte(value)
		if err := t.text(decrypt, text, tweak); err != nil {
			return "", err
		}
		return unsafe.String(unsafe.SliceData(text), len(text)), nil
	}
	var tweaks []string
	if tweak != nil {
		tweaks = []string{*tweak}
	}
	all, err := t.all(context.Background(), decrypt, []string{value}, tweaks)
	var invalid *InvalidValueError
	if errors.As(err, &invalid) {
		invalid.Row = -1
	}
	if err != nil {
		return "", err
	}
	return all[0], nil
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
	made, reasons, err := t.transform(ctx, decrypt, ColumnOf(values), own)
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

func (t *Tokenizer) column(ctx context.Context, decrypt bool, column Column, tweaks *Column) (Column, []Reason, error) {
	if err := t.may(decrypt); err != nil {
		return Column{}, nil, err
	}
	// The core rewrites what it is given. What is checked is the copy, whose offsets nobody else can write to.
	copied := Column{slices.Clone(column.Offsets), slices.Clone(column.Values)}
	if err := copied.check(); err != nil {
		return Column{}, nil, err
	}
	var own *core.Strings
	if tweaks != nil {
		theirs := core.Strings{Offsets: slices.Clone(tweaks.Offsets), Values: tweaks.Values}
		if err := Column(theirs).check(); err != nil {
			return Column{}, nil, err
		}
		if theirs.Rows() != copied.Len() {
			return Column{}, nil, ErrColumn
		}
		own = &theirs
	}
	made, status, err := t.transform(ctx, decrypt, copied, own)
	if err != nil {
		return Column{}, nil, err
	}
	reasons := make([]Reason, len(status))
	for i, reason := range status {
		reasons[i] = Reason(reason)
	}
	return Column(made), reasons, nil
}
