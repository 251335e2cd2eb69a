// SPDX-License-Identifier: Apache-2.0

package ff1

import "github.com/tallystick/tallystick/go/internal/core"

// FF31 is FF3-1 and FF3 under one key and radix, to read data that was encrypted before. FF3-1 is of the first
// draft of Revision 1 of SP 800-38G (2019), and FF3 of the edition of 2016. The second draft has neither, because
// attacks on both were published: so there is no Encrypt. An FF31 is safe for concurrent use.
type FF31 struct{ cipher *Cipher }

// NewFF31 returns a cipher for the key of the other tool, of 16, 24 or 32 bytes, and a radix of 2 to 65536. The order
// of the key's bytes is not reversed. NewFF31 returns ErrKeySize or ErrRadix.
func NewFF31(key []byte, radix int) (*FF31, error) {
	c, err := open(core.ProfileFF31, key, radix)
	if err != nil {
		return nil, err
	}
	c.least = 1 // the core has the bounds, which depend on the tweak
	return &FF31{c}, nil
}

// Close is Cipher.Close.
func (f *FF31) Close() { f.cipher.Close() }

// Radix returns the radix.
func (f *FF31) Radix() int { return f.cipher.radix }

// Decrypt returns the decrypted word. A tweak of 7 bytes is for FF3-1, and one of 8 bytes for FF3. radix^length is
// at least 1,000,000 (FF3-1) or 100 (FF3), and half of the symbols have at most 2^96 values. Decrypt returns
// ErrLength, ErrTweak, ErrSymbol, or ErrSymbolType if the radix is above 256.
func (f *FF31) Decrypt(word, tweak []byte) ([]byte, error) { return f.cipher.Decrypt(word, tweak) }

// DecryptWords is Cipher.DecryptWords, with the tweaks and errors of Decrypt.
func (f *FF31) DecryptWords(dst, words []byte, length int, tweak []byte) error {
	return f.cipher.DecryptWords(dst, words, length, tweak)
}

// Decrypt16 is Decrypt for radices above 256.
func (f *FF31) Decrypt16(word []uint16, tweak []byte) ([]uint16, error) {
	return f.cipher.Decrypt16(word, tweak)
}

// DecryptWords16 is DecryptWords for radices above 256.
func (f *FF31) DecryptWords16(dst, words []uint16, length int, tweak []byte) error {
	return f.cipher.DecryptWords16(dst, words, length, tweak)
}
