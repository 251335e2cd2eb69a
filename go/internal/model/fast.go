// SPDX-License-Identifier: Apache-2.0

// Package model has one-word FAST and raw Shamir shares once more, in plain Go, written from docs/reference/fast.md
// and docs/reference/share-format.md and not from the core. Tests compare the core with it, and benchmarks show
// what such a package would have given where there is no cgo. It is not constant-time and wipes nothing:
// nothing else may use it.
package model

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

const poolSize = 256

// FAST is one radix and key.
type FAST struct {
	legacy          bool
	radix           int
	mac             cipher.Block
	k1, k2          [16]byte
	boxes, inverses [poolSize][]byte
}

// Params are the numbers of an instance.
type Params struct{ Length, Layers, W, WPrime int }

// NewFAST sets the pool up; the legacy profile has radix 256.
func NewFAST(key []byte, radix int, legacy bool) *FAST {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	f := &FAST{legacy: legacy, radix: radix, mac: block}
	var zero [16]byte
	block.Encrypt(zero[:], zero[:])
	f.k1 = doubled(zero)
	f.k2 = doubled(f.k1)
	if legacy {
		f.legacyPool()
	} else {
		seed := f.derive(encode([]byte("instance1"), u32(radix), u32(poolSize), []byte("FPE Pool")))
		draw := newStream(seed[:16], seed[16:])
		for i := range f.boxes {
			f.boxes[i] = identity(radix)
			for j := radix - 1; j > 0; j-- {
				k := draw.uniform(uint32(j + 1))
				f.boxes[i][j], f.boxes[i][k] = f.boxes[i][k], f.boxes[i][j]
			}
		}
	}
	for i, box := range f.boxes {
		f.inverses[i] = make([]byte, radix)
		for x, y := range box {
			f.inverses[i][y] = byte(x)
		}
	}
	return f
}

func identity(radix int) []byte {
	box := make([]byte, radix)
	for i := range box {
		box[i] = byte(i)
	}
	return box
}

func (f *FAST) legacyPool() {
	input := append([]byte("FPE-Pool"), 1, 0, 1, 0)
	key, iv := f.cmac(input), f.cmac(append(input, 1))
	block, _ := aes.NewCipher(key[:])
	for i := range f.boxes {
		f.boxes[i] = identity(256)
		binary.BigEndian.PutUint32(iv[12:], uint32(i)<<16)
		words := make([]byte, 4*255)
		cipher.NewCTR(block, iv[:]).XORKeyStream(words, words)
		for j := 255; j > 0; j-- {
			k := uint64(binary.BigEndian.Uint32(words)) * uint64(j+1) >> 32
			words = words[4:]
			f.boxes[i][j], f.boxes[i][k] = f.boxes[i][k], f.boxes[i][j]
		}
	}
}

func doubled(b [16]byte) (out [16]byte) {
	carry := byte(0)
	for i := 15; i >= 0; i-- {
		out[i] = b[i]<<1 | carry
		carry = b[i] >> 7
	}
	if carry == 1 {
		out[15] ^= 0x87
	}
	return out
}

func (f *FAST) cmac(message []byte) (tag [16]byte) {
	for len(message) > 16 {
		for i := range tag {
			tag[i] ^= message[i]
		}
		f.mac.Encrypt(tag[:], tag[:])
		message = message[16:]
	}
	last := f.k1
	if len(message) < 16 {
		last = f.k2
		last[len(message)] ^= 0x80
	}
	for i, b := range message {
		last[i] ^= b
	}
	for i := range tag {
		tag[i] ^= last[i]
	}
	f.mac.Encrypt(tag[:], tag[:])
	return tag
}

func u32(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

func encode(parts ...[]byte) []byte {
	out := u32(len(parts))
	for _, part := range parts {
		out = append(append(out, u32(len(part))...), part...)
	}
	return out
}

func (f *FAST) derive(input []byte) []byte {
	first, second := f.cmac(append(u32(0), input...)), f.cmac(append(u32(1), input...))
	return append(first[:], second[:]...)
}

// stream draws words of a counter stream whose counter goes up before each block.
type stream struct{ ctr cipher.Stream }

func newStream(key, iv []byte) *stream {
	block, _ := aes.NewCipher(key)
	s := &stream{cipher.NewCTR(block, iv)}
	s.ctr.XORKeyStream(make([]byte, 16), make([]byte, 16))
	return s
}

func (s *stream) word() uint32 {
	var b [4]byte
	s.ctr.XORKeyStream(b[:], b[:])
	return binary.BigEndian.Uint32(b[:])
}

func (s *stream) uniform(bound uint32) uint32 {
	for {
		product := uint64(s.word()) * uint64(bound)
		if uint32(product) >= -bound%bound {
			return uint32(product >> 32)
		}
	}
}

// Sequence returns the S-boxes of an instance's layers.
func (f *FAST) Sequence(p Params, tweak []byte) []byte {
	out := make([]byte, p.Layers)
	if f.legacy {
		input := append([]byte("FPE-SEQ"), 1, 0, 1, 0, byte(p.Length>>8), byte(p.Length),
			byte(p.Layers>>8), byte(p.Layers), byte(p.W), byte(p.WPrime))
		input = append(input, tweak...)
		key, iv := f.cmac(input), f.cmac(append(input, 1))
		iv[14], iv[15] = 0, 0
		block, _ := aes.NewCipher(key[:])
		cipher.NewCTR(block, iv[:]).XORKeyStream(out, out)
		return out
	}
	seed := f.derive(encode([]byte("instance1"), u32(f.radix), u32(poolSize), []byte("instance2"),
		u32(p.Length), u32(p.Layers), u32(p.W), u32(p.WPrime), []byte("FPE SEQ"), []byte("tweak"), tweak))
	seed[30], seed[31] = 0, 0
	draw := newStream(seed[:16], seed[16:])
	for i := range out {
		out[i] = byte(draw.uniform(poolSize))
	}
	return out
}

// Encrypt replaces a word of at least 3 symbols, or any of profile "fast", in place.
func (f *FAST) Encrypt(p Params, sequence, word []byte) {
	length, here := p.Length, 0
	ahead, back := p.W, length-p.WPrime
	for _, index := range sequence {
		box := f.boxes[index]
		// Without branches, which symbols would make unpredictable.
		t := int(word[here]) + int(word[back]) - f.radix
		v := int(box[t+f.radix&(t>>63)])
		if p.W > 0 {
			v -= int(word[ahead])
			v += f.radix & (v >> 63)
		}
		word[here] = box[v]
		if here++; here == length {
			here = 0
		}
		if ahead++; ahead == length {
			ahead = 0
		}
		if back++; back == length {
			back = 0
		}
	}
}

// Decrypt is the inverse of Encrypt.
func (f *FAST) Decrypt(p Params, sequence, word []byte) {
	length := p.Length
	for i := len(sequence) - 1; i >= 0; i-- {
		here := i % length
		box := f.inverses[sequence[i]]
		v := int(box[word[here]])
		if p.W > 0 {
			v = (v + int(word[(here+p.W)%length])) % f.radix
		}
		t := int(box[v]) - int(word[(here+length-p.WPrime)%length])
		word[here] = byte((t + f.radix) % f.radix)
	}
}
