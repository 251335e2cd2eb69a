// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

var errStream = &refused{&failure{status: http.StatusBadRequest, Error: "the body is no Arrow IPC stream, or a damaged one"}}

func unsupported(field, why string) error {
	return &refused{&failure{http.StatusUnprocessableEntity, why, nil, field}}
}

// changeArrow answers an Arrow IPC stream with the same stream, whose columns are changed.
func (j *job) changeArrow(ctx context.Context, stream []byte) (made []byte, err error) {
	// The library and accessors of arrays panic on a stream that contradicts itself.
	defer func() {
		if fault := recover(); fault != nil {
			made, err = nil, errStream
		}
	}()
	if err := checkFrames(stream); err != nil {
		return nil, err
	}
	room := bounded{memory.DefaultAllocator, 1<<20 + 2*len(stream)}
	reader, err := ipc.NewReader(bytes.NewReader(stream), ipc.WithAllocator(room))
	if err != nil {
		return nil, errStream
	}
	defer reader.Release()
	if err := j.checkSchema(reader.Schema()); err != nil {
		return nil, err
	}
	j.about.columns = map[string]int{}
	var out bytes.Buffer
	out.Grow(len(stream) + len(stream)/8)
	writer := ipc.NewWriter(&out, ipc.WithSchema(reader.Schema()), ipc.WithAllocator(room))
	for reader.Next() {
		changed, err := j.changeBatch(ctx, reader.RecordBatch())
		if err != nil {
			return nil, err
		}
		err = writer.Write(changed)
		changed.Release()
		if err != nil { // it looks at the columns that pass in clear for the first time
			return nil, errStream
		}
	}
	if reader.Err() != nil {
		return nil, errStream
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// bounded makes no more memory at once than a body can need; the library believes lengths in a stream.
type bounded struct {
	memory.Allocator
	most int
}

func (b bounded) Allocate(size int) []byte {
	if size > b.most {
		panic(errStream)
	}
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	if size > b.most {
		panic(errStream)
	}
	return b.Allocator.Reallocate(size, old)
}

// checkSchema refuses columns that the policy does not name or whose inside it names, and types that have no tokens here.
func (j *job) checkSchema(schema *arrow.Schema) error {
	for _, path := range j.protector.Paths() {
		for _, at := range schema.FieldIndices(path.Field) {
			id := schema.Field(at).Type.ID()
			if arrow.IsNested(id) || id == arrow.EXTENSION || !schema.HasField(path.Name) {
				return unsupported(path.Field, path.Reason())
			}
		}
	}
	for at, field := range schema.Fields() {
		rule := j.rules[field.Name]
		if rule == nil {
			if !j.protector.Passes(field.Name) {
				return unsupported(field.Name, policy.ReasonUnlisted)
			}
			continue
		}
		if slices.IndexFunc(schema.Fields(), func(f arrow.Field) bool { return f.Name == field.Name }) != at {
			return unsupported(field.Name, "two columns have this name")
		}
		if err := j.may(nil, field.Name); err != nil {
			return err
		}
		if id := field.Type.ID(); id != arrow.STRING && id != arrow.LARGE_STRING {
			return unsupported(field.Name, "its type is not utf8 or large_utf8: send it as text")
		}
		if rule.Tweak != "" && !schema.HasField(rule.Tweak) {
			return unsupported(field.Name, "its tweak, another column, is missing")
		}
	}
	return nil
}

func (j *job) changeBatch(ctx context.Context, batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, batch.NumCols())
	for i, field := range batch.Schema().Fields() {
		columns[i] = batch.Column(i)
		rule := j.rules[field.Name]
		if rule == nil || j.reveals && rule.Format.OneWay() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		values, err := textsOf(columns[i])
		if err != nil {
			return nil, err
		}
		var tweaks *policy.Texts
		if rule.Tweak != "" {
			own, err := tweaksOf(batch.Column(batch.Schema().FieldIndices(rule.Tweak)[0]))
			if err != nil {
				return nil, err
			}
			tweaks = &own
		}
		change := j.protector.ProtectTexts
		if j.reveals {
			change = j.protector.RevealTexts
		}
		changed, err := change(ctx, field.Name, values, tweaks)
		if err != nil {
			return nil, err
		}
		if columns[i], err = arrayOf(changed, field.Type); err != nil {
			return nil, unsupported(field.Name, err.Error())
		}
		j.about.columns[field.Name] += changed.Len()
	}
	return array.NewRecordBatch(batch.Schema(), columns, batch.NumRows()), nil
}

// textsOf takes the texts of an array where they are. Nothing of the array is trusted.
func textsOf(column arrow.Array) (policy.Texts, error) {
	data, rows := column.Data(), column.Len()
	if rows == 0 {
		return policy.Texts{Column: fast.Column{Offsets: []int64{0}}}, nil
	}
	buffers := data.Buffers()
	if data.Offset() != 0 || len(buffers) != 3 || buffers[1] == nil {
		return policy.Texts{}, errStream
	}
	made := policy.Texts{Column: fast.Column{Values: bytesOf(buffers[2])}}
	offsets := bytesOf(buffers[1])
	switch column.DataType().ID() {
	case arrow.STRING:
		if len(offsets)/4 <= rows {
			return policy.Texts{}, errStream
		}
		made.Offsets = make([]int64, rows+1)
		for i, offset := range arrow.Int32Traits.CastFromBytes(offsets)[:rows+1] {
			made.Offsets[i] = int64(offset)
		}
	case arrow.LARGE_STRING:
		if len(offsets)/8 <= rows {
			return policy.Texts{}, errStream
		}
		made.Offsets = arrow.Int64Traits.CastFromBytes(offsets)[:rows+1]
	default:
		return policy.Texts{}, errStream
	}
	if made.Check() != nil || made.Offsets[0] < 0 {
		return policy.Texts{}, errStream
	}
	if bits := bytesOf(buffers[0]); len(bits) > 0 && column.NullN() > 0 {
		if len(bits)*8 < rows {
			return policy.Texts{}, errStream
		}
		made.Null = make([]bool, rows)
		for i := range made.Null {
			made.Null[i] = !bitutil.BitIsSet(bits, i)
		}
	}
	return made, nil
}

func bytesOf(buffer *memory.Buffer) []byte {
	if buffer == nil {
		return nil
	}
	return buffer.Bytes()
}

// tweaksOf takes texts, or whole numbers as text.
func tweaksOf(column arrow.Array) (policy.Texts, error) {
	id := column.DataType().ID()
	switch {
	case id == arrow.STRING || id == arrow.LARGE_STRING:
		return textsOf(column)
	case !arrow.IsInteger(id):
		return policy.Texts{}, unsupported("", "a tweak is text or a whole number")
	}
	if values := column.Data().Buffers()[1]; column.Len() > len(bytesOf(values)) { // before there is room for them
		return policy.Texts{}, errStream
	}
	texts, null := make([]string, column.Len()), make([]bool, column.Len())
	for i := range texts {
		if null[i] = column.IsNull(i); !null[i] {
			texts[i] = column.ValueStr(i)
		}
	}
	return policy.Texts{Column: fast.ColumnOf(texts), Null: null}, nil
}

// arrayOf makes an array of texts.
func arrayOf(texts policy.Texts, kind arrow.DataType) (arrow.Array, error) {
	rows, nulls := texts.Len(), 0
	var bits *memory.Buffer
	if texts.Null != nil {
		set := make([]byte, bitutil.BytesForBits(int64(rows)))
		for i, null := range texts.Null {
			if null {
				nulls++
			} else {
				bitutil.SetBit(set, i)
			}
		}
		bits = memory.NewBufferBytes(set)
	}
	offsets := arrow.Int64Traits.CastToBytes(texts.Offsets)
	if kind.ID() == arrow.STRING {
		if len(texts.Values) > math.MaxInt32 {
			return nil, errors.New("its tokens are too long for utf8: send it as large_utf8")
		}
		short := make([]int32, rows+1)
		for i, offset := range texts.Offsets {
			short[i] = int32(offset)
		}
		offsets = arrow.Int32Traits.CastToBytes(short)
	}
	data := array.NewData(kind, rows, []*memory.Buffer{
		bits, memory.NewBufferBytes(offsets), memory.NewBufferBytes(texts.Values),
	}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}
