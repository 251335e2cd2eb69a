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

	typeTimestamp = 10
	sharedTexts   = 64 << 10 // bytes of texts that a message may have beyond its size, as a writer may share short ones
)

// budget is what a message may still have, and the reason why one of its columns is refused.
type budget struct {
	fields, texts int64
	refused       error
}

const reasonDictionary = "dictionaries are not taken: send columns of utf8 or large_utf8"

// checkFrames checks every length that the library makes room for before it looks at what is there, and
// refuses dictionaries, compression and big-endian bytes. The library copies the texts of a message as often as offsets lead to them;
// texts are the bytes of the message that has most. It panics on a stream that contradicts itself otherwise.
func checkFrames(stream []byte) (texts int64, err error) {
	for first := true; len(stream) >= 4; first = false {
		if len(stream) < 8 || binary.LittleEndian.Uint32(stream) != math.MaxUint32 {
			return 0, errStream
		}
		size := uint64(binary.LittleEndian.Uint32(stream[4:]))
		stream = stream[8:]
		if size == 0 {
			return texts, nil
		}
		if size < 8 || size > uint64(len(stream)) {
			return 0, errStream
		}
		message := fields{flatbuffers.Table{Bytes: stream[:size], Pos: flatbuffers.GetUOffsetT(stream)}}
		stream = stream[size:]
		body := message.number(3)
		if body < 0 || body > int64(len(stream)) {
			return 0, errStream
		}
		most := int64(size) + sharedTexts
		left := &budget{fields: maxFields, texts: most}
		good := message.checkMetadata(4, left)
		stream = stream[body:]
		header, present := message.union(2)
		if !present {
			return 0, errStream
		}
		switch message.byte(1) {
		case kindSchema:
			if header.byte(0) != 0 { // the library swaps bytes in place: twice if two columns share a buffer
				return 0, unsupported("", "big-endian streams are not taken: send a little-endian one")
			}
			good = good && first && header.checkMetadata(2, left) && header.checkFields(1, 0, left)
		case kindDictionary:
			return 0, unsupported("", reasonDictionary)
		case kindBatch:
			if header.has(3) {
				return 0, unsupported("", "compressed buffers are not taken: send them without compression")
			}
			good = good && header.checkBatch(body)
		default:
			return 0, errStream
		}
		switch {
		case left.refused != nil:
			return 0, left.refused
		case left.texts < 0:
			return 0, unsupported("", "the names and metadata of a message are larger than the message: it uses a text several times; "+
				"write each one")
		case !good:
			return 0, errStream
		}
		texts = max(texts, most-left.texts)
	}
	return texts, nil
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

// checkText counts the bytes of a text, with 8 for its offset and length, so a message that shares none is within its budget.
func (f *fields) checkText(number int, left *budget) bool {
	if !f.has(number) || !f.vector(number, 1) {
		return !f.has(number)
	}
	_, length := f.elements(number)
	left.texts -= 8 + int64(length)
	return left.texts >= 0
}

// text returns a text that was checked.
func (f *fields) text(number int) string {
	start, length := f.elements(number)
	return string(f.Bytes[start : start+length])
}

// checkMetadata counts the texts of keys and values, with 8 bytes for the offset and table of each pair.
func (f *fields) checkMetadata(number int, left *budget) bool {
	if !f.vector(number, 4) {
		return false
	}
	start, count := f.elements(number)
	for i := range count {
		pair := fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(flatbuffers.UOffsetT(start + 4*i))}}
		if left.texts -= 8; left.texts < 0 || !pair.checkText(0, left) || !pair.checkText(1, left) {
			return false
		}
	}
	return true
}

// checkFields checks the fields of a schema, or the children of a field.
func (f *fields) checkFields(number, depth int, left *budget) bool {
	if !f.vector(number, 4) || depth > maxDepth {
		return false
	}
	start, count := f.elements(number)
	for i := range count {
		if left.fields--; left.fields < 0 {
			return false
		}
		child := fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(flatbuffers.UOffsetT(start + 4*i))}}
		kind := child.byte(2)
		if !child.checkText(0, left) || !child.checkMetadata(6, left) {
			return false
		}
		switch {
		case refusedTypes[kind]:
			left.refused = unsupported(child.text(0), "null, unions, views and run-end encoding are not taken: send utf8 or large_utf8")
		case child.has(4):
			left.refused = unsupported(child.text(0), reasonDictionary)
		}
		if left.refused != nil || !child.checkFields(5, depth+1, left) {
			return false
		}
		// Its time zone is a text.
		if own, present := child.union(3); kind == typeTimestamp && present && !own.checkText(1, left) {
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
