// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	standardInput  = "standard input"
	standardOutput = "standard output"
)

// place is where data comes from or goes to.
type place struct {
	path     string // empty: a standard stream
	standard string // its name
}

func placeOf(argument, standard string) (place, error) {
	if argument == "-" {
		return place{standard: standard}, nil
	}
	if scheme, _, found := strings.Cut(argument, "://"); found && !strings.ContainsAny(scheme, "/.") && scheme != "" {
		return place{}, parameterError("an address %s://...: this program reads and writes files and pipes alone; the Python "+
			"package's command takes addresses", scheme)
	}
	return place{path: argument}, nil
}

func (p place) String() string {
	if p.path == "" {
		return p.standard
	}
	return filepath.Clean(p.path)
}

// suffix returns the ending of the name that says the type of file, in lower case, without that of a compression.
func (p place) suffix() string {
	name := strings.ToLower(filepath.Base(p.path))
	return filepath.Ext(strings.TrimSuffix(name, p.compression()))
}

// compression returns the ending of a compressed file's name, or none.
func (p place) compression() string {
	if suffix := strings.ToLower(filepath.Ext(filepath.Base(p.path))); compressions[suffix] {
		return suffix
	}
	return ""
}

var compressions = map[string]bool{gz: true, ".bz2": true, ".xz": true, zst: true}

// The types of file.
const (
	csvType    = "csv"
	ndjsonType = "ndjson"
	jsonType   = "json"
)

var typeOf = map[string]string{".csv": csvType, ".tsv": csvType, ".txt": csvType, ".ndjson": ndjsonType, ".jsonl": ndjsonType,
	".json": jsonType}

// others are types of which the Python package's command alone makes tokens.
var others = map[string]bool{
	".parquet": true, ".pq": true, ".arrow": true, ".feather": true, ".arrows": true, ".orc": true,
}

// kindOf returns the type of a run's files.
func kindOf(source, target place, given string) (string, error) {
	switch given {
	case "", csvType, ndjsonType, jsonType:
	case "parquet", "arrow", "arrows", "orc":
		return "", fileError("%v: this program reads csv, ndjson and json; the Python package's command reads %s", source, given)
	default:
		return "", fail(usage, "UsageError", "invalid value for --type: it is csv, ndjson or json")
	}
	for _, one := range []place{source, target} {
		if suffix := one.compression(); suffix != "" && suffix != gz && suffix != zst {
			return "", fileError("%v: this program compresses by .gz and .zst; the Python package's command by %s too", one, suffix)
		}
		if others[one.suffix()] && given == "" {
			return "", fileError("%v: this program reads and writes .csv, .tsv, .txt, .ndjson, .jsonl and .json; the Python "+
				"package's command reads %s", one, one.suffix())
		}
	}
	chosen := given
	if chosen == "" && source.path == "" {
		chosen = typeOf[target.suffix()]
	}
	if chosen == "" && source.path != "" {
		chosen = typeOf[source.suffix()]
	}
	if chosen == "" && source.path == "" {
		return "", fileError("%v: the kind of data is unknown; pass its type with --type", source)
	}
	if chosen == "" {
		return "", fileError("%v: the kind of file is unknown: its name ends in none of .csv, .tsv, .txt, .ndjson, .jsonl, .json; "+
			"pass its type with --type", source)
	}
	if its := typeOf[target.suffix()]; given == "" && its != "" && its != chosen {
		return "", fileError("%v: the run writes a %s file, but the name has another ending; change the name, or pass the type "+
			"of the source with --type", target, chosen)
	}
	return chosen, nil
}

// input is a source that is read once, and counted.
type input struct {
	place
	file   *os.File
	stream io.Reader   // its content
	count  int64       // bytes of the file
	state  os.FileInfo // nil: it is no file on a disk
}

func openInput(from place) (*input, error) {
	made := &input{place: from, file: os.Stdin}
	if from.path != "" {
		var err error
		if made.file, err = os.Open(from.path); err != nil {
			return nil, withPath(from.String(), err)
		}
	}
	status, err := made.file.Stat()
	switch {
	case err != nil:
		return nil, withPath(from.String(), err)
	case status.Mode().IsRegular():
		made.state = status
	case status.IsDir():
		return nil, fileError("%v: Is a directory", from)
	case from.path == "" && status.Mode()&os.ModeCharDevice != 0 && status.Mode()&os.ModeDevice != 0 && isTerminal(made.file):
		return nil, fileError("%v: is a terminal; pass a file, or use a pipe", from)
	}
	made.stream, err = content(from, &counter{made})
	return made, err
}

// content returns what a file holds, unpacked as its name says.
func content(of place, raw io.Reader) (io.Reader, error) {
	suffix := of.compression()
	if suffix == "" {
		return raw, nil
	}
	stream, err := unpack(suffix, raw)
	return &unpacked{of, stream}, err
}

// counter reads the bytes of an input's file.
type counter struct{ *input }

func (c *counter) Read(into []byte) (int, error) {
	count, err := c.file.Read(into)
	c.count += int64(count)
	if err != nil && err != io.EOF {
		err = withPath(c.String(), err)
	}
	return count, err
}

func (i *input) Read(into []byte) (int, error) { return i.stream.Read(into) }

// readOn returns what is held and what comes after it, size bytes in all or all that there are, and whether that is the end.
func (i *input) readOn(held []byte, size int) ([]byte, bool, error) {
	buffer := make([]byte, size)
	count, err := io.ReadFull(i, buffer[copy(buffer, held):])
	ended := err == io.EOF || err == io.ErrUnexpectedEOF
	if ended {
		err = nil
	}
	return buffer[:len(held)+count], ended, err
}

func (i *input) Close() {
	if i.path != "" {
		i.file.Close()
	}
}

// unchanged refuses a source that was changed, cut short or replaced while it was read.
func (i *input) unchanged() error {
	if i.state == nil {
		return nil
	}
	now, err := i.file.Stat()
	if err == nil && i.path != "" {
		now, err = os.Stat(i.path)
	}
	if err != nil || !os.SameFile(now, i.state) || now.Size() != i.state.Size() || !now.ModTime().Equal(i.state.ModTime()) {
		return fileError("%v: was changed while it was read, so nothing was written; run it again when nobody writes to it, or "+
			"on a copy", i)
	}
	return nil
}

// again reads the source from its beginning; nil: that can't be.
func (i *input) again() io.ReadCloser {
	if i.state == nil || i.path == "" {
		return nil
	}
	file, err := os.Open(i.path)
	if err != nil {
		return nil
	}
	stream, err := content(i.place, file)
	if err != nil {
		file.Close()
		return nil
	}
	return struct {
		io.Reader
		io.Closer
	}{stream, file}
}

// at names a place in the source as people count: row is given from 0, and line from 1, or 0 for none.
func at(source place, column *string, row, line int) string {
	text := source.String() + ": "
	if column != nil {
		text += "column " + quoted(*column) + ", "
	}
	text += "row " + plainNumber(row+1)
	if line > 0 {
		text += " (line " + plainNumber(line) + ")"
	}
	return text
}

func plainNumber(number int) string { return strings.ReplaceAll(grouped(number), ",", "") }

// seconds returns the time since a start.
func seconds(start time.Time) float64 { return time.Since(start).Seconds() }
