// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// InvalidValue returns the error of a value that does not match the format for a reason, as ProtectColumn tells them. It
// has the place and class of the character at fault, as in Python, and nothing else of the value. A character
// counts as at fault only if no value of the format has one of its class there: the digits of an impossible
// date are not placed, because that would tell which ones they are.
func (t *Tokenizer) InvalidValue(row int, value string, reason Reason) *InvalidValueError {
	e := &InvalidValueError{Row: row, Reason: reason}
	if t.format == nil || reason != ForeignCharacter && reason != WrongDelimiter && reason != WrongNotation {
		return e
	}
	at := t.format.fault(value, reason)
	if at < 0 {
		at = invalidUTF8(value)
	}
	if at >= 0 {
		r, _ := utf8.DecodeRuneInString(value[at:])
		e.Character, e.Class = utf8.RuneCountInString(value[:at])+1, classOf(r)
	}
	return e
}

func classOf(r rune) string {
	switch {
	case unicode.IsLetter(r):
		return "a letter"
	case unicode.IsDigit(r):
		return "a digit"
	case unicode.Is(unicode.Z, r):
		return "a space"
	case unicode.IsControl(r):
		return "a control character"
	}
	return "another character"
}

// invalidUTF8 returns where a text has its first byte that is not UTF-8, or -1.
func invalidUTF8(value string) int {
	for at, r := range value {
		if r == utf8.RuneError && !strings.HasPrefix(value[at:], string(utf8.RuneError)) {
			return at
		}
	}
	return -1
}

// fault returns the byte at which the first character stands that the format does not take there, or -1.
func (f *TextFormat) fault(value string, reason Reason) int {
	if reason == WrongDelimiter && f.Delimiter != "" { // repeated, or missing
		if first := strings.Index(value, f.Delimiter); first >= 0 {
			if again := strings.Index(value[first+1:], f.Delimiter); again >= 0 {
				return first + 1 + again
			}
		}
		return -1
	}
	allowed := f.Alphabet + f.Separators + f.Delimiter
	if f.FoldCase {
		allowed += strings.ToUpper(f.Alphabet)
	}
	for at, r := range value {
		switch {
		case f.KeepAfterDelimiter && string(r) == f.Delimiter:
			return -1
		case r != utf8.RuneError && strings.ContainsRune(allowed, r):
		case at == 0 && strings.ContainsRune(f.Leading, r):
		default:
			return at
		}
	}
	return -1
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func (f *IntegerFormat) fault(value string, _ Reason) int {
	for at, r := range value {
		if !isDigit(r) && (r != '-' || at != 0) {
			return at
		}
	}
	return -1
}

func (f *DateFormat) fault(value string, _ Reason) int {
	places := parts.ReplaceAllStringFunc(f.Notation, func(part string) string { return strings.Repeat("\x00", len(part)) })
	for at, r := range value {
		switch {
		case at == len(places): // too long
			return at
		case places[at] == 0 && isDigit(r), places[at] != 0 && r == rune(places[at]):
		default:
			return at
		}
	}
	return -1
}
