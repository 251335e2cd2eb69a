// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

// FuzzObject reads objects: what is taken is JSON, in its places, and what is cut is never taken.
func FuzzObject(f *testing.F) {
	for _, text := range []string{
		`{"a": {"b": [1, -2.5e+3, null, true]}, "c": "\ud83d\ude00\u00e9"}`, `{}`, `{"a": 1, "a": 2}`, `{"a": [[[[]]]], "b": {}}`,
		`{"a": 01}`, `{"a": "\x"}`, `{"a": NaN}`, "{\"a\": \"\xff\"}", `{"a": -}`, `{"a": "\ud800"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		scan := objectScan{text, 0}
		members, err := scan.object(true)
		if err != nil {
			return
		}
		if !json.Valid(text[:scan.at]) {
			t.Fatalf("%q is taken for JSON", text[:scan.at])
		}
		for at, value := range members.values {
			if !json.Valid(text[value.start:value.end]) {
				t.Fatalf("%q is taken for a value", text[value.start:value.end])
			}
			switch value.kind {
			case jsonArray:
				if _, err := value.items(text); err != nil {
					t.Fatal(err)
				}
			case jsonObject:
				if _, err := value.within(text, false); err != nil {
					t.Fatal(err)
				}
			}
			if members.place(members.keys[at]) != at {
				t.Fatal("a key is not where it is")
			}
		}
		for size := range min(scan.at, 300) {
			if _, err := (&objectScan{text[:size], 0}).object(true); err == nil {
				t.Fatalf("%q is taken, of %q", text[:size], text[:scan.at])
			}
		}
	})
}

// TestManyKeys finds keys that occur twice among many.
func TestManyKeys(t *testing.T) {
	for _, count := range []int{1, few - 1, few, few + 1, 5000} {
		var text bytes.Buffer
		text.WriteString(`{"first": 0`)
		for n := range count {
			text.WriteString(`, "k` + plainNumber(n) + `": ` + plainNumber(n))
		}
		whole := append(slices.Clone(text.Bytes()), '}')
		members, err := (&objectScan{whole, 0}).object(true)
		if err != nil || len(members.keys) != count+1 || members.get("first").kind != jsonNumber || members.get("none").end != 0 {
			t.Fatal(count, err)
		}
		twice := append(slices.Clone(text.Bytes()), `, "first": 7}`...)
		if _, err := (&objectScan{twice, 0}).object(true); err == nil {
			t.Fatal("a key twice is taken")
		}
		members, err = (&objectScan{twice, 0}).object(false)
		if value := members.get("first"); err != nil || string(twice[value.start:value.end]) != "7" || len(members.keys) != count+1 {
			t.Fatal("the last value does not count", err)
		}
	}
}

// TestPathsOfNames writes names as the core reads them in paths.
func TestPathsOfNames(t *testing.T) {
	for _, name := range []string{"a", "a b", "a.b", `"`, `\`, "[]", "{}", "", "é.", `a"b\c`} {
		steps, err := stepsOf(pathName(name) + ".x[]")
		if err != nil || len(steps) != 3 || steps[0].Name != name || steps[1].Name != "x" {
			t.Fatalf("%q: %v, %v", name, steps, err)
		}
	}
	if name := pathName(`a\b`); name != `a\b` { // a policy has no quotes there
		t.Fatal(name)
	}
}
