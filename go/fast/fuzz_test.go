// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/fast"
)

// FuzzFormat makes formats of any name and options: those that are made bring every value back that they take.
func FuzzFormat(f *testing.F) {
	f.Add("digits", `{"separators": " -", "keep_first": 2}`, "53-042 18")
	f.Add("alphabet", `{"alphabet": "abcdefgh", "min_length": 3, "max_length": 40}`, "abc")
	f.Add("card", `{"luhn": "invalid", "keep_last": 4}`, "4111 1111 1111 1111")
	f.Add("pattern", `{"pattern": "A(A)9[0-4]"}`, "AB12")
	f.Add("decimal", `{"min": "-1.5", "max": "99", "scale": 1}`, "7.5")
	f.Add("unicode", `{"script": "greek"}`, "Παπαδόπουλος")
	f.Fuzz(func(t *testing.T, name, options, value string) {
		var given map[string]any
		if json.Unmarshal([]byte(options), &given) != nil {
			return
		}
		for option, one := range given {
			if number, ok := one.(float64); ok && number == float64(int64(number)) {
				given[option] = int64(number)
			}
		}
		format, err := fast.NewFormat(name, given)
		if err != nil {
			if !errors.Is(err, fast.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		tokens := tokenizerOf(t, format)
		defer tokens.Close()
		if !format.OneWay() {
			comesBack(t, tokens, value)
		}
	})
}

// tokenizerOf makes a tokenizer, or returns nil for a format that is none, as Check says too.
func tokenizerOf(t *testing.T, format *fast.Format) *fast.Tokenizer {
	tokens, err := fast.NewTokenizer(format, key, "fuzz")
	if err == nil {
		return tokens
	}
	if !errors.Is(err, fast.ErrFormat) || format.Check() == nil {
		t.Fatal(err)
	}
	return nil
}

// FuzzDate makes ranges of days, in any notation.
func FuzzDate(f *testing.F) {
	f.Add("YYYY-MM-DD", int64(0), int64(40000), true, "2000-02-29")
	f.Add("DD.MM.YYYY", int64(-700000), int64(2000000), false, "31.12.9999")
	f.Fuzz(func(t *testing.T, notation string, first, days int64, tiny bool, value string) {
		day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
		begin := day.AddDate(0, 0, int(first%5_000_000))
		format := fast.Date(fast.First(begin), fast.Last(begin.AddDate(0, 0, int(days%5_000_000))),
			fast.Notation(notation), fast.Set("allow_tiny_domain", tiny))
		tokens := tokenizerOf(t, format)
		if tokens == nil {
			return
		}
		defer tokens.Close()
		comesBack(t, tokens, value)
	})
}

// FuzzInteger makes ranges of integers.
func FuzzInteger(f *testing.F) {
	f.Add(int64(-999), int64(1_000_000), false, int64(5), "5")
	f.Add(int64(-1<<63), int64(1<<63-1), true, int64(-1), "-1")
	f.Fuzz(func(t *testing.T, first, last int64, tiny bool, value int64, text string) {
		format := fast.Integer(first, last, fast.Set("allow_tiny_domain", tiny))
		tokens := tokenizerOf(t, format)
		if tokens == nil {
			return
		}
		defer tokens.Close()
		token, err := tokens.ProtectInt64(value)
		if inside := first <= value && value <= last; inside != (err == nil) {
			t.Fatalf("%d to %d, %d: %v", first, last, value, err)
		}
		if err == nil {
			back, err := tokens.RevealInt64(token)
			if err != nil || back != value || token < first || token > last {
				t.Fatalf("%d to %d, %d: %v", first, last, value, err)
			}
		}
		comesBack(t, tokens, text)
	})
}

// FuzzColumn reads columns whose offsets may lie; sound ones get the tokens that their values get one by one.
func FuzzColumn(f *testing.F) {
	formats := []*fast.Format{fast.Digits(), fast.Card(), fast.Email(), fast.Date(), fast.Integer(-999, 99_999)}
	var made []*fast.Tokenizer
	for _, format := range formats {
		made = append(made, tokenizer(f, format, "fuzz"))
	}
	f.Add(uint8(0), []byte("5304218123456"), []byte{0, 7, 7, 13}, []byte("tweaks"), []byte{0, 2, 4, 6}, uint64(0))
	f.Add(uint8(1), []byte("4111 1111 1111 1111"), []byte{0, 19}, []byte{}, []byte{}, uint64(1)<<63)
	f.Add(uint8(3), []byte("2000-02-29x"), []byte{0, 10, 11}, []byte{}, []byte{0, 0, 0}, uint64(3))
	f.Add(uint8(0), []byte("no rows of a longer column"), []byte{7}, []byte("tweak"), []byte{1}, uint64(0))
	f.Fuzz(func(t *testing.T, which uint8, values, offsets, tweaks, tweakOffsets []byte, wild uint64) {
		tokens := made[int(which)%len(made)]
		column, own := columnOf(values, offsets), columnOf(tweaks, tweakOffsets)
		if len(column.Offsets) > 0 && which&128 != 0 {
			column.Offsets[int(wild%8)%len(column.Offsets)] = int64(wild)
		}
		var rows *fast.Column
		if len(tweakOffsets) > 0 {
			rows = &own
		}
		before := bytes.Clone(column.Values)
		got, reasons, err := tokens.ProtectColumn(column, rows)
		texts := column.Strings()
		var each []string
		if rows != nil {
			each = own.Strings()
		}
		sound := texts != nil && (rows == nil || each != nil && len(each) == len(texts))
		if sound != (err == nil) || err != nil && !errors.Is(err, fast.ErrColumn) {
			t.Fatalf("sound: %v, and: %v", sound, err)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(before, column.Values) {
			t.Error("the column itself is changed")
		}
		for i, token := range got.Strings() {
			var one string
			if rows == nil {
				one, err = tokens.Protect(texts[i])
			} else {
				one, err = tokens.ProtectTweaked(texts[i], each[i])
			}
			var invalid *fast.InvalidValueError
			switch {
			case errors.As(err, &invalid):
				if reasons[i] != invalid.Reason || token != texts[i] {
					t.Errorf("row %d: %v in a column, %v alone", i, reasons[i], invalid.Reason)
				}
			case err != nil || reasons[i] != fast.Fits || one != token:
				t.Errorf("row %d: another token than alone: %v, %v", i, reasons[i], err)
			}
		}
		// Invalid rows are the same before and after.
		back, again, err := tokens.RevealColumn(got, rows)
		if err != nil || !slices.Equal(back.Strings(), texts) || !slices.Equal(again, reasons) {
			t.Errorf("values do not come back: %v", err)
		}
	})
}

// FuzzRange permutes numbers of any range.
func FuzzRange(f *testing.F) {
	f.Add(uint64(1000), uint64(7), []byte("tweak"), []byte{1, 2, 3})
	f.Add(uint64(1)<<63, uint64(1)<<62, []byte{}, bytes.Repeat([]byte{0xFF}, 64))
	f.Fuzz(func(t *testing.T, size, number uint64, tweak, more []byte) {
		r, err := fast.NewRange(key, size)
		if err != nil {
			return
		}
		defer r.Close()
		numbers := []uint64{number}
		for ; len(more) >= 8; more = more[8:] {
			numbers = append(numbers, binary.LittleEndian.Uint64(more)%max(size, 1))
		}
		made := make([]uint64, len(numbers))
		if err := r.EncryptAll(made, numbers, tweak); err != nil {
			if number < size {
				t.Fatal(err)
			}
			return
		}
		one, err := r.Encrypt(number, tweak)
		if err != nil || one != made[0] || slices.Max(made) >= size {
			t.Fatalf("one number and many differ, or leave the range: %v", err)
		}
		if err := r.DecryptAll(made, made, tweak); err != nil || !slices.Equal(made, numbers) {
			t.Errorf("numbers do not come back: %v", err)
		}
	})
}

func columnOf(values, offsets []byte) fast.Column {
	column := fast.Column{Values: values}
	for _, offset := range offsets {
		column.Offsets = append(column.Offsets, int64(int8(offset)))
	}
	return column
}

func comesBack(t *testing.T, tokens *fast.Tokenizer, value string) {
	t.Helper()
	token, err := tokens.Protect(value)
	if err != nil {
		if !errors.Is(err, fast.ErrInvalidValue) && !errors.Is(err, fast.ErrFormat) {
			t.Fatal(err)
		}
		if len(value) > 8 && strings.Contains(err.Error(), value) {
			t.Error("a value in a message")
		}
		return
	}
	if back, err := tokens.Reveal(token); err != nil || back != value {
		t.Errorf("a value of %d bytes does not come back: %v", len(value), err)
	}
	many, err := tokens.ProtectAll([]string{value, value}, nil)
	if err != nil || many[0] != token || many[1] != token {
		t.Errorf("a column's token is another: %v", err)
	}
}
