// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"bytes"
	"testing"
)

// Wherever a machine's memory was, nothing is left of what was in it.
func TestMemoryIsWiped(t *testing.T) {
	m, err := newMachine()
	if err != nil {
		t.Fatal(err)
	}
	secret := bytes.Repeat([]byte("secret"), 1000)
	at, err := m.alloc(uint32(len(secret)))
	if err != nil {
		t.Fatal(err)
	}
	copy(m.view(uint64(at), len(secret)), secret)
	var places [][]byte
	for _, size := range []uint32{1 << 20, 8 << 20, 64 << 20} {
		place := m.view(uint64(at), len(secret))
		if _, err := m.alloc(size); err != nil {
			t.Fatal(err)
		}
		if now := m.view(uint64(at), len(secret)); &now[0] != &place[0] {
			places = append(places, place)
		}
	}
	if len(places) < 2 {
		t.Fatalf("the memory moved %d times", len(places))
	}
	last := m.view(uint64(at), len(secret))
	if !bytes.Equal(last, secret) {
		t.Error("what was in memory is not there any more")
	}
	m.close()
	for i, place := range append(places, last) {
		if !bytes.Equal(place, make([]byte, len(place))) {
			t.Errorf("place %d of %d is not wiped", i, len(places)+1)
		}
	}
}

// A machine that failed is wiped as well.
func TestBrokenMachineIsWiped(t *testing.T) {
	m, err := newMachine()
	if err != nil {
		t.Fatal(err)
	}
	at, err := m.alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	view := m.view(uint64(at), 16)
	copy(view, "secret")
	if _, err := m.call("tally_go_split", 0x11b, 0xfffffff0, 100, 2, 2, 0xfffffff0); err == nil || !m.broken {
		t.Fatalf("no trap: %v", err)
	}
	m.close()
	if !bytes.Equal(view, make([]byte, 16)) {
		t.Error("not wiped")
	}
}
