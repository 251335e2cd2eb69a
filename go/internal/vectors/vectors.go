// SPDX-License-Identifier: Apache-2.0

// Package vectors reads the test vectors that the tests of every language read.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Root returns the folder of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Load reads vectors/NAME.json, which must hold a list that is not empty.
func Load[T any](t testing.TB, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Root(), "vectors", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []T
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(list) == 0 {
		t.Fatalf("%s holds no vectors", name)
	}
	return list
}

// Hex is bytes, written in hexadecimal.
type Hex []byte

// UnmarshalText reads them.
func (h *Hex) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// Slices returns a list of bytes as slices.
func Slices(list []Hex) (out [][]byte) {
	for _, one := range list {
		out = append(out, one)
	}
	return out
}

// Bytes is bytes, written as a list of numbers.
type Bytes []byte

// UnmarshalJSON reads them.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	var numbers []uint8
	var list []int
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, number := range list {
		numbers = append(numbers, uint8(number))
	}
	*b = numbers
	return nil
}
