// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/shamir"
)

const part = 16384

func data(size int) []byte {
	made := make([]byte, size)
	for i := range made {
		made[i] = byte(i*i/7 + i/256)
	}
	return made
}

func disperse(t testing.TB, data []byte, count, threshold int) [][]byte {
	t.Helper()
	buffers, writers := make([]bytes.Buffer, count), make([]io.Writer, count)
	for i := range buffers {
		writers[i] = &buffers[i]
	}
	id, err := shamir.Disperse(bytes.NewReader(data), writers, threshold, "a label")
	if err != nil {
		t.Fatal(err)
	}
	shares := make([][]byte, count)
	for i := range buffers {
		shares[i] = buffers[i].Bytes()
		said, err := shamir.ReadShare(shares[i])
		if err != nil || said.SetID != id || said.Index != i+1 || !said.File || said.Label != "a label" {
			t.Fatalf("share %d: %+v: %v", i+1, said, err)
		}
	}
	return shares
}

func readers(shares ...[]byte) (list []io.Reader) {
	for _, share := range shares {
		list = append(list, bytes.NewReader(share))
	}
	return list
}

func TestDispersal(t *testing.T) {
	for _, set := range [][2]int{{2, 2}, {5, 3}, {12, 10}} {
		count, threshold := set[0], set[1]
		for _, size := range []int{0, 1, 100, threshold*part - 1, threshold * part, 3*threshold*part + 5} {
			want := data(size)
			shares := disperse(t, want, count, threshold)
			var got bytes.Buffer
			result, err := shamir.Recover(&got, readers(shares[count-threshold:]...))
			if err != nil || !bytes.Equal(got.Bytes(), want) || result.Size != int64(size) || result.Good != threshold {
				t.Errorf("%v, %d bytes: other data: %v", set, size, err)
			}
			result, err = shamir.Verify(readers(shares...))
			if err != nil || len(result.Damaged) != count {
				t.Fatalf("%v, %d bytes: %v", set, size, err)
			}
			for index, damaged := range result.Damaged {
				if damaged != 0 {
					t.Errorf("%v, %d bytes: share %d has %d damaged parts", set, size, index, damaged)
				}
			}
		}
	}
}

// TestDispersalVectors has the small ones of which the shares are there; of others there is only a digest.
func TestDispersalVectors(t *testing.T) {
	read := 0
	for i, v := range vectors.Load[struct {
		Threshold, Count, Size int
		Label, Digest          vectors.Hex
		Shares                 []vectors.Hex
	}](t, "dispersal") {
		shares := vectors.Slices(v.Shares)
		if len(shares) == 0 {
			continue
		}
		read++
		if digest := sha256.Sum256(bytes.Join(shares, nil)); !bytes.Equal(digest[:], v.Digest) || len(shares) != v.Count {
			t.Fatalf("vector %d: its shares are not those of its digest", i)
		}
		for _, some := range [][][]byte{shares, shares[:v.Threshold], shares[v.Count-v.Threshold:]} {
			var got bytes.Buffer
			result, err := shamir.Recover(&got, readers(some...))
			if err != nil || !bytes.Equal(got.Bytes(), data(v.Size)) || result.Good != len(some) ||
				result.Share.Label != string(v.Label) || result.Share.Threshold != v.Threshold {
				t.Errorf("vector %d: other data: %+v: %v", i, result, err)
			}
		}
		result, err := shamir.Verify(readers(shares...))
		for index := range shares {
			if err != nil || result.Damaged[index+1] != 0 {
				t.Errorf("vector %d: %+v: %v", i, result, err)
			}
		}
	}
	if read < 5 {
		t.Errorf("%d vectors have shares", read)
	}
}

// TestBatches has more data than is held at a time, from readers that give little at once.
func TestBatches(t *testing.T) {
	want := data(9 << 20)
	buffers, writers := make([]bytes.Buffer, 3), make([]io.Writer, 3)
	for i := range buffers {
		writers[i] = &buffers[i]
	}
	if _, err := shamir.Disperse(iotest.HalfReader(bytes.NewReader(want)), writers, 2, ""); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	_, err := shamir.Recover(&got, []io.Reader{
		iotest.HalfReader(&buffers[2]), iotest.DataErrReader(&buffers[0]),
	})
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("other data: %v", err)
	}
}

func TestDamage(t *testing.T) {
	want := data(10 * 2 * part)
	shares := disperse(t, want, 4, 2)
	head := len(shares[0]) - 10*(part+20)
	at := func(stripe int) int { return head + stripe*(part+20) + 50 }
	bad := make([][]byte, 4)
	for i := range shares {
		bad[i] = bytes.Clone(shares[i])
	}
	bad[0][at(0)] ^= 1
	bad[0][at(7)] ^= 1
	bad[1][at(3)] ^= 1
	bad[2] = bad[2][:at(8)]
	recover := func(shares ...[]byte) (*shamir.Recovered, error) {
		t.Helper()
		var got bytes.Buffer
		result, err := shamir.Recover(&got, readers(shares...))
		if err == nil && !bytes.Equal(got.Bytes(), want) {
			t.Error("other data")
		}
		return result, err
	}
	if _, err := recover(bad[0], bad[1], bad[2]); err != nil {
		t.Errorf("each stripe has two good parts: %v", err)
	}
	if _, err := recover(bad[0], bad[1]); !errors.Is(err, shamir.ErrStripe) {
		t.Errorf("stripe 1 has one good part: %v", err)
	}
	if _, err := recover(bad[0], shares[0], shares[1]); err != nil {
		t.Errorf("there is another copy of share 1: %v", err)
	}
	if _, err := recover(bad[1], shares[1], bad[0], shares[0]); err != nil {
		t.Errorf("there are other copies of both: %v", err)
	}
	result, err := shamir.Verify(readers(bad[0], bad[1], bad[2], append(bad[3], "more"...)))
	if err != nil || fmt.Sprint(result.Damaged) != "map[1:2 2:1 3:2 4:1]" {
		t.Errorf("%v: %v", result, err)
	}
	// What follows the last record costs nothing, with no share to spare.
	if result, err = recover(append(bytes.Clone(shares[0]), '\n'), append(bytes.Clone(shares[1]), "more"...)); err != nil ||
		fmt.Sprint(result.Damaged) != "map[1:1 2:1]" {
		t.Errorf("%v: %v", result, err)
	}
	// A share that can't be read to its end counts as cut short.
	broken := io.MultiReader(bytes.NewReader(shares[1][:at(4)]), iotest.ErrReader(errors.New("a bad disk")))
	var got bytes.Buffer
	_, err = shamir.Recover(&got, []io.Reader{bytes.NewReader(shares[0]), broken, bytes.NewReader(shares[3])})
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("a share on a bad disk: %v", err)
	}
}

// TestBadSharesAreNamed has each error that leaves something to tell.
func TestBadSharesAreNamed(t *testing.T) {
	want := data(3 * 2 * part)
	shares, others, secret := disperse(t, want, 3, 2), disperse(t, data(10), 2, 2), split(t, "secret", 2, 2, "")
	head := len(shares[0]) - 3*(part+20)
	altered, cut, damaged := bytes.Clone(shares[0]), bytes.Clone(shares[1]), bytes.Clone(shares[2])
	altered[head-1] ^= 1
	cut = cut[:head+part+20]
	damaged[head+part+20+50] ^= 1
	full := errors.New("a full disk")
	stripes := int64(2 * part)
	for name, one := range map[string]struct {
		target   io.Writer
		shares   [][]byte
		err      error
		verdicts string
		damaged  string
		size     int64
	}{
		"too few":      {nil, [][]byte{altered, shares[1], []byte("none"), shares[1]}, shamir.ErrFewShares, "[damaged or altered good not a share of this version, or cut short given twice]", "map[]", 0},
		"none":         {nil, [][]byte{altered}, shamir.ErrFewShares, "[damaged or altered]", "map[]", 0},
		"two sets":     {nil, append(others, shares...), shamir.ErrSeveralSets, "", "map[]", 0},
		"another kind": {nil, secret, shamir.ErrKind, "[good good]", "map[]", 0},
		"a stripe":     {nil, [][]byte{damaged, cut}, shamir.ErrStripe, "[good good]", "map[2:1 3:1]", stripes},
		"target":       {failing{full}, [][]byte{shares[2], shares[0]}, full, "[good good]", "map[1:0 3:0]", 0},
	} {
		var got bytes.Buffer
		if one.target == nil {
			one.target = &got
		}
		found, err := shamir.Recover(one.target, readers(one.shares...))
		if !errors.Is(err, one.err) || found == nil {
			t.Errorf("%s: %v: %v", name, found, err)
			continue
		}
		if len(found.Verdicts) != len(one.shares) || one.verdicts != "" && fmt.Sprint(found.Verdicts) != one.verdicts ||
			fmt.Sprint(found.Damaged) != one.damaged || found.Size != one.size || int64(got.Len()) != one.size {
			t.Errorf("%s: %+v", name, found)
		}
	}
	found, err := shamir.Verify(readers(damaged, cut))
	if !errors.Is(err, shamir.ErrStripe) || found == nil || fmt.Sprint(found.Damaged) != "map[2:1 3:1]" || found.Share.Label != "a label" {
		t.Errorf("verified: %+v: %v", found, err)
	}
	if found, err := shamir.RecoverSet(io.Discard, readers(shares...), "x"); !errors.Is(err, shamir.ErrSetID) || found != nil {
		t.Errorf("no id: %v: %v", found, err)
	}
}

func TestDispersalErrors(t *testing.T) {
	shares := disperse(t, data(100), 3, 2)
	other := disperse(t, data(50), 3, 2)
	secret := split(t, "secret", 3, 2, "")
	discard := func(n int) (list []io.Writer) {
		for range n {
			list = append(list, io.Discard)
		}
		return list
	}
	full := errors.New("a full disk")
	try := func(r io.Reader, w []io.Writer, threshold int, label string) error {
		_, err := shamir.Disperse(r, w, threshold, label)
		return err
	}
	get := func(shares ...[]byte) error {
		_, err := shamir.Recover(io.Discard, readers(shares...))
		return err
	}
	_, target := shamir.Recover(failing{full}, readers(shares...))
	_, many := shamir.Recover(io.Discard, make([]io.Reader, shamir.MaxGiven+1))
	for i, one := range []struct{ got, want error }{
		{try(strings.NewReader(""), discard(1), 1, ""), shamir.ErrThresholdRange},
		{try(strings.NewReader(""), discard(3), 2, "\n"), shamir.ErrLabel},
		{try(iotest.ErrReader(full), discard(3), 2, ""), full},
		{try(strings.NewReader("x"), append(discard(2), failing{full}), 2, ""), full},
		{get(), shamir.ErrFewShares}, {get(shares[0]), shamir.ErrFewShares},
		{get(append(shares, other...)...), shamir.ErrSeveralSets}, {get(secret...), shamir.ErrKind},
		{target, full}, {many, shamir.ErrTooManyShares},
	} {
		if !errors.Is(one.got, one.want) {
			t.Errorf("case %d: %v, not %v", i, one.got, one.want)
		}
	}
	said, err := shamir.ReadShare(other[0])
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := shamir.RecoverSet(&got, readers(append(shares, other...)...), said.SetID); err != nil || !bytes.Equal(got.Bytes(), data(50)) {
		t.Errorf("one of two sets: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzRecover damages the shares that bits of `which` choose, of a file and of a secret, and gives them beside
// those of another set: two good ones of three are enough, and fewer never give anything else.
func FuzzRecover(f *testing.F) {
	want, secret := data(2*part+100), "the secret"
	shares, others := disperse(f, want, 3, 2), disperse(f, data(50), 2, 2)
	small, foreign := split(f, secret, 3, 2, "a label"), split(f, "another", 2, 2, "")
	id := func(share []byte) string {
		said, err := shamir.ReadShare(share)
		if err != nil {
			f.Fatal(err)
		}
		return said.SetID
	}
	file, set := id(shares[0]), id(small[0])
	for _, which := range []uint8{0, 1, 2, 5, 6, 7, 15} {
		f.Add(which, uint32(0), uint8(1), uint32(1<<20), uint16(0))
		f.Add(which, uint32(200), uint8(255), uint32(300), uint16(2))
		f.Add(which, uint32(17000), uint8(7), uint32(1<<20), uint16(0))
	}
	f.Add(uint8(1), uint32(40), uint8(1), uint32(1<<20), uint16(0xFF00))
	f.Fuzz(func(t *testing.T, which uint8, at uint32, change uint8, length uint32, copies uint16) {
		// Copies of the first share: few, and once in 256 as many as can be given with those of both sets.
		many := int(copies % 3)
		if copies>>8 == 0xFF {
			many = shamir.MaxGiven - len(shares) - len(others) - many
		}
		damaged := func(good [][]byte) (given [][]byte, unharmed map[int]bool) {
			unharmed = map[int]bool{}
			for i, share := range good {
				bad := bytes.Clone(share)
				if which>>i&1 != 0 {
					// At one place of all, or at another of each.
					bad[(int(at)+i*int(which>>3)*1009)%len(bad)] ^= change
					bad = bad[:min(int(length), len(bad))]
				}
				given = append(given, bad)
				if bytes.Equal(bad, share) {
					unharmed[i+1] = true
				}
			}
			for range many {
				given = append(given, given[0])
			}
			return given, unharmed
		}
		judge := func(what string, got []byte, want string, enough bool, err error) {
			t.Helper()
			if err == nil && string(got) != want {
				t.Errorf("%s: other data without an error", what)
			}
			if enough && err != nil {
				t.Errorf("%s: bad shares do harm: %v", what, err)
			}
			if err != nil && !errors.Is(err, shamir.ErrFewShares) && !errors.Is(err, shamir.ErrStripe) {
				t.Errorf("%s: %v", what, err)
			}
		}
		given, unharmed := damaged(shares)
		enough := len(unharmed) >= 2
		var got, chosen bytes.Buffer
		_, err := shamir.Recover(&got, readers(given...))
		judge("Recover", got.Bytes(), string(want), enough, err)
		_, setErr := shamir.RecoverSet(&chosen, readers(append(others, given...)...), file)
		judge("RecoverSet", chosen.Bytes(), string(want), enough, setErr)
		result, verified := shamir.Verify(readers(given...))
		if (verified == nil) != (err == nil) || (setErr == nil) != (err == nil) {
			t.Errorf("Recover: %v; RecoverSet: %v; Verify: %v", err, setErr, verified)
		}
		for index, parts := range result.Damaged {
			if unharmed[index] && parts != 0 {
				t.Errorf("share %d is good, and Verify says that %d parts are not", index, parts)
			}
		}
		for i := range shares {
			if unharmed[i+1] && result.Verdicts[i] != shamir.Good {
				t.Errorf("share %d is good, and Verify says %v", i+1, result.Verdicts[i])
			}
		}
		given, unharmed = damaged(small)
		found, err := shamir.CombineSet(append(foreign, given...), set)
		judge("CombineSet", found.Secret, secret, len(unharmed) >= 2, err)
		if len(unharmed) < 2 && err == nil {
			t.Error("CombineSet: too few shares are enough")
		}
	})
}

func ExampleDisperse() {
	var files [3]bytes.Buffer
	_, err := shamir.Disperse(strings.NewReader("a file of any size"), []io.Writer{&files[0], &files[1], &files[2]}, 2, "payroll")
	if err != nil {
		fmt.Println(err)
		return
	}
	var back bytes.Buffer
	_, err = shamir.Recover(&back, []io.Reader{&files[2], &files[0]})
	fmt.Println(back.String(), err)
	// Output: a file of any size <nil>
}
