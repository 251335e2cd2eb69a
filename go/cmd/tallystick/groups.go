// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/policy"
)

const mostGroups = 1 << 22 // more are not counted: nearly every row is alone

var groupSizes = []int{2, 5, 10, 20}

// groups are the rows that have equal values in each of some columns.
type groups struct {
	Names           string
	TooMany         bool
	Count, Smallest int
	Below           []int // for each of groupSizes, how many rows are in smaller groups
}

// sets are the sets of columns of --groups.
func (o *options) sets() (made [][]string) {
	for _, one := range o.groups {
		made = append(made, strings.Split(one, ","))
	}
	return made
}

// checkGroups refuses sets that name a column twice, or one that a file lacks.
func checkGroups(sets [][]string, known []string) error {
	for _, names := range sets {
		for at, name := range names {
			count := 0
			for _, one := range known {
				if one == name {
					count++
				}
			}
			switch {
			case slices.Contains(names[:at], name) || slices.Contains(names[at+1:], name):
				return parameterError("groups: column %s is named twice; name it once", quoted(name))
			case count != 1:
				state := "has no column"
				if count > 1 {
					state = "has more than one column"
				}
				return parameterError("groups: the file %s %s; its columns are: %s", state, quoted(name), quotedAll(known))
			}
		}
	}
	return nil
}

// counter counts the groups of one set.
type groupCounter struct {
	places []int // of its columns among those that are read
	sizes  map[[16]byte]int
	over   bool
}

func (c *groupCounter) add(columns []policy.Texts) {
	for row := range columns[c.places[0]].Len() {
		if c.over {
			return
		}
		var key []byte
		for _, place := range c.places {
			column := &columns[place]
			if column.Null != nil && column.Null[row] {
				key = append(key, 0)
				continue
			}
			text := column.Values[column.Offsets[row]:column.Offsets[row+1]]
			key = append(binary.AppendUvarint(append(key, 1), uint64(len(text))), text...)
		}
		sum := sha256.Sum256(key) // so that no value is held
		c.sizes[[16]byte(sum[:16])]++
		c.over = len(c.sizes) > mostGroups
	}
}

func (c *groupCounter) result(names []string) groups {
	made := groups{Names: strings.Join(names, ", "), TooMany: c.over, Count: len(c.sizes), Below: make([]int, len(groupSizes))}
	for _, size := range c.sizes {
		if made.Smallest == 0 || size < made.Smallest {
			made.Smallest = size
		}
		for at, limit := range groupSizes {
			if size < limit {
				made.Below[at] += size
			}
		}
	}
	return made
}

// measure reads the target again, and counts the groups that are asked for.
func (r *fileRun) measure(kind string) ([]groups, error) {
	sets := r.sets()
	if sets == nil {
		return nil, nil
	}
	var names []string
	for _, set := range sets {
		for _, name := range set {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	var counters []*groupCounter
	for _, set := range sets {
		counter := &groupCounter{sizes: map[[16]byte]int{}}
		for _, name := range set {
			counter.places = append(counter.places, slices.Index(names, name))
		}
		counters = append(counters, counter)
	}
	source, err := openInput(r.target)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	w := &work{source: source, target: &target{Writer: nowhere{}}, rules: &policy.Policy{}, reveals: true, threads: 1}
	for _, name := range names {
		w.jobs = append(w.jobs, &job{rule: policy.Rule{Column: name}})
	}
	take := func(columns []policy.Texts) error {
		for _, counter := range counters {
			counter.add(columns)
		}
		return nil
	}
	if kind == csvType {
		dialect, failed := dialectOf(r.rules.CSV, r.target, r.target)
		if err = failed; err == nil {
			err = (&csvRun{work: w, dialect: dialect, header: !r.rules.CSV.NoHeader}).read(names, take)
		}
	} else {
		run, failed := newJSONRun(w, kind == jsonType, nil)
		if err = failed; err == nil {
			err = run.read(names, take)
		}
	}
	if err != nil {
		return nil, err
	}
	var made []groups
	for at, counter := range counters {
		made = append(made, counter.result(sets[at]))
	}
	return made, nil
}

// read hands some columns over, block by block.
func (c *csvRun) read(names []string, take func([]policy.Texts) error) error {
	if err := c.start(); err != nil || c.names == nil {
		return err
	}
	c.choose()
	for {
		block, more, err := c.next()
		if err != nil || !more {
			return err
		}
		if err := c.problem(block); err != nil {
			return err
		}
		var columns []policy.Texts
		for _, name := range names {
			column, err := c.column(block, name, c.index[name])
			if err != nil {
				return err
			}
			columns = append(columns, column)
		}
		if err := take(columns); err != nil {
			return err
		}
	}
}

// read hands some columns over, block by block. What is no text, number or null counts as null.
func (j *jsonRun) read(names []string, take func([]policy.Texts) error) error {
	for {
		block, more, err := j.next()
		if err != nil || !more {
			return err
		}
		var columns []policy.Texts
		for at, name := range names {
			from := &block.taken[at]
			if j.wanted[at].inList {
				return parameterError("groups: %s is in a list, and groups are those of rows; name columns that a row has once",
					quoted(name))
			}
			values := slices.Clone(from.values)
			for row, one := range values {
				if one.kind != jsonText && one.kind != jsonNumber {
					values[row] = span{}
				}
			}
			column, err := j.texts(block, from, values, name)
			if err != nil {
				return err
			}
			columns = append(columns, column)
		}
		if err := take(columns); err != nil {
			return err
		}
	}
}
