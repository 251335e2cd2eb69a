// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

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
