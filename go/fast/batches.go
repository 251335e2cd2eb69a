// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"context"
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
	at := size
	if t.shape != nil {
		at = min(size, int(t.shape.MaxSymbols))
	} else {
		at = 0 // of a range, whatever the text
	}
	if at >= cached {
		return t.format.layers(at)
	}
	if known := t.work[at].Load(); known != 0 {
		return int64(known)
	}
	work := t.format.layers(at)
	t.work[at].Store(uint32(work))
	return work
}

// layers returns the layers of a word of so many symbols.
func layers(radix, length uint32) int64 {
	params, err := core.Recommended(core.ProfileFAST, radix, max(length, MinLength))
	if err != nil {
		return 0
	}
	return int64(params.Layers)
}

// rangeLayers returns the layers of a number of a range; a quarter is added for walking.
func rangeLayers(size uint64) int64 {
	params, err := core.RangeParams(size)
	if err != nil {
		return 0
	}
	return layers(params.Radix, params.Length) * 5 / 4
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
	return t.column(ctx, false, column, tweaks)
}

// RevealColumnContext is the inverse of ProtectColumnContext.
func (t *Tokenizer) RevealColumnContext(ctx context.Context, column Column, tweaks *Column) (Column, []Reason, error) {
	return t.column(ctx, true, column, tweaks)
}

// transform does a column, in batches if the context can end.
func (t *Tokenizer) transform(ctx context.Context, decrypt bool, column Column, tweaks *core.Strings) (core.Strings, []byte, error) {
	if column.Len() == 0 {
		return core.Strings(column), nil, nil
	}
	if t.format == nil {
		return core.Strings{}, nil, ErrFormat
	}
	if ctx.Done() == nil {
		return t.batch(decrypt, core.Strings(column), tweaks)
	}
	var made core.Strings
	var status []byte
	for from, to := 0, 0; from < column.Len(); from = to {
		if err := ctx.Err(); err != nil {
			return core.Strings{}, nil, err
		}
		to = t.batchEnd(column, from)
		var own *core.Strings
		if tweaks != nil {
			own = ptr(section(*tweaks, from, to))
		}
		part, reasons, err := t.batch(decrypt, section(core.Strings(column), from, to), own)
		if err != nil {
			return core.Strings{}, nil, err
		}
		if from == 0 {
			made, status = part, reasons
			continue
		}
		last := made.Offsets[len(made.Offsets)-1]
		for _, offset := range part.Offsets[1:] {
			made.Offsets = append(made.Offsets, last+offset)
		}
		made.Values, status = append(made.Values, part.Values...), append(status, reasons...)
	}
	return made, status, nil
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

func (t *Tokenizer) batch(decrypt bool, column core.Strings, tweaks *core.Strings) (core.Strings, []byte, error) {
	status := make([]byte, column.Rows())
	kind := 0
	if tweaks != nil {
		kind = 1
	}
	if t.shape != nil {
		made, err := transformText(t.pool, t.shape, decrypt, column, t.tweaks[kind], tweaks, status)
		return made, status, err
	}
	made, err := t.format.transform(t.pool, decrypt, column, t.tweaks[kind], tweaks, status)
	return made, status, err
}
