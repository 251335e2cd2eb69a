// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/csvcore"
	"github.com/tallystick/tallystick/go/policy"
)

const (
	blockSize     = 1 << 20 // bytes that are read at once
	blockRecords  = 1 << 14
	largestRecord = 256 << 20
)

// csvRun copies a CSV file with columns replaced. Every other byte stays as it is.
type csvRun struct {
	*work
	dialect csvcore.Dialect
	header  bool
	buffer  []byte // what is read and not dealt with
	begins  int    // where that begins in the file
	ended   bool
	names   []string
	wanted  []uint32       // columns that are read, ascending
	index   map[string]int // their place in wanted
}

// csvBlock is some records of a file.
type csvBlock struct {
	records *csvcore.Records
	row, at int // of the first record, and of its first byte in the file
}

func dialectOf(csv policy.CSV, source, target place) (csvcore.Dialect, error) {
	named := func(p place) byte {
		switch {
		case csv.Delimiter != 0:
			return csv.Delimiter
		case p.suffix() == ".tsv":
			return '\t'
		}
		return ','
	}
	if source.path == "" {
		source = target
	}
	made := csvcore.Dialect{Delimiter: named(source), Quote: csv.Quote, SkipInitialSpace: csv.SkipInitialSpace}
	if target.path != "" && named(target) != made.Delimiter {
		return made, fileError("%v: the run writes the delimiter %s, but the name's ending stands for another; change the name, or "+
			"set delimiter in the policy's [csv]", target, quoted(string(rune(made.Delimiter))))
	}
	return made, nil
}

// run copies the file.
func (c *csvRun) run() error {
	if err := c.start(); err != nil || c.names == nil {
		return err
	}
	if err := c.checkColumns(c.names, false); err != nil {
		return err
	}
	if err := c.look(c.names); err != nil {
		return err
	}
	c.choose()
	return inOrder(c.threads, c.next, c.changed, func(text []byte) error {
		_, err := c.target.Write(text)
		return err
	})
}

// choose sets which columns are read.
func (c *csvRun) choose() {
	used := c.used()
	c.index = map[string]int{}
	for column, name := range c.names {
		if used[name] {
			c.index[name] = len(c.wanted)
			c.wanted = append(c.wanted, uint32(column))
		}
	}
}

// fill reads on: to a whole block, or to twice what is there if that is much of a block already.
func (c *csvRun) fill() error {
	size := len(c.buffer)
	if size >= largestRecord {
		return fileError("%s: a record of more than %d MiB; check for a quote that is never closed, and for a wrong quote or "+
			"delimiter", at(c.source.place, nil, c.rows, c.line(c.begins)), largestRecord>>20)
	}
	room := blockSize
	if size > blockSize/2 {
		room = min(2*size, largestRecord)
	}
	buffer, ended, err := c.source.readOn(c.buffer, room)
	if err == nil {
		c.buffer, c.ended = buffer, ended
	}
	return err
}

func (c *csvRun) advance(size int) { c.buffer, c.begins = c.buffer[size:], c.begins+size }

// copy writes bytes as they are.
func (c *csvRun) copy(size int) error {
	_, err := c.target.Write(c.buffer[:size])
	c.advance(size)
	return err
}

// start copies what is before the first row, and sets the columns' names; none of an empty file without a header.
func (c *csvRun) start() error {
	if err := c.fill(); err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(c.buffer, []byte("\xff\xfe")) || bytes.HasPrefix(c.buffer, []byte("\xfe\xff")):
		return fileError("%v: the text is UTF-16; convert it, or use the Python package's command with --encoding utf-16", c.source)
	case bytes.HasPrefix(c.buffer, []byte("\xef\xbb\xbf")):
		if err := c.copy(3); err != nil {
			return err
		}
	}
	for c.header {
		text := bytes.TrimLeft(c.buffer, "\r\n")
		if err := c.copy(len(c.buffer) - len(text)); err != nil {
			return err
		}
		if len(text) > 0 || c.ended {
			break
		}
		if err := c.fill(); err != nil {
			return err
		}
	}
	var first *csvcore.Records
	for {
		var err error
		if first, err = csvcore.Scan(c.dialect, c.buffer, c.ended, 0, nil, 1); err != nil {
			return err
		}
		if first.Problem != 0 {
			return fileError("%v: the first record: %s", c.source, reasonOf(first, 0))
		}
		if first.Count == 1 {
			break
		}
		if c.ended && c.header {
			return fileError("%v: there is no header, the file is empty", c.source)
		}
		if c.ended {
			return c.copy(len(c.buffer))
		}
		if err := c.fill(); err != nil {
			return err
		}
	}
	if !c.header {
		for column := range first.Columns {
			c.names = append(c.names, fmt.Sprintf("f%d", column))
		}
		return nil
	}
	all := make([]uint32, first.Columns)
	for column := range all {
		all[column] = uint32(column)
	}
	header, err := csvcore.Scan(c.dialect, c.buffer, c.ended, first.Columns, all, 1)
	if err != nil {
		return err
	}
	for column := range all {
		_, name, _ := header.Gather(column)
		if !utf8.Valid(name) {
			return fileError("%v: the header is not UTF-8; convert the file, or use the Python package's command with --encoding",
				c.source)
		}
		c.names = append(c.names, string(name))
	}
	return c.copy(header.Consumed)
}

// next returns the next block.
func (c *csvRun) next() (*csvBlock, bool, error) {
	for {
		records, err := csvcore.Scan(c.dialect, c.buffer, c.ended, len(c.names), c.wanted, blockRecords)
		if err != nil {
			return nil, false, err
		}
		if records.Consumed > 0 || records.Problem != 0 {
			block := &csvBlock{records: records, row: c.rows, at: c.begins}
			c.rows += records.Count
			c.advance(records.Consumed)
			if records.Problem != 0 { // nothing comes after it
				c.buffer, c.ended = nil, true
			}
			return block, true, nil
		}
		if c.ended {
			return nil, false, nil
		}
		if err := c.fill(); err != nil {
			return nil, false, err
		}
	}
}

// changed returns the text of a block with its columns replaced.
func (c *csvRun) changed(block *csvBlock) ([]byte, error) {
	records := block.records
	offsets, values := make([][]int64, len(c.wanted)), make([][]byte, len(c.wanted))
	if records.Count > 0 {
		columns := map[string]policy.Texts{}
		for name, index := range c.index {
			texts, err := c.column(block, name, index)
			if err != nil {
				return nil, err
			}
			columns[name] = texts
		}
		for _, job := range c.jobs {
			name := job.rule.Column
			var tweaks *policy.Texts
			if job.rule.Tweak != "" {
				own := columns[job.rule.Tweak]
				tweaks = &own
			}
			made, err := c.apply(job, columns[name], tweaks, func(row int) string { return c.where(block, row, &name) },
				func(row int) int { return block.row + row })
			if err != nil {
				return nil, err
			}
			offsets[c.index[name]], values[c.index[name]] = made.Offsets, made.Values
		}
	}
	text, err := records.Splice(offsets, values)
	var unquotable *csvcore.UnquotableError
	if errors.As(err, &unquotable) {
		line := c.line(block.at + records.At(unquotable.Record, unquotable.Index))
		return nil, fileError("%s: %v", at(c.source.place, nil, block.row+unquotable.Record, line), err)
	}
	if err == nil {
		err = c.problem(block)
	}
	return text, err
}

// problem returns what is wrong behind a block's records, or nil.
func (c *csvRun) problem(block *csvBlock) error {
	records := block.records
	if records.Problem == 0 {
		return nil
	}
	return fileError("%s: %s", at(c.source.place, nil, block.row+records.Count, c.line(block.at+records.ProblemAt)),
		reasonOf(records, len(c.names)))
}

func (c *csvRun) where(block *csvBlock, row int, column *string) string {
	return at(c.source.place, column, block.row+row, c.line(block.at+block.records.At(row, c.index[*column])))
}

// column gathers a column of a block.
func (c *csvRun) column(block *csvBlock, name string, index int) (policy.Texts, error) {
	offsets, values, null := block.records.Gather(index)
	made := policy.Texts{Column: fast.Column{Offsets: offsets, Values: values}, Null: null}
	if !slices.ContainsFunc(values, func(b byte) bool { return b >= utf8.RuneSelf }) {
		return made, nil
	}
	for row := range block.records.Count {
		if !utf8.Valid(values[offsets[row]:offsets[row+1]]) {
			return made, fileError("%s: not UTF-8; convert the file, or use the Python package's command with --encoding",
				c.where(block, row, &name))
		}
	}
	return made, nil
}

func reasonOf(records *csvcore.Records, columns int) string {
	switch records.Problem {
	case csvcore.Fields:
		return fmt.Sprintf("%s, not %d", counted(records.Columns, "field"), columns)
	case csvcore.Open:
		return "a quote is never closed"
	case csvcore.Quote:
		return "text between a closing quote and the delimiter"
	}
	return "a field of 2 GiB or more"
}

// line returns the line of a byte of the file, from 1, by reading the file again; 0: it can't be known.
func (c *csvRun) line(of int) int {
	stream := c.source.again()
	if stream == nil {
		return 0
	}
	defer stream.Close()
	line, buffer, before := 1, make([]byte, 1<<16), byte(0)
	for of > 0 {
		count, err := stream.Read(buffer[:min(of, len(buffer))])
		for _, one := range buffer[:count] {
			if one == '\r' || one == '\n' && before != '\r' {
				line++
			}
			before = one
		}
		if of -= count; err != nil {
			break
		}
	}
	return line
}
