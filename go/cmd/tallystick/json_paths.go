// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/internal/core"
)

// stepsOf returns the steps of a column's path; a name that is no path is one step.
func stepsOf(column string) ([]core.PathStep, error) {
	steps, err := core.PathSteps(column)
	if err == nil && steps == nil {
		steps = []core.PathStep{{Kind: core.StepField, Name: column}}
	}
	return steps, err
}

// wanted is a column whose values are taken, by its key or its path, with its tweak beside it.
type wanted struct {
	name   string
	steps  []core.PathStep
	inList bool // a record may have any number of its values
	tweak  *besides
}

// besides is the tweak of a wanted column: so many steps it has in common with it, and the names behind these.
type besides struct {
	name   string
	common int
	names  []string
}

func newWanted(name, tweak string) (*wanted, error) {
	steps, err := stepsOf(name)
	if err != nil {
		return nil, err
	}
	made := &wanted{name: name, steps: steps}
	made.inList = slices.ContainsFunc(steps, func(step core.PathStep) bool { return step.Kind != core.StepField })
	if tweak == "" {
		return made, nil
	}
	if steps, err = stepsOf(tweak); err != nil {
		return nil, err
	}
	most := min(len(steps), len(made.steps)) - 1
	beside := &besides{name: tweak}
	for beside.common < most && steps[beside.common] == made.steps[beside.common] {
		beside.common++
	}
	for _, step := range steps[beside.common:] {
		if step.Kind != core.StepField {
			return nil, fmt.Errorf("%s is in a list that %s is not in, so a value has no single one of it; use a column of the "+
				"row, or of the same list", quoted(tweak), quoted(name))
		}
		beside.names = append(beside.names, step.Name)
	}
	made.tweak = beside
	return made, nil
}

// taken is what records have of a wanted column: values, with those of its tweak beside them.
type taken struct {
	values, tweaks []span
	rows           []int // the record of each value; nil: each record has one
}

// record returns the record of a value.
func (t *taken) record(value int) int {
	if t.rows == nil {
		return value
	}
	return t.rows[value]
}

// found is a value at the end of a path, and the values that it is in, below the record.
type found struct {
	value span
	chain []span
}

// take adds what a record has of the column.
func (w *wanted) take(into *taken, text []byte, record *fields, number int) error {
	if at := record.place(w.name); at >= 0 {
		outer := w.steps[0].Name
		if kind := record.get(outer).kind; len(w.steps) > 1 && (kind == jsonObject || kind == jsonArray) {
			return fmt.Errorf("it has both %s and %s, in which that column may be too; rename one of them", quoted(w.name), quoted(outer))
		}
		return w.add(into, text, record, number, found{value: record.values[at]})
	}
	if len(w.steps) == 1 {
		return w.add(into, text, record, number, found{})
	}
	all, err := w.walk(text, record)
	for _, one := range all {
		if err == nil {
			err = w.add(into, text, record, number, one)
		}
	}
	return err
}

func (w *wanted) add(into *taken, text []byte, record *fields, number int, one found) error {
	into.values = append(into.values, one.value)
	if w.inList {
		into.rows = append(into.rows, number)
	}
	if w.tweak == nil {
		return nil
	}
	tweak, err := w.tweak.of(text, record, one.chain)
	into.tweaks = append(into.tweaks, tweak)
	return err
}

// walk returns the values at the end of the path.
func (w *wanted) walk(text []byte, record *fields) ([]found, error) {
	here := []found{{value: record.get(w.steps[0].Name)}}
	for depth, step := range w.steps[1:] {
		kind, what := jsonObject, "an object"
		if step.Kind == core.StepItems {
			kind, what = jsonArray, "an array"
		}
		var inside []found
		for _, one := range here {
			chain := one.chain
			if w.tweak != nil {
				chain = append(slices.Clip(chain), one.value)
			}
			if one.value.kind == jsonNull {
				if step.Kind == core.StepField { // a list that is missing has no items
					inside = append(inside, found{span{}, chain})
				}
				continue
			}
			if one.value.kind != kind {
				return nil, fmt.Errorf("step %d of the path %s is not %s; correct the record or the policy", depth+1, quoted(w.name), what)
			}
			values, err := one.value.below(text, step)
			if err != nil {
				return nil, err
			}
			for _, value := range values {
				inside = append(inside, found{value, chain})
			}
		}
		here = inside
	}
	return here, nil
}

// below returns the values that a step leads to from an object or an array.
func (s span) below(text []byte, step core.PathStep) ([]span, error) {
	if step.Kind == core.StepItems {
		return s.items(text)
	}
	inside, err := s.within(text, true)
	if err != nil {
		return nil, err
	}
	if step.Kind == core.StepValues {
		return inside.values, nil
	}
	return []span{inside.get(step.Name)}, nil
}

// of returns the tweak's value beside one that is in the values of a chain.
func (b *besides) of(text []byte, record *fields, chain []span) (span, error) {
	if at := record.place(b.name); at >= 0 {
		return record.values[at], nil
	}
	if b.common > len(chain) {
		return span{}, nil
	}
	value, names := span{}, b.names
	if b.common == 0 {
		value, names = record.get(names[0]), names[1:]
	} else {
		value = chain[b.common-1]
	}
	for _, name := range names {
		if value.kind == jsonNull {
			return span{}, nil
		}
		if value.kind != jsonObject {
			return span{}, fmt.Errorf("the path %s leads into what is not an object", quoted(b.name))
		}
		inside, err := value.within(text, false)
		if err != nil {
			return span{}, err
		}
		value = inside.get(name)
	}
	return value, nil
}

// tree is the steps of paths, each with those that may follow it.
type tree struct {
	steps []core.PathStep
	below map[core.PathStep]*tree
}

func treeOf(columns []string) (*tree, error) {
	root := &tree{}
	for _, column := range columns {
		steps, err := core.PathSteps(column)
		if err != nil {
			return nil, err
		}
		at := root
		for _, step := range steps {
			at = at.open(step)
		}
	}
	return root, nil
}

func (t *tree) open(step core.PathStep) *tree {
	if t.below[step] == nil {
		if t.below == nil {
			t.below = map[core.PathStep]*tree{}
		}
		t.steps, t.below[step] = append(t.steps, step), &tree{}
	}
	return t.below[step]
}

func (t *tree) isEmpty() bool { return t == nil || len(t.steps) == 0 }

// at returns what may follow a step; nil: nothing.
func (t *tree) at(step core.PathStep) *tree {
	if t == nil {
		return nil
	}
	return t.below[step]
}

// columnNames are the columns that the records of a text have, in the order in which they came up. An object or an array is one
// column, unless the tree leads into it: then the columns inside are there instead.
type columnNames struct {
	opened map[string]*tree
	list   []string
	kinds  map[string]jsonKind // text for all that can be protected; null: there was nothing else
}

// namesBeside returns no names yet. Paths lead into objects and arrays.
func namesBeside(columns []string) (*columnNames, error) {
	made := &columnNames{opened: map[string]*tree{}, kinds: map[string]jsonKind{}}
	root, err := treeOf(columns)
	if err != nil {
		return nil, err
	}
	for step, below := range root.below {
		if !below.isEmpty() {
			made.opened[step.Name] = below
		}
	}
	return made, nil
}

const mostNames = 10_000 // that are noted before objects count as one column each

var items, values = core.PathStep{Kind: core.StepItems}, core.PathStep{Kind: core.StepValues}

// record notes what a record has.
func (n *columnNames) record(text []byte, record *fields) error {
	for at, key := range record.keys {
		value := record.values[at]
		if below := n.opened[key]; below == nil {
			n.note(key, value.kind, true)
		} else if err := n.inside(text, key, pathName(key), value, below); err != nil {
			return err
		}
	}
	return nil
}

// inside notes the columns inside a value, or it itself by its name. path is its name as it begins a path.
func (n *columnNames) inside(text []byte, name, path string, value span, below *tree) error {
	var keys []string
	var inside []span
	var trees func(key string) *tree
	var err error
	switch {
	case value.kind == jsonArray && below.at(items) != nil:
		inside, err = value.items(text)
		trees = func(string) *tree { return below.at(items) }
	case value.kind == jsonObject && !below.isEmpty():
		var members *fields
		if members, err = value.within(text, false); err != nil {
			return err
		}
		inside, keys = members.values, members.keys
		trees = func(key string) *tree { return below.at(core.PathStep{Kind: core.StepField, Name: key}) }
		if below.at(values) != nil {
			keys, trees = nil, func(string) *tree { return below.at(values) }
		}
	}
	if err != nil {
		return err
	}
	if len(inside) > 0 && len(n.list) < mostNames {
		for at, one := range inside {
			key, its := "", path
			switch {
			case keys != nil:
				key = keys[at]
				its += "." + pathName(key)
			case value.kind == jsonArray:
				its += "[]"
			default:
				its += "{}"
			}
			if err := n.inside(text, its, its, one, trees(key)); err != nil {
				return err
			}
		}
		return nil
	}
	if !below.isEmpty() && value.isEmpty(text) { // what would be inside is not missing
		n.ends(path, below)
		return nil
	}
	n.note(name, value.kind, false)
	return nil
}

// isEmpty says whether a value is null or false, or has nothing in it.
func (s span) isEmpty(text []byte) bool {
	switch s.kind {
	case jsonText:
		return s.end == s.start+2
	case jsonObject, jsonArray:
		return len(bytes.TrimLeft(text[s.start+1:s.end], " \t\r\n")) == 1
	}
	return s.kind == jsonNull || s.kind == jsonFalse
}

// ends notes the columns that a tree leads to, as null.
func (n *columnNames) ends(path string, below *tree) {
	if below.isEmpty() {
		n.note(path, jsonNull, false)
		return
	}
	for _, step := range slices.Backward(below.steps) {
		name := map[core.StepKind]string{core.StepItems: "[]", core.StepValues: "{}"}[step.Kind]
		if step.Kind == core.StepField {
			name = "." + pathName(step.Name)
		}
		n.ends(path+name, below.below[step])
	}
}

// note notes a column.
func (n *columnNames) note(name string, kind jsonKind, top bool) {
	if kind == jsonNumber {
		kind = jsonText
	}
	known, there := n.kinds[name]
	if !there {
		n.list = append(n.list, name)
	}
	special := kind != jsonText && kind != jsonNull
	if !there || known == jsonNull || special && (known == jsonText || !top) {
		n.kinds[name] = kind
	}
}

// whole returns the columns, without those that had nothing but nulls and columns inside.
func (n *columnNames) whole() []string {
	return slices.DeleteFunc(slices.Clone(n.list), func(name string) bool {
		kind, start := n.kinds[name], pathName(name)
		return (kind == jsonNull || kind == jsonObject || kind == jsonArray) &&
			slices.ContainsFunc(n.list, func(one string) bool { return isInside(one, start) })
	})
}

// pathName writes a column's name as it begins a path.
func pathName(name string) string {
	if name != "" && !isPath(name) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// isInside says whether a path names a column inside another, by their texts.
func isInside(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && rest != "" && strings.ContainsAny(rest[:1], ".[{")
}
