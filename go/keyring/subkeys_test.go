// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"bytes"
	"errors"
	"testing"
)

// What was made from a root key is wiped, whether the ring opens or not.
func TestSubkeysAreWiped(t *testing.T) {
	root := make([]byte, rootSize)
	for i := range root {
		root[i] = byte(i)
	}
	damaged := func(data []byte, _ *document) { data[len(data)/2] ^= 1 }
	other := func(_ []byte, d *document) { d.Check = d.Ring }
	for name, one := range map[string]struct {
		change func([]byte, *document)
		want   error
	}{
		"opened": {func([]byte, *document) {}, nil}, "damaged": {damaged, ErrKeyring}, "another key": {other, ErrRootKey},
	} {
		data, d, err := read("testdata/people.keys")
		if err != nil {
			t.Fatal(err)
		}
		keys, err := derive(d.Ring, root)
		if err != nil {
			t.Fatal(err)
		}
		wrapping, others := keys.wrapping, [][]byte{keys.authentication, keys.check}
		one.change(data, d)
		ring, err := keys.open("people.keys", data, d)
		if !errors.Is(err, one.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if _, err := ring.Key("people:1"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			ring.Close()
		}
		for i, key := range append(others, wrapping) {
			if len(key) == 0 || !bytes.Equal(key, make([]byte, len(key))) {
				t.Errorf("%s: subkey %d is not wiped", name, i)
			}
		}
	}
}
