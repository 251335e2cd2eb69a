// SPDX-License-Identifier: Apache-2.0

package core

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tallystick/tallystick/go/internal/model"
)

var key = []byte("0123456789abcdef")

func params(t testing.TB, profile, radix, length uint32) (Params, model.Params) {
	t.Helper()
	p, err := Recommended(profile, radix, length)
	if err != nil {
		t.Fatal(err)
	}
	return p, model.Params{Length: int(p.Length), Layers: int(p.Layers), W: int(p.W), WPrime: int(p.WPrime)}
}

func pool(t testing.TB, profile, radix uint32) *Pool {
	t.Helper()
	p, err := NewPool(profile, radix, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestWordsAreTheModels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, instance := range [][3]uint32{
		{ProfileFAST, 10, 2}, {ProfileFAST, 10, 5}, {ProfileFAST, 4, 3}, {ProfileFAST, 62, 16},
		{ProfileFAST, 64, 9}, {ProfileFAST, 256, 16}, {ProfileFAST, 255, 100}, {ProfileFAST, 10, 600},
		{ProfileBytesLegacy, 256, 3}, {ProfileBytesLegacy, 256, 16}, {ProfileBytesLegacy, 256, 5000},
	} {
		profile, radix, length := instance[0], instance[1], instance[2]
		own := pool(t, profile, radix)
		other := model.NewFAST(key, int(radix), profile == ProfileBytesLegacy)
		p, q := params(t, profile, radix, length)
		for _, count := range []int{1, 3, 70} {
			tweak := make([]byte, r.IntN(40))
			words := make([]byte, count*int(length))
			for i := range words {
				words[i] = byte(r.IntN(int(radix)))
			}
			want, sequence := bytes.Clone(words), other.Sequence(q, tweak)
			for word := want; len(word) > 0; word = word[length:] {
				other.Encrypt(q, sequence, word[:length])
			}
			got := make([]byte, len(words))
			if err := own.Words(false, &p, tweak, words, count, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%v: %d words are not the model's", instance, count)
			}
			for word := want; len(word) > 0; word = word[length:] {
				other.Decrypt(q, sequence, word[:length])
			}
			if err := own.Words(true, &p, tweak, got, count, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, words) || !bytes.Equal(want, words) {
				t.Fatalf("%v: %d words do not come back", instance, count)
			}
		}
	}
}

func TestSharesCombineInTheModel(t *testing.T) {
	secret := []byte("a secret of thirty-two bytes.....")
	for _, polynomial := range []int{0x11B, 0x11D} {
		field := model.NewField(polynomial)
		size := len(secret) + 1
		made := make([]byte, 5*size)
		if err := Split(uint32(polynomial), secret, 3, 5, made); err != nil {
			t.Fatal(err)
		}
		if got := field.Combine([][]byte{made[4*size:], made[:size], made[2*size : 3*size]}); !bytes.Equal(got, secret) {
			t.Errorf("%#x: the model recovers another secret", polynomial)
		}
		got := make([]byte, len(secret))
		if err := Combine(uint32(polynomial), field.Split(secret, 5, 3)[1:4], got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, secret) {
			t.Errorf("%#x: the model's shares give another secret", polynomial)
		}
	}
}

// FuzzModel compares words, and shares, with the model; with CGO_ENABLED=0 it is WebAssembly that is compared.
func FuzzModel(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), uint32(10), uint32(4), uint8(3), []byte("tweak"), []byte("0123456789"), false)
	f.Add([]byte("0123456789abcdef"), uint32(256), uint32(16), uint8(70), []byte{}, []byte("some bytes"), true)
	f.Fuzz(func(t *testing.T, key []byte, radix, length uint32, count uint8, tweak, data []byte, legacy bool) {
		profile := uint32(ProfileFAST)
		if legacy {
			profile = ProfileBytesLegacy
		}
		if length > 300 || count == 0 || legacy && length < 3 { // which the model has not
			return
		}
		recommended, err := Recommended(profile, radix, length)
		if err != nil {
			return
		}
		own, err := NewPool(profile, radix, key)
		if err != nil {
			return
		}
		defer own.Close()
		words := make([]byte, int(count)*int(length))
		for i := range words {
			if len(data) > 0 {
				words[i] = byte(uint32(data[i%len(data)]+byte(i/len(data))) % radix)
			}
		}
		want := bytes.Clone(words)
		params := model.Params{
			Length: int(length), Layers: int(recommended.Layers), W: int(recommended.W), WPrime: int(recommended.WPrime),
		}
		other := model.NewFAST(key, int(radix), legacy)
		sequence := other.Sequence(params, tweak)
		for word := want; len(word) > 0; word = word[length:] {
			other.Encrypt(params, sequence, word[:length])
		}
		got := make([]byte, len(words))
		if err := own.Words(false, &recommended, tweak, words, int(count), got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Error("words are not the model's")
		}
		if err := own.Words(true, &recommended, tweak, got, int(count), got); err != nil || !bytes.Equal(got, words) {
			t.Errorf("words do not come back: %v", err)
		}
	})
}

// The benchmarks of docs/explanation/decisions/0001-go-without-cgo.md: run them with CGO_ENABLED=0 and 1.
func BenchmarkWord(b *testing.B) {
	for _, one := range []struct {
		name                   string
		profile, radix, length uint32
	}{{"radix 10", ProfileFAST, 10, 16}, {"legacy", ProfileBytesLegacy, 256, 16}} {
		p, q := params(b, one.profile, one.radix, one.length)
		word := make([]byte, one.length)
		b.Run(one.name+"/by="+Backend, func(b *testing.B) {
			own := pool(b, one.profile, one.radix)
			for b.Loop() {
				if err := own.Words(false, &p, nil, word, 1, word); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(one.name+"/by=model", func(b *testing.B) {
			other := model.NewFAST(key, int(one.radix), one.profile == ProfileBytesLegacy)
			sequence := other.Sequence(q, nil)
			for b.Loop() {
				other.Encrypt(q, sequence, word)
			}
		})
	}
}

func BenchmarkBatch(b *testing.B) {
	const count = 10000
	p, q := params(b, ProfileFAST, 10, 16)
	words := make([]byte, count*16)
	b.Run("by="+Backend, func(b *testing.B) {
		own := pool(b, ProfileFAST, 10)
		for b.Loop() {
			if err := own.Words(false, &p, nil, words, count, words); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by=model", func(b *testing.B) {
		other := model.NewFAST(key, 10, false)
		sequence := other.Sequence(q, nil)
		for b.Loop() {
			for word := words; len(word) > 0; word = word[16:] {
				other.Encrypt(q, sequence, word[:16])
			}
		}
	})
}

func BenchmarkPool(b *testing.B) {
	for _, radix := range []uint32{10, 256} {
		name := map[uint32]string{10: "radix 10", 256: "radix 256"}[radix]
		b.Run(name+"/by="+Backend, func(b *testing.B) {
			for b.Loop() {
				p, err := NewPool(ProfileFAST, radix, key)
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
		b.Run(name+"/by=model", func(b *testing.B) {
			for b.Loop() {
				model.NewFAST(key, int(radix), false)
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	for _, size := range []int{32, 1 << 20} {
		name := map[int]string{32: "32 bytes", 1 << 20: "1 MB"}[size]
		secret, shares := make([]byte, size), make([]byte, 5*(size+1))
		b.Run(name+"/by="+Backend, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := Split(0x11B, secret, 2, 5, shares); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/by=model", func(b *testing.B) {
			b.SetBytes(int64(size))
			field := model.NewField(0x11B)
			for b.Loop() {
				field.Split(secret, 5, 2)
			}
		})
	}
}

// BenchmarkStartUp is the first word of a process, which compiles WebAssembly. Only the first round is
// that, so it takes -benchtime 1x, and no other benchmark before it.
func BenchmarkStartUp(b *testing.B) {
	for b.Loop() {
		p, err := NewPool(ProfileFAST, 10, key)
		if err != nil {
			b.Fatal(err)
		}
		instance, _ := params(b, ProfileFAST, 10, 16)
		word := make([]byte, 16)
		if err := p.Words(false, &instance, nil, word, 1, word); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}
