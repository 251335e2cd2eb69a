// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// stream makes an Arrow IPC stream of texts by column; "NULL" is null. A name that ends with * is large_utf8.
func stream(t testing.TB, batches int, names []string, options []ipc.Option, rows ...[]string) []byte {
	t.Helper()
	var fields []arrow.Field
	for _, name := range names {
		kind := arrow.DataType(arrow.BinaryTypes.String)
		if short, large := strings.CutSuffix(name, "*"); large {
			name, kind = short, arrow.BinaryTypes.LargeString
		}
		fields = append(fields, arrow.Field{Name: name, Type: kind, Nullable: true})
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	var out bytes.Buffer
	writer := ipc.NewWriter(&out, append(options, ipc.WithSchema(builder.Schema()))...)
	for range batches {
		for _, row := range rows {
			for i, text := range row {
				if text == "NULL" {
					builder.Field(i).AppendNull()
				} else if err := builder.Field(i).AppendValueFromString(text); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := writer.Write(builder.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// written is a stream of one batch.
func written(t testing.TB, batch arrow.RecordBatch) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := ipc.NewWriter(&out, ipc.WithSchema(batch.Schema()))
	if err := errors.Join(writer.Write(batch), writer.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// table reads a stream as text.
func table(t testing.TB, stream string) string {
	t.Helper()
	reader, err := ipc.NewReader(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for reader.Next() {
		batch := reader.RecordBatch()
		for row := range int(batch.NumRows()) {
			for i := range int(batch.NumCols()) {
				fmt.Fprintf(&out, "%s|", batch.Column(i).ValueStr(row))
			}
			out.WriteString("\n")
		}
	}
	if reader.Err() != nil {
		t.Fatal(reader.Err())
	}
	return out.String()
}

// A stream has the tokens of JSON, keeps its other columns, and comes back, over either protocol.
func TestArrow(t *testing.T) {
	for _, protocol := range []int{1, 2} {
		t.Run(fmt.Sprintf("HTTP/%d", protocol), func(t *testing.T) { arrowAndBack(t, protocol) })
	}
}

func arrowAndBack(t *testing.T, protocol int) {
	r := start(t, "")
	r.speak(protocol)
	names := []string{"ssn", "note", "email*", "age", "id", "phone"}
	given := stream(t, 2, names, nil, []string{"078-05-1120", "stays", "jane@example.org", "41", "7", "+1 (202) 555-0143"},
		[]string{"NULL", "NULL", "NULL", "42", "8", "none"}, []string{"219-09-9999", "", "nobody", "43", "9", "NULL"})
	status, tokens := r.send(t, http.MethodPost, "/v1/protect", "all", arrowType, bytes.NewReader(given))
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, tokens)
	}
	_, text := r.post(t, "/v1/protect", "all", `{"records": [{"ssn": "219-09-9999", "age": "43", "id": "9"}]}`)
	rows := strings.Split(table(t, tokens), "\n")
	if len(rows) != 7 || rows[0] != rows[3] || !strings.HasPrefix(rows[1], "(null)|(null)|(null)|") || !strings.Contains(rows[1], "none") {
		t.Fatalf("%v", rows)
	}
	for _, at := range []int{0, 3} {
		if token := strings.Split(rows[2], "|")[at]; !strings.Contains(text, `"`+token+`"`) {
			t.Errorf("%s is not in %s", token, text)
		}
	}
	if strings.Contains(tokens, "078-05-1120") || strings.Contains(tokens, "jane") {
		t.Error("plaintext is in the answer")
	}
	status, back := r.send(t, http.MethodPost, "/v1/reveal", "all", arrowType, strings.NewReader(tokens))
	want := strings.ReplaceAll(table(t, string(given)), "nobody", "(null)")
	if status != http.StatusOK || table(t, back) != want {
		t.Errorf("%d: %s", status, back)
	}
}

func TestArrowRefusals(t *testing.T) {
	r := start(t, "")
	one := []string{"078-05-1120"}
	good := stream(t, 1, []string{"ssn"}, nil, one)
	huge := bytes.Clone(good)
	binary.LittleEndian.PutUint32(huge[4:], 0x7ffffff0)
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	numbers.Append(1)
	others := arrow.NewSchemaWithEndian([]arrow.Field{{Name: "more", Type: arrow.PrimitiveTypes.Int64}}, nil, endian.BigEndian)
	bigEndian := array.NewRecordBatch(others, []arrow.Array{numbers.NewArray()}, 1)
	// alone is a stream with an empty column of a type.
	alone := func(kind arrow.DataType) []byte {
		made := array.NewBuilder(memory.DefaultAllocator, kind).NewArray()
		return written(t, array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "note", Type: kind}}, nil), []arrow.Array{made}, 0))
	}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	for name, try := range map[string]struct {
		body   []byte
		caller string
		want   int
		says   string
	}{
		"invalid":       {stream(t, 1, []string{"ssn"}, nil, one, []string{"31337"}), "shop", 422, `"record":1,"field":"ssn"`},
		"unlisted":      {stream(t, 1, []string{"zip"}, nil, one), "shop", 422, "does not name it"},
		"no right":      {good, "support", 403, `"field":"ssn"`},
		"twice":         {stream(t, 1, []string{"ssn", "ssn"}, nil, append(one, one...)), "shop", 422, "two columns"},
		"no tweak":      {stream(t, 1, []string{"age"}, nil, []string{"41"}), "shop", 422, "its tweak"},
		"compressed":    {stream(t, 1, []string{"ssn"}, []ipc.Option{ipc.WithZstd()}, one, one, one), "shop", 422, "without compression"},
		"big-endian":    {written(t, bigEndian), "shop", 422, "send a little-endian one"},
		"a dictionary":  {alone(dictionary), "shop", 422, `dictionaries are not taken: send columns of utf8 or large_utf8","field":"note"`},
		"a view":        {alone(arrow.BinaryTypes.StringView), "shop", 422, `views and run-end encoding are not taken: send utf8 or large_utf8","field":"note"`},
		"a view inside": {alone(arrow.ListOf(arrow.BinaryTypes.StringView)), "shop", 422, "views and run-end encoding are not taken"},
		"nothing":       {nil, "shop", 400, "Arrow IPC"},
		"text":          {[]byte("ssn\n078-05-1120\n"), "shop", 400, "Arrow IPC"},
		"a huge length": {huge, "shop", 400, "Arrow IPC"},
		"cut":           {good[:len(good)-30], "shop", 400, "Arrow IPC"},
	} {
		status, text := r.send(t, http.MethodPost, "/v1/protect", try.caller, arrowType, bytes.NewReader(try.body))
		if status != try.want || !strings.Contains(text, try.says) || strings.Contains(text, "31337") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// Columns of other types pass as they are, and so does a stream without columns.
func TestArrowPassesOthers(t *testing.T) {
	r := start(t, "")
	for name, fields := range map[string][]arrow.Field{
		"bits": {{Name: "more", Type: arrow.FixedWidthTypes.Boolean}}, "numbers": {{Name: "more", Type: arrow.PrimitiveTypes.Int8}},
		"lists": {{Name: "more", Type: arrow.ListOf(arrow.BinaryTypes.String)}}, "none": {},
	} {
		schema := arrow.NewSchema(fields, nil)
		builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range fields {
			for range 100 {
				if list, ok := builder.Field(i).(*array.ListBuilder); ok {
					list.Append(true)
					list.ValueBuilder().(*array.StringBuilder).Append("x")
				} else if err := builder.Field(i).AppendValueFromString("1"); err != nil {
					t.Fatal(err)
				}
			}
		}
		batch := builder.NewRecordBatch()
		body := written(t, array.NewRecordBatch(schema, batch.Columns(), 100))
		status, text := r.send(t, http.MethodPost, "/v1/protect", "shop", arrowType, bytes.NewReader(body))
		if status != http.StatusOK || table(t, text) != table(t, string(body)) || strings.Count(table(t, text), "\n") != 100 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// What a path of the policy leads to never passes in clear: not in JSON, and not in a struct or list of Arrow.
func TestPaths(t *testing.T) {
	path, tokens := configure(t, "")
	const text = "unlisted = \"keep\"\n" + rules + `"contact.email" = { format = "email", key = "people:1", namespace = "e-mail" }`
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "people.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const note = `a request with a field \"contact\" is refused: the policy's path \"contact.email\" leads into it`
	var out bytes.Buffer
	if err := command([]string{"check", "-config", path}, &out, io.Discard); err != nil || !strings.Contains(out.String(), strings.ReplaceAll(note, `\`, "")) {
		t.Errorf("check: %v, %s", err, out.String())
	}
	r := startFrom(t, path, tokens)
	if log := r.log.String(); !strings.Contains(log, note) {
		t.Errorf("the log: %s", log)
	}
	for _, route := range []string{"/v1/protect", "/v1/reveal"} {
		status, text := r.post(t, route, "all", `{"records": [{"contact": {"email": "ann@example.com"}}]}`)
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, `"record":0,"field":"contact"`) || strings.Contains(text, "ann@") {
			t.Errorf("%s: %d %s", route, status, text)
		}
		inside := arrow.StructOf(arrow.Field{Name: "email", Type: arrow.BinaryTypes.String})
		for _, kind := range []arrow.DataType{inside, arrow.ListOf(inside), arrow.BinaryTypes.String} {
			schema := arrow.NewSchema([]arrow.Field{{Name: "contact", Type: kind}}, nil)
			body := written(t, array.NewRecordBuilder(memory.DefaultAllocator, schema).NewRecordBatch())
			status, text := r.send(t, http.MethodPost, route, "all", arrowType, bytes.NewReader(body))
			if status != http.StatusUnprocessableEntity || !strings.Contains(text, `"field":"contact"`) {
				t.Errorf("%s: %v: %d %s", route, kind, status, text)
			}
		}
	}
	status, answer := r.post(t, "/v1/protect", "all", `{"records": [{"contact.email": "ann@example.com", "contact": 1}]}`)
	if status != http.StatusOK || strings.Contains(answer, "ann@") {
		t.Errorf("a field with the name of a path: %d %s", status, answer)
	}
	body := stream(t, 1, []string{"contact.email", "contact"}, nil, []string{"ann@example.com", "by mail"})
	status, answer = r.send(t, http.MethodPost, "/v1/protect", "all", arrowType, bytes.NewReader(body))
	if status != http.StatusOK || strings.Contains(answer, "ann@") {
		t.Errorf("a column with the name of a path: %d", status)
	}
}

// Any byte of a stream may be another: the answer is a stream or a refusal, and never a fault of the server.
func TestDamagedArrow(t *testing.T) {
	r := start(t, "")
	good := stream(t, 1, []string{"ssn", "email*"}, nil, []string{"078-05-1120", "jane@example.org"}, []string{"NULL", "NULL"})
	for at := range good {
		for _, value := range []byte{0x00, 0x7f, 0xff} {
			bad := bytes.Clone(good)
			bad[at] = value
			if status, text := r.send(t, http.MethodPost, "/v1/protect", "shop", arrowType, bytes.NewReader(bad)); status >= 500 {
				t.Fatalf("byte %d as %#x: %d %s", at, value, status, text)
			}
		}
	}
}

// BenchmarkArrow sends a million values of 16 digits a time over HTTP/2.
func BenchmarkArrow(b *testing.B) {
	const rows = 1_000_000
	r := start(b, "")
	r.speak(2)
	list := make([][]string, rows)
	for i := range list {
		list[i] = []string{fmt.Sprintf("%016d", i*7_919_000_003)}
	}
	body := stream(b, 1, []string{"account"}, nil, list...)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if status, text := r.send(b, http.MethodPost, "/v1/protect", "shop", arrowType, bytes.NewReader(body)); status != http.StatusOK {
			b.Fatal(text)
		}
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "values/s")
}
