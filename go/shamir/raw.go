// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"errors"
	"strings"
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

// ShareOverhead is how many bytes longer than the secret a raw share is: its x coordinate, at its end.
const ShareOverhead = 1

// Field is the polynomial modulo which bytes are multiplied.
type Field uint32

// The fields that shares are of. Shares of one do not combine in the other.
const (
	FieldAES Field = 0x11B // that of Vault, OpenBao and all new shares: x^8 + x^4 + x^3 + x + 1
	FieldRS  Field = 0x11D // that of Go-Shamir and some older tools: x^8 + x^4 + x^3 + x^2 + 1
)

// The errors of raw shares. All but the last two are those of Vault, with its texts.
var (
	ErrPartsBelowThreshold = errors.New("parts cannot be less than threshold")
	ErrTooManyParts        = errors.New("parts cannot exceed 255")
	ErrThreshold           = errors.New("threshold must be at least 2")
	ErrEmptySecret         = errors.New("cannot split an empty secret")
	ErrFewParts            = errors.New("less than two parts cannot be used to reconstruct the secret")
	ErrShortPart           = errors.New("parts must be at least two bytes")
	ErrPartLengths         = errors.New("all parts must be the same length")
	ErrDuplicatePart       = errors.New("duplicate part detected")
	// ErrCoordinate: a part says that its x coordinate is 0, where the secret itself is. No tool makes
	// such a part; Vault takes it for the secret.
	ErrCoordinate = errors.New("a part has the x coordinate 0: no part has")
	// ErrField: the field is neither FieldAES nor FieldRS.
	ErrField = errors.New("the field is not known: it is 0x11B or 0x11D")
)

// Split makes a number of parts of a secret, any threshold of which give it back: the signature, layout
// and errors of Vault's. A part is one byte longer than the secret. Coefficients come from the operating
// system's generator by way of AES-256 in counter mode; x coordinates are distinct and otherwise uniform.
//
// Hazardous: see the package's documentation, and SplitAuthentic.
func Split(secret []byte, parts, threshold int) ([][]byte, error) {
	switch {
	case parts < threshold:
		return nil, ErrPartsBelowThreshold
	case parts > core.MaxShares:
		return nil, ErrTooManyParts
	case threshold < 2:
		return nil, ErrThreshold
	case len(secret) == 0:
		return nil, ErrEmptySecret
	}
	size := len(secret) + ShareOverhead
	all := unzeroed(parts * size)
	if err := core.Split(uint32(FieldAES), secret, threshold, parts, all); err != nil {
		return nil, failed(err)
	}
	return cut(all, size), nil
}

// cut returns slices of some bytes each, to which nothing can be appended in place.
func cut(all []byte, size int) [][]byte {
	made := make([][]byte, len(all)/size)
	for i := range made {
		made[i] = all[i*size : (i+1)*size : (i+1)*size]
	}
	return made
}

// large is the size from which on zeroing memory takes a time that matters.
const large = 1 << 15

// unzeroed returns memory that will be overwritten as a whole, or let go. A strings.Builder is the one
// thing in the standard library that does not zero what it allocates, which for large shares would take
// a third as long as making them.
func unzeroed(size int) []byte {
	if size < large {
		return make([]byte, size)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}

// Combine gives the secret back from parts, at least the threshold, which the caller must know: the
// signature and errors of Vault's, and ErrCoordinate. If they are fewer or wrong, so is the secret, and
// nothing tells.
func Combine(parts [][]byte) ([]byte, error) { return CombineField(parts, FieldAES) }

// CombineField is Combine in a field of choice; ErrField if there is no such field.
func CombineField(parts [][]byte, field Field) ([]byte, error) {
	if field != FieldAES && field != FieldRS {
		return nil, ErrField
	}
	if len(parts) < 2 {
		return nil, ErrFewParts
	}
	size := len(parts[0])
	if size < 2 {
		return nil, ErrShortPart
	}
	var seen [256]bool
	for _, part := range parts {
		if len(part) != size {
			return nil, ErrPartLengths
		}
	}
	for _, part := range parts {
		x := part[size-1]
		switch {
		case x == 0:
			return nil, ErrCoordinate
		case seen[x]:
			return nil, ErrDuplicatePart
		}
		seen[x] = true
	}
	secret := make([]byte, size-ShareOverhead)
	if err := core.Combine(uint32(field), parts, secret); err != nil {
		return nil, failed(err)
	}
	return secret, nil
}

// failed gives an error of the core its public name.
func failed(err error) error {
	if errors.Is(err, core.Entropy) {
		return ErrEntropy
	}
	return err
}
