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

// jsonRun copies NDJSON with the values of keys replaced. Every other byte stays as it is.
type jsonRun struct {
	*work
	buffer []byte
	ended  bool
	lines  int // before the buffer
	first  bool
	known  map[string]bool
	keys   []string // in the order in which they came up
	wanted map[string]bool
}

// jsonBlock is some records, and what is between them.
type jsonBlock struct {
	text    []byte
	row     int
	lines   int // before it
	records []int
	members [][]member // of each record those that are wanted
}

func newJSONRun(w *work) (*jsonRun, error) {
	named := slices.Clone(w.rules.Keep)
	for _, rule := range w.rules.Rules {
		named = append(named, rule.Column, rule.Tweak)
	}
	for _, name := range named {
		if isPath(name) {
			return nil, policyError("%v: the policy names %s: this program takes the keys of records, and no paths into nested "+
				"objects; the Python package's command takes both", w.source, quoted(name))
		}
	}
	return &jsonRun{work: w, first: true, known: map[string]bool{}, wanted: w.used()}, nil
}

// run copies the text.
func (j *jsonRun) run() error {
	err := inOrder(j.threads, j.next, j.changed, func(text []byte) error {
		_, err := j.target.Write(text)
		return err
	})
	if err == nil && j.rows > 0 {
		err = j.checkColumns(j.keys, true)
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
	block, place := &jsonBlock{row: j.rows, lines: j.lines}, 0
	if j.first {
		j.first = false
		if err := j.fill(); err != nil {
			return nil, false, err
		}
		if bytes.HasPrefix(j.buffer, []byte("\xef\xbb\xbf")) {
			place = 3
		}
	}
	found := false
	for place < blockSize && len(block.records) < blockRecords {
		begin, err := j.separated(place, j.rows+len(block.records) > 0, len(block.records))
		if err != nil {
			return nil, false, err
		}
		if place = begin; place == len(j.buffer) {
			break
		}
		members, end, err := j.record(place, len(block.records))
		if err != nil {
			return nil, false, err
		}
		for _, one := range members {
			if !j.known[one.key] {
				j.known[one.key], found = true, true
				j.keys = append(j.keys, one.key)
			}
		}
		block.records = append(block.records, place)
		block.members = append(block.members, slices.DeleteFunc(members, func(one member) bool { return !j.wanted[one.key] }))
		place = end
	}
	if found || j.rows == 0 {
		if err := j.look(j.keys); err != nil {
			return nil, false, err
		}
	}
	block.text = j.buffer[:place]
	j.buffer = j.buffer[place:]
	j.rows += len(block.records)
	j.lines += bytes.Count(block.text, []byte("\n"))
	return block, len(block.text) > 0, nil
}

// separated returns where the next record begins, or the text ends.
func (j *jsonRun) separated(place int, after bool, record int) (int, error) {
	place, err := j.skip(place, " \t\r")
	if err != nil {
		return 0, err
	}
	if after && place < len(j.buffer) && j.buffer[place] != '\n' {
		return 0, j.bad("text after it on its line", record-1, place)
	}
	return j.skip(place, " \t\n\r")
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

// record returns the members of the record at a place, and where it ends.
func (j *jsonRun) record(place, number int) ([]member, int, error) {
	for {
		scan := objectScan{j.buffer, place}
		members, err := scan.object(nil)
		switch {
		case err == nil:
			return members, scan.at, nil
		case !errors.Is(err, errCut) || j.ended:
			return nil, 0, j.bad(err.Error(), number, place)
		case len(j.buffer)-place >= largestRecord:
			return nil, 0, j.bad("a record of more than 256 MiB", number, place)
		}
		if err := j.fill(); err != nil {
			return nil, 0, err
		}
	}
}

func (j *jsonRun) where(block *jsonBlock, record int, column string) string {
	line := block.lines + 1 + bytes.Count(block.text[:block.records[record]], []byte("\n"))
	return at(j.source.place, &column, block.row+record, line)
}

// taken are the values of a column in a block's records, and the members that they are; nil: there is none.
type taken struct {
	texts   policy.Texts
	members []*member
}

func (j *jsonRun) take(block *jsonBlock, column string) (*taken, error) {
	made := &taken{members: make([]*member, len(block.records))}
	made.texts.Offsets, made.texts.Null = make([]int64, 1, len(block.records)+1), make([]bool, len(block.records))
	halved := -1
	for record, members := range block.members {
		made.texts.Null[record] = true
		for i := range members {
			one := &members[i]
			if one.key != column {
				continue
			}
			made.members[record], made.texts.Null[record] = one, one.kind == jsonNull
			raw := block.text[one.start:one.end]
			switch one.kind {
			case jsonOther:
				return nil, fileError("%s: neither a string, a number nor null; remove the key from the policy, or name what is "+
					"inside it by a path", j.where(block, record, column))
			case jsonNumber:
				made.texts.Values = append(made.texts.Values, raw...)
			case jsonText:
				text, half, err := unescape(raw)
				if err != nil {
					return nil, err
				}
				if half && halved < 0 {
					halved = record
				}
				made.texts.Values = append(made.texts.Values, text...)
			}
		}
		made.texts.Offsets = append(made.texts.Offsets, int64(len(made.texts.Values)))
	}
	if halved >= 0 {
		return nil, fileError("%s: half of a surrogate pair, which is not a character", j.where(block, halved, column))
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
	for _, job := range j.jobs {
		if len(block.records) == 0 {
			break
		}
		column := job.rule.Column
		values, err := j.take(block, column)
		if err != nil {
			return nil, err
		}
		var tweaks *policy.Texts
		if job.rule.Tweak != "" {
			beside, err := j.take(block, job.rule.Tweak)
			if err != nil {
				return nil, err
			}
			tweaks = &beside.texts
		}
		made, err := j.apply(job, values.texts, tweaks, func(row int) string { return j.where(block, row, column) })
		if err != nil {
			return nil, err
		}
		if edits, err = j.edits(block, column, values, made, edits); err != nil {
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
func (j *jsonRun) edits(block *jsonBlock, column string, values *taken, made policy.Texts, edits []edit) ([]edit, error) {
	textOf := func(column fast.Column, row int) string {
		return string(column.Values[column.Offsets[row]:column.Offsets[row+1]])
	}
	for row, one := range values.members {
		if one == nil || values.texts.Null[row] {
			continue
		}
		text := textOf(made.Column, row)
		switch {
		case made.Null != nil && made.Null[row]:
			edits = append(edits, edit{one.start, one.end, []byte("null")})
		case text == textOf(values.texts.Column, row):
		case one.kind == jsonText:
			edits = append(edits, edit{one.start, one.end, jsonString(text)})
		case jsonNumberText.MatchString(text):
			edits = append(edits, edit{one.start, one.end, []byte(text)})
		default:
			return nil, fileError("%s: the value is a JSON number, but the new value is not (for example, it has a leading zero); "+
				"use a format for numbers, for example integer, or store the values as strings", j.where(block, row, column))
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
