// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/hazmat/shamir"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

type rawVector struct {
	Threshold int
	Secret    vectors.Hex
	Shares    []vectors.Hex
}

func TestRawVectors(t *testing.T) {
	for name, field := range map[string]shamir.Field{
		"shamir_vault": shamir.FieldAES, "shamir_0x11d": shamir.FieldRS,
		"spec_shamir": shamir.FieldAES, "spec_shamir_0x11d": shamir.FieldRS, // of cryptol/Shamir.cry
	} {
		for i, v := range vectors.Load[rawVector](t, name) {
			shares := vectors.Slices(v.Shares)
			for _, some := range [][][]byte{shares[:v.Threshold], shares[len(shares)-v.Threshold:], shares} {
				if got, err := shamir.CombineField(some, field); err != nil || !bytes.Equal(got, v.Secret) {
					t.Errorf("%s, vector %d: another secret: %v", name, i, err)
				}
			}
		}
	}
}

func TestSplitAndCombine(t *testing.T) {
	for _, size := range []int{1, 2, 33, 1000, 1 << 15, 100_001} {
		secret := make([]byte, size)
		for i := range secret {
			secret[i] = byte(i * i)
		}
		for _, set := range [][2]int{{2, 2}, {5, 3}, {255, 2}, {255, 255}} {
			if size > 1000 && set[0] > 5 {
				continue
			}
			parts, err := shamir.Split(secret, set[0], set[1])
			if err != nil || len(parts) != set[0] {
				t.Fatalf("%d bytes, %v: %v", size, set, err)
			}
			for i, part := range parts {
				if len(part) != size+shamir.ShareOverhead || cap(part) != len(part) {
					t.Fatalf("part %d has %d bytes, and room for %d", i, len(part), cap(part))
				}
			}
			got, err := shamir.Combine(parts[set[0]-set[1]:])
			if err != nil || !bytes.Equal(got, secret) {
				t.Errorf("%d bytes, %v: another secret: %v", size, set, err)
			}
			if size > 30 {
				if got, err = shamir.Combine(parts[:max(2, set[1]-1)]); err != nil || set[1] > 2 && bytes.Equal(got, secret) {
					t.Errorf("%d bytes, %v: too few parts give the secret: %v", size, set, err)
				}
			}
		}
	}
}

func TestSplitInto(t *testing.T) {
	for _, size := range []int{1, 100, 5000} {
		secret, room := bytes.Repeat([]byte{9}, size), make([]byte, 3*(size+1))
		parts := [][]byte{room[:size+1], room[2*(size+1):], room[size+1 : 2*(size+1)]}
		if err := shamir.SplitInto(parts, secret, 2); err != nil {
			t.Fatal(err)
		}
		for _, some := range [][][]byte{parts[:2], parts[1:], {parts[2], parts[0]}} {
			if got, err := shamir.Combine(some); err != nil || !bytes.Equal(got, secret) {
				t.Errorf("%d bytes: another secret: %v", size, err)
			}
		}
		for i, one := range []struct{ got, want error }{
			{shamir.SplitInto(parts[:1], secret, 2), shamir.ErrPartsBelowThreshold},
			{shamir.SplitInto([][]byte{parts[0], parts[0]}, secret, 2), shamir.ErrOverlap},
			{shamir.SplitInto(parts[:2], parts[1][:size], 2), shamir.ErrOverlap},
			{shamir.SplitInto([][]byte{parts[0], secret}, secret, 2), shamir.ErrPartLengths},
			{shamir.SplitInto(parts, nil, 2), shamir.ErrEmptySecret},
		} {
			if !errors.Is(one.got, one.want) {
				t.Errorf("%d bytes, case %d: %v, not %v", size, i, one.got, one.want)
			}
		}
	}
}

func TestRawErrors(t *testing.T) {
	split := func(size, parts, threshold int) error {
		_, err := shamir.Split(make([]byte, size), parts, threshold)
		return err
	}
	combine := func(parts ...[]byte) error {
		_, err := shamir.Combine(parts)
		return err
	}
	_, field := shamir.CombineField([][]byte{{1, 1}, {1, 2}}, 0x12B)
	for i, one := range []struct{ got, want error }{
		{split(1, 2, 3), shamir.ErrPartsBelowThreshold}, {split(1, 256, 3), shamir.ErrTooManyParts},
		{split(1, 1000, 300), shamir.ErrTooManyParts}, {split(1, 10, 1), shamir.ErrThreshold},
		{split(1, 10, 0), shamir.ErrThreshold}, {split(1, 10, -5), shamir.ErrThreshold},
		{split(0, 3, 2), shamir.ErrEmptySecret}, {split(1, 255, 255), nil},
		{combine(), shamir.ErrFewParts}, {combine([]byte{1, 2}), shamir.ErrFewParts},
		{combine([]byte("foo"), []byte("ba")), shamir.ErrPartLengths},
		{combine([]byte("f"), []byte("b")), shamir.ErrShortPart},
		{combine(nil, nil), shamir.ErrShortPart},
		{combine([]byte("foo"), []byte("foo")), shamir.ErrDuplicatePart},
		{combine([]byte{1, 0}, []byte{1, 1}), shamir.ErrCoordinate},
		{combine(make([][]byte, 300)...), shamir.ErrShortPart},
		{field, shamir.ErrField},
	} {
		if !errors.Is(one.got, one.want) {
			t.Errorf("case %d: %v, not %v", i, one.got, one.want)
		}
	}
}

// A part at x = 0 is the secret: what Go-Shamir's SplitWithRandomizer makes when it draws 255 and adds 1. The
// test computes such a part from the others, and checks that it is refused, and that the error says why.
func TestPartAtZeroIsTheSecret(t *testing.T) {
	for _, name := range []string{"shamir_0x11d", "shamir_vault"} {
		v := vectors.Load[rawVector](t, name)[0]
		parts := append(vectors.Slices(v.Shares), append(bytes.Clone(v.Secret), 0))
		for _, some := range [][][]byte{parts, parts[len(parts)-2:]} {
			_, err := shamir.CombineField(some, shamir.FieldRS)
			if !errors.Is(err, shamir.ErrCoordinate) || !strings.Contains(err.Error(), "is the secret itself") {
				t.Errorf("%s: a part at 0: %v", name, err)
			}
		}
	}
}

func FuzzCombine(f *testing.F) {
	f.Add([]byte("0\x011\x022\x03"), uint8(3), false)
	f.Add([]byte("abcabc"), uint8(2), true)
	f.Add([]byte{}, uint8(0), false)
	f.Fuzz(func(t *testing.T, data []byte, count uint8, rs bool) {
		var parts [][]byte
		if count > 0 {
			size := len(data) / int(count)
			for i := range int(count) {
				parts = append(parts, data[i*size:(i+1)*size])
			}
		}
		field := shamir.FieldAES
		if rs {
			field = shamir.FieldRS
		}
		secret, err := shamir.CombineField(parts, field)
		if err == nil && len(secret) != len(parts[0])-1 {
			t.Errorf("%d bytes of secret from parts of %d", len(secret), len(parts[0]))
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte("a secret"), uint8(5), uint8(3), uint64(0x123456789))
	f.Add([]byte{0}, uint8(255), uint8(255), uint64(0))
	f.Add([]byte{}, uint8(1), uint8(0), uint64(1))
	f.Fuzz(func(t *testing.T, secret []byte, count, threshold uint8, order uint64) {
		parts, err := shamir.Split(secret, int(count), int(threshold))
		if (err == nil) != (len(secret) > 0 && threshold >= 2 && threshold <= count) {
			t.Fatalf("%d of %d, %d bytes: %v", threshold, count, len(secret), err)
		}
		if err != nil {
			return
		}
		for i := range parts { // any order, and any of them
			j := i + int(order%uint64(len(parts)-i))
			order = order>>3 | order<<61
			parts[i], parts[j] = parts[j], parts[i]
		}
		if got, err := shamir.Combine(parts[:threshold]); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%d of %d: another secret: %v", threshold, count, err)
		}
	})
}

func ExampleSplit() {
	parts, err := shamir.Split([]byte("a root token"), 5, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	secret, err := shamir.Combine([][]byte{parts[4], parts[0], parts[2]})
	fmt.Printf("%s %v\n", secret, err)
	// Output: a root token <nil>
}

func BenchmarkSplit(b *testing.B) {
	for _, size := range []int{32, 1 << 20} {
		secret, parts := make([]byte, size), make([][]byte, 5)
		for i := range parts {
			parts[i] = make([]byte, size+1)
		}
		b.Run(fmt.Sprintf("%d/Split", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := shamir.Split(secret, 5, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/SplitInto", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := shamir.SplitInto(parts, secret, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
