// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"encoding/hex"
	"fmt"
	"io"

	"github.com/tallystick/tallystick/go/internal/core"
)

const (
	batchBytes   = 4 << 20  // about how much of the data is in memory at a time
	recordsBytes = 32 << 20 // and at most of all shares together, unless single stripes have more
	hedgeBytes   = 1 << 20  // so much of the data goes into its key, beside the system's randomness
	headBytes    = 512      // no share of a key is larger
)

// batchOf returns how many stripes are worked on at a time; shares are all that are read or written, copies
// included.
func batchOf(threshold, shares int) int {
	return max(1, min(batchBytes/(threshold*core.PartSize), recordsBytes/(shares*core.RecordSize)))
}

// Disperse reads data to its end, once, and writes one share to each of 2 to 255 writers. Any
// threshold of the shares recover the data. A share is an authentic share of a fresh key, and then
// about 1/threshold of the encrypted data. Disperse holds some MiB at a time, or what
// the data needs if that is less. It returns the set's id.
//
// It returns ErrThresholdRange, ErrLabel, ErrEntropy, or the error of reading or writing. After an
// error the shares are of no use. A share is complete when Disperse has returned without an error.
// So write files beside their place, and rename them then.
func Disperse(data io.Reader, shares []io.Writer, threshold int, label string) (setID string, err error) {
	set, err := newSet(core.KindFile, len(shares), threshold, label, core.DispersalKey)
	if err != nil {
		return "", err
	}
	stripe := threshold * core.PartSize
	capacity := batchOf(threshold, len(shares)) * stripe
	var now, next []byte
	defer func() {
		clear(now[:cap(now)])
		clear(next[:cap(next)])
	}()
	now, err = fill(data, nil, capacity)
	if err != nil {
		return "", err
	}
	heads := make([]byte, len(shares)*int(set.Size))
	state, err := core.BeginDispersal(set, now[:min(len(now), hedgeBytes)], heads)
	if err != nil {
		return "", err
	}
	defer state.Close()
	for i, head := range core.Cut(heads, int(set.Size)) {
		if err := write(shares[i], head); err != nil {
			return "", err
		}
	}
	first, _ := core.ReadShare(heads[:set.Size])
	var records []byte
	for done := 0; ; done += capacity / stripe {
		next = next[:0]
		if len(now) == capacity { // else the data has ended
			if next, err = fill(data, next, capacity); err != nil {
				return "", err
			}
		}
		each, err := state.Records(len(now), len(next) == 0)
		if err != nil {
			return "", err
		}
		if total := each * len(shares); total > len(records) {
			records = make([]byte, total)
		}
		if err := state.Seal(uint64(done), now, len(next) == 0, records[:each*len(shares)]); err != nil {
			return "", err
		}
		for i, share := range shares {
			if err := write(share, records[i*each:(i+1)*each]); err != nil {
				return "", err
			}
		}
		if len(next) == 0 {
			return hex.EncodeToString(first.ID[:]), nil
		}
		now, next = next, now
	}
}

const leastBuffer = 2048 // bytes of a buffer before it grows

// fill appends what it reads to a buffer, until that has so many bytes or there is no more. The
// buffer grows with what is read; the memory that it leaves is wiped.
func fill(from io.Reader, buffer []byte, size int) ([]byte, error) {
	for len(buffer) < size {
		if len(buffer) == cap(buffer) {
			grown := make([]byte, len(buffer), min(size, max(4*len(buffer), leastBuffer)))
			copy(grown, buffer)
			clear(buffer)
			buffer = grown
		}
		more, err := from.Read(buffer[len(buffer):min(size, cap(buffer))])
		buffer = buffer[:len(buffer)+more]
		// io.EOF alone is an end. io.ErrUnexpectedEOF is a body that was cut off.
		if err == io.EOF {
			break
		}
		if err != nil {
			return buffer, err
		}
	}
	return buffer, nil
}

func write(to io.Writer, data []byte) error {
	size, err := to.Write(data)
	if err == nil && size < len(data) {
		err = io.ErrShortWrite
	}
	return err
}

// Recovered is what was found while data was recovered or verified.
type Recovered struct {
	Share    Share       // one of the set: its parameters. The zero Share if none is good
	Good     int         // the different shares whose beginnings are good
	Verdicts []Verdict   // on the beginning of each share given, in order
	Size     int64       // bytes of data: with an error, those that were written
	Stripes  int64       // that they are
	Damaged  map[int]int // by index of a share: its parts that were found damaged, cut short or missing
}

// Recover writes dispersed data from shares in any order. It reads each share once from beginning
// to end. It checks every part before it writes anything of its stripe. A damaged part is replaced
// by that of another share, or of another copy of the same share. Parts of a share that can't be
// read count as missing.
//
// It returns ErrFewShares, ErrSeveralSets, ErrFalseShares, ErrKind, ErrStripe, ErrTooManyShares, or
// the error of writing. Until it returns nil, the target has only a beginning of the data; never
// use that. With each of these errors but ErrTooManyShares it also returns its findings, so that
// the bad shares can be named.
func Recover(target io.Writer, shares []io.Reader) (*Recovered, error) {
	return RecoverSet(target, shares, "")
}

// RecoverSet is Recover for the set with an id; "" is any set, and what is no id is ErrSetID, with nothing
// found.
func RecoverSet(target io.Writer, shares []io.Reader, setID string) (*Recovered, error) {
	return unseal(target, shares, setID, false)
}

// Verify checks every part of every share of dispersed data, and writes nothing. As long as it returns no
// error nothing is lost, and Damaged says which shares should be replaced. Its errors, and what it returns
// with them, are those of Recover.
func Verify(shares []io.Reader) (*Recovered, error) {
	return unseal(io.Discard, shares, "", true)
}

func unseal(target io.Writer, shares []io.Reader, setID string, everyone bool) (*Recovered, error) {
	if len(shares) > MaxGiven {
		return nil, ErrTooManyShares
	}
	heads := make([][]byte, len(shares))
	for i, share := range shares {
		heads[i], _ = fill(share, make([]byte, 0, headBytes), headBytes)
	}
	found, err := combine(heads, setID)
	if found == nil {
		return nil, err
	}
	defer clear(found.Secret)
	r := &reader{
		target: target, everyone: everyone, copies: map[int][]*source{},
		result: Recovered{
			Share: found.Share, Good: found.Good, Verdicts: found.Verdicts, Damaged: map[int]int{},
		},
	}
	if err != nil {
		return &r.result, err
	}
	if !found.Share.File || found.Share.SecretSize != core.DispersalKey {
		return &r.result, fmt.Errorf("%w: these are shares of a secret; use CombineAuthentic", ErrKind)
	}
	var first core.Set
	for i, verdict := range found.Verdicts {
		if verdict != Good && verdict != Repeated {
			continue
		}
		set, _ := core.ReadShare(heads[i])
		first = set
		r.copies[int(set.Index)] = append(r.copies[int(set.Index)], &source{
			from: shares[i], unread: heads[i][set.Size:],
		})
		r.result.Damaged[int(set.Index)] = 0
	}
	if r.state, err = core.OpenDispersal(&first, found.Secret); err != nil {
		return &r.result, err
	}
	defer r.state.Close()
	return &r.result, r.run()
}
