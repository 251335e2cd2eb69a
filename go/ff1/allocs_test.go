// SPDX-License-Identifier: Apache-2.0

// The race detector allocates, and WebAssembly does.
//go:build cgo && !race

package ff1_test

import "testing"

func TestNothingIsAllocated(t *testing.T) {
	c, wide := open(t, key, 10, 1e6), open(t, key, 1000, 1e6)
	for name, run := range map[string]func() error{
		"AppendEncrypt": func() error {
			var word [16]byte
			_, err := c.AppendEncrypt(word[:0], word[:], []byte("tweak"))
			return err
		},
		"EncryptWords": func() error {
			var words [48]byte
			return c.EncryptWords(words[:], words[:], 16, nil)
		},
		"DecryptWords16": func() error {
			var words [48]uint16
			return wide.DecryptWords16(words[:], words[:], 16, nil)
		},
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
