// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// builder writes messages of Arrow whose offsets lead to the same text or buffer again and again.
type builder struct{ *flatbuffers.Builder }

func newBuilder() builder { return builder{flatbuffers.NewBuilder(0)} }

// repeat is a vector of offsets.
func (b builder) repeat(count int, offsets ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, count*len(offsets), 4)
	for range count {
		for i := len(offsets) - 1; i >= 0; i-- {
			b.PrependUOffsetT(offsets[i])
		}
	}
	return b.EndVector(count * len(offsets))
}

// metadata is a vector of one pair, many times.
func (b builder) metadata(count int, text flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, text, 0)
	b.PrependUOffsetTSlot(1, text, 0)
	return b.repeat(count, b.EndObject())
}

// field is a column of 64-bit numbers, or of times in a time zone.
func (b builder) field(name, metadata, zone flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	kind := byte(2)
	b.StartObject(2)
	if zone != 0 {
		kind = typeTimestamp
		b.PrependUOffsetTSlot(1, zone, 0)
	} else {
		b.PrependInt32Slot(0, 64, 0)
		b.PrependBoolSlot(1, true, false)
	}
	own, children := b.EndObject(), b.repeat(0)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependByteSlot(2, kind, 0)
	b.PrependUOffsetTSlot(3, own, 0)
	b.PrependUOffsetTSlot(5, children, 0)
	b.PrependUOffsetTSlot(6, metadata, 0)
	return b.EndObject()
}

func (b builder) schema(fields, metadata flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	b.PrependUOffsetTSlot(2, metadata, 0)
	return b.EndObject()
}

// message ends a message, and returns it with its body.
func (b builder) message(kind byte, header, metadata flatbuffers.UOffsetT, body []byte) []byte {
	b.StartObject(5)
	b.PrependInt16Slot(0, 4, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, int64(len(body)), 0)
	b.PrependUOffsetTSlot(4, metadata, 0)
	b.Finish(b.EndObject())
	text := b.FinishedBytes()
	text = append(text, make([]byte, -len(text)&7)...)
	made := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(text)))
	return append(append(made, text...), body...)
}

// sharedTextStreams are streams in which many offsets lead to one text.
func sharedTextStreams(count, length int) map[string][]byte {
	made := map[string][]byte{}
	begin := func() (b builder, long, short flatbuffers.UOffsetT) {
		b = newBuilder()
		return b, b.CreateString(strings.Repeat("x", length)), b.CreateString("q")
	}
	b, long, short := begin()
	made["metadata of a schema"] = b.message(kindSchema, b.schema(b.repeat(1, b.field(short, 0, 0)), b.metadata(count, long)), 0, nil)
	b, long, _ = begin()
	made["names"] = b.message(kindSchema, b.schema(b.repeat(count, b.field(long, 0, 0)), 0), 0, nil)
	b, long, short = begin()
	made["metadata of a field"] = b.message(kindSchema, b.schema(b.repeat(1, b.field(short, b.metadata(count, long), 0)), 0), 0, nil)
	b, long, short = begin()
	made["fields with metadata"] = b.message(kindSchema, b.schema(b.repeat(count, b.field(short, b.metadata(3, long), 0)), 0), 0, nil)
	b, long, short = begin()
	made["time zones"] = b.message(kindSchema, b.schema(b.repeat(count, b.field(short, 0, long)), 0), 0, nil)
	b, _, short = begin()
	good := b.message(kindSchema, b.schema(b.repeat(1, b.field(short, 0, 0)), 0), 0, nil)
	b, long, _ = begin()
	made["metadata of a message"] = append(good, b.batch(1, 1, []byte("12345678"), b.metadata(count, long))...)
	return made
}

// batch is a batch of numbers whose columns all have the same buffer: the body.
func (b builder) batch(columns, rows int, body []byte, metadata flatbuffers.UOffsetT) []byte {
	pair := func(first, second int) { // of a struct, which is written from its end
		b.Prep(8, 16)
		b.PrependInt64(int64(second))
		b.PrependInt64(int64(first))
	}
	b.StartVector(16, 2*columns, 8)
	for range columns {
		pair(0, len(body))
		pair(0, 0)
	}
	buffers := b.EndVector(2 * columns)
	b.StartVector(16, columns, 8)
	for range columns {
		pair(rows, 0)
	}
	nodes := b.EndVector(columns)
	b.StartObject(5)
	b.PrependInt64Slot(0, int64(rows), 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependUOffsetTSlot(2, buffers, 0)
	return b.message(kindBatch, b.EndObject(), metadata, body)
}

// sharedBuffers is a stream whose columns have one buffer; twice gives all of them one name too.
func sharedBuffers(columns, rows int, twice bool) []byte {
	b := newBuilder()
	var fields []flatbuffers.UOffsetT
	for i := range columns {
		name := fmt.Sprintf("c%d", i)
		if twice {
			name = "more"
		}
		fields = append(fields, b.field(b.CreateString(name), 0, 0))
	}
	return append(b.message(kindSchema, b.schema(b.repeat(1, fields...), 0), 0, nil),
		newBuilder().batch(columns, rows, make([]byte, 8*rows), 0)...)
}

// made is the memory that a function takes, with what is freed meanwhile.
func made(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// The library copies a text as often as offsets lead to it, so a small stream would take gigabytes.
func TestSharedTexts(t *testing.T) {
	r := start(t, "")
	for name, body := range sharedTextStreams(2000, 100_000) {
		size := made(func() {
			status, text := r.send(t, http.MethodPost, "/v1/protect", "shop", arrowType, bytes.NewReader(body))
			if status != http.StatusUnprocessableEntity || !strings.Contains(text, "several times") {
				t.Errorf("%s: %d %.100s", name, status, text)
			}
		})
		if size > 20<<20 {
			t.Errorf("%s: %d bytes were made for %d", name, size, len(body))
		}
	}
	for name, body := range sharedTextStreams(5, 10) { // as few as a writer may share
		status, text := r.send(t, http.MethodPost, "/v1/protect", "shop", arrowType, bytes.NewReader(body))
		if strings.Contains(text, "several times") || status >= 500 {
			t.Errorf("%s: %d %.100s", name, status, text)
		}
	}
}

// FuzzTexts compares the bytes of texts that are counted with those that the library makes.
func FuzzTexts(f *testing.F) {
	for _, one := range sharedTextStreams(3, 10) {
		f.Add(one)
	}
	f.Add(stream(f, 1, []string{"ssn", "email*"}, nil, []string{"078-05-1120", "a@example.org"}))
	f.Fuzz(func(t *testing.T, body []byte) {
		var texts int64
		var err error
		func() {
			defer func() {
				if recover() != nil {
					err = errStream
				}
			}()
			texts, err = checkFrames(body)
		}()
		if err != nil {
			return
		}
		reader, err := ipc.NewReader(bytes.NewReader(body))
		if err != nil {
			return
		}
		defer reader.Release()
		if size := textsOfSchema(reader.Schema()); size > texts {
			t.Errorf("%d bytes of texts, and %d were counted", size, texts)
		}
	})
}

func textsOfSchema(schema *arrow.Schema) int64 {
	size := textsOfMetadata(schema.Metadata())
	for _, field := range schema.Fields() {
		size += textsOfField(field)
	}
	return size
}

func textsOfField(field arrow.Field) int64 {
	size := int64(len(field.Name)) + textsOfMetadata(field.Metadata)
	switch kind := field.Type.(type) {
	case *arrow.TimestampType:
		size += int64(len(kind.TimeZone))
	case arrow.NestedType:
		for _, child := range kind.Fields() {
			size += textsOfField(child)
		}
	}
	return size
}

func textsOfMetadata(metadata arrow.Metadata) (size int64) {
	for i, key := range metadata.Keys() {
		size += int64(len(key) + len(metadata.Values()[i]))
	}
	return size
}

// Columns that pass in clear may share a buffer, and each is written out: they count with the memory of all requests.
func TestSharedBuffers(t *testing.T) {
	path, tokens := configure(t, "[limits]\nmemory = 8000000")
	keepAll(t, path)
	r := startFrom(t, path, tokens)
	for _, one := range []struct {
		columns int
		twice   bool
		want    int
		says    string
	}{
		{10, false, http.StatusOK, ""}, {2000, false, http.StatusRequestEntityTooLarge, "limits.memory"},
		{10, true, http.StatusUnprocessableEntity, "two columns have this name"},
		{2000, true, http.StatusUnprocessableEntity, "two columns have this name"},
	} {
		body := sharedBuffers(one.columns, 10_000, one.twice)
		size := made(func() {
			status, text := r.send(t, http.MethodPost, "/v1/protect", "shop", arrowType, bytes.NewReader(body))
			if status != one.want || !strings.Contains(text, one.says) {
				t.Errorf("%d columns: %d %.100s", one.columns, status, text)
			}
		})
		if size > 32<<20 {
			t.Errorf("%d columns: %d bytes were made for %d", one.columns, size, len(body))
		}
	}
	if held := r.bodies.Load(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// The work on a body ends with its context, also where no value is changed or the body can't be read.
func TestContextOfBodies(t *testing.T) {
	path, tokens := configure(t, "")
	keepAll(t, path)
	now := startFrom(t, path, tokens).current()
	defer now.release()
	ctx, stop := context.WithCancel(context.Background())
	work := func() (arrowErr, jsonErr error) {
		held := &holding{all: new(atomic.Int64), limit: 1 << 30}
		one := &job{now, &now.callers[0], false, &entry{}, held}
		_, arrowErr = one.changeArrow(ctx, sharedBuffers(2, 10, false))
		_, jsonErr = one.changeJSON(ctx, []byte(`{"records": [{"note": 1}, ]}`))
		return arrowErr, jsonErr
	}
	if arrowErr, jsonErr := work(); arrowErr != nil || !errors.Is(jsonErr, errRequest) {
		t.Errorf("before: %v, %v", arrowErr, jsonErr)
	}
	stop()
	if arrowErr, jsonErr := work(); !errors.Is(arrowErr, context.Canceled) || !errors.Is(jsonErr, context.Canceled) {
		t.Errorf("after: %v, %v", arrowErr, jsonErr)
	}
}
