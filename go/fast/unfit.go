// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"unicode"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Unfit returns the error of a value that does not fit the format for a reason, as ProtectColumn tells them. It
// has the place and class of the character at fault, and nothing else of the value.
func (t *Tokenizer) Unfit(row int, value string, reason Reason) *UnfitError {
	e := &UnfitError{Row: row, Reason: reason}
	if reason == ForeignCharacter && t.shape != nil {
		e.Character, e.Class = foreignCharacter(t.shape, value)
	}
	return e
}

// foreignCharacter finds the first character that the shape does not take; 0 if there is none.
func foreignCharacter(shape *core.Shape, value string) (number int, class string) {
	for at, r := range value {
		number++
		kind := shape.Kind[value[at]]
		switch {
		case kind == core.Foreign, kind == core.Leading && at != 0:
			return number, classOf(r)
		case kind == core.Mark && shape.KeepAfterMark == 1:
			return 0, ""
		}
	}
	return 0, ""
}

func classOf(r rune) string {
	switch {
	case r == utf8.RuneError:
		return "another character"
	case unicode.IsLetter(r):
		return "a letter"
	case unicode.IsDigit(r):
		return "a digit"
	case unicode.IsControl(r):
		return "a control character"
	case unicode.IsSpace(r):
		return "a space"
	}
	return "another character"
}
