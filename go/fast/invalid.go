// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"fmt"

	"github.com/tallystick/tallystick/go/internal/core"
)

// InvalidValue returns the error of a value that does not match the format for a reason, as ProtectColumn tells them. It
// has the place and class of the character at fault, and nothing else of the value. A character counts as at
// fault only if no value of the format has one of its class there: the digits of an impossible date are not
// placed, because that would tell which ones they are.
func (t *Tokenizer) InvalidValue(row int, value string, reason Reason) *InvalidValueError {
	if t.format == nil {
		return &InvalidValueError{Row: row, Reason: reason}
	}
	return invalid(row, reason, t.format.Explain(value, byte(reason)))
}

// CheckValue returns an *InvalidValueError that says why a value, as text, is not one of the format's, or nil. It needs
// no key, and takes some tens of microseconds: a Tokenizer checks each value that it protects.
func (f *Format) CheckValue(value string) error {
	made, err := f.core()
	if err != nil {
		return err
	}
	if len(value) > core.MaxOneValue {
		return fmt.Errorf("%w: a value of more than %d bytes can't be checked; protect it, which checks it too", ErrFormat, core.MaxOneValue)
	}
	reason, fault, err := made.CheckValue(value)
	if err != nil {
		return asFormatError(err)
	}
	if reason == 0 {
		return nil
	}
	return invalid(-1, Reason(reason), fault)
}

func invalid(row int, reason Reason, fault core.Fault) *InvalidValueError {
	e := &InvalidValueError{Row: row, Reason: reason}
	if fault.Position > 0 && fault.Class < len(classes) {
		e.Character, e.Class = fault.Position, classes[fault.Class]
	}
	return e
}

// classes are named as tally_character numbers them.
var classes = [...]string{"a letter", "a digit", "a space", "a control character", "another character"}
