// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"errors"
	"fmt"

	"github.com/tallystick/tallystick/go/internal/core"
)

// The errors of this package; those returned may say more, and match these with errors.Is.
var (
	// ErrKeySize: a key has 16, 24 or 32 bytes.
	ErrKeySize error = core.KeySize
	// ErrRadix: a radix is outside 4 to 256, or parameters are of another radix than the cipher.
	ErrRadix error = core.Radix
	// ErrLength: a word has fewer than 2 symbols or more than 65536, or words are not of one length.
	ErrLength error = core.Length
	// ErrParams: the parameters are not those of a FAST cipher.
	ErrParams error = core.Parameters
	// ErrSymbol: a symbol is not below the radix, or a number not below the range's size.
	ErrSymbol error = core.Symbol
	// ErrSize: a range has 2 numbers or more.
	ErrSize = errors.New("tallystick: a range must have 2 numbers or more")
	// ErrOverlap: the destination overlaps the source, but is not the same slice.
	ErrOverlap = errors.New("tallystick: the destination overlaps the source; pass the same slice, or another one")
	// ErrDestination: the destination and the source differ in length.
	ErrDestination = errors.New("tallystick: the destination must be as long as the source")
	// ErrClosed: a cipher, range or tokenizer is used after Close.
	ErrClosed = core.ErrClosed
	// ErrMemory: no memory is left for the call; without cgo, a call works in less than 2 GiB.
	ErrMemory = core.ErrMemory
	// ErrFormat: a format can't be made as described, or can't be used for this.
	ErrFormat = errors.New("tallystick: invalid format")
	// ErrProtectOnly: a tokenizer that was made with ProtectOnly was asked to reveal.
	ErrProtectOnly = errors.New("tallystick: this handle can only protect; to reveal, open one without ProtectOnly")
	// ErrRevealOnly: a tokenizer that was made with RevealOnly was asked to protect.
	ErrRevealOnly = errors.New("tallystick: this handle can only reveal; to protect, open one without RevealOnly")
	// ErrNamespace: a namespace has 1 to 256 bytes of UTF-8.
	ErrNamespace error = core.Namespace
	// ErrOneWay: tokens of the format can't be revealed.
	ErrOneWay error = core.OneWay
	// ErrReadOnly: a format of the cipher "ff3-1" reveals tokens and makes none.
	ErrReadOnly error = core.ReadOnly
	// ErrColumn: a column's offsets do not ascend or point outside its values, or the numbers of
	// tweaks and values differ.
	ErrColumn = errors.New("tallystick: the offsets of a column do not match its values, or its tweaks do not match its rows")
	// ErrInvalidValue: a value does not match its format; the error is an *InvalidValueError.
	ErrInvalidValue = errors.New("tallystick: a value does not match its format")
)

// Reason says why a value does not match its format. The zero Reason, Fits, says that it does.
type Reason uint8

// The reasons, numbered as in the core.
const (
	Fits Reason = iota
	TooShort
	TooLong
	ForeignCharacter
	WrongDelimiter
	WrongCheckDigit
	WrongTweak
	WrongNotation
	OutOfRange
	NotNormal
)

// String says it in words, without the value.
func (r Reason) String() string { return core.ReasonText(uint8(r)) }

// InvalidValueError says which value does not match its format, and why. It matches ErrInvalidValue.
type InvalidValueError struct {
	Row    int // of the values that were given, from 0; -1 if it was a single value
	Reason Reason
	// Character is the place of the character at fault in its value, from 1, and Class what it is: a letter, a
	// digit, a space, a control character or another character. 0 and "": no one character is at fault.
	Character int
	Class     string
}

// Error says it without the value.
func (e *InvalidValueError) Error() string {
	if e.Row < 0 {
		return "tallystick: the value does not match its format: " + e.Why()
	}
	return fmt.Sprintf("tallystick: value %d does not match its format: %s", e.Row, e.Why())
}

// Why says the reason, and which character is at fault, if one is.
func (e *InvalidValueError) Why() string {
	if e.Character == 0 {
		return e.Reason.String()
	}
	return fmt.Sprintf("%v (%s, character %d)", e.Reason, e.Class, e.Character)
}

// Is reports whether target is ErrInvalidValue.
func (e *InvalidValueError) Is(target error) bool { return target == ErrInvalidValue }
