// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tallystick/tallystick/go/shamir"
)

// A body that was cut off, of HTTP or gzip, ends with io.ErrUnexpectedEOF: not data to share.
func TestCutOffData(t *testing.T) {
	for _, size := range []int{0, 1000, 32768, 5 << 20} {
		var shares [2]bytes.Buffer
		from := io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := shamir.Disperse(from, []io.Writer{&shares[0], &shares[1]}, 2, "x"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// Copies of one share are held too, and must not multiply what is in memory.
func TestManyCopies(t *testing.T) {
	var shares [2]bytes.Buffer
	if _, err := shamir.Disperse(bytes.NewReader(make([]byte, 3<<20)), []io.Writer{&shares[0], &shares[1]}, 2, "x"); err != nil {
		t.Fatal(err)
	}
	list := []io.Reader{bytes.NewReader(shares[1].Bytes())}
	for range 257 { // as many as a byte can't count
		list = append(list, bytes.NewReader(shares[0].Bytes()))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := shamir.Recover(io.Discard, list); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 150<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

// Any number of copies of a share is one share, up to as many as can be given.
func TestCopiesAreOneShare(t *testing.T) {
	shares := split(t, "the secret", 5, 3, "")
	for _, copies := range []int{255, 256, 257, 512, 513, shamir.MaxGiven - 2} {
		given := [][]byte{shares[1]}
		for range copies {
			given = append(given, shares[0])
		}
		if found, err := shamir.CombineAuthentic(given); !errors.Is(err, shamir.ErrFewShares) || found.Good != 2 {
			t.Errorf("%d copies and a share: %v", copies, err)
		}
		given = append(given, shares[2])
		found, err := shamir.CombineAuthentic(given)
		if err != nil || string(found.Secret) != "the secret" || found.Good != 3 {
			t.Errorf("%d copies and two shares: %v", copies, err)
			continue
		}
		for i, verdict := range found.Verdicts {
			if repeated := i > 1 && i <= copies; repeated != (verdict == shamir.Repeated) {
				t.Errorf("%d copies: share %d is %v", copies, i, verdict)
			}
		}
	}
}

// The most shares of a set, the longest label and the largest secret, and as many shares as can be given.
func TestTheLargestSet(t *testing.T) {
	secret, label := bytes.Repeat([]byte("s"), shamir.MaxSecret), strings.Repeat("l", shamir.MaxLabel)
	shares := split(t, string(secret), shamir.MaxShares, 2, label)
	var given [][]byte
	for i := range shamir.MaxGiven {
		given = append(given, shares[i%len(shares)])
	}
	found, err := shamir.CombineAuthentic(given)
	if err != nil || !bytes.Equal(found.Secret, secret) || found.Good != shamir.MaxShares || found.Share.Label != label {
		t.Errorf("%d good: %v", found.Good, err)
	}
}
