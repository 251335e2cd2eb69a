// SPDX-License-Identifier: Apache-2.0

// Package csvcore calls the part of the C core that reads and writes CSV in place. It is apart from package core, so
// that programs without CSV do not compile it.
package csvcore

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Field is where the content of a field is.
type Field = core.CSVField

// Problem is what is wrong with a record; 0 is nothing.
type Problem uint32

// The problems of csv.h.
const (
	Fields     Problem = 1 + iota // another number of fields
	Open                          // a quote that is never closed
	Quote                         // text between a closing quote and the delimiter
	TooLarge                      // a field of 2 GiB
	Unquotable                    // new content needs quotes that the dialect has not
)

// Dialect is how a file is written. The core refuses one that can't be read back.
type Dialect struct {
	Delimiter, Quote byte // 0: there are no quotes
	SkipInitialSpace bool
}

func (d Dialect) number() uint32 {
	made := uint32(d.Delimiter) | uint32(d.Quote)<<8
	if d.SkipInitialSpace {
		made |= 1 << 16
	}
	return made
}

// Records are the complete records at the beginning of a text.
type Records struct {
	Count, Consumed int
	Columns         int // of each record; of the one in error, if that is its problem
	Problem         Problem
	ProblemAt       int // where the record in error begins, or its quote
	text            []byte
	dialect         Dialect
	fields          []Field // of the wanted columns, record by record
	width           int
}

// Scan finds at most so many records; last says that the text ends there. 0 columns: the first record says how many,
// and none is wanted. wanted ascends.
func Scan(dialect Dialect, text []byte, last bool, columns int, wanted []uint32, most int) (*Records, error) {
	fields := make([]Field, most*len(wanted))
	found, err := scan(dialect.number(), text, last, uint32(columns), wanted, fields, most)
	if err != nil {
		return nil, err
	}
	return &Records{
		int(found.Records), int(found.Consumed), int(found.Fields), Problem(found.Error), int(found.ErrorAt),
		text, dialect, fields[:int(found.Records)*len(wanted)], len(wanted),
	}, nil
}

// At returns where the field of a record begins, in a wanted column.
func (r *Records) At(record, index int) int { return int(r.fields[record*r.width+index].Start) }

// Gather returns the contents of a wanted column, one behind the other, with offsets; empty fields are null. null is
// nil if none is.
func (r *Records) Gather(index int) (offsets []int64, values []byte, null []bool) {
	offsets, null = make([]int64, 1, r.Count+1), make([]bool, r.Count)
	for record := range r.Count {
		field := &r.fields[record*r.width+index]
		text := r.text[field.Start : field.Start+uint64(field.Size)]
		if field.Escaped != 0 {
			quote := []byte{r.dialect.Quote}
			text = bytes.ReplaceAll(text, append(quote, quote...), quote)
		}
		values, null[record] = append(values, text...), len(text) == 0
		offsets = append(offsets, int64(len(values)))
	}
	if !slices.Contains(null, true) {
		null = nil
	}
	return offsets, values, null
}

// UnquotableError says which field can't be written: its new content needs quotes, and the dialect has none.
type UnquotableError struct{ Record, Index int }

// Error says it.
func (e *UnquotableError) Error() string { return "a new value needs quotes, and the file has none" }

var errLarge = errors.New("the new values of a block have 2 GiB or more")

// Splice returns the text of the records with new content in columns: offsets and values by wanted column; a column
// without offsets stays. A null is an empty text.
func (r *Records) Splice(offsets [][]int64, values [][]byte) ([]byte, error) {
	changed, all := make([]uint32, r.width), make([]int32, 0, r.width*(r.Count+1))
	var joined []byte
	for index := range changed {
		if offsets[index] == nil {
			all = append(all, make([]int32, r.Count+1)...)
			continue
		}
		changed[index] = 1
		if len(joined)+len(values[index]) > math.MaxInt32 {
			return nil, errLarge
		}
		for _, offset := range offsets[index] {
			all = append(all, int32(int64(len(joined))+offset))
		}
		joined = append(joined, values[index]...)
	}
	made, done, err := splice(r.dialect.number(), r.text[:r.Consumed], r.fields, r.Count, changed, all, joined)
	if err == nil && Problem(done.Error) == Unquotable {
		err = &UnquotableError{int(done.ErrorRecord), int(done.ErrorColumn)}
	}
	return made, err
}
