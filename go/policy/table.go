// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// table is a table of a policy, with its place for messages.
type table struct {
	source string
	path   []string
	values map[string]any
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// wrong makes the error that says what is wrong with a key of the table.
func (t table) wrong(key, format string, arguments ...any) error {
	var place []string
	for _, part := range append(slices.Clone(t.path), key) {
		if !bare.MatchString(part) {
			part = strconv.Quote(part)
		}
		place = append(place, part)
	}
	return fmt.Errorf("%w: %s: %s: %s", ErrPolicy, t.source, strings.Join(place, "."), fmt.Sprintf(format, arguments...))
}

// at returns the place of a table in this one.
func (t table) at(key string) table { return table{t.source, append(slices.Clone(t.path), key), nil} }

// renamed are keys that had another name, and their names.
var renamed = map[string]string{"unfit": "on_invalid", "domain": "namespace"}

// only refuses keys other than those of the table.
func (t table) only(keys ...string) error {
	var found []string
	for key := range t.values {
		found = append(found, key)
	}
	slices.Sort(found)
	for _, key := range found {
		if now := renamed[key]; slices.Contains(keys, now) {
			return t.wrong(key, "this key is called '%s' now; rename it", now)
		}
		if !slices.Contains(keys, key) {
			return t.wrong(key, "there is no such key; there are: %s", strings.Join(keys, ", "))
		}
	}
	return nil
}

func (t table) table(key string) (table, error) {
	values, ok := t.values[key].(map[string]any)
	if !ok {
		return table{}, t.wrong(key, "must be a table")
	}
	inner := t.at(key)
	inner.values = values
	return inner, nil
}

func (t table) text(key string) (string, error) {
	value, ok := t.values[key].(string)
	if !ok {
		return "", t.wrong(key, "must be text")
	}
	return value, nil
}

// texts reads a list of texts, which may be absent.
func (t table) texts(key, what string) ([]string, error) {
	given, ok := t.values[key]
	if !ok {
		return nil, nil
	}
	list, ok := given.([]any)
	var texts []string
	for _, one := range list {
		text, isText := one.(string)
		ok = ok && isText
		texts = append(texts, text)
	}
	if !ok {
		return nil, t.wrong(key, "must be %s", what)
	}
	return texts, nil
}

func (t table) choice(key string, choices ...string) (string, error) {
	value, err := t.text(key)
	if err == nil && !slices.Contains(choices, value) {
		err = t.wrong(key, "must be one of %s", strings.Join(choices, ", "))
	}
	return value, err
}

func (t table) integer(key string) (int64, error) {
	value, ok := t.values[key].(int64)
	if !ok {
		return 0, t.wrong(key, "must be a whole number")
	}
	return value, nil
}

// count is an integer of 0 or more that an int of every machine holds.
func (t table) count(key string) (int, error) {
	value, err := t.integer(key)
	if err == nil && (value < 0 || value > 1<<30) {
		err = t.wrong(key, "must be 0 to %d", 1<<30)
	}
	return int(value), err
}

func (t table) boolean(key string) (bool, error) {
	value, ok := t.values[key].(bool)
	if !ok {
		return false, t.wrong(key, "must be true or false")
	}
	return value, nil
}

// date reads a date of TOML, or as Python does the same in quotes.
func (t table) date(key string) (time.Time, error) {
	if text, ok := t.values[key].(string); ok {
		if day, err := time.Parse(time.DateOnly, text); err == nil && day.Year() > 0 {
			return day, nil
		}
	}
	value, ok := t.values[key].(time.Time)
	if !ok || value.Location().String() != "date-local" {
		return time.Time{}, t.wrong(key, "must be a date, such as 2000-12-31")
	}
	year, month, day := value.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC), nil
}
