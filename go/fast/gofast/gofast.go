// SPDX-License-Identifier: Apache-2.0

// Package gofast is a drop-in for the first go-fast (github.com/jedisct1/go-fast): the same names,
// signatures, limits and ciphertexts, byte for byte. Change the import line to
//
//	fast "github.com/tallystick/tallystick/go/fast/gofast"
//
// and everything else stays as it is. It is here to read and replace what was encrypted with that
// package. New data should not use it:
//
//   - It has far fewer rounds than the paper asks for: 12 instead of 25 for 16 bytes, 4 instead of 67 for
//     256 bytes.
//   - Values of one and two bytes are not protected by FAST at all, but by a few substitutions.
//   - The initial counter of tweak T is the key of tweak T followed by the byte 1.
//
// [Cipher.Reencrypt] takes a ciphertext to package fast, whose cipher is the paper's.
//
// # Which go-fast
//
// The first go-fast is every version until NewCipherFromParams came, such as
// v0.0.0-20250901082122-7ca8ecb2c537 of 2025. Versions that have NewCipherFromParams, v0.2.0 of 2026 among
// them, make other ciphertexts from the same call of NewCipher: those of the paper's profile. Nothing in a
// ciphertext tells the two apart, so this package decrypts data of a newer version to wrong values without an
// error. Look which version is in the go.sum of the program that encrypted, and try a value that you know.
//
// Package fast reads what the newer versions made: [Params] has their parameters. Three kinds of their data
// can't be read so, since the paper's rule has no parameters for them (docs/reference/fast.md): radix 2, radix 3, and
// words of one symbol. Decrypt those with the version that made them.
package gofast

import (
	"errors"
	"sync/atomic"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/core"
)

var (
	// ErrInvalidKeySize is returned when a key is not 16, 24 or 32 bytes.
	ErrInvalidKeySize = errors.New("fast: invalid key size, must be 16, 24, or 32 bytes")
	// ErrNilCipher is returned by Reencrypt on a nil cipher. Encrypt and Decrypt return nil instead.
	ErrNilCipher = errors.New("fast: cipher instance is nil")
	// ErrDataTooLarge is returned by Reencrypt on more than MaxDataSize bytes. Encrypt and Decrypt
	// return nil instead.
	ErrDataTooLarge = errors.New("fast: input data exceeds maximum supported size")
)

// MaxDataSize is the largest value in bytes.
const MaxDataSize = 1 << 20

const (
	radix  = 256
	cached = 257
)

// Cipher encrypts bytes under one key. It is safe for concurrent use.
type Cipher struct {
	pool   *core.Pool
	params [cached]atomic.Pointer[core.Params]
}

// NewCipher returns a cipher for a key of 16, 24 or 32 bytes, or ErrInvalidKeySize. The key may be
// overwritten afterwards. (Unlike the original, NewCipher makes the S-boxes, not the first call.)
func NewCipher(key []byte) (*Cipher, error) {
	pool, err := core.NewPool(core.ProfileBytesLegacy, radix, key)
	if errors.Is(err, core.KeySize) {
		return nil, ErrInvalidKeySize
	}
	if err != nil {
		return nil, err
	}
	return &Cipher{pool: pool}, nil
}

// Close wipes the key, which the original never does. It need not be called: a cipher that is collected
// wipes itself. After Close, Encrypt and Decrypt return nil.
func (f *Cipher) Close() {
	if f != nil && f.pool != nil {
		f.pool.Close()
	}
}

// Encrypt returns the ciphertext of data, of the same length. A nil tweak is an empty one. Encrypt
// returns nil if the cipher is nil, closed or not from NewCipher, or if data has more than
// MaxDataSize bytes. It returns empty data unchanged.
func (f *Cipher) Encrypt(data []byte, tweak []byte) []byte {
	out, _ := f.run(false, data, tweak)
	return out
}

// Decrypt is the inverse of Encrypt, under the same tweak, and returns nil in the same cases.
func (f *Cipher) Decrypt(data []byte, tweak []byte) []byte {
	out, _ := f.run(true, data, tweak)
	return out
}

// Reencrypt moves a ciphertext of this package to package fast. It decrypts data under tweak, and
// encrypts the value with the cipher to under newTweak, which may equal tweak.
//
// The cipher to has radix 256 and should have another key. Reencrypt returns ErrNilCipher,
// ErrDataTooLarge, and the errors of to.Encrypt. Among those is fast.ErrLength for values of fewer
// than 2 bytes or more than fast.MaxLength.
func (f *Cipher) Reencrypt(to *fast.Cipher, data, tweak, newTweak []byte) ([]byte, error) {
	if to == nil {
		return nil, ErrNilCipher
	}
	if to.Radix() != radix {
		return nil, fast.ErrRadix
	}
	value, err := f.run(true, data, tweak)
	if err != nil {
		return nil, err
	}
	if len(value) == 0 {
		return nil, fast.ErrLength
	}
	defer clear(value)
	return to.Encrypt(value, newTweak)
}

func (f *Cipher) run(decrypt bool, data, tweak []byte) ([]byte, error) {
	switch {
	case f == nil || f.pool == nil:
		return nil, ErrNilCipher
	case len(data) == 0:
		return data, nil
	case len(data) > MaxDataSize:
		return nil, ErrDataTooLarge
	}
	params, err := f.recommended(len(data))
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(data))
	if err := f.pool.Words(decrypt, params, tweak, data, 1, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (f *Cipher) recommended(length int) (*core.Params, error) {
	if length < cached {
		if params := f.params[length].Load(); params != nil {
			return params, nil
		}
	}
	params, err := core.Recommended(core.ProfileBytesLegacy, radix, uint32(length))
	if err == nil && length < cached {
		f.params[length].Store(&params)
	}
	return &params, err
}
