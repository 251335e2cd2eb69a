// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Luhn says how a format treats a Luhn check digit.
type Luhn uint8

// A token has no check digit, a valid one like its value, or a wrong one, so that it can't be taken for
// the real thing.
const (
	LuhnNone Luhn = iota
	LuhnValid
	LuhnInvalid
)

func (l Luhn) String() string {
	if int(l) < 3 {
		return [...]string{"none", "valid", "invalid"}[l]
	}
	return "unknown"
}

// DefaultMaxLength is the largest number of symbols of a value, unless its format sets MaxLength.
const DefaultMaxLength = 1024

const (
	maxSymbols = core.MaxLength
	keepBits   = 64
	decimals   = "0123456789"
	lowers     = "abcdefghijklmnopqrstuvwxyz"
	uppers     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// TextFormat is words over an alphabet of ASCII characters, with separators between them. Make one
// with a function such as [Digits] or [Card], and change its fields before you use it.
type TextFormat struct {
	// Name is what errors call the format.
	Name string
	// Alphabet has 4 to 95 distinct printable ASCII characters, in the order of their symbols.
	Alphabet string
	// FoldCase: upper-case letters stand for the lower-case ones of the alphabet, which then has
	// letters only; their tokens are in upper case as well.
	FoldCase bool
	// Separators are characters that stay in their place, wherever they stand.
	Separators string
	// Leading are characters that stay, and may only be the first of a value.
	Leading string
	// Delimiter is a character such as the @ of an address: it stays, and must occur exactly once. Empty:
	// there is none.
	Delimiter string
	// KeepAfterDelimiter: everything after the delimiter stays in clear, and may be any text.
	KeepAfterDelimiter bool
	// KeepFirst and KeepLast are how many symbols at either end stay in clear; KeepFirst at most 64.
	KeepFirst, KeepLast int
	// KeepPositions are more symbols, of the first 64, that stay in clear, counted from 0.
	KeepPositions []int
	// IgnoreKept: the symbols that stay in clear are not part of the tweak. Values whose encrypted
	// parts are equal then have tokens whose encrypted parts are equal.
	IgnoreKept bool
	// MinLength and MaxLength are the limits of the number of symbols of a value, with those in clear.
	// A MaxLength of 0 stands for DefaultMaxLength, and 65536 is the largest: work is of order
	// length^1.5. Tokens depend on neither.
	MinLength, MaxLength int
	// Luhn is what becomes of a check digit: the last digit that is not kept.
	Luhn Luhn
	// AllowTinyDomain: values of a domain of fewer than 100 values are accepted.
	AllowTinyDomain bool
}

func (f *TextFormat) label() string {
	if f.Name == "" {
		return "text"
	}
	return f.Name
}

func (f *TextFormat) maxLength() int {
	if f.MaxLength == 0 {
		return DefaultMaxLength
	}
	return f.MaxLength
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func distinct(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(s[i+1:], s[i]) >= 0 {
			return false
		}
	}
	return true
}

func (f *TextFormat) check() error {
	if err := f.checkCharacters(); err != nil {
		return err
	}
	if f.KeepFirst < 0 || f.KeepLast < 0 || f.KeepFirst > keepBits {
		return wrong(f.label(), "KeepFirst must be 0 to %d, and KeepLast 0 or more", keepBits)
	}
	for _, position := range f.KeepPositions {
		if position < 0 || position >= keepBits {
			return wrong(f.label(), "KeepPositions must be 0 to %d", keepBits-1)
		}
		if position+f.KeepLast+2 > f.MinLength {
			return wrong(f.label(), "MinLength must be so large that KeepPositions and KeepLast are "+
				"different symbols of every value")
		}
	}
	if f.Luhn > LuhnInvalid {
		return wrong(f.label(), "Luhn must be LuhnNone, LuhnValid or LuhnInvalid")
	}
	if f.Luhn != LuhnNone && f.Alphabet != decimals {
		return wrong(f.label(), "a Luhn check digit needs the alphabet 0123456789")
	}
	if f.MinLength < 0 || f.MinLength > f.maxLength() || f.maxLength() > maxSymbols {
		return wrong(f.label(), "lengths must be 0 <= MinLength <= MaxLength <= %d", maxSymbols)
	}
	if f.maxWord() < f.minWord() {
		return wrong(f.label(), "a value of %d symbols has fewer than %d to encrypt; keep fewer in clear, "+
			"or allow longer values", f.maxLength(), f.minWord())
	}
	return nil
}

func (f *TextFormat) checkCharacters() error {
	if len(f.Alphabet) < 4 || len(f.Alphabet) > 95 || !distinct(f.Alphabet) {
		return wrong(f.label(), "the alphabet must have 4 to 95 distinct characters")
	}
	others := f.Separators + f.Leading + f.Delimiter
	if f.FoldCase {
		if strings.Trim(f.Alphabet, lowers) != "" {
			return wrong(f.label(), "to keep case, use an alphabet of lower-case letters only, because a digit "+
				"can't show the case of its letter")
		}
		others += strings.ToUpper(f.Alphabet)
	}
	if len(f.Delimiter) > 1 {
		return wrong(f.label(), "the delimiter must be one character")
	}
	if !printable(f.Alphabet + others) {
		return wrong(f.label(), "alphabet, separators, leading and delimiter must be printable ASCII")
	}
	if !distinct(others) || strings.ContainsAny(others, f.Alphabet) {
		return wrong(f.label(), "a character is given twice; give it once, as a symbol, a separator, leading "+
			"or the delimiter")
	}
	return nil
}

func (f *TextFormat) identity() []any {
	positions := slices.Clone(f.KeepPositions)
	slices.Sort(positions)
	positions = slices.Compact(positions)
	if positions == nil {
		positions = []int{}
	}
	return []any{
		"text", f.Alphabet, f.FoldCase, f.KeepAfterDelimiter, f.KeepFirst, f.KeepLast, positions,
		f.tweakKept(), f.Luhn.String(),
	}
}

func (f *TextFormat) radix() uint32 { return uint32(len(f.Alphabet)) }

func (f *TextFormat) layers(symbols int) int64 { return layers(f.radix(), uint32(symbols)) }

func (f *TextFormat) tweakKept() bool {
	keeps := f.KeepFirst > 0 || f.KeepLast > 0 || len(f.KeepPositions) > 0 || f.KeepAfterDelimiter
	return keeps && !f.IgnoreKept
}

func (f *TextFormat) keepMask() uint64 {
	mask := uint64(1)<<f.KeepFirst - 1 // a shift by 64 gives 0
	for _, position := range f.KeepPositions {
		mask |= 1 << position
	}
	return mask
}

// wordLength returns how many symbols of a value of so many are encrypted freely.
func (f *TextFormat) wordLength(symbols int) int {
	kept, mask := 0, f.keepMask()
	for i := range min(symbols, keepBits) {
		if mask>>i&1 == 1 && i+f.KeepLast < symbols {
			kept++
		}
	}
	length := symbols - kept - min(symbols, f.KeepLast)
	if f.Luhn != LuhnNone {
		length--
	}
	return length
}

// lengthFor returns the least length, 2 or more, of words of which there are at least so many.
func lengthFor(radix, values int) int {
	length, words := 2, radix*radix
	for words < values {
		length++
		words *= radix
	}
	return length
}

func (f *TextFormat) minWord() int {
	least := 2
	if !f.AllowTinyDomain {
		least = lengthFor(len(f.Alphabet), smallestDomain)
	}
	return max(least, f.wordLength(f.MinLength))
}

func (f *TextFormat) maxWord() int { return f.wordLength(f.maxLength()) }

func (f *TextFormat) shape() *core.Shape {
	s := &core.Shape{
		StructSize:   core.ShapeSize,
		Radix:        f.radix(),
		MinSymbols:   uint32(f.minWord()),
		MaxSymbols:   uint32(f.maxWord()),
		SmallSymbols: uint32(lengthFor(len(f.Alphabet), smallDomain)),
		Keep:         f.keepMask(),
		KeepLast:     uint32(min(f.KeepLast, maxSymbols)),
		Luhn:         uint8(f.Luhn),
	}
	if f.KeepAfterDelimiter {
		s.KeepAfterDelimiter = 1
	}
	if f.tweakKept() {
		s.TweakKept = 1
	}
	classify := func(characters string, kind uint8) {
		for i := range len(characters) {
			s.Kind[characters[i]] = kind
		}
	}
	classify(f.Separators, core.Kept)
	classify(f.Leading, core.Leading)
	classify(f.Delimiter, core.Delimiter)
	symbols := func(characters string, kind uint8, letters *[256]uint8) {
		classify(characters, kind)
		for i := range len(characters) {
			s.Symbol[characters[i]] = uint8(i)
			letters[i] = characters[i]
		}
	}
	symbols(f.Alphabet, core.SymbolByte, &s.Letter[0])
	if f.FoldCase {
		symbols(strings.ToUpper(f.Alphabet), core.Upper, &s.Letter[1])
	}
	return s
}

func (f *TextFormat) transform(pool *core.Pool, decrypt bool, column core.Strings, tweak []byte,
	tweaks *core.Strings, status []byte) (core.Strings, error) {
	return transformText(pool, f.shape(), decrypt, column, tweak, tweaks, status)
}

// transformText works in place.
func transformText(pool *core.Pool, shape *core.Shape, decrypt bool, column core.Strings, tweak []byte,
	tweaks *core.Strings, status []byte) (core.Strings, error) {
	var own core.Strings
	if tweaks != nil {
		own = *tweaks
	}
	_, err := pool.Column(decrypt, shape, column, tweak, own, column.Values, status)
	return column, err
}
