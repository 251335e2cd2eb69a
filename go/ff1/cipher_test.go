// SPDX-License-Identifier: Apache-2.0

package ff1_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/tallystick/tallystick/go/ff1"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

// longest bounds the words of the tests: the work grows with the square of the length, and those of the core
// have longer ones.
const longest = 5000

var key = []byte("0123456789abcdef")

func open(t testing.TB, key []byte, radix int, domain float64) *ff1.Cipher {
	t.Helper()
	create := ff1.New
	if domain < 1_000_000 {
		create = ff1.New2016
	}
	c, err := create(key, radix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func domain(radix, length int) float64 { return math.Pow(float64(radix), float64(length)) }

// narrow makes bytes of symbols below 256.
func narrow(symbols []uint16) []byte {
	made := make([]byte, len(symbols))
	for i, symbol := range symbols {
		made[i] = byte(symbol)
	}
	return made
}

func widen(symbols []byte) []uint16 {
	made := make([]uint16, len(symbols))
	for i, symbol := range symbols {
		made[i] = uint16(symbol)
	}
	return made
}

// encrypt and decrypt take symbols of any radix, alone and as one of three words.
func encrypt(c *ff1.Cipher, word []uint16, tweak []byte) ([]uint16, error) {
	return apply(c, word, tweak, c.Encrypt, c.EncryptWords, c.Encrypt16, c.EncryptWords16)
}

func decrypt(c *ff1.Cipher, word []uint16, tweak []byte) ([]uint16, error) {
	return apply(c, word, tweak, c.Decrypt, c.DecryptWords, c.Decrypt16, c.DecryptWords16)
}

func apply(c *ff1.Cipher, word []uint16, tweak []byte,
	one func([]byte, []byte) ([]byte, error), all func([]byte, []byte, int, []byte) error,
	one16 func([]uint16, []byte) ([]uint16, error), all16 func([]uint16, []uint16, int, []byte) error,
) ([]uint16, error) {
	three := slices.Concat(word, word, word)
	if c.Radix() <= 256 {
		got, err := one(narrow(word), tweak)
		rows := narrow(three)
		if wrong := all(rows, rows, len(word), tweak); err != nil || wrong != nil {
			return nil, errors.Join(err, wrong)
		}
		if !bytes.Equal(rows, slices.Concat(got, got, got)) {
			return nil, errors.New("words are not those of one call each")
		}
		return widen(got), nil
	}
	got, err := one16(word, tweak)
	if wrong := all16(three, three, len(word), tweak); err != nil || wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	if !slices.Equal(three, slices.Concat(got, got, got)) {
		return nil, errors.New("words are not those of one call each")
	}
	return got, nil
}

func check(t *testing.T, name string, c *ff1.Cipher, tweak []byte, plain, token []uint16) {
	t.Helper()
	if got, err := encrypt(c, plain, tweak); err != nil || !slices.Equal(got, token) {
		t.Errorf("%s: another token: %v", name, err)
	}
	if got, err := decrypt(c, token, tweak); err != nil || !slices.Equal(got, plain) {
		t.Errorf("%s: another word: %v", name, err)
	}
}

// unpack reads symbols of a byte, or of two above radix 256.
func unpack(data []byte, radix int) []uint16 {
	if radix <= 256 {
		return widen(data)
	}
	made := make([]uint16, len(data)/2)
	for i := range made {
		made[i] = binary.BigEndian.Uint16(data[2*i:])
	}
	return made
}

func TestVectors(t *testing.T) {
	for i, one := range vectors.Load[struct {
		Profile                                   string
		Radix, Length                             int
		Key, Tweak, Plaintext, Ciphertext, SHA256 vectors.Hex
		TweakSize                                 int `json:"tweak_size"`
	}](t, "ff1") {
		name := fmt.Sprintf("vector %d, radix %d, length %d", i, one.Radix, one.Length)
		least := map[string]float64{"FF1": 1_000_000, "FF1_2016": 100}[one.Profile]
		c := open(t, one.Key, one.Radix, least)
		if one.Length > longest {
			continue
		}
		if one.SHA256 == nil {
			check(t, name, c, one.Tweak, unpack(one.Plaintext, one.Radix), unpack(one.Ciphertext, one.Radix))
			continue
		}
		plain, tweak := make([]uint16, one.Length), make([]byte, one.TweakSize)
		for i := range plain {
			n := uint64(i)
			plain[i] = uint16((n*n*7919 + n*104729 + 12345) % uint64(one.Radix))
		}
		for i := range tweak {
			tweak[i] = byte(37*i + 1)
		}
		token, err := encrypt(c, plain, tweak)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		packed := narrow(token)
		if one.Radix > 256 {
			packed = nil
			for _, symbol := range token {
				packed = binary.BigEndian.AppendUint16(packed, symbol)
			}
		}
		if sum := sha256.Sum256(packed); !bytes.Equal(sum[:], one.SHA256) {
			t.Errorf("%s: another token", name)
		}
		check(t, name, c, tweak, plain, token)
	}
}

// Vectors of NIST's ACVP server, and tokens that other implementations agree on.
func TestVectorsOfOthers(t *testing.T) {
	for _, file := range []string{"ff1_acvp", "ff1_peers"} {
		for i, one := range vectors.Load[struct {
			Radix                 int
			Key, Tweak            vectors.Hex
			Plaintext, Ciphertext []uint16
		}](t, file) {
			c := open(t, one.Key, one.Radix, domain(one.Radix, len(one.Plaintext)))
			check(t, fmt.Sprintf("%s %d", file, i), c, one.Tweak, one.Plaintext, one.Ciphertext)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	c, wide := open(t, key, 10, 1e6), open(t, key, 257, 1e6)
	get := func(_ any, err error) error { return err }
	buffer, symbols := make([]byte, 30), make([]uint16, 30)
	for i, one := range []struct{ got, want error }{
		{get(ff1.New(key[:15], 10)), ff1.ErrKeySize}, {get(ff1.New(nil, 10)), ff1.ErrKeySize},
		{get(ff1.New(key, 1)), ff1.ErrRadix}, {get(ff1.New(key, 65537)), ff1.ErrRadix},
		{get(ff1.New(key, -10)), ff1.ErrRadix}, {get(ff1.New2016(key, 0)), ff1.ErrRadix},
		{get(ff1.New(key, math.MaxInt)), ff1.ErrRadix},
		{get(c.Encrypt(buffer[:6], nil)), nil}, {get(c.Encrypt(buffer[:5], nil)), ff1.ErrLength},
		{get(c.Decrypt(nil, nil)), ff1.ErrLength},
		{get(c.Encrypt(make([]byte, ff1.MaxLength+1), nil)), ff1.ErrLength},
		{get(c.Encrypt([]byte{1, 2, 3, 4, 5, 10}, nil)), ff1.ErrSymbol},
		{get(wide.Decrypt16([]uint16{1, 2, 257}, nil)), ff1.ErrSymbol},
		{get(c.Encrypt16(symbols[:6], nil)), ff1.ErrSymbolType},
		{get(wide.Encrypt(buffer[:6], nil)), ff1.ErrSymbolType},
		{wide.DecryptWords(buffer, buffer, 6, nil), ff1.ErrSymbolType},
		{c.DecryptWords16(symbols, symbols, 6, nil), ff1.ErrSymbolType},
		{get(c.AppendEncrypt(buffer[:5], buffer[4:14], nil)), ff1.ErrOverlap},
		{c.EncryptWords(buffer, buffer, 7, nil), ff1.ErrLength},
		{c.EncryptWords(buffer, buffer, 0, nil), ff1.ErrLength},
		{c.EncryptWords(buffer, buffer, -1, nil), ff1.ErrLength},
		{c.EncryptWords(buffer[:20], buffer, 10, nil), ff1.ErrDestination},
		{c.EncryptWords(buffer[1:21], buffer[:20], 10, nil), ff1.ErrOverlap},
		{wide.EncryptWords16(symbols[1:21], symbols[:20], 10, nil), ff1.ErrOverlap},
		{wide.EncryptWords16(symbols[20:30], symbols[:20], 10, nil), ff1.ErrDestination},
		{wide.EncryptWords16(symbols[10:20], symbols[:10], 10, nil), nil},
		{c.EncryptWords(nil, nil, 10, nil), nil},
	} {
		if !errors.Is(one.got, one.want) {
			t.Errorf("case %d: %v, not %v", i, one.got, one.want)
		}
	}
}

// Nothing is written unless all symbols are below the radix.
func TestNothingIsWritten(t *testing.T) {
	c := open(t, key, 10, 1e6)
	words, out := make([]byte, 160), bytes.Repeat([]byte{7}, 160)
	words[159] = 10
	if err := c.EncryptWords(out, words, 16, nil); !errors.Is(err, ff1.ErrSymbol) || !bytes.Equal(out, bytes.Repeat([]byte{7}, 160)) {
		t.Errorf("%v", err)
	}
}

func TestMinLength(t *testing.T) {
	for radix := 2; radix <= ff1.MaxRadix; radix = radix*3/2 + 1 {
		for _, least := range []float64{1_000_000, 100} {
			length := open(t, key, radix, least).MinLength()
			if domain(radix, length) < least || length > 2 && domain(radix, length-1) >= least {
				t.Errorf("radix %d: %d symbols", radix, length)
			}
		}
	}
}

func TestAppend(t *testing.T) {
	c := open(t, key, 256, 1e6)
	value := []byte("a value")
	want, err := c.Encrypt(value, []byte("tweak"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.AppendEncrypt([]byte("token: "), value, []byte("tweak"))
	if err != nil || string(made) != "token: "+string(want) {
		t.Errorf("appended: %v", err)
	}
	place := bytes.Clone(value)
	if made, err = c.AppendEncrypt(place[:0], place, []byte("tweak")); err != nil || !bytes.Equal(place, want) || &made[0] != &place[0] {
		t.Errorf("in place: %v", err)
	}
	if _, err = c.AppendDecrypt(place[:0], place, []byte("tweak")); err != nil || !bytes.Equal(place, value) {
		t.Errorf("back in place: %v", err)
	}
}

// TestGoroutines has many at work on one cipher, which is closed under some of them.
func TestGoroutines(t *testing.T) {
	c, err := ff1.New(key, 62)
	if err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 20)
	want, err := c.Encrypt(value, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeNow := make(chan struct{})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := 0; ; n++ {
				got, err := c.Encrypt(value, nil)
				if errors.Is(err, ff1.ErrClosed) {
					return
				}
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("another token: %v", err)
					return
				}
				if i == 0 && n == 50 {
					close(closeNow)
				}
			}
		})
	}
	<-closeNow
	c.Close()
	c.Close()
	group.Wait()
	if _, err := c.Decrypt(want, nil); !errors.Is(err, ff1.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	var zero ff1.Cipher
	zero.Close()
	if _, err := zero.Encrypt(value, nil); !errors.Is(err, ff1.ErrClosed) {
		t.Errorf("a cipher that New did not make: %v", err)
	}
}
