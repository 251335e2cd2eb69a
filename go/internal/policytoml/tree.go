// SPDX-License-Identifier: Apache-2.0

// Package policytoml reads the TOML of policies.
package policytoml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/tallystick/tallystick/go/internal/core"
)

// Read returns a policy as a document, and as the JSON that the core reads. Errors quote nothing of it.
func Read(text string) (document map[string]any, about toml.MetaData, description []byte, err error) {
	if err = core.CheckPolicyText(text); err != nil { // too large, or nested too deep
		return nil, about, nil, err
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) {
		return nil, about, nil, errors.New("is not UTF-8; save it as UTF-8")
	}
	about, err = toml.Decode(text, &document)
	if err != nil {
		var at toml.ParseError // its texts quote the file
		errors.As(err, &at)
		why := ""
		if strings.Contains(at.Message, "out of range for int64") {
			why = ": a number is out of range for int64"
		}
		return nil, about, nil, fmt.Errorf("not valid TOML at line %d, column %d%s", at.Position.Line, at.Position.Col, why)
	}
	return document, about, jsonOf(document, about), nil
}

// Keys returns the keys of a table of the document, in the order of the text.
func Keys(about toml.MetaData, table string) (keys []string) {
	seen := map[string]bool{}
	for _, key := range about.Keys() {
		if len(key) >= 2 && key[0] == table && !seen[key[1]] {
			seen[key[1]], keys = true, append(keys, key[1])
		}
	}
	return keys
}

// tree writes a TOML document as the JSON that the core reads: tables with their keys in their order.
type tree struct {
	out   bytes.Buffer
	order map[string]int // of keys, by their path
}

func jsonOf(document map[string]any, about toml.MetaData) []byte {
	t := tree{order: map[string]int{}}
	for i, key := range about.Keys() {
		for depth := 1; depth <= len(key); depth++ {
			path := pathOf(key[:depth])
			if _, met := t.order[path]; !met {
				t.order[path] = i
			}
		}
	}
	t.value(document, nil)
	return t.out.Bytes()
}

func pathOf(keys []string) string { return strings.Join(keys, "\x00") }

func (t *tree) value(value any, path []string) {
	switch value := value.(type) {
	case map[string]any:
		t.table(value, path)
	case []any:
		t.array(len(value), func(i int) { t.value(value[i], path) })
	case []map[string]any:
		t.array(len(value), func(i int) { t.value(value[i], path) })
	case float64:
		t.float(value)
	case time.Time:
		t.moment(value)
	default:
		t.plain(value)
	}
}

func (t *tree) table(table map[string]any, path []string) {
	keys := make([]string, 0, len(table))
	for key := range table {
		keys = append(keys, key)
	}
	slices.Sort(keys) // what has no place, such as the keys of tables in arrays
	slices.SortStableFunc(keys, func(a, b string) int {
		return t.order[pathOf(append(path, a))] - t.order[pathOf(append(path, b))]
	})
	t.out.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			t.out.WriteByte(',')
		}
		t.plain(key)
		t.out.WriteByte(':')
		t.value(table[key], append(slices.Clone(path), key))
	}
	t.out.WriteByte('}')
}

func (t *tree) array(count int, item func(i int)) {
	t.out.WriteByte('[')
	for i := range count {
		if i > 0 {
			t.out.WriteByte(',')
		}
		item(i)
	}
	t.out.WriteByte(']')
}

// plain writes text, an integer or a boolean.
func (t *tree) plain(value any) {
	text, err := json.Marshal(value)
	if err != nil { // TOML has nothing else
		text = []byte("null")
	}
	t.out.Write(text)
}

func (t *tree) float(value float64) {
	text := strconv.FormatFloat(value, 'g', -1, 64)
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		fmt.Fprintf(&t.out, `{"$float":%q}`, text)
	case strings.ContainsAny(text, ".e"):
		t.out.WriteString(text)
	default:
		t.out.WriteString(text + ".0")
	}
}

// moment writes a date, a time or both, as the library tells them apart.
func (t *tree) moment(value time.Time) {
	kind, layout := "$datetime", "2006-01-02T15:04:05.999999999Z07:00"
	switch value.Location().String() {
	case "date-local":
		kind, layout = "$date", time.DateOnly
	case "time-local":
		kind, layout = "$time", "15:04:05.999999999"
	case "datetime-local":
		layout = "2006-01-02T15:04:05.999999999"
	}
	fmt.Fprintf(&t.out, `{%q:%q}`, kind, value.Format(layout))
}
