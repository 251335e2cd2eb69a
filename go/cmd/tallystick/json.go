// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

// jsonRun copies JSON with values replaced: an object a line, or one array of objects. Every other byte stays as it is.
type jsonRun struct {
	*work
	array  bool
	buffer []byte
	ended  bool
	lines  int // before the buffer
	first  bool
	done   bool // all is read, but for what stands behind an array
	names  *columnNames
	wanted []*wanted // of each job
}

// jsonBlock is some records, and what is between them.
type jsonBlock struct {
	text    []byte
	row     int
	lines   int // before it
	records []int
	taken   []taken // of each job
}

// newJSONRun returns a run that tells the columns which the named paths lead to apart.
func newJSONRun(w *work, array bool, named []string) (*jsonRun, error) {
	made := &jsonRun{work: w, array: array, first: true}
	var columns []string
	for _, job := range w.jobs {
		one, err := newWanted(job.rule.Column, job.rule.Tweak)
		if err != nil {
			return nil, policyError("%v: %v", w.source, err)
		}
		made.wanted = append(made.wanted, one)
		columns = append(columns, job.rule.Column)
	}
	for _, job := range w.jobs {
		if job.rule.Tweak != "" {
			columns = append(columns, job.rule.Tweak)
		}
	}
	var err error
	made.names, err = namesBeside(append(columns, named...))
	return made, err
}

// run copies the text.
func (j *jsonRun) run() error {
	err := inOrder(j.threads, j.next, j.changed, func(text []byte) error {
		_, err := j.target.Write(text)
		return err
	})
	if err == nil && j.rows > 0 {
		err = j.checkColumns(j.names.list, true)
	}
	return err
}

func (j *jsonRun) fill() error {
	buffer, ended, err := j.source.readOn(j.buffer, max(blockSize, 2*len(j.buffer)))
	if err != nil {
		return err
	}
	j.buffer, j.ended = buffer, ended
	size := len(buffer)
	whole := size // without a character that is not all there yet
	for end := size; !j.ended && end > 0 && size-end < utf8.UTFMax; {
		if end--; utf8.RuneStart(buffer[end]) {
			if !utf8.FullRune(buffer[end:size]) {
				whole = end
			}
			break
		}
	}
	if !utf8.Valid(buffer[:whole]) {
		return j.bad("not UTF-8 from there on; convert the file, or use the Python package's command with --encoding", 0, 0)
	}
	return nil
}

// bad refuses what stands at a place of the buffer.
func (j *jsonRun) bad(reason string, record, of int) error {
	row := j.rows + max(0, record)
	return fileError("%s: %s", at(j.source.place, nil, row, j.lines+1+bytes.Count(j.buffer[:of], []byte("\n"))), reason)
}

// next returns the next block.
func (j *jsonRun) next() (*jsonBlock, bool, error) {
	if j.done {
		return nil, false, nil
	}
	block, place := &jsonBlock{row: j.rows, lines: j.lines, taken: make([]taken, len(j.wanted))}, 0
	if j.first {
		j.first = false
		var err error
		if place, err = j.begin(); err != nil {
			return nil, false, err
		}
	}
	known := len(j.names.list)
	for place < blockSize && len(block.records) < blockRecords {
		begin, err := j.separated(place, j.rows+len(block.records) > 0, len(block.records))
		if err != nil {
			return nil, false, err
		}
		if place = begin; place == len(j.buffer) || j.array && j.buffer[place] == ']' {
			j.done = true
			break
		}
		if place, err = j.record(block, place); err != nil {
			return nil, false, err
		}
	}
	if j.done && j.array {
		var err error
		if place, err = j.closed(place, len(block.records)); err != nil {
			return nil, false, err
		}
	}
	if j.rows == 0 || len(j.names.list) > known {
		if err := j.look(j.names.list); err != nil {
			return nil, false, err
		}
	}
	block.text = j.buffer[:place]
	j.buffer = j.buffer[place:]
	j.rows += len(block.records)
	j.lines += bytes.Count(block.text, []byte("\n"))
	return block, len(block.text) > 0, nil
}

// begin reads the first bytes, and returns where the first record is to be.
func (j *jsonRun) begin() (place int, err error) {
	if err := j.fill(); err != nil {
		return 0, err
	}
	if bytes.HasPrefix(j.buffer, []byte("\xef\xbb\xbf")) {
		place = 3
	}
	if !j.array {
		return place, nil
	}
	if place, err = j.skip(place, jsonSpace); err != nil {
		return 0, err
	}
	if !j.stands(place, '[') {
		return 0, j.bad("not an array of objects; if each line is an object, pass --type ndjson", 0, place)
	}
	return place + 1, nil
}

// stands says whether a byte stands at a place.
func (j *jsonRun) stands(place int, one byte) bool {
	return place < len(j.buffer) && j.buffer[place] == one
}

// closed returns where the text ends behind an array.
func (j *jsonRun) closed(place, record int) (int, error) {
	if !j.stands(place, ']') {
		return 0, j.bad("the array is not closed", record, place)
	}
	place, err := j.skip(place+1, jsonSpace)
	if err == nil && place < len(j.buffer) {
		err = j.bad("text after the array", record, place)
	}
	return place, err
}

const jsonSpace = " \t\n\r"

// separated returns where the next record begins, or what ends them.
func (j *jsonRun) separated(place int, after bool, record int) (int, error) {
	if j.array {
		return j.separatedItem(place, after, record)
	}
	place, err := j.skip(place, " \t\r")
	if err != nil {
		return 0, err
	}
	if after && place < len(j.buffer) && j.buffer[place] != '\n' {
		return 0, j.bad("text after it on its line", record-1, place)
	}
	return j.skip(place, jsonSpace)
}

func (j *jsonRun) separatedItem(place int, after bool, record int) (int, error) {
	place, err := j.skip(place, jsonSpace)
	if err != nil || j.stands(place, ']') {
		return place, err
	}
	if after {
		if !j.stands(place, ',') {
			return 0, j.bad("no comma or bracket after it", record-1, place)
		}
		if place, err = j.skip(place+1, jsonSpace); err != nil {
			return 0, err
		}
		if j.stands(place, ']') {
			return 0, j.bad("no object after a comma", record, place)
		}
	}
	if place == len(j.buffer) {
		return 0, j.bad("the array is not closed", record, place)
	}
	return place, nil
}

func (j *jsonRun) skip(place int, space string) (int, error) {
	for {
		for place < len(j.buffer) && strings.IndexByte(space, j.buffer[place]) >= 0 {
			place++
		}
		if place < len(j.buffer) || j.ended {
			return place, nil
		}
		if err := j.fill(); err != nil {
			return 0, err
		}
	}
}

// record takes the record at a place into a block, and returns where it ends.
func (j *jsonRun) record(block *jsonBlock, place int) (int, error) {
	number := len(block.records)
	for {
		scan := objectScan{j.buffer, place}
		members, err := scan.object(true)
		for i, wanted := range j.wanted {
			if err == nil {
				err = wanted.take(&block.taken[i], j.buffer, members, number)
			}
		}
		switch {
		case err == nil:
			block.records = append(block.records, place)
			return scan.at, j.names.record(j.buffer, members)
		case !errors.Is(err, errCut) || j.ended:
			return 0, j.bad(err.Error(), number, place)
		case len(j.buffer)-place >= largestRecord:
			return 0, j.bad("a record of more than 256 MiB", number, place)
		}
		if err := j.fill(); err != nil {
			return 0, err
		}
	}
}

// where names the place of a value that was taken.
func (j *jsonRun) where(block *jsonBlock, from *taken, value int, column string) string {
	record := from.record(value)
	line := block.lines + 1 + bytes.Count(block.text[:block.records[record]], []byte("\n"))
	return at(j.source.place, &column, block.row+record, line)
}

// texts returns values as a column.
func (j *jsonRun) texts(block *jsonBlock, from *taken, values []span, column string) (policy.Texts, error) {
	var made policy.Texts
	made.Offsets, made.Null = make([]int64, 1, len(values)+1), make([]bool, len(values))
	halved := -1
	for row, one := range values {
		raw := block.text[one.start:one.end]
		switch one.kind {
		case jsonNull:
			made.Null[row] = true
		case jsonNumber:
			made.Values = append(made.Values, raw...)
		case jsonText:
			text, half, err := unescape(raw)
			if err != nil {
				return made, err
			}
			if half && halved < 0 {
				halved = row
			}
			made.Values = append(made.Values, text...)
		default:
			return made, fileError("%s: neither a string, a number nor null; remove the key from the policy, or name what is "+
				"inside it by a path", j.where(block, from, row, column))
		}
		made.Offsets = append(made.Offsets, int64(len(made.Values)))
	}
	if halved >= 0 {
		return made, fileError("%s: half of a surrogate pair, which is not a character", j.where(block, from, halved, column))
	}
	return made, nil
}

// edit is what is to stand in the place of some bytes.
type edit struct {
	start, end int
	text       []byte
}

// changed returns the text of a block with its values replaced.
func (j *jsonRun) changed(block *jsonBlock) ([]byte, error) {
	var edits []edit
	for number, job := range j.jobs {
		if len(block.records) == 0 {
			break
		}
		column, from := job.rule.Column, &block.taken[number]
		values, err := j.texts(block, from, from.values, column)
		if err != nil {
			return nil, err
		}
		var tweaks *policy.Texts
		if job.rule.Tweak != "" {
			beside, err := j.texts(block, from, from.tweaks, job.rule.Tweak)
			if err != nil {
				return nil, err
			}
			tweaks = &beside
		}
		made, err := j.apply(job, values, tweaks, func(row int) string { return j.where(block, from, row, column) },
			func(row int) int { return block.row + from.record(row) })
		if err != nil {
			return nil, err
		}
		if edits, err = j.edits(block, column, from, values, made, edits); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	out, last := make([]byte, 0, len(block.text)+len(block.text)/8), 0
	for _, one := range edits {
		out = append(append(out, block.text[last:one.start]...), one.text...)
		last = one.end
	}
	return append(out, block.text[last:]...), nil
}

var jsonNumberText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// edits adds what is to stand where, for values that change.
func (j *jsonRun) edits(block *jsonBlock, column string, from *taken, values, made policy.Texts, edits []edit) ([]edit, error) {
	textOf := func(column fast.Column, row int) string {
		return string(column.Values[column.Offsets[row]:column.Offsets[row+1]])
	}
	for row, one := range from.values {
		if values.Null[row] {
			continue
		}
		text := textOf(made.Column, row)
		switch {
		case made.Null != nil && made.Null[row]:
			edits = append(edits, edit{one.start, one.end, []byte("null")})
		case text == textOf(values.Column, row):
		case one.kind == jsonText:
			edits = append(edits, edit{one.start, one.end, jsonString(text)})
		case jsonNumberText.MatchString(text):
			edits = append(edits, edit{one.start, one.end, []byte(text)})
		default:
			return nil, fileError("%s: the value is a JSON number, but the new value is not (for example, it has a leading zero); "+
				"use a format for numbers, for example integer, or store the values as strings", j.where(block, from, row, column))
		}
	}
	return edits, nil
}

// jsonString writes a text as Python's json does without its escapes for ASCII.
func jsonString(text string) []byte {
	made := append(make([]byte, 0, len(text)+2), '"')
	for at := range len(text) {
		switch one := text[at]; {
		case one == '"' || one == '\\':
			made = append(made, '\\', one)
		case one >= ' ':
			made = append(made, one)
		case strings.IndexByte("\n\r\t\b\f", one) >= 0:
			made = append(made, '\\', "nrtbf"[strings.IndexByte("\n\r\t\b\f", one)])
		default:
			made = append(made, '\\', 'u', '0', '0', "0123456789abcdef"[one>>4], "0123456789abcdef"[one&15])
		}
	}
	return append(made, '"')
}
