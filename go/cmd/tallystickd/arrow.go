// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"

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
	room := &space{Allocator: memory.DefaultAllocator, ctx: ctx, held: j.held, most: 1<<20 + 2*len(stream)}
	defer func() {
		// The library and accessors of arrays panic on a stream that contradicts itself.
		if fault := recover(); fault != nil {
			err = errStream
		}
		if err != nil && room.err != nil {
			err = room.err
		}
	}()
	texts, err := checkFrames(stream)
	if err != nil {
		return nil, err
	}
	if !j.held.take(textCost * texts) {
		return nil, j.held.full()
	}
	reader, err := ipc.NewReader(bytes.NewReader(stream), ipc.WithAllocator(room))
	if err != nil {
		return nil, errStream
	}
	defer reader.Release()
	if err := j.checkSchema(reader.Schema()); err != nil {
		return nil, err
	}
	j.about.columns = map[string]int{}
	if err := room.grow(len(stream) + len(stream)/8); err != nil {
		return nil, err
	}
	writer := ipc.NewWriter(room, ipc.WithSchema(reader.Schema()), ipc.WithAllocator(room))
	for reader.Next() {
		changed, err := j.changeBatch(ctx, reader.RecordBatch())
		if err != nil {
			return nil, err
		}
		err = room.fits(changed)
		if err == nil && writer.Write(changed) != nil { // it looks at the columns that pass in clear for the first time
			err = errStream
		}
		changed.Release()
		if err != nil {
			return nil, err
		}
	}
	if reader.Err() != nil || writer.Close() != nil {
		return nil, errStream
	}
	return room.answer, nil
}

// textCost is the memory of a schema's or message's texts, by their bytes: the library has each twice in lists of strings, and
// writes it into a buffer that doubles.
const textCost = 8

// space is all memory that a stream may need beside the stream: that of the library's arrays, and the answer. The library
// returns errors of its own for those that it is given, so err has the first.
type space struct {
	memory.Allocator
	ctx    context.Context
	held   *holding
	most   int // at once, as the library believes lengths in a stream
	answer []byte
	err    error
}

func (s *space) take(size int) {
	if !s.held.take(int64(size)) {
		s.err = s.held.full()
		panic(s.err)
	}
}

func (s *space) Allocate(size int) []byte {
	if size > s.most {
		panic(errStream)
	}
	s.take(size)
	return s.Allocator.Allocate(size)
}

func (s *space) Reallocate(size int, old []byte) []byte {
	made := s.Allocate(size)
	copy(made, old)
	s.Free(old)
	return made
}

func (s *space) Free(old []byte) {
	s.held.give(int64(len(old)))
	s.Allocator.Free(old)
}

// grow makes room for an answer of so many bytes.
func (s *space) grow(size int) error {
	if !s.held.take(int64(size)) {
		return s.held.full()
	}
	old := s.answer
	s.answer = append(make([]byte, 0, size), old...)
	s.held.give(int64(cap(old)))
	return nil
}

// reserve makes room for an answer of so many bytes, and a quarter more, if there is none.
func (s *space) reserve(size int) error {
	if size <= cap(s.answer) {
		return nil
	}
	return s.grow(size + size/4)
}

// Write adds to the answer.
func (s *space) Write(text []byte) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err == nil {
		s.err = s.reserve(len(s.answer) + len(text))
	}
	if s.err != nil {
		return 0, s.err
	}
	s.answer = append(s.answer, text...)
	return len(text), nil
}

// fits makes room for a batch, or returns an error if it would be too large when it is written: many columns may share a buffer.
func (s *space) fits(batch arrow.RecordBatch) error {
	size := int64(len(s.answer))
	for _, column := range batch.Columns() {
		if size += sizeOf(column.Data()); size > s.held.limit {
			return errAlone
		}
	}
	return s.reserve(int(size))
}

// sizeOf is the size of all buffers of an array.
func sizeOf(data arrow.ArrayData) (size int64) {
	for _, buffer := range data.Buffers() {
		size += int64(len(bytesOf(buffer)))
	}
	for _, child := range data.Children() {
		size += sizeOf(child)
	}
	return size
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
	for _, field := range schema.Fields() {
		if len(schema.FieldIndices(field.Name)) > 1 {
			return unsupported(field.Name, "two columns have this name")
		}
		rule := j.rules[field.Name]
		if rule == nil {
			if !j.protector.Passes(field.Name) {
				return unsupported(field.Name, policy.ReasonUnlisted)
			}
			continue
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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
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
			if size := tweakCost * batch.NumRows(); j.held.take(size) {
				defer j.held.give(size)
			} else {
				return nil, j.held.full()
			}
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

// tweakCost is the memory of a row's tweak: its offset, digits, and whether it is null.
const tweakCost = 32

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
	made := policy.Texts{Column: fast.Column{Offsets: make([]int64, 1, column.Len()+1)}, Null: make([]bool, column.Len())}
	for i := range made.Null {
		if made.Null[i] = column.IsNull(i); !made.Null[i] {
			made.Values = append(made.Values, column.ValueStr(i)...)
		}
		made.Offsets = append(made.Offsets, int64(len(made.Values)))
	}
	return made, nil
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
