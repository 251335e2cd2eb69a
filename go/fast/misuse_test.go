// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
)

func TestNilAndZero(t *testing.T) {
	key := make([]byte, 16)
	for _, format := range []*fast.Format{nil, new(fast.Format)} {
		if _, err := fast.NewTokenizer(format, key, "d"); !errors.Is(err, fast.ErrFormat) {
			t.Errorf("%v: %v", format, err)
		}
		if format.OneWay() || format.Keyed() || format.ForbidsKeep() || format.Examples() != nil || format.SmallestDomain() != 0 {
			t.Errorf("%v has properties", format)
		}
	}
	var c fast.Cipher
	c.Close()
	if _, err := c.Encrypt(key, nil); err == nil {
		t.Error("the zero Cipher encrypts")
	}
	var in fast.Instance
	if err := in.EncryptWords(nil, nil, nil); !errors.Is(err, fast.ErrParams) {
		t.Errorf("Instance: %v", err)
	}
	if _, err := in.Encrypt(nil, nil); err == nil {
		t.Error("the zero Instance encrypts")
	}
	var r fast.Range
	r.Close()
	if _, err := r.Encrypt(1, nil); !errors.Is(err, fast.ErrClosed) {
		t.Errorf("Range: %v", err)
	}
	var tokenizer fast.Tokenizer
	tokenizer.Close()
	if _, err := tokenizer.Protect("1"); !errors.Is(err, fast.ErrClosed) {
		t.Errorf("Tokenizer: %v", err)
	}
	if texts := (fast.Column{Offsets: []int64{0, 5}}).Strings(); texts != nil {
		t.Errorf("Column: %v", texts)
	}
}

func TestRangeWritesNothingOnError(t *testing.T) {
	r, err := fast.NewRange(make([]byte, 16), 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dst := []uint64{1, 2}
	if err := r.EncryptAll(dst, []uint64{7, 1000}, nil); !errors.Is(err, fast.ErrSymbol) || !slices.Equal(dst, []uint64{1, 2}) {
		t.Errorf("%v, %v", dst, err)
	}
}

func TestRangeOverlap(t *testing.T) {
	r, err := fast.NewRange(make([]byte, 16), 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	given, want := []uint64{1, 2, 3, 4, 5}, make([]uint64, 5)
	if err := r.EncryptAll(want, given, nil); err != nil {
		t.Fatal(err)
	}
	for _, places := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {0, 4}, {4, 0}, {0, 5}} {
		room := make([]uint64, 10)
		dst, numbers := room[places[0]:places[0]+5], room[places[1]:places[1]+5]
		copy(numbers, given)
		if err := r.EncryptAll(dst, numbers, nil); err != nil || !slices.Equal(dst, want) {
			t.Errorf("%v: %v, %v", places, dst, err)
		}
	}
}
