// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tallystick/tallystick/go/internal/core"
)

// source is one copy of a share, of which a batch of records is in memory.
type source struct {
	from   io.Reader
	unread []byte // the beginning of the records, which was read with the head
	batch  []byte
}

// read takes the next batch; what can't be read is missing.
func (s *source) read(size int) {
	some := min(size, len(s.unread))
	s.batch = append(s.batch[:0], s.unread[:some]...)
	s.unread = s.unread[some:]
	s.batch, _ = fill(s.from, s.batch, size)
}

// more reports whether anything follows the batch.
func (s *source) more() bool {
	if len(s.unread) > 0 {
		return true
	}
	one, _ := fill(s.from, make([]byte, 0, 1), 1)
	return len(one) > 0
}

// reader reads stripes from as many shares as are needed, those of the data itself first.
type reader struct {
	target   io.Writer
	everyone bool
	copies   map[int][]*source // by index; the first copy is the one that is read
	state    *core.Dispersal
	result   Recovered

	flat, out []byte
}

func (r *reader) run() error {
	given := 0
	for _, copies := range r.copies {
		given += len(copies)
	}
	batch := batchOf(r.result.Share.Threshold, given)
	defer func() { clear(r.out) }()
	for {
		for _, copies := range r.copies {
			for _, one := range copies {
				one.read(batch * core.RecordSize)
			}
		}
		for stripes := 0; stripes < batch; {
			found, err := r.next(stripes, batch-stripes)
			if err != nil {
				return err
			}
			if err := write(r.target, r.out[:found.Size]); err != nil {
				return err
			}
			r.result.Size += int64(found.Size)
			r.result.Stripes += int64(found.Stripes)
			if found.IsLast {
				return r.seeEnds(stripes, found.Size)
			}
			stripes += found.Stripes
		}
	}
}

// next unseals some stripes of the batch, from number `at` in it on; at least one.
func (r *reader) next(at, most int) (core.Found, error) {
	all := slices.Sorted(maps.Keys(r.copies))
	some := slices.Clone(all)
	if !r.everyone {
		// Shares that were found damaged wait until they are needed.
		slices.SortStableFunc(some, func(a, b int) int {
			return min(r.result.Damaged[a], 1) - min(r.result.Damaged[b], 1)
		})
		some = some[:r.result.Share.Threshold]
		slices.Sort(some)
	}
	found, err := r.unseal(some, at, most)
	if err == nil && found.Stripes == 0 && len(some) < len(all) {
		found, err = r.unseal(all, at, most)
	}
	// Other copies of the shares that are damaged here, until each was tried.
	turns := 0
	for _, copies := range r.copies {
		turns = max(turns, len(copies)-1)
	}
	for ; err == nil && found.Stripes == 0 && turns > 0; turns-- {
		r.turn(&found)
		found, err = r.unseal(all, at, most)
	}
	if err == nil && found.Stripes == 0 {
		bad := missing(&found, all)
		for _, index := range bad { // the core counts stripes that it released
			r.result.Damaged[index]++
		}
		err = fmt.Errorf("%w: stripe %d; the parts of shares %v are damaged or missing; find a good copy "+
			"of one of them, or one more share", ErrStripe, r.result.Stripes+1, bad)
	}
	return found, err
}

func missing(found *core.Found, indices []int) (list []int) {
	for _, index := range indices {
		if found.Missing[index/8]>>(index%8)&1 == 1 {
			list = append(list, index)
		}
	}
	return list
}

func (r *reader) turn(found *core.Found) {
	for _, index := range missing(found, slices.Collect(maps.Keys(r.copies))) {
		if copies := r.copies[index]; len(copies) > 1 {
			r.copies[index] = append(copies[1:], copies[0])
			r.result.Damaged[index] = max(r.result.Damaged[index], 1)
		}
	}
}

func (r *reader) unseal(indices []int, at, most int) (core.Found, error) {
	// Records of each share, as long as the longest.
	rest := func(index int) []byte {
		batch := r.copies[index][0].batch
		return batch[min(at*core.RecordSize, len(batch)):]
	}
	longest := 0
	for _, index := range indices {
		longest = max(longest, len(rest(index)))
	}
	if total := longest * len(indices); total > len(r.flat) {
		r.flat = make([]byte, total)
	}
	numbers := make([]byte, len(indices))
	sizes, damaged := make([]uint64, len(indices)), make([]uint64, len(indices))
	for i, index := range indices {
		numbers[i] = byte(index)
		sizes[i] = uint64(copy(r.flat[i*longest:(i+1)*longest], rest(index)))
	}
	// A stripe's data is no longer than the parts of it that the threshold takes.
	if size := longest * r.result.Share.Threshold; size > len(r.out) {
		clear(r.out)
		r.out = make([]byte, size)
	}
	found, err := r.state.Unseal(uint64(r.result.Stripes), most, numbers, r.flat[:longest*len(indices)],
		longest, sizes, r.out, damaged)
	if errors.Is(err, core.SharesFew) {
		err = nil // it stopped early, or found nothing: found says which
	}
	for i, index := range indices {
		r.result.Damaged[index] += int(damaged[i])
	}
	return found, err
}

// seeEnds counts what follows the last record as damage.
func (r *reader) seeEnds(at, size int) error {
	last, err := r.state.Records(size, true)
	if err != nil {
		return err
	}
	end := at*core.RecordSize + last
	for index, copies := range r.copies {
		if one := copies[0]; len(one.batch) > end || one.more() {
			r.result.Damaged[index] = max(r.result.Damaged[index], 1)
		}
	}
	return nil
}
