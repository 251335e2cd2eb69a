// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/shamir"
)

func split(t testing.TB, secret string, count, threshold int, label string) [][]byte {
	t.Helper()
	shares, err := shamir.SplitAuthentic([]byte(secret), count, threshold, label)
	if err != nil {
		t.Fatal(err)
	}
	return shares
}

func TestAuthenticVectors(t *testing.T) {
	read := 0
	for i, v := range vectors.Load[struct {
		Kind, Threshold, Count int
		Label                  string
		Secret                 vectors.Hex
		Shares                 []vectors.Hex
	}](t, "authentic_shares") {
		shares := vectors.Slices(v.Shares)
		if len(shares) < v.Threshold {
			continue // a large set, of which there is only a digest
		}
		read++
		label, err := hex.DecodeString(v.Label)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range shares {
			said, err := shamir.ReadShare(share)
			if err != nil || said.Threshold != v.Threshold || said.Count != v.Count || said.Label != string(label) ||
				said.File != (v.Kind == 1) || said.SecretSize != len(v.Secret) {
				t.Fatalf("vector %d: %+v: %v", i, said, err)
			}
		}
		found, err := shamir.CombineAuthentic(shares)
		if v.Kind == 1 {
			if !errors.Is(err, shamir.ErrKind) || found.Secret != nil {
				t.Errorf("vector %d: a file's key is given out: %v", i, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(found.Secret, v.Secret) || found.Good != len(shares) {
			t.Errorf("vector %d: another secret: %v", i, err)
		}
	}
	if read == 0 {
		t.Error("no vector has shares")
	}
}

func TestBadShares(t *testing.T) {
	shares, others := split(t, "the secret", 6, 3, "label"), split(t, "another", 3, 2, "")
	damaged := bytes.Clone(shares[2])
	damaged[len(damaged)-1] ^= 1
	found, err := shamir.CombineAuthentic([][]byte{
		[]byte("none"), damaged, others[0], shares[5], shares[1], shares[5], nil, shares[0],
	})
	want := []shamir.Verdict{
		shamir.Malformed, shamir.Damaged, shamir.Foreign, shamir.Good, shamir.Good, shamir.Repeated,
		shamir.Malformed, shamir.Good,
	}
	if err != nil || string(found.Secret) != "the secret" || found.Good != 3 ||
		fmt.Sprint(found.Verdicts) != fmt.Sprint(want) || found.Share.Label != "label" {
		t.Errorf("%+v: %v", found, err)
	}
	if _, err := shamir.ReadShare(damaged); !errors.Is(err, shamir.ErrShare) {
		t.Errorf("a damaged share: %v", err)
	}
	if _, err := shamir.ReadShare(nil); !errors.Is(err, shamir.ErrShare) {
		t.Errorf("no share: %v", err)
	}
	found, err = shamir.CombineAuthentic([][]byte{shares[0], damaged, shares[1]})
	if !errors.Is(err, shamir.ErrFewShares) || found.Good != 2 || found.Secret != nil || found.Verdicts[1] != shamir.Damaged {
		t.Errorf("too few: %+v: %v", found, err)
	}
	if found, err = shamir.CombineAuthentic(nil); !errors.Is(err, shamir.ErrFewShares) || found.Good != 0 {
		t.Errorf("none: %v", err)
	}
	both := append(append([][]byte{}, shares...), others...)
	if _, err = shamir.CombineAuthentic(both); !errors.Is(err, shamir.ErrSeveralSets) {
		t.Errorf("two sets: %v", err)
	}
	said, err := shamir.ReadShare(others[1])
	if err != nil {
		t.Fatal(err)
	}
	if found, err = shamir.CombineSet(both, said.SetID); err != nil || string(found.Secret) != "another" {
		t.Errorf("one of two sets: %v", err)
	}
	for _, id := range []string{"x", said.SetID + "00", said.SetID[:30]} {
		if _, err = shamir.CombineSet(both, id); !errors.Is(err, shamir.ErrSetID) {
			t.Errorf("set %q: %v", id, err)
		}
	}
	if _, err = shamir.CombineAuthentic(make([][]byte, shamir.MaxGiven+1)); !errors.Is(err, shamir.ErrTooManyShares) {
		t.Errorf("too many: %v", err)
	}
}

func TestAuthenticArguments(t *testing.T) {
	try := func(size, count, threshold int, label string) error {
		_, err := shamir.SplitAuthentic(make([]byte, size), count, threshold, label)
		return err
	}
	for i, one := range []struct{ got, want error }{
		{try(0, 3, 2, ""), shamir.ErrSecretSize}, {try(shamir.MaxSecret+1, 3, 2, ""), shamir.ErrSecretSize},
		{try(1, 3, 4, ""), shamir.ErrThresholdRange}, {try(1, 3, 1, ""), shamir.ErrThresholdRange},
		{try(1, 256, 2, ""), shamir.ErrThresholdRange}, {try(1, -1, -1, ""), shamir.ErrThresholdRange},
		{try(1, 3, 2, strings.Repeat("x", 256)), shamir.ErrLabel}, {try(1, 3, 2, "a\nb"), shamir.ErrLabel},
		{try(1, 3, 2, "\xff"), shamir.ErrLabel}, {try(shamir.MaxSecret, 255, 255, strings.Repeat("x", 255)), nil},
	} {
		if !errors.Is(one.got, one.want) {
			t.Errorf("case %d: %v, not %v", i, one.got, one.want)
		}
	}
}

func FuzzReadShare(f *testing.F) {
	shares := split(f, "secret", 3, 2, "a label")
	f.Add(shares[0])
	f.Add(shares[1][:20])
	f.Add([]byte("TSSH\x01\x00\x02\x03"))
	f.Fuzz(func(t *testing.T, data []byte) {
		said, err := shamir.ReadShare(data)
		if err != nil && !errors.Is(err, shamir.ErrShare) {
			t.Error(err)
		}
		if err == nil && (said.Threshold < 2 || said.Index < 1 || said.Index > said.Count) {
			t.Errorf("a share that can't be is good: %+v", said)
		}
		found, err := shamir.CombineAuthentic([][]byte{data, shares[1], shares[2]})
		if err != nil || string(found.Secret) != "secret" {
			t.Errorf("a third share does harm: %v", err)
		}
	})
}

func ExampleCombineAuthentic() {
	shares, err := shamir.SplitAuthentic([]byte("a root key of any size"), 5, 3, "root key")
	if err != nil {
		fmt.Println(err)
		return
	}
	shares[1][30] ^= 1 // damaged
	found, err := shamir.CombineAuthentic([][]byte{shares[4], shares[1], shares[0], shares[2]})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s (%s), share 2 is %v\n", found.Secret, found.Share.Label, found.Verdicts[1])
	// Output: a root key of any size (root key), share 2 is damaged or altered
}
