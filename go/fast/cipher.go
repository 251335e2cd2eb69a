// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Limits of words. MaxRounds bounds the layers of an Instance: at most so many for each symbol. The paper's
// rule asks for 1,460 at most, at radix 4 and length 65536.
const (
	MinRadix  = 4
	MaxRadix  = 256
	MinLength = 2
	MaxLength = core.MaxLength
	MaxRounds = 4096
)

// Params are the parameters of one instance of FAST. A word has Length symbols 0 to Radix-1. Layers
// is the number of layers, a multiple of Length. W (0 to Length-2) and WPrime (1 to Length-1) are
// the branch distances.
type Params struct {
	Radix, Length, Layers, W, WPrime int
}

// Recommended returns the parameters for 128-bit security of table 1 of the paper, interpolated. It
// returns ErrRadix or ErrLength if one is outside MinRadix to MaxRadix or MinLength to MaxLength.
func Recommended(radix, length int) (Params, error) {
	a, l, err := sizes(radix, length)
	if err != nil {
		return Params{}, err
	}
	p, err := core.Recommended(core.ProfileFAST, a, l)
	if err != nil {
		return Params{}, err
	}
	return Params{int(p.Radix), int(p.Length), int(p.Layers), int(p.W), int(p.WPrime)}, nil
}

func sizes(radix, length int) (uint32, uint32, error) {
	if radix < MinRadix || radix > MaxRadix {
		return 0, 0, fmt.Errorf("%w: %d", ErrRadix, radix)
	}
	if length < MinLength || length > MaxLength {
		return 0, 0, fmt.Errorf("%w %d to %d: %d", ErrLength, MinLength, MaxLength, length)
	}
	return uint32(radix), uint32(length), nil
}

// cached is the length below which an instance is kept.
const cached = 257

// Cipher is FAST under one key and radix, with the recommended parameters of each length. It is
// safe for concurrent use. Words of one length and tweak go fastest in one call. A tweak or length
// that was used recently is a little faster than a new one.
type Cipher struct {
	pool      *core.Pool
	radix     uint32
	instances [cached]atomic.Pointer[Instance]
}

// New returns a cipher for a key of 16, 24 or 32 bytes and a radix of 4 to 256. The radix of bytes
// is 256. The key may be overwritten afterwards. New returns ErrKeySize or ErrRadix.
func New(key []byte, radix int) (*Cipher, error) {
	a, _, err := sizes(radix, MinLength)
	if err != nil {
		return nil, err
	}
	pool, err := core.NewPool(core.ProfileFAST, a, key)
	if err != nil {
		return nil, err
	}
	return &Cipher{pool: pool, radix: a}, nil
}

// Close wipes the key and everything made from it. Calls that run in other goroutines end as usual,
// and the last of them wipes. Later calls return ErrClosed. Close may be called more than once.
func (c *Cipher) Close() { c.pool.Close() }

// Radix returns the radix.
func (c *Cipher) Radix() int { return int(c.radix) }

// Instance returns the cipher with explicit parameters, for data that was encrypted with them. It
// returns ErrRadix, ErrLength or ErrParams if they are not parameters of a FAST cipher of this
// radix, and ErrParams if they have more than MaxRounds layers for each symbol.
func (c *Cipher) Instance(params Params) (*Instance, error) {
	a, l, err := sizes(params.Radix, params.Length)
	if err != nil {
		return nil, err
	}
	for _, number := range []int{params.Layers, params.W, params.WPrime} {
		if number < 0 || number > math.MaxInt32 {
			return nil, ErrParams
		}
	}
	if params.Layers > MaxRounds*params.Length {
		return nil, fmt.Errorf("%w: the limit is %d layers for each symbol", ErrParams, MaxRounds)
	}
	in := &Instance{c, core.Params{
		Radix: a, Length: l, Layers: uint32(params.Layers), W: uint32(params.W), WPrime: uint32(params.WPrime),
	}}
	// No word at all: only the parameters are checked.
	if err := c.pool.Words(false, &in.params, nil, nil, 0, nil); err != nil {
		return nil, err
	}
	return in, nil
}

func (c *Cipher) instance(length int) (*Instance, error) {
	if length >= 0 && length < cached {
		if in := c.instances[length].Load(); in != nil {
			return in, nil
		}
	}
	_, l, err := sizes(int(c.radix), length)
	if err != nil {
		return nil, err
	}
	params, err := core.Recommended(core.ProfileFAST, c.radix, l)
	if err != nil {
		return nil, err
	}
	in := &Instance{c, params}
	if length < cached {
		c.instances[length].Store(in)
	}
	return in, nil
}

// Encrypt returns the encrypted word. The tweak is public and has any size; a nil tweak is the
// empty one. The same word has unrelated tokens under different tweaks. Encrypt returns ErrLength
// if the word has fewer than 2 or more than 65536 symbols, and ErrSymbol if a symbol is not below
// the radix.
func (c *Cipher) Encrypt(word, tweak []byte) ([]byte, error) {
	return c.AppendEncrypt(nil, word, tweak)
}

// Decrypt is the inverse of Encrypt, with the same arguments and errors.
func (c *Cipher) Decrypt(word, tweak []byte) ([]byte, error) {
	return c.AppendDecrypt(nil, word, tweak)
}

// AppendEncrypt appends the encrypted word to dst and returns the extended slice. It allocates
// nothing if dst has the capacity. To encrypt in place, pass word[:0] as dst. dst must not overlap
// word in any other way (ErrOverlap).
func (c *Cipher) AppendEncrypt(dst, word, tweak []byte) ([]byte, error) {
	in, err := c.instance(len(word))
	if err != nil {
		return nil, err
	}
	return in.appendWord(false, dst, word, tweak)
}

// AppendDecrypt is the inverse of AppendEncrypt, with the same arguments and errors.
func (c *Cipher) AppendDecrypt(dst, word, tweak []byte) ([]byte, error) {
	in, err := c.instance(len(word))
	if err != nil {
		return nil, err
	}
	return in.appendWord(true, dst, word, tweak)
}

// EncryptWords encrypts words of one length, which follow each other in memory, under one tweak. It
// is the fastest way, because the core encrypts many words side by side. dst has the length of
// words, and may be words itself. EncryptWords returns ErrLength if the size of words is not a
// multiple of length, ErrDestination, ErrOverlap or ErrSymbol; then nothing is written.
func (c *Cipher) EncryptWords(dst, words []byte, length int, tweak []byte) error {
	in, err := c.instance(length)
	if err != nil {
		return err
	}
	return in.words(false, dst, words, tweak)
}

// DecryptWords is the inverse of EncryptWords, with the same arguments and errors.
func (c *Cipher) DecryptWords(dst, words []byte, length int, tweak []byte) error {
	in, err := c.instance(length)
	if err != nil {
		return err
	}
	return in.words(true, dst, words, tweak)
}

// Instance is a cipher with explicit parameters; see Cipher.Instance. It is closed with its cipher.
type Instance struct {
	cipher *Cipher
	params core.Params
}

// Params returns the parameters.
func (in *Instance) Params() Params {
	p := &in.params
	return Params{int(p.Radix), int(p.Length), int(p.Layers), int(p.W), int(p.WPrime)}
}

// Encrypt is Cipher.Encrypt; a word of another length than Params().Length is ErrLength.
func (in *Instance) Encrypt(word, tweak []byte) ([]byte, error) {
	return in.appendWord(false, nil, word, tweak)
}

// Decrypt is Cipher.Decrypt.
func (in *Instance) Decrypt(word, tweak []byte) ([]byte, error) {
	return in.appendWord(true, nil, word, tweak)
}

// AppendEncrypt is Cipher.AppendEncrypt.
func (in *Instance) AppendEncrypt(dst, word, tweak []byte) ([]byte, error) {
	return in.appendWord(false, dst, word, tweak)
}

// AppendDecrypt is Cipher.AppendDecrypt.
func (in *Instance) AppendDecrypt(dst, word, tweak []byte) ([]byte, error) {
	return in.appendWord(true, dst, word, tweak)
}

// EncryptWords is Cipher.EncryptWords.
func (in *Instance) EncryptWords(dst, words, tweak []byte) error {
	return in.words(false, dst, words, tweak)
}

// DecryptWords is Cipher.DecryptWords.
func (in *Instance) DecryptWords(dst, words, tweak []byte) error {
	return in.words(true, dst, words, tweak)
}

func (in *Instance) appendWord(decrypt bool, dst, word, tweak []byte) ([]byte, error) {
	if in.cipher == nil { // not made by Cipher.Instance
		return nil, ErrParams
	}
	if len(word) != int(in.params.Length) {
		return nil, fmt.Errorf("%w: this instance takes words of %d symbols", ErrLength, in.params.Length)
	}
	head, tail := core.Extend(dst, len(word))
	if core.InexactOverlap(tail, word) {
		return nil, ErrOverlap
	}
	if err := in.cipher.pool.Words(decrypt, &in.params, tweak, word, 1, tail); err != nil {
		return nil, err
	}
	return head, nil
}

func (in *Instance) words(decrypt bool, dst, words, tweak []byte) error {
	length := int(in.params.Length)
	switch {
	case in.cipher == nil: // not made by Cipher.Instance
		return ErrParams
	case len(words)%length != 0:
		return fmt.Errorf("%w: the number of symbols, %d, must be a multiple of %d", ErrLength, len(words), length)
	case len(dst) != len(words):
		return ErrDestination
	case core.InexactOverlap(dst, words):
		return ErrOverlap
	}
	return in.cipher.pool.Words(decrypt, &in.params, tweak, words, len(words)/length, dst)
}
