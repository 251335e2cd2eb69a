// SPDX-License-Identifier: Apache-2.0

package core

import (
	"bytes"
	"crypto/sha256"
	"runtime"
	"sync"
	"testing"

	"github.com/tallystick/tallystick/go/internal/model"
)

// collecting runs the garbage collector all the time, until the function that it returns is called.
func collecting() (stop func()) {
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
	}
}

// Memory of a pool and of its ciphers serves the next one. What an earlier key left there must not be
// taken for that of a later one, whatever else is the same: tweak, parameters, addresses.
func TestMemoryServesOtherKeys(t *testing.T) {
	const radix, length = 10, 16
	tweak := []byte("the same tweak")
	p, q := params(t, ProfileFAST, radix, length)
	for i := range 20 {
		key := sha256.Sum256([]byte{byte(i)})
		own, err := NewPool(ProfileFAST, radix, key[:])
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, length)
		other := model.NewFAST(key[:], radix, false)
		other.Encrypt(q, other.Sequence(q, tweak), want)
		for range 2 {
			got := make([]byte, length)
			if err := own.Words(false, &p, tweak, got, 1, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("key %d: another token", i)
			}
		}
		if i%2 == 0 {
			own.Close()
		}
	}
}

// A pool and a dispersal outlive the calls on them, even if nothing but the call refers to them.
func TestObjectsOutliveTheirCalls(t *testing.T) {
	defer collecting()()
	const radix, length, count = 10, 16, 20000
	p, _ := params(t, ProfileFAST, radix, length)
	words := make([]byte, count*length)
	want := make([]byte, len(words))
	if err := pool(t, ProfileFAST, radix).Words(false, &p, nil, words, count, want); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(words))
	set := &Set{Kind: KindFile, Threshold: 2, Count: 3, SecretSize: DispersalKey}
	FillSize(set)
	data, dispersalKey := make([]byte, 64*2*PartSize), make([]byte, DispersalKey)
	heads := make([]byte, 3*set.Size)
	if _, err := BeginDispersal(set, nil, heads); err != nil {
		t.Fatal(err)
	}
	first, _ := ReadShare(heads[:set.Size])
	records := make([]byte, 3*64*RecordSize)
	var expected []byte
	for range 20 {
		own, err := NewPool(ProfileFAST, radix, key)
		if err != nil {
			t.Fatal(err)
		}
		if err := own.Words(false, &p, nil, words, count, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("other tokens: %v", err)
		}
		state, err := OpenDispersal(&first, dispersalKey)
		if err != nil {
			t.Fatal(err)
		}
		if err := state.Seal(0, data, true, records); err != nil {
			t.Fatal(err)
		}
		if expected == nil {
			expected = bytes.Clone(records)
		}
		if !bytes.Equal(records, expected) {
			t.Fatal("other records")
		}
	}
}
