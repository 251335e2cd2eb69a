// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/fast"
)

func tokenizer(t testing.TB, format fast.Format, namespace string, options ...fast.Option) *fast.Tokenizer {
	t.Helper()
	made, err := fast.NewTokenizer(format, key, namespace, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

// presets has each format with values that fit it.
var presets = map[string]struct {
	format fast.Format
	values []string
}{
	"digits":       {fast.Digits(), []string{"5304218", "53-042 18"}},
	"hex":          {fast.Hex(), []string{"abcdef09"}},
	"upper hex":    {fast.UpperHex(), []string{"ABCDEF09"}},
	"letters":      {fast.Letters(), []string{"Anne O'Neill"}},
	"alphanumeric": {fast.Alphanumeric(), []string{"Unit 9B"}},
	"base64url":    {fast.Base64URL(), []string{"dGFsbHk_c3RpY2s="}},
	"ascii":        {fast.ASCII(), []string{"Hello, world!"}},
	"alphabet":     {fast.Alphabet("ACGT"), []string{"GATTACA"}},
	"card":         {fast.Card(), []string{"4111 1111 1111 1111", "378282246310005"}},
	"ssn":          {fast.SSN(), []string{"078-05-1120", "078051120"}},
	"phone":        {fast.Phone(), []string{"+1 (202) 555-0143", "030/901820"}},
	"email":        {fast.Email(), []string{"jane.doe+news@example.org"}},
	"uuid":         {fast.UUID(), []string{"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"}},
	"date":         {fast.Date(), []string{"2000-02-29", "1900-01-01", "2099-12-31"}},
	"integer":      {fast.Integer(-50, 1000), []string{"-50", "0", "1000"}},
}

func TestReadyFormats(t *testing.T) {
	for name, one := range presets {
		tokens := tokenizer(t, one.format, name)
		all, err := tokens.ProtectAll(one.values, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, value := range one.values {
			token, err := tokens.Protect(value)
			if err != nil || token != all[i] || token == value {
				t.Errorf("%s: one value and many differ, or it is its own token: %v", name, err)
			}
			if back, err := tokens.Reveal(token); err != nil || back != value {
				t.Errorf("%s: a value does not come back: %v", name, err)
			}
			tweaked, err := tokens.ProtectTweaked(value, "customer 7")
			if err != nil || tweaked == token {
				t.Errorf("%s: a tweak changes nothing: %v", name, err)
			}
			if back, err := tokens.RevealTweaked(tweaked, "customer 7"); err != nil || back != value {
				t.Errorf("%s: a value under a tweak does not come back: %v", name, err)
			}
			appended, err := tokens.AppendProtect([]byte("> "), []byte(value))
			if err != nil || string(appended) != "> "+token {
				t.Errorf("%s: another token is appended: %v", name, err)
			}
			if appended, err = tokens.AppendReveal(nil, []byte(token)); err != nil || string(appended) != value {
				t.Errorf("%s: another value is appended: %v", name, err)
			}
		}
		if back, err := tokens.RevealAll(all, nil); err != nil || strings.Join(back, "|") != strings.Join(one.values, "|") {
			t.Errorf("%s: many values do not come back: %v", name, err)
		}
	}
}

func TestReasons(t *testing.T) {
	for _, one := range []struct {
		format fast.Format
		value  string
		tweak  string
		want   fast.Reason
	}{
		{fast.SSN(), "12345678", "", fast.TooShort},
		{fast.SSN(), "1234567890", "", fast.TooLong},
		{fast.Digits(), "12a45", "", fast.ForeignCharacter},
		{fast.Digits(), "", "", fast.TooShort},
		{fast.Email(), "nobody", "", fast.WrongDelimiter},
		{fast.Card(), "4111111111111112", "", fast.WrongCheckDigit},
		{fast.Digits(), "123456", strings.Repeat("t", 1024), fast.WrongTweak},
		{fast.Date(), "2000-1-1", "", fast.WrongNotation},
		{fast.Date(), "2001-02-29", "", fast.WrongNotation},
		{fast.Date(), "1899-12-31", "", fast.OutOfRange},
		{fast.Integer(0, 999), "007", "", fast.WrongNotation},
		{fast.Integer(0, 999), "1000", "", fast.OutOfRange},
		{fast.Integer(0, 999), "5", strings.Repeat("t", 1024), fast.WrongTweak},
		{fast.Integer(0, 999), "x", strings.Repeat("t", 1024), fast.WrongNotation},
	} {
		tokens := tokenizer(t, one.format, "d")
		var err error
		if one.tweak == "" {
			_, err = tokens.Protect(one.value)
		} else {
			_, err = tokens.ProtectTweaked(one.value, one.tweak)
		}
		var invalid *fast.InvalidValueError
		if !errors.Is(err, fast.ErrInvalidValue) || !errors.As(err, &invalid) || invalid.Reason != one.want {
			t.Errorf("%T, %q: %v, not %v", one.format, one.value, err, one.want)
		}
		if len(one.value) > 3 && err != nil && strings.Contains(err.Error(), one.value) {
			t.Errorf("%T: the message holds the value", one.format)
		}
	}
}

func TestColumns(t *testing.T) {
	for name, one := range presets {
		tokens := tokenizer(t, one.format, name)
		values := append([]string{"?\x00"}, one.values...)
		column := fast.ColumnOf(values)
		before := string(column.Values)
		made, reasons, err := tokens.ProtectColumn(column, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		texts := made.Strings()
		if reasons[0] == fast.Fits || texts[0] != values[0] || string(column.Values) != before {
			t.Errorf("%s: an invalid value is not kept, or the column was changed", name)
		}
		for i, value := range values[1:] {
			if want, err := tokens.Protect(value); err != nil || reasons[i+1] != fast.Fits || texts[i+1] != want {
				t.Errorf("%s: a column's token is another: %v", name, err)
			}
		}
		tweaks := fast.ColumnOf(make([]string, len(values)))
		made, _, err = tokens.ProtectColumn(column, &tweaks)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, _, err := tokens.RevealColumn(made, &tweaks)
		if err != nil || string(back.Values) != before {
			t.Errorf("%s: a column under tweaks does not come back: %v", name, err)
		}
	}
	digits := tokenizer(t, fast.Digits(), "d")
	for _, bad := range []fast.Column{
		{[]int64{0, 4}, []byte("123")}, {[]int64{2, 1}, []byte("123")}, {[]int64{-1, 2}, []byte("123")},
	} {
		if _, _, err := digits.ProtectColumn(bad, nil); !errors.Is(err, fast.ErrColumn) {
			t.Errorf("%v: %v", bad.Offsets, err)
		}
		if _, _, err := digits.ProtectColumn(fast.ColumnOf([]string{"1"}), &bad); !errors.Is(err, fast.ErrColumn) {
			t.Errorf("tweaks %v: %v", bad.Offsets, err)
		}
	}
	two := fast.ColumnOf([]string{"a", "b"})
	if _, _, err := digits.ProtectColumn(fast.ColumnOf([]string{"1"}), &two); !errors.Is(err, fast.ErrColumn) {
		t.Errorf("more tweaks than rows: %v", err)
	}
	if _, err := digits.ProtectAll([]string{"1"}, []string{}); !errors.Is(err, fast.ErrColumn) {
		t.Errorf("fewer tweaks than values: %v", err)
	}
	if made, _, err := digits.ProtectColumn(fast.Column{}, nil); err != nil || made.Len() != 0 {
		t.Errorf("no rows: %v", err)
	}
	if made, err := digits.ProtectAll(nil, nil); err != nil || len(made) != 0 {
		t.Errorf("no values: %v", err)
	}
	var invalid *fast.InvalidValueError
	if _, err := digits.ProtectAll([]string{"123456", "x"}, nil); !errors.As(err, &invalid) || invalid.Row != 1 {
		t.Errorf("the second value is invalid: %v", err)
	}
}

func TestInt64(t *testing.T) {
	wide := tokenizer(t, fast.Integer(-1<<63, 1<<63-1), "n")
	for _, value := range []int64{-1 << 63, -1, 0, 1<<63 - 1} {
		token, err := wide.ProtectInt64(value)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := wide.RevealInt64(token); err != nil || back != value {
			t.Errorf("%d does not come back: %v", value, err)
		}
	}
	if _, err := wide.Protect("1"); !errors.Is(err, fast.ErrFormat) {
		t.Errorf("19 digits as text: %v", err)
	}
	narrow := tokenizer(t, fast.Integer(-500, 500), "n")
	token, err := narrow.ProtectInt64(-7)
	text, errText := narrow.Protect("-7")
	if err != nil || errText != nil || fmt.Sprint(token) != text {
		t.Errorf("an integer and its text differ: %v, %v", err, errText)
	}
	if _, err := narrow.ProtectInt64(501); !errors.Is(err, fast.ErrInvalidValue) {
		t.Errorf("an integer outside: %v", err)
	}
	if _, err := tokenizer(t, fast.Digits(), "n").ProtectInt64(1); !errors.Is(err, fast.ErrFormat) {
		t.Errorf("an integer as digits: %v", err)
	}
}

func TestFormatsThatAreNone(t *testing.T) {
	text := func(change func(*fast.TextFormat)) fast.Format {
		f := fast.Digits()
		change(f)
		return f
	}
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	for i, format := range []fast.Format{
		nil,
		fast.Alphabet("abc"), fast.Alphabet("abcda"), fast.Alphabet("abcdé"),
		text(func(f *fast.TextFormat) { f.Separators = "1" }),
		text(func(f *fast.TextFormat) { f.Separators = "--" }),
		text(func(f *fast.TextFormat) { f.Delimiter = "ab" }),
		text(func(f *fast.TextFormat) { f.FoldCase = true }),
		text(func(f *fast.TextFormat) { f.KeepFirst = 65 }),
		text(func(f *fast.TextFormat) { f.KeepLast = -1 }),
		text(func(f *fast.TextFormat) { f.KeepPositions = []int{1} }),
		text(func(f *fast.TextFormat) { f.KeepPositions = []int{64} }),
		text(func(f *fast.TextFormat) { f.MinLength, f.MaxLength = 9, 8 }),
		text(func(f *fast.TextFormat) { f.MaxLength = 1 << 17 }),
		text(func(f *fast.TextFormat) { f.MaxLength, f.KeepLast = 8, 7 }),
		text(func(f *fast.TextFormat) { f.Luhn = 3 }),
		&fast.TextFormat{Alphabet: "0123456789abcdef", Luhn: fast.LuhnValid},
		fast.Integer(0, 98), fast.Integer(5, 5), fast.Integer(6, 5),
		&fast.DateFormat{First: day(2000), Last: day(2000), Notation: "YYYY-MM-DD"},
		&fast.DateFormat{First: day(2000), Last: day(2001), Notation: "YYYY-MM"},
		&fast.DateFormat{First: day(2000), Last: day(2001), Notation: "YYYY-MM-DDDD"},
		&fast.DateFormat{First: day(2000), Last: day(2001), Notation: "YYYY\nMM-DD"},
		&fast.DateFormat{First: day(0), Last: day(2001), Notation: "YYYY-MM-DD"},
		&fast.DateFormat{First: day(2000), Last: day(10000), Notation: "YYYY-MM-DD"},
		&fast.DateFormat{},
	} {
		if _, err := fast.NewTokenizer(format, key, "d"); !errors.Is(err, fast.ErrFormat) {
			t.Errorf("format %d: %v", i, err)
		}
	}
	for _, namespace := range []string{"", strings.Repeat("d", 257), "\xff"} {
		if _, err := fast.NewTokenizer(fast.Digits(), key, namespace); !errors.Is(err, fast.ErrNamespace) {
			t.Errorf("%q: %v", namespace, err)
		}
	}
	if _, err := fast.NewTokenizer(fast.Digits(), key[:3], "d"); !errors.Is(err, fast.ErrKeySize) {
		t.Errorf("a short key: %v", err)
	}
	tiny := &fast.IntegerFormat{Min: 0, Max: 3, AllowTinyDomain: true}
	if _, err := fast.NewTokenizer(tiny, key, "d"); err != nil {
		t.Errorf("a tiny domain that is allowed: %v", err)
	}
}

func FuzzTokenizer(f *testing.F) {
	formats := []fast.Format{
		fast.Digits(), fast.Letters(), fast.Card(), fast.Email(), fast.UUID(), fast.Date(),
		fast.Integer(-999, 1_000_000), fast.ASCII(), fast.Phone(),
	}
	var made []*fast.Tokenizer
	for _, format := range formats {
		made = append(made, tokenizer(f, format, "fuzz"))
	}
	for i, value := range []string{
		"53-042 18", "Anne O'Neill", "4111 1111 1111 1111", "a@b", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
		"2000-02-29", "-999", "Hello", "+1 (202) 555-0143", "", "\x00\xff",
	} {
		f.Add(uint8(i), value, "tweak")
	}
	f.Fuzz(func(t *testing.T, which uint8, value, tweak string) {
		tokens := made[int(which)%len(made)]
		token, err := tokens.ProtectTweaked(value, tweak)
		if err != nil {
			if !errors.Is(err, fast.ErrInvalidValue) {
				t.Fatal(err)
			}
			return
		}
		if back, err := tokens.RevealTweaked(token, tweak); err != nil || back != value {
			t.Errorf("a value of %d bytes does not come back: %v", len(value), err)
		}
	})
}

func BenchmarkProtect(b *testing.B) {
	tokens := tokenizer(b, fast.Digits(), "d")
	value := []byte("0123456789012345")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tokens.AppendProtect(value[:0], value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProtectAll(b *testing.B) {
	const count = 10000
	tokens := tokenizer(b, fast.Digits(), "d")
	values := make([]string, count)
	for i := range values {
		values[i] = fmt.Sprintf("%016d", i)
	}
	b.Run("strings", func(b *testing.B) {
		for b.Loop() {
			if _, err := tokens.ProtectAll(values, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
	})
	b.Run("column", func(b *testing.B) {
		column := fast.ColumnOf(values)
		for b.Loop() {
			if _, _, err := tokens.ProtectColumn(column, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
	})
}

// A text has at most DefaultMaxLength symbols unless its format says more, and the tokens are the same then.
func TestMaxLength(t *testing.T) {
	format, wide := fast.Digits(), fast.Digits()
	wide.MaxLength = fast.MaxLength
	usual, err := fast.NewTokenizer(format, key, "d")
	if err != nil {
		t.Fatal(err)
	}
	defer usual.Close()
	explicit, err := fast.NewTokenizer(wide, key, "d")
	if err != nil {
		t.Fatal(err)
	}
	defer explicit.Close()
	most := strings.Repeat("7", fast.DefaultMaxLength)
	one, err := usual.Protect(most)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := explicit.Protect(most); err != nil || other != one {
		t.Errorf("another token with an explicit length: %v", err)
	}
	var invalid *fast.InvalidValueError
	if _, err := usual.Protect(most + "7"); !errors.As(err, &invalid) || invalid.Reason != fast.TooLong {
		t.Errorf("%d symbols: %v", len(most)+1, err)
	}
	if _, err := explicit.Protect(most + "7"); err != nil {
		t.Errorf("%d symbols, of a format that allows them: %v", len(most)+1, err)
	}
	for _, format := range []*fast.TextFormat{
		fast.Hex(), fast.UpperHex(), fast.Letters(), fast.Alphanumeric(), fast.Base64URL(), fast.ASCII(), fast.Email(),
		fast.Alphabet("ACGT"),
	} {
		format.MinLength = fast.DefaultMaxLength + 1
		if err := fast.CheckFormat(format); !errors.Is(err, fast.ErrFormat) {
			t.Errorf("%s: more than the default is allowed: %v", format.Name, err)
		}
	}
}
