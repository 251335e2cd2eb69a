// SPDX-License-Identifier: Apache-2.0

package ff1_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/ff1"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

func checkFF31(t *testing.T, name string, key []byte, radix int, tweak []byte, plain, token []uint16) {
	t.Helper()
	f, err := ff1.NewFF31(key, radix)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []uint16
	rows, length := slices.Concat(token, token), len(token)
	if f.Radix() <= 256 {
		var word []byte
		word, err = f.Decrypt(narrow(token), tweak)
		got = widen(word)
		all := narrow(rows)
		err = errors.Join(err, f.DecryptWords(all, all, length, tweak))
		rows = widen(all)
	} else {
		got, err = f.Decrypt16(token, tweak)
		err = errors.Join(err, f.DecryptWords16(rows, rows, length, tweak))
	}
	if err != nil || !slices.Equal(got, plain) || !slices.Equal(rows, slices.Concat(plain, plain)) {
		t.Errorf("%s: another word: %v", name, err)
	}
}

func TestVectorsOfFF3(t *testing.T) {
	for i, one := range vectors.Load[struct {
		Radix                             int
		Key, Tweak, Plaintext, Ciphertext vectors.Hex
	}](t, "ff3_1") {
		checkFF31(t, fmt.Sprintf("vector %d", i), one.Key, one.Radix, one.Tweak,
			unpack(one.Plaintext, one.Radix), unpack(one.Ciphertext, one.Radix))
	}
	for _, file := range []string{"ff3_1_acvp", "ff3_1_peers"} {
		for i, one := range vectors.Load[struct {
			Radix                 int
			Key, Tweak            vectors.Hex
			Plaintext, Ciphertext []uint16
		}](t, file) {
			checkFF31(t, fmt.Sprintf("%s %d", file, i), one.Key, one.Radix, one.Tweak, one.Plaintext, one.Ciphertext)
		}
	}
}

// A message names the bounds of the cipher that the tweak chooses.
func TestMessagesOfFF3(t *testing.T) {
	f, err := ff1.NewFF31(key, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	word := make([]byte, 57)
	for _, one := range []struct {
		length, tweak int
		want          string
	}{
		{6, 6, "a tweak has 7 bytes in FF3-1, and 8 bytes in FF3, not 6"},
		{5, 7, "with radix 10 and a tweak of 7 bytes a word has 6 to 56 symbols, not 5"},
		{57, 8, "with radix 10 and a tweak of 8 bytes a word has 2 to 56 symbols, not 57"},
	} {
		for _, err := range []error{
			f.DecryptWords(word[:one.length], word[:one.length], one.length, word[:one.tweak]),
			get(f.Decrypt(word[:one.length], word[:one.tweak])),
			get(f.Decrypt16(make([]uint16, one.length), word[:one.tweak])),
			f.DecryptWords16(nil, nil, one.length, word[:one.tweak]),
		} {
			if err == nil || !strings.HasSuffix(err.Error(), ": "+one.want) {
				t.Errorf("%v, not %q", err, one.want)
			}
		}
	}
}

func TestZeroFF31(t *testing.T) {
	var zero ff1.FF31
	zero.Close()
	if _, err := zero.Decrypt(make([]byte, 6), make([]byte, 7)); !errors.Is(err, ff1.ErrClosed) || zero.Radix() != 0 {
		t.Errorf("%v", err)
	}
}

func get(_ any, err error) error { return err }

func TestWrongArgumentsOfFF3(t *testing.T) {
	f, err := ff1.NewFF31(key, 10)
	if err != nil {
		t.Fatal(err)
	}
	word := make([]byte, 57)
	for i, one := range []struct{ got, want error }{
		{get(ff1.NewFF31(key[:15], 10)), ff1.ErrKeySize}, {get(ff1.NewFF31(key, 1)), ff1.ErrRadix},
		{get(f.Decrypt(word[:6], word[:7])), nil}, {get(f.Decrypt(word[:5], word[:7])), ff1.ErrLength},
		{get(f.Decrypt(word[:2], word[:8])), nil}, {get(f.Decrypt(word[:1], word[:8])), ff1.ErrLength},
		{get(f.Decrypt(word, word[:7])), ff1.ErrLength}, {get(f.Decrypt(nil, word[:7])), ff1.ErrLength},
		{get(f.Decrypt(word[:6], word[:6])), ff1.ErrTweak}, {get(f.Decrypt(word[:6], nil)), ff1.ErrTweak},
		{get(f.Decrypt([]byte{1, 2, 3, 4, 5, 10}, word[:7])), ff1.ErrSymbol},
		{get(f.Decrypt16(make([]uint16, 6), word[:7])), ff1.ErrSymbolType},
	} {
		if !errors.Is(one.got, one.want) {
			t.Errorf("case %d: %v, not %v", i, one.got, one.want)
		}
	}
	f.Close()
	if _, err := f.Decrypt(word[:6], word[:7]); !errors.Is(err, ff1.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
