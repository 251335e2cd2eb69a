// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"errors"
	"slices"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Range permutes the numbers 0 to size-1, by cycle walking over words of FAST. It is safe for concurrent
// use. It must not be copied; a copy would be closed with it.
type Range struct {
	pool *core.Pool
	size uint64
	_    noCopy
}

// noCopy makes go vet refuse copies of what has it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewRange returns the permutation of the numbers below size under a key of 16, 24 or 32 bytes; a size
// of 0 stands for 2^64. It returns ErrKeySize, or ErrSize if size is 1.
func NewRange(key []byte, size uint64) (*Range, error) {
	params, err := core.RangeParams(size)
	if err != nil {
		return nil, rangeError(err)
	}
	pool, err := core.NewPool(core.ProfileFAST, params.Radix, key)
	if err != nil {
		return nil, err
	}
	return &Range{pool: pool, size: size}, nil
}

// rangeError is why a size has no parameters: it is none, or, without cgo, there is no memory to ask in.
func rangeError(err error) error {
	if errors.Is(err, core.Argument) {
		return ErrSize
	}
	return err
}

// Close wipes the key; see Cipher.Close.
func (r *Range) Close() { r.pool.Close() }

// Encrypt returns the token of a number below the size, or ErrSymbol.
func (r *Range) Encrypt(number uint64, tweak []byte) (uint64, error) {
	return r.one(false, number, tweak)
}

// Decrypt is the inverse of Encrypt.
func (r *Range) Decrypt(number uint64, tweak []byte) (uint64, error) {
	return r.one(true, number, tweak)
}

// EncryptAll replaces many numbers. dst has the length of numbers, and may be numbers itself. It
// returns ErrSymbol or ErrDestination; then nothing is written.
func (r *Range) EncryptAll(dst, numbers []uint64, tweak []byte) error {
	return r.all(false, dst, numbers, tweak)
}

// DecryptAll is the inverse of EncryptAll.
func (r *Range) DecryptAll(dst, numbers []uint64, tweak []byte) error {
	return r.all(true, dst, numbers, tweak)
}

func (r *Range) one(decrypt bool, number uint64, tweak []byte) (uint64, error) {
	numbers := [1]uint64{number}
	if err := r.pool.Range(decrypt, r.size, tweak, numbers[:], numbers[:]); err != nil {
		return 0, err
	}
	return numbers[0], nil
}

func (r *Range) all(decrypt bool, dst, numbers []uint64, tweak []byte) error {
	if len(dst) != len(numbers) {
		return ErrDestination
	}
	if len(numbers) == 0 {
		if r.pool.Closed() {
			return ErrClosed
		}
		return nil
	}
	if core.InexactOverlap(dst, numbers) {
		numbers = slices.Clone(numbers)
		defer clear(numbers)
	}
	return r.pool.Range(decrypt, r.size, tweak, numbers, dst)
}
