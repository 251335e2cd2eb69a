// SPDX-License-Identifier: Apache-2.0

package fast

// InvalidValue returns the error of a value that does not match the format for a reason, as ProtectColumn tells them. It
// has the place and class of the character at fault, and nothing else of the value. A character counts as at
// fault only if no value of the format has one of its class there: the digits of an impossible date are not
// placed, because that would tell which ones they are.
func (t *Tokenizer) InvalidValue(row int, value string, reason Reason) *InvalidValueError {
	e := &InvalidValueError{Row: row, Reason: reason}
	if t.format == nil {
		return e
	}
	fault := t.format.Explain(value, byte(reason))
	if fault.Position > 0 && fault.Class < len(classes) {
		e.Character, e.Class = fault.Position, classes[fault.Class]
	}
	return e
}

// classes are named as tally_character numbers them.
var classes = [...]string{"a letter", "a digit", "a space", "a control character", "another character"}
