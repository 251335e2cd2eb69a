// SPDX-License-Identifier: Apache-2.0

package ff1

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Limits of words. The least length depends on the radix: see Cipher.MinLength.
const (
	MinRadix  = 2
	MaxRadix  = 65536
	MaxLength = core.MaxLength
)

// bytesUpTo is the largest radix whose symbols are bytes.
const bytesUpTo = 256

// The errors of this package; those returned may say more, and match these with errors.Is.
var (
	// ErrKeySize: a key has 16, 24 or 32 bytes.
	ErrKeySize error = core.KeySize
	// ErrRadix: a radix is outside 2 to 65536.
	ErrRadix error = core.FF1Radix
	// ErrLength: a word is shorter or longer than words of the radix are, or words are not of one length.
	ErrLength error = core.FF1Length
	// ErrSymbol: a symbol is not below the radix.
	ErrSymbol error = core.FF1Symbol
	// ErrTweak: a tweak has more than 2^32 - 1 bytes, or not 7 or 8 where it is for FF3-1 or FF3.
	ErrTweak error = core.FF1Tweak
	// ErrSymbolType: symbols of a radix up to 256 are bytes, and those of a larger one are uint16.
	ErrSymbolType = errors.New("tallystick: symbols of this radix have another type: bytes up to 256, uint16 above")
	// ErrOverlap: the destination overlaps the source, but is not the same slice.
	ErrOverlap = errors.New("tallystick: the destination overlaps the source; pass the same slice, or another one")
	// ErrDestination: the destination and the source differ in length.
	ErrDestination = errors.New("tallystick: the destination must be as long as the source")
	// ErrClosed: a cipher is used after Close.
	ErrClosed = core.ErrClosed
	// ErrMemory: no memory is left for the call; without cgo, a call works in less than 2 GiB.
	ErrMemory = core.ErrMemory
)

// Cipher is FF1 under one key and radix. It is safe for concurrent use. Words of one length and tweak go
// fastest in one call.
type Cipher struct {
	core  *core.FF1
	radix int
	least int
}

// New returns a cipher for a key of 16, 24 or 32 bytes and a radix of 2 to 65536. Words must have
// radix^length of 1,000,000 or more, as the drafts of Revision 1 of the standard demand. The key may be
// overwritten afterwards. New returns ErrKeySize or ErrRadix.
func New(key []byte, radix int) (*Cipher, error) { return open(core.ProfileFF1, key, radix) }

// New2016 is New with the bound of the standard of 2016: words must have radix^length of 100 or more. It is for
// data that was encrypted before; whoever has pairs of words and tokens can recover the rest of so small a domain.
func New2016(key []byte, radix int) (*Cipher, error) { return open(core.ProfileFF12016, key, radix) }

func open(profile uint32, key []byte, radix int) (*Cipher, error) {
	if radix < MinRadix || radix > MaxRadix {
		return nil, fmt.Errorf("%w: %d", ErrRadix, radix)
	}
	made, err := core.NewFF1(profile, uint32(radix), key)
	if err != nil {
		return nil, err
	}
	return &Cipher{made, radix, core.FF1MinLength(profile, uint32(radix))}, nil
}

// Close wipes the key. Calls that run in other goroutines end as usual, and the last of them wipes. Later calls
// return ErrClosed. Close may be called more than once.
func (c *Cipher) Close() { c.core.Close() }

// Radix returns the radix.
func (c *Cipher) Radix() int { return c.radix }

// MinLength returns the fewest symbols of a word.
func (c *Cipher) MinLength() int { return c.least }

// Encrypt returns the encrypted word. The tweak is public and has at most 2^32 - 1 bytes; a nil tweak is the
// empty one. The same word has unrelated tokens under different tweaks. Encrypt returns ErrLength, ErrSymbol,
// or ErrSymbolType if the radix is above 256.
func (c *Cipher) Encrypt(word, tweak []byte) ([]byte, error) {
	return c.appendWord(false, nil, word, tweak)
}

// Decrypt is the inverse of Encrypt, with the same arguments and errors.
func (c *Cipher) Decrypt(word, tweak []byte) ([]byte, error) {
	return c.appendWord(true, nil, word, tweak)
}

// AppendEncrypt appends the encrypted word to dst and returns the extended slice. It allocates nothing if dst
// has the capacity. To encrypt in place, pass word[:0] as dst. dst must not overlap word in any other way
// (ErrOverlap).
func (c *Cipher) AppendEncrypt(dst, word, tweak []byte) ([]byte, error) {
	return c.appendWord(false, dst, word, tweak)
}

// AppendDecrypt is the inverse of AppendEncrypt, with the same arguments and errors.
func (c *Cipher) AppendDecrypt(dst, word, tweak []byte) ([]byte, error) {
	return c.appendWord(true, dst, word, tweak)
}

// EncryptWords encrypts words of one length, which follow each other in memory, under one tweak. It is the
// fastest way, because the core encrypts many words side by side. dst has the length of words, and may be words
// itself. EncryptWords returns ErrLength also if the size of words is not a multiple of length, ErrDestination,
// ErrOverlap, ErrSymbol or ErrSymbolType; then nothing is written.
func (c *Cipher) EncryptWords(dst, words []byte, length int, tweak []byte) error {
	return c.words(false, dst, words, length, 1, tweak)
}

// DecryptWords is the inverse of EncryptWords, with the same arguments and errors.
func (c *Cipher) DecryptWords(dst, words []byte, length int, tweak []byte) error {
	return c.words(true, dst, words, length, 1, tweak)
}

// Encrypt16 is Encrypt for radices above 256.
func (c *Cipher) Encrypt16(word []uint16, tweak []byte) ([]uint16, error) {
	return c.word16(false, word, tweak)
}

// Decrypt16 is Decrypt for radices above 256.
func (c *Cipher) Decrypt16(word []uint16, tweak []byte) ([]uint16, error) {
	return c.word16(true, word, tweak)
}

// EncryptWords16 is EncryptWords for radices above 256.
func (c *Cipher) EncryptWords16(dst, words []uint16, length int, tweak []byte) error {
	return c.words(false, bytesOf(dst), bytesOf(words), length, 2, tweak)
}

// DecryptWords16 is DecryptWords for radices above 256.
func (c *Cipher) DecryptWords16(dst, words []uint16, length int, tweak []byte) error {
	return c.words(true, bytesOf(dst), bytesOf(words), length, 2, tweak)
}

// check says whether the cipher has words of this length, with symbols of so many bytes.
func (c *Cipher) check(length, size int) error {
	if c.core == nil { // not made by New
		return ErrClosed
	}
	if (size == 2) != (c.radix > bytesUpTo) {
		return ErrSymbolType
	}
	if length < c.least || length > MaxLength {
		return fmt.Errorf("%w: with radix %d a word has %d to %d symbols, not %d",
			ErrLength, c.radix, c.least, MaxLength, length)
	}
	return nil
}

func (c *Cipher) appendWord(decrypt bool, dst, word, tweak []byte) ([]byte, error) {
	if err := c.check(len(word), 1); err != nil {
		return nil, err
	}
	head, tail := core.Extend(dst, len(word))
	if core.InexactOverlap(tail, word) {
		return nil, ErrOverlap
	}
	if err := c.core.Words(decrypt, len(word), tweak, word, 1, tail); err != nil {
		return nil, err
	}
	return head, nil
}

func (c *Cipher) word16(decrypt bool, word []uint16, tweak []byte) ([]uint16, error) {
	made := make([]uint16, len(word))
	if err := c.words(decrypt, bytesOf(made), bytesOf(word), len(word), 2, tweak); err != nil {
		return nil, err
	}
	return made, nil
}

// words takes symbols of so many bytes.
func (c *Cipher) words(decrypt bool, dst, words []byte, length, size int, tweak []byte) error {
	if err := c.check(length, size); err != nil {
		return err
	}
	switch {
	case len(words)%(length*size) != 0:
		return fmt.Errorf("%w: %d symbols are not words of %d", ErrLength, len(words)/size, length)
	case len(dst) != len(words):
		return ErrDestination
	case core.InexactOverlap(dst, words):
		return ErrOverlap
	}
	return c.core.Words(decrypt, length, tweak, words, len(words)/(length*size), dst)
}

// bytesOf returns the memory of symbols.
func bytesOf(symbols []uint16) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(symbols))), 2*len(symbols))
}
