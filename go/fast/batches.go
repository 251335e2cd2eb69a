// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"context"
	"math"
	"slices"

	"github.com/tallystick/tallystick/go/internal/core"
)

// batchWork is the work between two looks at a context: with cgo some 10 ms, without some 0.2 s. One value
// is never divided. Tests make it smaller.
var batchWork int64 = 8 << 20

// Work estimates the work to protect or reveal a value of size bytes, in layers of FAST. For texts
// it is of order length^1.5. A layer takes some nanoseconds, and without cgo some tens of
// nanoseconds.
func (t *Tokenizer) Work(size int) int64 {
	if t.format == nil || size <= 0 {
		return 0
	}
	size = min(size, math.MaxInt32) // a size has 32 bits without cgo
	if size >= cached {
		return t.format.Work(size)
	}
	if known := t.work[size].Load(); known != 0 {
		return int64(known)
	}
	work := t.format.Work(size)
	t.work[size].Store(uint32(work))
	return work
}

// ProtectAllContext is ProtectAll, which ends with the context's error between two batches of values once the
// context is done.
func (t *Tokenizer) ProtectAllContext(ctx context.Context, values, tweaks []string) ([]string, error) {
	return t.all(ctx, false, values, tweaks)
}

// RevealAllContext is the inverse of ProtectAllContext.
func (t *Tokenizer) RevealAllContext(ctx context.Context, tokens, tweaks []string) ([]string, error) {
	return t.all(ctx, true, tokens, tweaks)
}

// ProtectColumnContext is ProtectColumn, which ends with the context's error between two batches of rows once
// the context is done.
func (t *Tokenizer) ProtectColumnContext(ctx context.Context, column Column, tweaks *Column) (Column, []Reason, error) {
	made, reasons, _, err := t.column(ctx, false, column, tweaks, nil)
	return made, reasons, err
}

// RevealColumnContext is the inverse of ProtectColumnContext.
func (t *Tokenizer) RevealColumnContext(ctx context.Context, column Column, tweaks *Column) (Column, []Reason, error) {
	made, reasons, _, err := t.column(ctx, true, column, tweaks, nil)
	return made, reasons, err
}

// SmallDomain is how many values a domain has at least that is not small: anyone who can protect values can list the
// tokens of a smaller one.
const SmallDomain = 1_000_000

// CountedColumn is ProtectColumnContext, or with reveal RevealColumnContext, and also counts the rows whose value has a
// small domain; see SmallDomain. nullTweaks is nil, or says for each row whether its tweak is null, which makes its value invalid.
func (t *Tokenizer) CountedColumn(ctx context.Context, reveal bool, column Column, tweaks *Column, nullTweaks []bool) (made Column, reasons []Reason, small int, err error) {
	return t.column(ctx, reveal, column, tweaks, nullTweaks)
}

// transform does a column, in batches if the context can end. The column's offsets may become the result's.
func (t *Tokenizer) transform(ctx context.Context, decrypt bool, column Column, tweaks *core.Strings, nullTweaks []bool) (core.Strings, []byte, int, error) {
	if column.Len() == 0 {
		if t.format != nil && t.tokens.Closed() {
			return core.Strings{}, nil, 0, ErrClosed
		}
		// A part of a longer column may begin anywhere; the result begins at 0.
		return core.Strings{Offsets: make([]int64, len(column.Offsets))}, nil, 0, nil
	}
	if t.format == nil {
		return core.Strings{}, nil, 0, ErrFormat
	}
	if ctx.Done() == nil {
		return t.batch(decrypt, core.Strings(column), tweaks, nullTweaks)
	}
	var made core.Strings
	var status []byte
	small := 0
	for from, to := 0, 0; from < column.Len(); from = to {
		if err := ctx.Err(); err != nil {
			return core.Strings{}, nil, 0, err
		}
		to = t.batchEnd(column, from)
		var own *core.Strings
		if tweaks != nil {
			own = ptr(section(*tweaks, from, to))
		}
		var nulls []bool
		if nullTweaks != nil {
			nulls = nullTweaks[from:to]
		}
		part, reasons, few, err := t.batch(decrypt, section(core.Strings(column), from, to), own, nulls)
		if err != nil {
			return core.Strings{}, nil, 0, err
		}
		small += few
		if from == 0 {
			made, status = part, reasons
			if to < column.Len() { // room for the other batches, as long as this one
				values := int(float64(len(part.Values)) / float64(to) * float64(column.Len()) * 1.05)
				made.Offsets = append(make([]int64, 0, len(column.Offsets)), part.Offsets...)
				made.Values = append(make([]byte, 0, values), part.Values...)
				status = append(make([]byte, 0, column.Len()), reasons...)
			}
			continue
		}
		last := made.Offsets[len(made.Offsets)-1]
		for _, offset := range part.Offsets[1:] {
			made.Offsets = append(made.Offsets, last+offset)
		}
		made.Values, status = append(made.Values, part.Values...), append(status, reasons...)
	}
	return made, status, small, nil
}

// batchEnd returns the row behind a batch, which has one row at least.
func (t *Tokenizer) batchEnd(column Column, from int) int {
	work := int64(0)
	for row := from; row < column.Len(); row++ {
		work += t.Work(int(column.Offsets[row+1] - column.Offsets[row]))
		if work > batchWork && row > from {
			return row
		}
	}
	return column.Len()
}

// section returns some rows of a column, whose values can't be appended to in place.
func section(column core.Strings, from, to int) core.Strings {
	first, last := column.Offsets[from], column.Offsets[to]
	offsets := slices.Clone(column.Offsets[from : to+1])
	for i := range offsets {
		offsets[i] -= first
	}
	return core.Strings{Offsets: offsets, Values: column.Values[first:last:last]}
}

func (t *Tokenizer) batch(decrypt bool, column core.Strings, tweaks *core.Strings, nullTweaks []bool) (core.Strings, []byte, int, error) {
	var valid []byte // a bitmap as Arrow has it
	if slices.Contains(nullTweaks, true) {
		valid = make([]byte, (len(nullTweaks)+7)/8)
		for row, null := range nullTweaks {
			if !null {
				valid[row/8] |= 1 << (row % 8)
			}
		}
	}
	status := make([]byte, column.Rows())
	made, small, err := t.tokens.Rows(decrypt, column, tweaks, valid, status)
	return made, status, int(small), asFormatError(err)
}
