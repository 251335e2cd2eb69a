// SPDX-License-Identifier: Apache-2.0

package fast

import "time"

// Luhn modes: a token has no check digit, a valid one like its value, or a wrong one, so that it can't
// be taken for the real thing.
const (
	LuhnNone    = "none"
	LuhnValid   = "valid"
	LuhnInvalid = "invalid"
)

// Luhn says what becomes of a Luhn check digit.
func Luhn(mode string) FormatOption { return FormatOption{"luhn", mode} }

// WithCipher chooses another cipher than FAST: "ff1", which needs domains of 1,000,000 values, "ff1-2016", or
// "ff3-1", which reveals tokens and makes none. docs/explanation/which-cipher.md compares them.
func WithCipher(name string) FormatOption { return FormatOption{"cipher", name} }

// TweakHex asks for the plain cipher, for tokens of other programs: the key is the data key itself,
// and the tweak is these hexadecimal digits, then the row's tweak.
func TweakHex(digits string) FormatOption { return FormatOption{"tweak_hex", digits} }

// Case says how letters are read: "keep", "lower", "upper" or "mixed".
func Case(name string) FormatOption { return FormatOption{"case", name} }

// Separators are characters that stay in their place, wherever they stand.
func Separators(characters string) FormatOption { return FormatOption{"separators", characters} }

// KeepFirst and KeepLast are how many symbols at either end stay in clear.
func KeepFirst(symbols int) FormatOption { return FormatOption{"keep_first", symbols} }

// KeepLast is explained with KeepFirst.
func KeepLast(symbols int) FormatOption { return FormatOption{"keep_last", symbols} }

// IgnoreKept: what stays in clear is not part of the tweak.
func IgnoreKept() FormatOption { return FormatOption{"kept_as_tweak", false} }

// MinSymbols and MaxSymbols are the limits of the number of symbols of a value.
func MinSymbols(symbols int) FormatOption { return FormatOption{"min_length", symbols} }

// MaxSymbols is explained with MinSymbols.
func MaxSymbols(symbols int) FormatOption { return FormatOption{"max_length", symbols} }

// AllowTinyDomain: values of a domain of fewer than 100 values are accepted.
func AllowTinyDomain() FormatOption { return FormatOption{"allow_tiny_domain", true} }

// Part is which part of an e-mail address is replaced: "local" or "all".
func Part(name string) FormatOption { return FormatOption{"part", name} }

// Country makes tokens of phone numbers keep their calling code, and a right length. It is "any" or,
// for numbers without a calling code, the two letters of a country.
func Country(name string) FormatOption { return FormatOption{"country", name} }

// Assignable limits social security numbers to those that can be assigned, or to those that never are.
func Assignable(can bool) FormatOption { return FormatOption{"assignable", can} }

// At is the reserved domain of tokens of e-mail addresses, such as "tokens.invalid".
func At(domain string) FormatOption { return FormatOption{"at", domain} }

// Days is how far dates move, at most.
func Days(days int) FormatOption { return FormatOption{"days", days} }

// First and Last are the ends of a range of dates or points in time.
func First(moment time.Time) FormatOption { return FormatOption{"first", moment} }

// Last is explained with First.
func Last(moment time.Time) FormatOption { return FormatOption{"last", moment} }

// Notation is how dates ("DD.MM.YYYY") or pseudonyms ("hex", "base32", "base64url") are written.
func Notation(name string) FormatOption { return FormatOption{"notation", name} }

// Resolution is what points in time are counted in: "s", "ms" or "us".
func Resolution(unit string) FormatOption { return FormatOption{"resolution", unit} }

// Script is the script of letters, such as "greek"; "any" takes that of the first letter.
func Script(name string) FormatOption { return FormatOption{"script", name} }

// Prefix is the number of bits of an address that stay.
func Prefix(bits int) FormatOption { return FormatOption{"prefix", bits} }

// Set is any option, as a policy has it.
func Set(name string, value any) FormatOption { return FormatOption{name, value} }
