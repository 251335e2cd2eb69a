// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

var key = []byte("0123456789abcdef0123456789abcdef")

func cipher(t testing.TB, key []byte, radix int) *fast.Cipher {
	t.Helper()
	c, err := fast.New(key, radix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

type word struct {
	Radix, Layers, W, Length int
	WPrime                   int `json:"w_prime"`
	Key, Tweak               vectors.Hex
	Plaintext, Ciphertext    vectors.Bytes
}

func TestVectors(t *testing.T) {
	list := vectors.Load[word](t, "fast_words")
	list = append(list, vectors.Load[word](t, "spec_fast")...) // of cryptol/Fast.cry
	recommended := len(list)
	list = append(list, vectors.Load[word](t, "fast_special")...)
	for i, v := range list {
		c := cipher(t, v.Key, v.Radix)
		in, err := c.Instance(fast.Params{
			Radix: v.Radix, Length: len(v.Plaintext), Layers: v.Layers, W: v.W, WPrime: v.WPrime,
		})
		if err != nil {
			t.Fatalf("vector %d: %v", i, err)
		}
		if p, err := fast.Recommended(v.Radix, v.Length); i < recommended && (err != nil || p != in.Params()) {
			t.Errorf("vector %d: other parameters: %v", i, err)
		}
		if got, err := in.Encrypt(v.Plaintext, v.Tweak); err != nil || !bytes.Equal(got, v.Ciphertext) {
			t.Errorf("vector %d: another token: %v", i, err)
		}
		if got, err := in.Decrypt(v.Ciphertext, v.Tweak); err != nil || !bytes.Equal(got, v.Plaintext) {
			t.Errorf("vector %d: another value: %v", i, err)
		}
		// Many at once take another way through the core.
		words := bytes.Repeat(v.Plaintext, 100)
		if err := in.EncryptWords(words, words, v.Tweak); err != nil || !bytes.Equal(words, bytes.Repeat(v.Ciphertext, 100)) {
			t.Errorf("vector %d: other tokens of many words: %v", i, err)
		}
		if err := in.DecryptWords(words, words, v.Tweak); err != nil || !bytes.Equal(words, bytes.Repeat(v.Plaintext, 100)) {
			t.Errorf("vector %d: other values of many words: %v", i, err)
		}
	}
}

func TestRecommendedParameters(t *testing.T) {
	want := vectors.Load[struct{ FNV1A64 string }](t, "fast_recommended")[0].FNV1A64
	hash := fnv.New64a()
	for radix := fast.MinRadix; radix <= fast.MaxRadix; radix++ {
		for length := fast.MinLength; length <= 256; length++ {
			p, err := fast.Recommended(radix, length)
			if err != nil {
				t.Fatal(err)
			}
			var b [12]byte
			binary.BigEndian.PutUint32(b[:], uint32(p.Layers))
			binary.BigEndian.PutUint32(b[4:], uint32(p.W))
			binary.BigEndian.PutUint32(b[8:], uint32(p.WPrime))
			hash.Write(b[:])
		}
	}
	if got := fmt.Sprintf("%016x", hash.Sum64()); got != want {
		t.Errorf("the parameters' hash is %s, not %s", got, want)
	}
}

func TestInstancesAndCiphersAgree(t *testing.T) {
	c := cipher(t, key, 10)
	for _, length := range []int{2, 16, 300} {
		p, err := fast.Recommended(10, length)
		if err != nil {
			t.Fatal(err)
		}
		in, err := c.Instance(p)
		if err != nil || in.Params() != p {
			t.Fatalf("%v: %v", in, err)
		}
		value := make([]byte, length)
		for range 2 {
			a, errA := c.Encrypt(value, nil)
			b, errB := in.Encrypt(value, []byte{})
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("length %d: %v, %v", length, errA, errB)
			}
		}
	}
}

func TestWrongArguments(t *testing.T) {
	c := cipher(t, key, 10)
	good := fast.Params{Radix: 10, Length: 4, Layers: 40, W: 2, WPrime: 1}
	explicit := func(change func(*fast.Params)) error {
		p := good
		change(&p)
		_, err := c.Instance(p)
		return err
	}
	_, newKey := fast.New(key[:17], 10)
	_, newRadix := fast.New(key, 3)
	_, newRadix257 := fast.New(key, 257)
	_, negative := fast.New(key, -10)
	_, short := c.Encrypt([]byte{1}, nil)
	_, empty := c.Decrypt(nil, nil)
	_, long := c.Encrypt(make([]byte, fast.MaxLength+1), nil)
	_, symbol := c.Encrypt([]byte{1, 10}, nil)
	_, last := c.Decrypt([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 255}, nil)
	_, recommended := fast.Recommended(4, 1)
	_, size := fast.NewRange(key, 1)
	buffer := make([]byte, 30)
	_, overlap := c.AppendEncrypt(buffer[:5], buffer[4:14], nil)
	for i, one := range []struct{ got, want error }{
		{explicit(func(*fast.Params) {}), nil},
		{explicit(func(p *fast.Params) { p.Radix = 11 }), fast.ErrRadix},
		{explicit(func(p *fast.Params) { p.Length = 1 }), fast.ErrLength},
		{explicit(func(p *fast.Params) { p.Layers = 41 }), fast.ErrParams},
		{explicit(func(p *fast.Params) { p.Layers = -4 }), fast.ErrParams},
		{explicit(func(p *fast.Params) { p.Layers = 4 * fast.MaxRounds }), nil},
		{explicit(func(p *fast.Params) { p.Layers = 4 * (fast.MaxRounds + 1) }), fast.ErrParams},
		{explicit(func(p *fast.Params) { p.Layers = 1 << 30 }), fast.ErrParams},
		{explicit(func(p *fast.Params) { p.W = 3 }), fast.ErrParams},
		{explicit(func(p *fast.Params) { p.WPrime = 0 }), fast.ErrParams},
		{newKey, fast.ErrKeySize}, {newRadix, fast.ErrRadix}, {newRadix257, fast.ErrRadix},
		{negative, fast.ErrRadix}, {short, fast.ErrLength}, {empty, fast.ErrLength},
		{long, fast.ErrLength}, {symbol, fast.ErrSymbol}, {last, fast.ErrSymbol},
		{recommended, fast.ErrLength}, {size, fast.ErrSize}, {overlap, fast.ErrOverlap},
		{c.EncryptWords(buffer, buffer, 7, nil), fast.ErrLength},
		{c.EncryptWords(buffer, buffer, 0, nil), fast.ErrLength},
		{c.EncryptWords(buffer, buffer, -1, nil), fast.ErrLength},
		{c.EncryptWords(buffer[:20], buffer, 10, nil), fast.ErrDestination},
		{c.EncryptWords(buffer[1:21], buffer[:20], 10, nil), fast.ErrOverlap},
		{c.EncryptWords(nil, nil, 10, nil), nil},
	} {
		if !errors.Is(one.got, one.want) {
			t.Errorf("case %d: %v, not %v", i, one.got, one.want)
		}
	}
}

func TestAppend(t *testing.T) {
	c := cipher(t, key, 256)
	value := []byte("a value")
	want, err := c.Encrypt(value, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.AppendEncrypt([]byte("token: "), value, nil)
	if err != nil || string(made) != "token: "+string(want) {
		t.Errorf("appended: %v", err)
	}
	place := bytes.Clone(value)
	if made, err = c.AppendEncrypt(place[:0], place, nil); err != nil || !bytes.Equal(place, want) || &made[0] != &place[0] {
		t.Errorf("in place: %v", err)
	}
	if _, err = c.AppendDecrypt(place[:0], place, nil); err != nil || !bytes.Equal(place, value) {
		t.Errorf("back in place: %v", err)
	}
}

func TestRange(t *testing.T) {
	for _, size := range []uint64{2, 7, 1000, 1 << 32, 0} {
		r, err := fast.NewRange(key, size)
		if err != nil {
			t.Fatal(err)
		}
		numbers := []uint64{0, 1, size - 1, size / 2, 1}
		made := make([]uint64, len(numbers))
		if err := r.EncryptAll(made, numbers, []byte("t")); err != nil {
			t.Fatal(err)
		}
		for i, number := range numbers {
			if one, err := r.Encrypt(number, []byte("t")); err != nil || one != made[i] {
				t.Errorf("size %d: one number and many differ: %v", size, err)
			}
			if back, err := r.Decrypt(made[i], []byte("t")); err != nil || back != number {
				t.Errorf("size %d: a number does not come back: %v", size, err)
			}
		}
		if size != 0 {
			seen := map[uint64]bool{}
			for number := range min(size, 1000) {
				token, err := r.Encrypt(number, nil)
				if err != nil || token >= size || seen[token] {
					t.Fatalf("size %d: no permutation: %v", size, err)
				}
				seen[token] = true
			}
			if _, err := r.Encrypt(size, nil); !errors.Is(err, fast.ErrSymbol) {
				t.Errorf("a number outside: %v", err)
			}
		}
		if err := r.DecryptAll(made[:4], made, nil); !errors.Is(err, fast.ErrDestination) {
			t.Errorf("a short destination: %v", err)
		}
		if err := r.DecryptAll(made, made, []byte("t")); err != nil || made[2] != size-1 {
			t.Errorf("in place: %v", err)
		}
		r.Close()
		if _, err := r.Encrypt(0, nil); !errors.Is(err, fast.ErrClosed) {
			t.Errorf("a closed range: %v", err)
		}
	}
}

// TestGoroutines has many at work on one cipher, which is closed under some of them.
func TestGoroutines(t *testing.T) {
	c, err := fast.New(key, 62)
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
				if errors.Is(err, fast.ErrClosed) {
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
	if err := c.EncryptWords(value, value, 10, nil); !errors.Is(err, fast.ErrClosed) {
		t.Errorf("a closed cipher: %v", err)
	}
}

func FuzzWords(f *testing.F) {
	f.Add(key, 10, []byte{1, 2, 3, 4}, []byte("tweak"), 4)
	f.Add(key[:16], 256, []byte("bytes of any kind"), []byte(nil), 17)
	f.Add(key[:24], 4, []byte{3, 2, 1, 0, 3, 2}, []byte{}, 2)
	f.Add(key[:5], -1, []byte{}, []byte(nil), 0)
	f.Fuzz(func(t *testing.T, key []byte, radix int, words, tweak []byte, length int) {
		c, err := fast.New(key, radix)
		if err != nil {
			return
		}
		defer c.Close()
		made := make([]byte, len(words))
		if err := c.EncryptWords(made, words, length, tweak); err != nil {
			return
		}
		for _, symbol := range made {
			if int(symbol) >= radix {
				t.Fatal("a symbol of the token is not below the radix")
			}
		}
		if len(words) > 0 {
			one, err := c.Encrypt(words[:length], tweak)
			if err != nil || !bytes.Equal(one, made[:length]) {
				t.Errorf("one word and many differ: %v", err)
			}
		}
		if err := c.DecryptWords(made, made, length, tweak); err != nil || !bytes.Equal(made, words) {
			t.Errorf("words do not come back: %v", err)
		}
	})
}

func BenchmarkEncrypt(b *testing.B) {
	for _, radix := range []int{10, 256} {
		b.Run(fmt.Sprintf("radix=%d", radix), func(b *testing.B) {
			c := cipher(b, key, radix)
			value := make([]byte, 16)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.AppendEncrypt(value[:0], value, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncryptWords(b *testing.B) {
	const count = 10000
	c := cipher(b, key, 10)
	words := make([]byte, 16*count)
	for b.Loop() {
		if err := c.EncryptWords(words, words, 16, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mwords/s")
}
