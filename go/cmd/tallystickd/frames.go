// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The kinds of messages in Arrow's Message.fbs.
const (
	kindSchema = 1 + iota
	kindDictionary
	kindBatch
)

// The types of columns in Schema.fbs that are not taken: null, unions, views, and those that repeat values.
var refusedTypes = map[byte]bool{1: true, 14: true, 22: true, 23: true, 24: true, 25: true, 26: true}

const (
	maxFields = 10_000 // with those inside others
	maxDepth  = 32
)

// checkFrames checks every length that the library makes room for before it looks at what is there, and
// refuses dictionaries and compression. It panics on a stream that contradicts itself otherwise.
func checkFrames(stream []byte) error {
	for len(stream) >= 4 {
		if len(stream) < 8 || binary.LittleEndian.Uint32(stream) != math.MaxUint32 {
			return errStream
		}
		size := uint64(binary.LittleEndian.Uint32(stream[4:]))
		stream = stream[8:]
		if size == 0 {
			return nil
		}
		if size < 8 || size > uint64(len(stream)) {
			return errStream
		}
		message := fields{flatbuffers.Table{Bytes: stream[:size], Pos: flatbuffers.GetUOffsetT(stream)}}
		stream = stream[size:]
		body := message.number(3)
		if body < 0 || body > int64(len(stream)) || !message.vector(4, 4) {
			return errStream
		}
		stream = stream[body:]
		header, present := message.union(2)
		if !present {
			return errStream
		}
		switch message.byte(1) {
		case kindSchema:
			left := maxFields
			if !header.vector(2, 4) || !header.checkFields(1, 0, &left) {
				return errStream
			}
		case kindDictionary:
			return unsupported("", "dictionaries are not taken: send columns of utf8 or large_utf8")
		case kindBatch:
			if header.has(3) {
				return unsupported("", "compressed buffers are not taken: send them without compression")
			}
			if !header.checkBatch(body) {
				return errStream
			}
		default:
			return errStream
		}
	}
	return nil
}

// fields is a flatbuffer's table whose fields are found by their number in the schema.
type fields struct{ flatbuffers.Table }

func (f *fields) at(number int) flatbuffers.UOffsetT {
	if offset := f.Offset(flatbuffers.VOffsetT(4 + 2*number)); offset != 0 {
		return f.Pos + flatbuffers.UOffsetT(offset)
	}
	return 0
}

func (f *fields) has(number int) bool { return f.at(number) != 0 }

func (f *fields) byte(number int) byte {
	if at := f.at(number); at != 0 {
		return f.GetByte(at)
	}
	return 0
}

func (f *fields) number(number int) int64 {
	if at := f.at(number); at != 0 {
		return f.GetInt64(at)
	}
	return 0
}

func (f *fields) union(number int) (fields, bool) {
	at := f.at(number)
	if at == 0 {
		return fields{}, false
	}
	return fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(at)}}, true
}

// elements returns where a vector begins and how many elements it says it has; none if it is not there.
func (f *fields) elements(number int) (start, count uint64) {
	if at := f.at(number); at != 0 {
		begin := f.Indirect(at)
		return uint64(begin) + 4, uint64(flatbuffers.GetUOffsetT(f.Bytes[begin:]))
	}
	return 0, 0
}

// vector says whether a vector's elements of so many bytes are all there.
func (f *fields) vector(number int, size uint64) bool {
	start, count := f.elements(number)
	return start+count*size <= uint64(len(f.Bytes))
}

// checkFields checks the fields of a schema, or the children of a field.
func (f *fields) checkFields(number, depth int, left *int) bool {
	if !f.vector(number, 4) || depth > maxDepth {
		return false
	}
	start, count := f.elements(number)
	for i := range count {
		if *left--; *left < 0 {
			return false
		}
		child := fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(flatbuffers.UOffsetT(start + 4*i))}}
		if refusedTypes[child.byte(2)] || child.has(4) || !child.vector(6, 4) || !child.checkFields(5, depth+1, left) {
			return false
		}
	}
	return true
}

// checkBatch checks the lengths of a batch: a value has one bit at least. Without columns rows take no room.
func (f *fields) checkBatch(body int64) bool {
	if !f.vector(1, 16) || !f.vector(2, 16) || !f.vector(4, 8) {
		return false
	}
	start, count := f.elements(1)
	if rows := f.number(0); rows < 0 || count > 0 && rows > 8*body {
		return false
	}
	for i := range count {
		at := flatbuffers.UOffsetT(start + 16*i)
		if rows, nulls := f.GetInt64(at), f.GetInt64(at+8); rows < 0 || rows > 8*body || nulls < 0 || nulls > rows {
			return false
		}
	}
	return true
}
