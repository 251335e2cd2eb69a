// SPDX-License-Identifier: Apache-2.0

package gofast_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/fast/gofast"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

// TestCiphertextsOfTheOriginal reads what the original encrypted.
func TestCiphertextsOfTheOriginal(t *testing.T) {
	for i, v := range vectors.Load[struct {
		Key, Tweak, Plaintext, Ciphertext vectors.Hex
		TweakNil                          bool
	}](t, "fast_bytes_legacy") {
		c, err := gofast.NewCipher(v.Key)
		if err != nil {
			t.Fatal(err)
		}
		tweak := []byte(v.Tweak)
		if v.TweakNil {
			tweak = nil
		}
		given := bytes.Clone(v.Plaintext)
		if got := c.Encrypt(given, tweak); !bytes.Equal(got, v.Ciphertext) {
			t.Errorf("vector %d: another ciphertext of %d bytes", i, len(given))
		}
		if got := c.Decrypt(v.Ciphertext, tweak); !bytes.Equal(got, v.Plaintext) {
			t.Errorf("vector %d: another plaintext of %d bytes", i, len(given))
		}
		if !bytes.Equal(given, v.Plaintext) {
			t.Errorf("vector %d: the argument was changed", i)
		}
		c.Close()
	}
}

// TestCiphertextsOfTheNewer reads what the newer versions encrypt: 18 of the vectors are known answers of
// go-fast's own tests, and all were computed with fast-cipher 0.3.0.
func TestCiphertextsOfTheNewer(t *testing.T) {
	for i, v := range vectors.Load[struct {
		Radix, Layers, W      int
		WPrime                int `json:"w_prime"`
		Key, Tweak            vectors.Hex
		Plaintext, Ciphertext vectors.Bytes
	}](t, "fast_newer") {
		params, err := gofast.Params(v.Radix, len(v.Plaintext))
		if want := (fast.Params{Radix: v.Radix, Length: len(v.Plaintext), Layers: v.Layers, W: v.W, WPrime: v.WPrime}); err != nil || params != want {
			t.Errorf("vector %d: other parameters: %v: %v", i, params, err)
		}
		c, err := fast.New(v.Key, v.Radix)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := c.Instance(params)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := instance.Decrypt(v.Ciphertext, v.Tweak); err != nil || !bytes.Equal(got, v.Plaintext) {
			t.Errorf("vector %d: another plaintext: %v", i, err)
		}
		if got, err := instance.Encrypt(v.Plaintext, v.Tweak); err != nil || !bytes.Equal(got, v.Ciphertext) {
			t.Errorf("vector %d: another ciphertext: %v", i, err)
		}
		c.Close()
		if v.Radix != 256 {
			continue
		}
		// What the package's documentation warns of: the first go-fast's cipher gives something else.
		first, err := gofast.NewCipher(v.Key)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(first.Decrypt(v.Ciphertext, v.Tweak), v.Plaintext) {
			t.Errorf("vector %d: the first go-fast reads it", i)
		}
		first.Close()
	}
	for _, size := range [][2]int{{2, 16}, {3, 16}, {257, 16}} {
		if _, err := gofast.Params(size[0], size[1]); !errors.Is(err, fast.ErrRadix) {
			t.Errorf("%v: %v", size, err)
		}
	}
	if _, err := gofast.Params(256, 1); !errors.Is(err, fast.ErrLength) {
		t.Errorf("one byte: %v", err)
	}
}

// TestLimitsOfTheOriginal has what its documentation and tests say of misuse.
func TestLimitsOfTheOriginal(t *testing.T) {
	for _, size := range []int{0, 1, 15, 17, 31, 33, 64} {
		if c, err := gofast.NewCipher(make([]byte, size)); c != nil || !errors.Is(err, gofast.ErrInvalidKeySize) {
			t.Errorf("a key of %d bytes: %v", size, err)
		}
	}
	var none *gofast.Cipher
	for name, c := range map[string]*gofast.Cipher{"nil": none, "zero": {}} {
		if c.Encrypt([]byte("data"), nil) != nil || c.Decrypt([]byte("data"), nil) != nil {
			t.Errorf("a %s cipher gives something", name)
		}
		c.Close()
	}
	c, err := gofast.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Encrypt(nil, nil); got != nil {
		t.Error("no data gives something")
	}
	if got := c.Encrypt([]byte{}, nil); got == nil || len(got) != 0 {
		t.Error("empty data is not returned as it is")
	}
	most := make([]byte, gofast.MaxDataSize)
	if got := c.Decrypt(c.Encrypt(most, []byte("t")), []byte("t")); !bytes.Equal(got, most) {
		t.Error("MaxDataSize bytes do not come back")
	}
	if more := append(most, 0); c.Encrypt(more, nil) != nil || c.Decrypt(more, nil) != nil {
		t.Error("more than MaxDataSize bytes give something")
	}
	c.Close()
	if c.Encrypt([]byte("data"), nil) != nil {
		t.Error("a closed cipher gives something")
	}
}

func TestGoroutines(t *testing.T) {
	c, err := gofast.NewCipher(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			tweak := []byte{byte(i)}
			for size := range 100 {
				data := bytes.Repeat([]byte{byte(i)}, size)
				if !bytes.Equal(c.Decrypt(c.Encrypt(data, tweak), tweak), data) {
					t.Errorf("%d bytes do not come back", size)
				}
			}
		})
	}
	group.Wait()
}

func TestReencrypt(t *testing.T) {
	old, err := gofast.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	to, err := fast.New(bytes.Repeat([]byte{1}, 32), 256)
	if err != nil {
		t.Fatal(err)
	}
	value, tweak := []byte("a value to keep"), []byte("tweak")
	made, err := old.Reencrypt(to, old.Encrypt(value, tweak), tweak, []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := to.Decrypt(made, []byte("new")); err != nil || !bytes.Equal(got, value) {
		t.Errorf("the value is not in the new ciphertext: %v", err)
	}
	digits, err := fast.New(make([]byte, 16), 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		old  *gofast.Cipher
		to   *fast.Cipher
		data []byte
		want error
	}{
		{nil, to, value, gofast.ErrNilCipher},
		{old, nil, value, gofast.ErrNilCipher},
		{old, digits, value, fast.ErrRadix},
		{old, to, make([]byte, gofast.MaxDataSize+1), gofast.ErrDataTooLarge},
		{old, to, []byte{1}, fast.ErrLength},
		{old, to, nil, fast.ErrLength},
		{old, to, make([]byte, fast.MaxLength+1), fast.ErrLength},
	} {
		if _, err := bad.old.Reencrypt(bad.to, bad.data, nil, nil); !errors.Is(err, bad.want) {
			t.Errorf("%d bytes: %v, not %v", len(bad.data), err, bad.want)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), []byte("value"), []byte("tweak"))
	f.Add(make([]byte, 24), []byte{0, 255}, []byte(nil))
	f.Add(make([]byte, 32), []byte{7}, []byte{})
	f.Add([]byte("short"), []byte("value"), []byte(nil))
	f.Fuzz(func(t *testing.T, key, data, tweak []byte) {
		c, err := gofast.NewCipher(key)
		if err != nil {
			return
		}
		defer c.Close()
		made := c.Encrypt(data, tweak)
		if len(made) != len(data) || !bytes.Equal(c.Decrypt(made, tweak), data) {
			t.Errorf("%d bytes do not come back", len(data))
		}
	})
}

func Example() {
	c, err := gofast.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ciphertext := c.Encrypt([]byte("Hello, World!"), nil)
	fmt.Printf("%s\n", c.Decrypt(ciphertext, nil))
	// Output: Hello, World!
}

func BenchmarkEncrypt16(b *testing.B) {
	c, err := gofast.NewCipher(make([]byte, 16))
	if err != nil {
		b.Fatal(err)
	}
	data := make([]byte, 16)
	b.ReportAllocs()
	for b.Loop() {
		data = c.Encrypt(data, nil)
	}
}
