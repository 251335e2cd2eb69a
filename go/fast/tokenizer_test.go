// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/fast"
)

func tokenizer(t testing.TB, format *fast.Format, namespace string, options ...fast.Option) *fast.Tokenizer {
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
	format *fast.Format
	values []string
}{
	"digits":       {fast.Digits(), []string{"5304218", "53-042 18"}},
	"hex":          {fast.Hex(), []string{"abcdef09"}},
	"upper hex":    {fast.Hex(fast.Case("upper")), []string{"ABCDEF09"}},
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
	"imei":         {fast.IMEI(), []string{"49-015420-323751-8", "490154203237518"}},
	"timestamp":    {fast.Timestamp(), []string{"2019-12-31 23:59:59", "2019-12-31T23:59:59Z"}},
	"decimal":      {fast.Decimal("-10.00", "99.99", 2), []string{"-0.01", "99.99"}},
	"pattern":      {fast.Pattern("AA(-)9999"), []string{"KA-1234", "KA1234"}},
	"iban":         {fast.IBAN(), []string{"DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"}},
	"national id":  {fast.NationalID("gb.nhs"), []string{"943 476 5870"}},
	"unicode":      {fast.Unicode(), []string{"Παπαδόπουλος", "김민준", "Jürgen"}},
	"ipv4":         {fast.IPv4(fast.Prefix(8)), []string{"198.51.100.7"}},
	"ipv6":         {fast.IPv6(), []string{"2001:db8::1"}},
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
		format *fast.Format
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
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	for i, format := range []*fast.Format{
		nil,
		new(fast.Format),
		fast.Alphabet("abc"), fast.Alphabet("abcda"), fast.Alphabet("abcdé"), fast.Alphabet("ab\xffcd"),
		fast.Digits(fast.Separators("1")), fast.Digits(fast.Separators("--")),
		fast.Digits(fast.KeepFirst(65)), fast.Digits(fast.KeepLast(-1)), fast.Digits(fast.Prefix(8)),
		fast.Digits(fast.MinSymbols(9), fast.MaxSymbols(8)), fast.Digits(fast.MaxSymbols(1 << 17)),
		fast.Digits(fast.MaxSymbols(8), fast.KeepLast(7)), fast.Digits(fast.Set("keep_first", []byte{1})),
		fast.Digits(fast.Set("keep_first", func() {})),
		fast.Card(fast.Luhn("odd")), fast.Letters(fast.Case("title")),
		fast.Integer(0, 98), fast.Integer(5, 5), fast.Integer(6, 5),
		fast.Date(fast.First(day(2000)), fast.Last(day(2000))),
		fast.Date(fast.Notation("YYYY-MM")), fast.Date(fast.Notation("YYYY-MM-DDDD")),
		fast.Date(fast.Notation("YYYY\nMM-DD")),
		fast.Date(fast.First(day(0))), fast.Date(fast.Last(day(10000))),
	} {
		if _, err := fast.NewTokenizer(format, key, "d"); !errors.Is(err, fast.ErrFormat) || !errors.Is(format.Check(), fast.ErrFormat) {
			t.Errorf("format %d: %v", i, err)
		}
	}
	if _, err := fast.NewFormat("crad", nil); !errors.Is(err, fast.ErrFormat) || !strings.Contains(err.Error(), "did you mean 'card'?") {
		t.Errorf("a misspelt name: %v", err)
	}
	if made, err := fast.NewFormat("card", map[string]any{"type": "digits"}); !errors.Is(err, fast.ErrFormat) {
		t.Errorf("an option that is the format: %v, %v", made, err)
	}
	var invalid *fast.InvalidValueError
	if err := fast.Card().CheckValue("4111 1111 1111 1111"); err != nil {
		t.Error(err)
	}
	if err := fast.Card().CheckValue("4111 1111 1111 111x"); !errors.As(err, &invalid) || invalid.Character != 19 || invalid.Class != "a letter" {
		t.Errorf("an invalid value: %v", err)
	}
	if err := new(fast.Format).CheckValue("1"); !errors.Is(err, fast.ErrFormat) {
		t.Errorf("no format: %v", err)
	}
	made, err := fast.NewFormat("card", map[string]any{"keep_last": 4})
	if err != nil || !fast.SameTokens(made, fast.Card(fast.KeepLast(4))) || fast.SameTokens(made, fast.Card()) {
		t.Errorf("a format by name is another: %v", err)
	}
	for _, namespace := range []string{"", strings.Repeat("d", 257), "\xff"} {
		if _, err := fast.NewTokenizer(fast.Digits(), key, namespace); !errors.Is(err, fast.ErrNamespace) {
			t.Errorf("%q: %v", namespace, err)
		}
	}
	if _, err := fast.NewTokenizer(fast.Digits(), key[:3], "d"); !errors.Is(err, fast.ErrKeySize) {
		t.Errorf("a short key: %v", err)
	}
	tiny := fast.Integer(0, 3, fast.AllowTinyDomain())
	if _, err := fast.NewTokenizer(tiny, key, "d"); err != nil {
		t.Errorf("a tiny domain that is allowed: %v", err)
	}
}

func FuzzTokenizer(f *testing.F) {
	formats := []*fast.Format{
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

// A text has at most 1,024 symbols unless its format says more, and the tokens are the same then.
func TestMaxLength(t *testing.T) {
	usual := tokenizer(t, fast.Digits(), "d")
	explicit := tokenizer(t, fast.Digits(fast.MaxSymbols(1<<16)), "d")
	most := strings.Repeat("7", 1024)
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
}

// Every format of the core has a function here, and makes examples that it takes itself.
func TestEveryFormat(t *testing.T) {
	made := map[string]*fast.Format{"mask": fast.Mask(), "pseudonym": fast.Pseudonym(), "date_shift": fast.DateShift(fast.Days(365))}
	made["bucket"] = fast.Bucket(fast.Set("width", 10))
	made["ipcrypt"] = fast.IPcrypt(fast.Set("mode", "ndx"))
	made["truncate"] = fast.Truncate(fast.Set("characters", 3))
	for _, one := range presets {
		made[one.format.String()] = one.format
	}
	for _, name := range fast.FormatNames() {
		format := made[name]
		if format == nil {
			t.Errorf("%s: there is no function for it", name)
			continue
		}
		tokens := tokenizer(t, format, "d")
		for _, example := range format.Examples() {
			if _, err := tokens.ProtectTweaked(example, "patient number 7"); err != nil && format.Keyed() {
				t.Errorf("%s: its example: %v", name, err)
			}
		}
		if _, err := tokens.Reveal("x"); format.OneWay() != errors.Is(err, fast.ErrOneWay) {
			t.Errorf("%s: one-way or not: %v", name, err)
		}
	}
}

// Fingerprints are those of docs/reference/markers.md.
func TestFingerprints(t *testing.T) {
	key, _ := hex.DecodeString("000102030405060708090a0b0c0d0e0f")
	for _, one := range []struct {
		format     *fast.Format
		key        []byte
		namespace  string
		tweaked    bool
		said, keys string
	}{
		{fast.Digits(), key, "person", false, "32de6d15fe137767", "0a11754281c9455f"},
		{fast.Letters(), key, "note", true, "963f43fba3d5bd20", "0a11754281c9455f"},
		{fast.Mask(fast.KeepLast(4)), nil, "", false, "702ff5efcbe09233", "0000000000000000"},
	} {
		made, err := fast.NewTokenizer(one.format, one.key, one.namespace)
		if err != nil {
			t.Fatal(err)
		}
		format, own, err := made.Fingerprints(one.tweaked)
		if hex.EncodeToString(format[:8]) != one.said || hex.EncodeToString(own[:8]) != one.keys || err != nil {
			t.Errorf("%s: %x and %x: %v", one.namespace, format, own, err)
		}
		made.Close()
		if _, _, err := made.Fingerprints(one.tweaked); !errors.Is(err, fast.ErrClosed) {
			t.Error(err)
		}
	}
}

// Nulls among tweaks are one for each row, and a batch has its own.
func TestNullTweaks(t *testing.T) {
	tokens := tokenizer(t, fast.Digits(), "d")
	values, tweaks, nulls := make([]string, 20), make([]string, 20), make([]bool, 20)
	for row := range values {
		values[row], tweaks[row], nulls[row] = strings.Repeat("7", 4+row), "t", row%3 == 1
	}
	column, own := fast.ColumnOf(values), fast.ColumnOf(tweaks)
	fast.SmallBatches(t, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, wait := range []context.Context{context.Background(), ctx} {
		made, reasons, _, err := tokens.CountedColumn(wait, false, column, &own, nulls)
		if err != nil {
			t.Fatal(err)
		}
		for row, text := range made.Strings() {
			wanted, reason := values[row], fast.WrongTweak
			if !nulls[row] {
				wanted, _ = tokens.ProtectTweaked(values[row], "t")
				reason = fast.Fits
			}
			if text != wanted || reasons[row] != reason {
				t.Errorf("row %d: %s, %v", row, text, reasons[row])
			}
		}
	}
	for _, wrong := range []struct {
		own   *fast.Column
		nulls []bool
	}{{&own, nulls[1:]}, {nil, nulls}} {
		if _, _, _, err := tokens.CountedColumn(ctx, false, column, wrong.own, wrong.nulls); !errors.Is(err, fast.ErrColumn) {
			t.Error(err)
		}
	}
}
