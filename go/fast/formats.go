// SPDX-License-Identifier: Apache-2.0

package fast

import "time"

// Digits is decimal digits; spaces and dashes stay.
func Digits(options ...FormatOption) *Format { return newFormat("digits", options) }

// Hex is hexadecimal digits, in lower case unless Case says "upper".
func Hex(options ...FormatOption) *Format { return newFormat("hex", options) }

// Letters is a to z. Each place keeps its case. Spaces, dashes, dots and apostrophes stay.
func Letters(options ...FormatOption) *Format { return newFormat("letters", options) }

// Alphanumeric is digits, lower-case and upper-case letters; spaces and dashes stay.
func Alphanumeric(options ...FormatOption) *Format { return newFormat("alphanumeric", options) }

// Base64URL is base64url (RFC 4648); padding stays.
func Base64URL(options ...FormatOption) *Format { return newFormat("base64url", options) }

// ASCII is all 95 printable ASCII characters.
func ASCII(options ...FormatOption) *Format { return newFormat("ascii", options) }

// Alphabet is the 4 to 95 printable ASCII characters that you give.
func Alphabet(characters string, options ...FormatOption) *Format {
	return newFormat("alphabet", options, FormatOption{"alphabet", characters})
}

// Card is payment card numbers of 12 to 19 digits with a valid check digit; tokens have one too.
// Spaces and dashes stay.
func Card(options ...FormatOption) *Format { return newFormat("card", options) }

// IMEI is the numbers of mobile devices, with check digit.
func IMEI(options ...FormatOption) *Format { return newFormat("imei", options) }

// SSN is US social security numbers of nine digits; dashes and spaces stay.
func SSN(options ...FormatOption) *Format { return newFormat("ssn", options) }

// Phone is phone numbers of 6 to 15 digits; a leading plus and usual separators stay.
func Phone(options ...FormatOption) *Format { return newFormat("phone", options) }

// Email is e-mail addresses. The digits and lower-case letters before the @ are replaced, and
// everything else stays; with Part("all") the part after the @ is replaced as well.
func Email(options ...FormatOption) *Format { return newFormat("email", options) }

// UUID is UUIDs in lower case; dashes, version and variant stay.
func UUID(options ...FormatOption) *Format { return newFormat("uuid", options) }

// Date is the dates from 1900-01-01 to 2099-12-31, written as 2000-12-31.
func Date(options ...FormatOption) *Format { return newFormat("date", options) }

// DateShift is dates, those of one entity moved by one secret number of days, at most days: the tweak
// names the entity.
func DateShift(days int, options ...FormatOption) *Format {
	return newFormat("date_shift", options, FormatOption{"days", days})
}

// Timestamp is the points in time from 1970 to 2069, in seconds.
func Timestamp(options ...FormatOption) *Format { return newFormat("timestamp", options) }

// Integer is the integers from first to last.
func Integer(first, last int64, options ...FormatOption) *Format {
	return newFormat("integer", options, FormatOption{"min", first}, FormatOption{"max", last})
}

// Decimal is the decimal numbers from first to last, such as "0.00", with scale digits after the
// point.
func Decimal(first, last string, scale int, options ...FormatOption) *Format {
	return newFormat("decimal", options, FormatOption{"min", first}, FormatOption{"max", last},
		FormatOption{"scale", scale})
}

// Pattern is codes by a pattern, such as "AA-99": plates, postal codes.
func Pattern(pattern string, options ...FormatOption) *Format {
	return newFormat("pattern", options, FormatOption{"pattern", pattern})
}

// IBAN is bank accounts, with check digits; the country stays.
func IBAN() *Format { return newFormat("iban", nil) }

// NationalID is the identifiers of a kind, such as "de.idnr", with check digits.
func NationalID(kind string) *Format {
	return newFormat("national_id", nil, FormatOption{"kind", kind})
}

// Unicode is the letters of a script: names of the world.
func Unicode(options ...FormatOption) *Format { return newFormat("unicode", options) }

// IPv4 is addresses; with Prefix the network stays.
func IPv4(options ...FormatOption) *Format { return newFormat("ipv4", options) }

// IPv6 is addresses; with Prefix the network stays.
func IPv6(options ...FormatOption) *Format { return newFormat("ipv6", options) }

// IPcrypt is addresses by draft-denis-ipcrypt, whose key it has; Set("mode", ...) chooses "deterministic",
// "nd", "ndx" or "pfx".
func IPcrypt(options ...FormatOption) *Format { return newFormat("ipcrypt", options) }

// Mask hides text but for its ends. It is one-way and has no key.
func Mask(options ...FormatOption) *Format { return newFormat("mask", options) }

// Pseudonym replaces text by tags under the key. It is one-way.
func Pseudonym(options ...FormatOption) *Format { return newFormat("pseudonym", options) }

// Bucket puts numbers, dates and ages into ranges, as Set("width", ...) and the like say. It is one-way
// and has no key.
func Bucket(options ...FormatOption) *Format { return newFormat("bucket", options) }

// Truncate cuts postal codes and coordinates short. It is one-way and has no key.
func Truncate(options ...FormatOption) *Format { return newFormat("truncate", options) }

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
