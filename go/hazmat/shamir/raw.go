// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"errors"
	"math"
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

// The errors of raw shares. The first eight are those of Vault, with its texts.
var (
	ErrPartsBelowThreshold = errors.New("parts cannot be less than threshold")
	ErrTooManyParts        = errors.New("parts cannot exceed 255")
	ErrThreshold           = errors.New("threshold must be at least 2")
	ErrEmptySecret         = errors.New("cannot split an empty secret")
	ErrFewParts            = errors.New("less than two parts cannot be used to reconstruct the secret")
	ErrShortPart           = errors.New("parts must be at least two bytes")
	ErrPartLengths         = errors.New("all parts must be the same length")
	ErrDuplicatePart       = errors.New("duplicate part detected")
	// ErrCoordinate: a part has the x coordinate 0. At 0 the polynomial is the secret, so a true part with
	// that coordinate, without its last byte, IS the secret in clear: its holder needs no other part. The
	// first Go-Shamir makes such parts, because its SplitWithRandomizer draws from all 256 coordinates: 22 of
	// 8,000 parts in one count. If you hold such a part, take its secret from it, replace the secret, and split
	// the new one. Combine refuses the part, since a forged one would give its forger's bytes as the secret.
	ErrCoordinate = errors.New("a part has the x coordinate 0: if Go-Shamir made it, the part without its last byte " +
		"is the secret itself; replace that secret and split the new one")
	// ErrOverlap: parts to split into overlap each other, or the secret.
	ErrOverlap = errors.New("parts may not overlap each other or the secret")
	// ErrField: the field is neither FieldAES nor FieldRS.
	ErrField = errors.New("the field is not known: it is 0x11B or 0x11D")
	// ErrEntropy: the operating system gave no entropy.
	ErrEntropy error = core.Entropy
	// ErrMemory: there is no memory for what is asked; without cgo, a call works in less than 2 GiB.
	ErrMemory = core.ErrMemory
)

// Split makes parts of a secret, any threshold of which recover it. Signature, layout and errors
// are those of Vault. A part is one byte longer than the secret. Coefficients come from the
// operating system's generator by way of AES-256 in counter mode. The x coordinates are distinct
// and otherwise uniform.
//
// Hazardous: see the package's documentation, and SplitAuthentic of go/shamir.
func Split(secret []byte, parts, threshold int) ([][]byte, error) {
	if err := check(len(secret), parts, threshold); err != nil {
		return nil, err
	}
	size := len(secret) + ShareOverhead
	if parts*size >= large {
		made := lines(parts, size)
		if err := core.SplitInto(uint32(FieldAES), secret, threshold, made); err != nil {
			return nil, err
		}
		return made, nil
	}
	all := make([]byte, parts*size)
	if err := core.Split(uint32(FieldAES), secret, threshold, parts, all); err != nil {
		return nil, err
	}
	return core.Cut(all, size), nil
}

// SplitInto is Split into the caller's parts, each one byte longer than the secret
// (ErrPartLengths). They may overlap neither each other nor the secret (ErrOverlap). It allocates
// no memory, so large secrets take less time.
func SplitInto(parts [][]byte, secret []byte, threshold int) error {
	if err := check(len(secret), len(parts), threshold); err != nil {
		return err
	}
	for i, part := range parts {
		if len(part) != len(secret)+ShareOverhead {
			return ErrPartLengths
		}
		if overlap(part, secret) {
			return ErrOverlap
		}
		for _, other := range parts[:i] {
			if overlap(part, other) {
				return ErrOverlap
			}
		}
	}
	return core.SplitInto(uint32(FieldAES), secret, threshold, parts)
}

func check(size, parts, threshold int) error {
	switch {
	case parts < threshold:
		return ErrPartsBelowThreshold
	case parts > core.MaxShares:
		return ErrTooManyParts
	case threshold < 2:
		return ErrThreshold
	case size == 0:
		return ErrEmptySecret
	case size > math.MaxInt/parts-line: // on 32 bits the shares of some MiB could be more than an int
		return ErrMemory
	}
	return nil
}

// overlap says whether two slices, neither of which is empty, share memory.
func overlap(x, y []byte) bool {
	first, second := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	return first <= second+uintptr(len(y)-1) && second <= first+uintptr(len(x)-1)
}

// Combine recovers the secret from parts. The caller must know the threshold and give at least as
// many parts. Signature and errors are those of Vault, and ErrCoordinate. If parts are missing or
// wrong, the secret is wrong, without an error.
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
	if size > math.MaxInt/len(parts) {
		return nil, ErrMemory
	}
	secret := make([]byte, size-ShareOverhead)
	if err := core.Combine(uint32(field), parts, secret); err != nil {
		return nil, err
	}
	return secret, nil
}
