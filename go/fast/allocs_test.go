// SPDX-License-Identifier: Apache-2.0

// The race detector allocates, and WebAssembly does.
//go:build cgo && !race

package fast_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/fast"
)

func TestNothingIsAllocated(t *testing.T) {
	c := cipher(t, key, 10)
	value, room := make([]byte, 16), make([]byte, 0, 16)
	cards, err := fast.NewTokenizer(fast.Card(), key, "card")
	if err != nil {
		t.Fatal(err)
	}
	number, text := []byte("4111 1111 1111 1111"), make([]byte, 0, 32)
	for name, run := range map[string]func() error{
		"AppendEncrypt": func() error { _, err := c.AppendEncrypt(room, value, []byte("tweak")); return err },
		"EncryptWords":  func() error { return c.EncryptWords(value, value, 4, nil) },
		"AppendProtect": func() error { _, err := cards.AppendProtect(text, number); return err },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := run(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
