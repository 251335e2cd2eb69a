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

// suffix returns the ending of the name that says the type of file, in lower case.
func (p place) suffix() string { return strings.ToLower(filepath.Ext(filepath.Base(p.path))) }

// The types of file.
const (
	csvType    = "csv"
	ndjsonType = "ndjson"
)

var typeOf = map[string]string{".csv": csvType, ".tsv": csvType, ".txt": csvType, ".ndjson": ndjsonType, ".jsonl": ndjsonType}

// others are types of which the Python package's command alone makes tokens.
var others = map[string]bool{
	".json": true, ".parquet": true, ".pq": true, ".arrow": true, ".feather": true, ".arrows": true, ".orc": true,
	".gz": true, ".bz2": true, ".xz": true, ".zst": true,
}

// kindOf returns the type of a run's files.
func kindOf(source, target place, given string) (string, error) {
	switch given {
	case "", csvType, ndjsonType:
	case "json", "parquet", "arrow", "arrows", "orc":
		return "", fileError("%v: this program reads csv and ndjson; the Python package's command reads %s", source, given)
	default:
		return "", fail(usage, "UsageError", "invalid value for --type: it is csv or ndjson")
	}
	for _, one := range []place{source, target} {
		if others[one.suffix()] && (given == "" || compressed(one)) {
			return "", fileError("%v: this program reads and writes plain .csv, .tsv, .txt, .ndjson and .jsonl; the Python "+
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
		return "", fileError("%v: the kind of file is unknown: its name ends in none of .csv, .tsv, .txt, .ndjson, .jsonl; pass "+
			"its type with --type", source)
	}
	if its := typeOf[target.suffix()]; given == "" && its != "" && its != chosen {
		return "", fileError("%v: the run writes a %s file, but the name has another ending; change the name, or pass the type "+
			"of the source with --type", target, chosen)
	}
	return chosen, nil
}

func compressed(p place) bool {
	return map[string]bool{".gz": true, ".bz2": true, ".xz": true, ".zst": true}[p.suffix()]
}

// input is a source that is read once, and counted.
type input struct {
	place
	file  *os.File
	count int64
	state os.FileInfo // nil: it is no file on a disk
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
	return made, nil
}

func (i *input) Read(into []byte) (int, error) {
	count, err := i.file.Read(into)
	i.count += int64(count)
	if err != nil && err != io.EOF {
		err = withPath(i.String(), err)
	}
	return count, err
}

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
	made, err := os.Open(i.path)
	if err != nil {
		return nil
	}
	return made
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
