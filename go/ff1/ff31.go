// SPDX-License-Identifier: Apache-2.0

package ff1

import (
	"fmt"

	"github.com/tallystick/tallystick/go/internal/core"
)

// leastTweak is the size of a tweak of FF3-1; one of FF3 has a byte more.
const leastTweak = 7

// FF31 is FF3-1 and FF3 under one key and radix, to read data that was encrypted before. FF3-1 is of the first
// draft of Revision 1 of SP 800-38G (2019), and FF3 of the edition of 2016. The second draft has neither, because
// attacks on both were published: so there is no Encrypt. An FF31 is safe for concurrent use.
type FF31 struct {
	cipher Cipher
	least  [2]int // the fewest symbols of a word of FF3-1, and of FF3
	most   int
}

// NewFF31 returns a cipher for the key of the other tool, of 16, 24 or 32 bytes, and a radix of 2 to 65536. The order
// of the key's bytes is not reversed. NewFF31 returns ErrKeySize or ErrRadix.
func NewFF31(key []byte, radix int) (*FF31, error) {
	c, err := open(core.ProfileFF31, key, radix)
	if err != nil {
		return nil, err
	}
	c.least = 0 // the bounds depend on the tweak
	f := &FF31{cipher: *c}
	for i := range f.least {
		f.least[i], f.most = core.FF31Lengths(leastTweak+i, uint32(radix))
	}
	return f, nil
}

// check says whether the cipher has words of this length under a tweak of so many bytes.
func (f *FF31) check(length, tweakSize int) error {
	if f.cipher.core == nil { // not made by NewFF31
		return ErrClosed
	}
	if tweakSize < leastTweak || tweakSize >= leastTweak+len(f.least) {
		return fmt.Errorf("%w: a tweak has 7 bytes in FF3-1, and 8 bytes in FF3, not %d", ErrTweak, tweakSize)
	}
	if least := f.least[tweakSize-leastTweak]; length < least || length > f.most {
		return fmt.Errorf("%w: with radix %d and a tweak of %d bytes a word has %d to %d symbols, not %d",
			ErrLength, f.cipher.radix, tweakSize, least, f.most, length)
	}
	return nil
}

// Close is Cipher.Close.
func (f *FF31) Close() { f.cipher.Close() }

// Radix returns the radix.
func (f *FF31) Radix() int { return f.cipher.radix }

// Decrypt returns the decrypted word. A tweak of 7 bytes is for FF3-1, and one of 8 bytes for FF3. radix^length is
// at least 1,000,000 (FF3-1) or 100 (FF3), and half of the symbols have at most 2^96 values. Decrypt returns
// ErrLength, ErrTweak, ErrSymbol, or ErrSymbolType if the radix is above 256.
func (f *FF31) Decrypt(word, tweak []byte) ([]byte, error) {
	if err := f.check(len(word), len(tweak)); err != nil {
		return nil, err
	}
	return f.cipher.Decrypt(word, tweak)
}

// DecryptWords is Cipher.DecryptWords, with the tweaks and errors of Decrypt.
func (f *FF31) DecryptWords(dst, words []byte, length int, tweak []byte) error {
	if err := f.check(length, len(tweak)); err != nil {
		return err
	}
	return f.cipher.DecryptWords(dst, words, length, tweak)
}

// Decrypt16 is Decrypt for radices above 256.
func (f *FF31) Decrypt16(word []uint16, tweak []byte) ([]uint16, error) {
	if err := f.check(len(word), len(tweak)); err != nil {
		return nil, err
	}
	return f.cipher.Decrypt16(word, tweak)
}

// DecryptWords16 is DecryptWords for radices above 256.
func (f *FF31) DecryptWords16(dst, words []uint16, length int, tweak []byte) error {
	if err := f.check(length, len(tweak)); err != nil {
		return err
	}
	return f.cipher.DecryptWords16(dst, words, length, tweak)
}
