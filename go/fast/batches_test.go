// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
)

// countdown is a context that is done after it was asked some times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	c.left--
	if c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Work stops between batches, and batches give what the whole gives.
func TestBatches(t *testing.T) {
	fast.SmallBatches(t, 20_000)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for name, one := range map[string]struct {
		format *fast.Format
		value  func(i int) string
		rows   int
	}{
		"text":     {fast.Digits(), func(i int) string { return strings.Repeat("1234567890", 10) + fmt.Sprint(i) }, 120},
		"integers": {fast.Integer(0, 1<<40), func(i int) string { return fmt.Sprint(i * i) }, 1000},
	} {
		tokens := tokenizer(t, one.format, "d")
		values, tweaks := make([]string, one.rows), make([]string, one.rows)
		for i := range values {
			values[i], tweaks[i] = one.value(i), fmt.Sprint(i%7)
		}
		values[one.rows/2] = "x"
		column, own := fast.ColumnOf(values), fast.ColumnOf(tweaks)
		want, reasons, err := tokens.ProtectColumn(column, &own)
		if err != nil {
			t.Fatal(err)
		}
		got, gotReasons, err := tokens.ProtectColumnContext(ctx, column, &own)
		if err != nil || !slices.Equal(got.Strings(), want.Strings()) || !slices.Equal(gotReasons, reasons) {
			t.Errorf("%s: batches give other tokens: %v", name, err)
		}
		back, _, err := tokens.RevealColumnContext(ctx, got, &own)
		if err != nil || !slices.Equal(back.Strings(), values) {
			t.Errorf("%s: batches give other values: %v", name, err)
		}
		for looks := range 2 {
			_, _, err = tokens.ProtectColumnContext(&countdown{ctx, looks}, column, nil)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: it goes on after look %d: %v", name, looks, err)
			}
		}
		values[one.rows/2] = values[0]
		all, err := tokens.ProtectAllContext(ctx, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := tokens.RevealAllContext(ctx, all, nil); err != nil || !slices.Equal(list, values) {
			t.Errorf("%s: values do not come back: %v", name, err)
		}
	}
}

func TestWork(t *testing.T) {
	digits := tokenizer(t, fast.Digits(), "d")
	for size, want := range map[int]int64{0: 0, 1: 166, 2: 166, 16: 592, 1024: 1024 * 157, 1 << 20: 1024 * 157} {
		if got := digits.Work(size); got != want {
			t.Errorf("%d digits: %d", size, got)
		}
	}
	if got := tokenizer(t, fast.Date(), "d").Work(10); got < 50 || got > 500 {
		t.Errorf("a date: %d", got)
	}
}

// A handle that can only protect has an error of its own for all that reveals.
func TestProtectOnly(t *testing.T) {
	for _, format := range []*fast.Format{fast.Digits(), fast.Integer(0, 999_999_999)} {
		full, only := tokenizer(t, format, "d"), tokenizer(t, format, "d", fast.ProtectOnly())
		token, err := only.Protect("123456789")
		if want, _ := full.Protect("123456789"); err != nil || token != want {
			t.Errorf("another token: %v", err)
		}
		column := fast.ColumnOf([]string{token})
		for name, reveal := range map[string]func() error{
			"Reveal":        func() error { _, err := only.Reveal(token); return err },
			"RevealTweaked": func() error { _, err := only.RevealTweaked(token, "t"); return err },
			"AppendReveal":  func() error { _, err := only.AppendReveal(nil, []byte(token)); return err },
			"RevealAll":     func() error { _, err := only.RevealAll([]string{token}, nil); return err },
			"RevealColumn":  func() error { _, _, err := only.RevealColumn(column, nil); return err },
			"RevealInt64":   func() error { _, err := only.RevealInt64(7); return err },
			"no values":     func() error { _, err := only.RevealAll(nil, nil); return err },
		} {
			if err := reveal(); !errors.Is(err, fast.ErrProtectOnly) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// An invalid value's message has the place and class of the character at fault, and nothing else of the value.
func TestCharacterAtFault(t *testing.T) {
	phone, email, letters := tokenizer(t, fast.Phone(), "d"), tokenizer(t, fast.Email(), "d"), tokenizer(t, fast.Letters(), "d")
	all := fast.Email(fast.Part("all"))
	mailbox, date, integer := tokenizer(t, all, "d"), tokenizer(t, fast.Date(), "d"), tokenizer(t, fast.Integer(0, 9999), "d")
	const reason = "it has a character that the format does not allow there"
	for _, one := range []struct {
		tokens *fast.Tokenizer
		value  string
		says   string
	}{
		{phone, "0301x9", reason + " (a letter, character 5)"},
		{phone, "030 1+9", reason + " (another character, character 6)"},
		{phone, "030 19\t20", reason + " (a control character, character 7)"},
		{phone, "030\u00a0120", reason + " (a space, character 4)"},
		{phone, "030120\u0663", reason + " (a digit, character 7)"},
		{phone, "030\xff120", reason + " (another character, character 4)"},
		{letters, "Zoë", reason + " (a letter, character 3)"},
		{letters, "Zo7 Ünal", reason + " (a digit, character 3)"},
		{email, "jane.Doe@Example.org", reason + " (a letter, character 6)"},
		{email, "jane.doe.example.org", "its delimiter is missing or repeated"},
		{mailbox, "ja@ne@x", "its delimiter is missing or repeated (another character, character 6)"},
		{date, "2000/02-29", "it is not written in the format's notation (another character, character 5)"},
		{date, "2000-02-291", "it is not written in the format's notation (a digit, character 11)"},
		{date, "2000-02-3", "it is not written in the format's notation"},
		{date, "20O0-02-29", "it is not written in the format's notation (a letter, character 3)"},
		{integer, "1 000", "it is not written in the format's notation (a space, character 2)"},
		{integer, "007", "it is not written in the format's notation"},
		{phone, "1", "it has too few symbols to encrypt"},
	} {
		var invalid *fast.InvalidValueError
		if _, err := one.tokens.Protect(one.value); !errors.As(err, &invalid) || invalid.Why() != one.says || invalid.Row != -1 ||
			err.Error() != "tallystick: the value does not match its format: "+one.says {
			t.Errorf("%s: %v", one.says, err)
		}
		_, err := one.tokens.RevealAll([]string{one.value}, nil)
		if !errors.As(err, &invalid) || err.Error() != "tallystick: value 0 does not match its format: "+one.says {
			t.Errorf("%s: %v", one.says, err)
		}
	}
	for name, single := range map[string]func() error{
		"date":  func() error { _, err := tokenizer(t, fast.Date(), "d").Protect("today"); return err },
		"int64": func() error { _, err := tokenizer(t, fast.Integer(0, 999), "d").ProtectInt64(-1); return err },
	} {
		if err := single(); !errors.Is(err, fast.ErrInvalidValue) || strings.Contains(err.Error(), "value 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// go vet refuses a copy of a tokenizer. One that is made all the same is safe: it holds the same pool, which lives
// as long as either, and is closed with both.
func TestCopies(t *testing.T) {
	made, err := fast.NewTokenizer(fast.Digits(), key, "d")
	if err != nil {
		t.Fatal(err)
	}
	room := reflect.New(reflect.TypeFor[fast.Tokenizer]())
	room.Elem().Set(reflect.ValueOf(made).Elem())
	twin := room.Interface().(*fast.Tokenizer)
	want, err := made.Protect("12345678")
	if err != nil {
		t.Fatal(err)
	}
	made = nil
	for range 3 {
		runtime.GC()
	}
	if got, err := twin.Protect("12345678"); err != nil || got != want {
		t.Errorf("the original was collected: %v", err)
	}
	again := reflect.New(reflect.TypeFor[fast.Tokenizer]())
	again.Elem().Set(room.Elem())
	twin.Close()
	if _, err := again.Interface().(*fast.Tokenizer).Protect("12345678"); !errors.Is(err, fast.ErrClosed) {
		t.Errorf("the copy of what is closed: %v", err)
	}
}
