// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	vault "github.com/hashicorp/vault/shamir"
	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/fast/gofast"
	"github.com/tallystick/tallystick/go/ff1"
	own "github.com/tallystick/tallystick/go/hazmat/shamir"
	"github.com/tallystick/tallystick/go/shamir"
)

const (
	count        = 10_000 // values of a batch
	valuesInTurn = 64     // values one at a time: some take more rounds than others
	manyCards    = 1 << 20
)

var key = bytes.Repeat([]byte{0x2b}, 16)

func made[T any](b testing.TB) func(T, error) T {
	return func(value T, err error) T {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return value
	}
}

// run measures a work done by somebody; a call does so many of a unit, "values" or "bytes".
func run(b *testing.B, work, by string, amount int, unit string, call func() error) {
	b.Run(work+"/by "+by, func(b *testing.B) {
		// A call before the timed ones, whose memory is new: a large column allows two calls a turn.
		err := call()
		b.ReportAllocs()
		for err == nil && b.Loop() {
			err = call()
		}
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(amount), unit)
	})
}

// BenchmarkBeside, as BenchmarkFormats, has what bench/golang.py puts into docs/reference/benchmarks.md, and can be
// run by itself:
//
//	go test -C bench/go -run '^$' -bench . -cpu 1 ./beside
func BenchmarkBeside(b *testing.B) {
	words(b)
	batches(b)
	shares(b)
}

func words(b *testing.B) {
	bytes16, word, digits := make([]byte, 16), make([]byte, 16), "0123456789012345"
	legacy := made[*gofast.Cipher](b)(gofast.NewCipher(key))
	run(b, "16 bytes, legacy profile, nil tweak", ours, 1, "values", func() error {
		bytes16 = legacy.Encrypt(bytes16, nil)
		return nil
	})
	ten := made[*fast.Cipher](b)(fast.New(key, 10))
	run(b, "word of 16 digits", ours, 1, "values", func() error {
		_, err := ten.AppendEncrypt(word[:0], word, nil)
		return err
	})
	byFF1 := made[*ff1.Cipher](b)(ff1.New(key, 10))
	run(b, "word of 16 digits, FF1", ours, 1, "values", func() error {
		_, err := byFF1.AppendEncrypt(word[:0], word, nil)
		return err
	})
	tweak := make([]byte, 8)
	run(b, "word of 16 digits, FF1, a new tweak", ours, 1, "values", func() error {
		binary.BigEndian.PutUint64(tweak, binary.BigEndian.Uint64(tweak)+1)
		_, err := byFF1.AppendEncrypt(word[:0], word, tweak)
		return err
	})
	for _, cipher := range peers(b) {
		if strings.HasSuffix(cipher.name, "FF1") {
			run(b, "word of 16 digits, FF1", cipher.name, 1, "values", func() error {
				_, err := cipher.Encrypt(digits)
				return err
			})
		}
	}
	endings := make([]string, count)
	for i := range endings {
		endings[i] = fmt.Sprintf("411111111111%04d", i)
	}
	tokens := made[*fast.Tokenizer](b)(fast.NewTokenizer(fast.Digits(), key, "digits"))
	run(b, "text of 16 digits", ours, 1, "values", func() error {
		_, err := tokens.Protect(digits)
		return err
	})
	// The kept digits are the tweak, and none of 10,000 tweaks in turn is still in the cache.
	kept := fast.Digits(fast.KeepLast(4))
	withKept := made[*fast.Tokenizer](b)(fast.NewTokenizer(kept, key, "digits"))
	row := 0
	run(b, "text of 16 digits, the last 4 kept as a new tweak", ours, 1, "values", func() error {
		row = (row + 1) % count
		_, err := withKept.Protect(endings[row])
		return err
	})
	textByFF1 := made[*fast.Tokenizer](b)(fast.NewTokenizer(fast.Digits(fast.WithCipher("ff1")), key, "digits"))
	run(b, "FF1, text of 16 digits", ours, 1, "values", func() error {
		_, err := textByFF1.Protect(digits)
		return err
	})
	for _, cipher := range peers(b) {
		run(b, "text of 16 digits", cipher.name, 1, "values", func() error {
			_, err := cipher.Encrypt(digits)
			return err
		})
	}
	for _, radix := range []int{10, 256} {
		run(b, fmt.Sprintf("a cipher from a key, radix %d", radix), ours, 1, "values", func() error {
			c, err := fast.New(key, radix)
			if err == nil {
				c.Close()
			}
			return err
		})
	}
}

//go:embed formats.json
var measured []byte

// BenchmarkFormats measures one value of every format; bench/formats.py does so from Python.
func BenchmarkFormats(b *testing.B) {
	if alone { // the cost of a call is that of the words above
		return
	}
	var groups map[string][]struct {
		Label, Type, Value string
		Options, Source    map[string]any
		Entities           int
	}
	if err := json.Unmarshal(measured, &groups); err != nil {
		b.Fatal(err)
	}
	for _, title := range slices.Sorted(maps.Keys(groups)) {
		for _, one := range groups[title] {
			form := made[*fast.Format](b)(fast.NewFormat(one.Type, one.Options))
			own := key
			if !form.Keyed() {
				own = nil
			}
			tokens := made[*fast.Tokenizer](b)(fast.NewTokenizer(form, own, "bench"))
			if one.Source != nil {
				form = made[*fast.Format](b)(fast.NewFormat(one.Source["type"].(string), without(one.Source, "type")))
			}
			source := made[*fast.Tokenizer](b)(fast.NewTokenizer(form, key, "source"))
			values := make([]string, valuesInTurn)
			for i := range values {
				values[i] = made[string](b)(source.ProtectTweaked(one.Value, strconv.Itoa(i)))
			}
			row := 0
			run(b, "one value, "+one.Label, ours, 1, "values", func() (err error) {
				row = (row + 1) % len(values)
				if one.Entities > 0 {
					_, err = tokens.ProtectTweaked(values[row], "1")
				} else {
					_, err = tokens.Protect(values[row])
				}
				return err
			})
		}
	}
}

func without(options map[string]any, name string) map[string]any {
	delete(options, name)
	return options
}

func batches(b *testing.B) {
	batch := fmt.Sprintf("batch of %d", count)
	words, texts := make([]byte, 16*count), make([]string, count)
	for i := range texts {
		texts[i] = fmt.Sprintf("%016d", i)
	}
	ten := made[*fast.Cipher](b)(fast.New(key, 10))
	run(b, batch+", words of 16 digits, in place", ours, count, "values", func() error {
		return ten.EncryptWords(words, words, 16, nil)
	})
	byFF1 := made[*ff1.Cipher](b)(ff1.New(key, 10))
	run(b, batch+", words of 16 digits, in place, FF1", ours, count, "values", func() error {
		return byFF1.EncryptWords(words, words, 16, nil)
	})
	tokens := made[*fast.Tokenizer](b)(fast.NewTokenizer(fast.Digits(), key, "digits"))
	column := fast.ColumnOf(texts)
	run(b, batch+", column of 16 digits", ours, count, "values", func() error {
		_, _, err := tokens.ProtectColumn(column, nil)
		return err
	})
	run(b, batch+", strings of 16 digits", ours, count, "values", func() error {
		_, err := tokens.ProtectAll(texts, nil)
		return err
	})
	columnByFF1 := made[*fast.Tokenizer](b)(fast.NewTokenizer(fast.Digits(fast.WithCipher("ff1")), key, "digits"))
	run(b, "FF1, column of 16 digits", ours, count, "values", func() error {
		_, _, err := columnByFF1.ProtectColumn(column, nil)
		return err
	})
	rows := make([]string, count)
	for i := range rows {
		rows[i] = fmt.Sprintf("%08d", i)
	}
	tweaks := fast.ColumnOf(rows)
	run(b, "FF1, column with a tweak of 8 bytes a row", ours, count, "values", func() error {
		_, _, err := columnByFF1.ProtectColumn(column, &tweaks)
		return err
	})
	cards := made[*fast.Tokenizer](b)(fast.NewTokenizer(fast.Card(fast.KeepLast(4)), key, "cards"))
	numbers := make([]string, manyCards)
	for i := range numbers {
		numbers[i] = card(uint64(i) * 0x9e3779b97f4a7c15 % 1e15)
	}
	many := fast.ColumnOf(numbers)
	run(b, "column of 1,048,576 cards, the last four digits kept", ours, manyCards, "values", func() error {
		_, _, err := cards.ProtectColumn(many, nil)
		return err
	})
	for _, cipher := range peers(b) {
		run(b, batch+", strings of 16 digits", cipher.name, count, "values", func() error {
			for _, text := range texts {
				if _, err := cipher.Encrypt(text); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// card puts the check digit of Luhn behind 15 digits.
func card(number uint64) string {
	sum, rest := uint64(0), number
	for i := range 15 {
		digit := rest % 10
		rest /= 10
		if i%2 == 0 {
			digit = digit*2/10 + digit*2%10
		}
		sum += digit
	}
	return fmt.Sprintf("%015d%d", number, (10-sum%10)%10)
}

func shares(b *testing.B) {
	for _, set := range []struct {
		name             string
		size, parts, few int
	}{{"1 MB, 2 of 5", 1 << 20, 5, 2}, {"32 bytes, 3 of 5", 32, 5, 3}, {"32 bytes, 2 of 5", 32, 5, 2}} {
		amount, unit := 1, "values"
		if set.size > 1000 {
			amount, unit = set.size, "bytes"
		}
		secret, shares := bytes.Repeat([]byte{7}, set.size), make([][]byte, set.parts)
		for i := range shares {
			shares[i] = make([]byte, set.size+1)
		}
		split := made[[][]byte](b)(own.Split(secret, set.parts, set.few))
		run(b, "split, "+set.name, ours, amount, unit, func() error {
			_, err := own.Split(secret, set.parts, set.few)
			return err
		})
		run(b, "split, "+set.name, ours+", SplitInto", amount, unit, func() error {
			return own.SplitInto(shares, secret, set.few)
		})
		if !alone {
			run(b, "split, "+set.name, "Vault", amount, unit, func() error {
				_, err := vault.Split(secret, set.parts, set.few)
				return err
			})
		}
		run(b, "combine, "+set.name, ours, amount, unit, func() error {
			_, err := own.Combine(split[:set.few])
			return err
		})
		if !alone {
			run(b, "combine, "+set.name, "Vault", amount, unit, func() error {
				_, err := vault.Combine(split[:set.few])
				return err
			})
		}
	}
	authentic := made[[][]byte](b)(shamir.SplitAuthentic(make([]byte, 32), 5, 3, ""))
	run(b, "authentic split, 32 bytes, 3 of 5", ours, 1, "values", func() error {
		_, err := shamir.SplitAuthentic(make([]byte, 32), 5, 3, "")
		return err
	})
	run(b, "authentic combine, 32 bytes, 3 of 5", ours, 1, "values", func() error {
		_, err := shamir.CombineAuthentic(authentic[:3])
		return err
	})
}

// TestVaultAndTallystick has the shares of each combined by the other.
func TestVaultAndTallystick(t *testing.T) {
	for _, size := range []int{1, 2, 32, 1000, 70_000} {
		secret := bytes.Repeat([]byte("secret "), size)[:size]
		for _, set := range [][2]int{{2, 2}, {5, 3}, {255, 9}} {
			if size > 1000 && set[0] > 5 {
				continue
			}
			theirs, mine := made[[][]byte](t)(vault.Split(secret, set[0], set[1])), made[[][]byte](t)(own.Split(secret, set[0], set[1]))
			if got, err := own.Combine(theirs[set[0]-set[1]:]); err != nil || !bytes.Equal(got, secret) {
				t.Errorf("%d bytes, %v: another secret from Vault's parts: %v", size, set, err)
			}
			if got, err := vault.Combine(mine[set[0]-set[1]:]); err != nil || !bytes.Equal(got, secret) {
				t.Errorf("%d bytes, %v: Vault has another secret from our parts: %v", size, set, err)
			}
			if len(theirs[0]) != len(mine[0]) || vault.ShareOverhead != own.ShareOverhead {
				t.Errorf("%d bytes, %v: parts of another size", size, set)
			}
		}
	}
}

// TestErrorsOfVault compares what is refused, and the words for it.
func TestErrorsOfVault(t *testing.T) {
	for i, one := range []struct{ size, parts, threshold int }{
		{1, 2, 3}, {1, 1000, 3}, {1, 10, 1}, {1, 256, 256}, {0, 3, 2}, {1, 0, 0}, {1, 3, -1}, {1, -1, -2}, {1, 255, 2},
	} {
		_, theirs := vault.Split(make([]byte, one.size), one.parts, one.threshold)
		_, mine := own.Split(make([]byte, one.size), one.parts, one.threshold)
		if text(theirs) != text(mine) {
			t.Errorf("split %d: %v, and Vault: %v", i, mine, theirs)
		}
	}
	for i, parts := range [][][]byte{
		nil, {[]byte("foo")}, {[]byte("foo"), []byte("ba")}, {[]byte("f"), []byte("b")}, {{}, {}},
		{[]byte("foo"), []byte("foo")}, {[]byte("foo"), []byte("bar")}, {nil, []byte("foo")},
	} {
		_, theirs := vault.Combine(parts)
		_, mine := own.Combine(parts)
		if text(theirs) != text(mine) {
			t.Errorf("combine %d: %v, and Vault: %v", i, mine, theirs)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimSpace(err.Error())
}
