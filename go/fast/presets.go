// SPDX-License-Identifier: Apache-2.0

package fast

import "time"

// The presets are those of the Python package and of policies (docs/reference/formats/). Each call
// returns one of its own, whose fields may be changed.

// Digits is decimal digits; spaces and dashes stay.
func Digits() *TextFormat {
	return &TextFormat{Name: "digits", Alphabet: decimals, Separators: " -"}
}

// Hex is hexadecimal digits in lower case.
func Hex() *TextFormat { return &TextFormat{Name: "hex", Alphabet: "0123456789abcdef"} }

// UpperHex is hexadecimal digits in upper case.
func UpperHex() *TextFormat { return &TextFormat{Name: "hex", Alphabet: "0123456789ABCDEF"} }

// Letters is a to z. Each place keeps its case. Spaces, dashes, dots and apostrophes stay. For
// letters of one case, change Alphabet and FoldCase.
func Letters() *TextFormat {
	return &TextFormat{Name: "letters", Alphabet: lowers, FoldCase: true, Separators: " -.'"}
}

// Alphanumeric is digits, lower-case and upper-case letters; spaces and dashes stay.
func Alphanumeric() *TextFormat {
	return &TextFormat{Name: "alphanumeric", Alphabet: decimals + lowers + uppers, Separators: " -"}
}

// Base64URL is base64url (RFC 4648); padding stays.
func Base64URL() *TextFormat {
	return &TextFormat{Name: "base64url", Alphabet: uppers + lowers + decimals + "-_", Separators: "="}
}

// ASCII is all 95 printable ASCII characters.
func ASCII() *TextFormat {
	all := make([]byte, 0, 95)
	for c := byte(' '); c <= '~'; c++ {
		all = append(all, c)
	}
	return &TextFormat{Name: "ascii", Alphabet: string(all)}
}

// Alphabet is the 4 to 95 printable ASCII characters that you give.
func Alphabet(characters string) *TextFormat {
	return &TextFormat{Name: "alphabet", Alphabet: characters}
}

// Card is payment card numbers of 12 to 19 digits with a valid check digit; tokens have one too.
// Spaces and dashes stay.
func Card() *TextFormat {
	return &TextFormat{
		Name: "card", Alphabet: decimals, Separators: " -", MinLength: 12, MaxLength: 19, Luhn: LuhnValid,
	}
}

// SSN is US social security numbers of nine digits; dashes and spaces stay.
func SSN() *TextFormat {
	return &TextFormat{Name: "ssn", Alphabet: decimals, Separators: "- ", MinLength: 9, MaxLength: 9}
}

// Phone is phone numbers of 6 to 15 digits; a leading plus and usual separators stay.
func Phone() *TextFormat {
	return &TextFormat{
		Name: "phone", Alphabet: decimals, Separators: " -()./", Leading: "+", MinLength: 6, MaxLength: 15,
	}
}

// Email is e-mail addresses. The digits and lower-case letters before the @ are replaced, and
// everything else stays. If KeepAfterDelimiter is false, the part after the @ is replaced as well.
func Email() *TextFormat {
	return &TextFormat{
		Name: "email", Alphabet: decimals + lowers, Separators: ".!#$%&'*+/=?^_`{|}~-", Delimiter: "@", KeepAfterDelimiter: true,
	}
}

// UUID is UUIDs in lower case; dashes, version and variant stay.
func UUID() *TextFormat {
	return &TextFormat{
		Name: "uuid", Alphabet: "0123456789abcdef", Separators: "-", KeepPositions: []int{12, 16},
		MinLength: 32, MaxLength: 32,
	}
}

// Date is the dates from 1900-01-01 to 2099-12-31, written as 2000-12-31.
func Date() *DateFormat {
	return &DateFormat{
		First:    time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC),
		Last:     time.Date(2099, 12, 31, 0, 0, 0, 0, time.UTC),
		Notation: "YYYY-MM-DD",
	}
}

// Integer is the integers from first to last.
func Integer(first, last int64) *IntegerFormat { return &IntegerFormat{Min: first, Max: last} }
