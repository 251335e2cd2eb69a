// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"regexp"
	"slices"
	"time"

	"github.com/tallystick/tallystick/go/internal/core"
)

// IntegerFormat is the integers from Min to Max as decimal text: an optional minus and at most 18
// digits without leading zeros. A token may have another length than its value. The range of texts
// is within 18 digits; ProtectInt64 takes any range.
type IntegerFormat struct {
	Min, Max int64
	// AllowTinyDomain: the range may have fewer than 100 integers.
	AllowTinyDomain bool
}

// most18 is the first integer with 19 digits.
const most18 = 1_000_000_000_000_000_000

// size returns the integers of the range; 0 stands for 2^64.
func (f *IntegerFormat) size() uint64 { return uint64(f.Max) - uint64(f.Min) + 1 }

func (f *IntegerFormat) check() error {
	if f.Min >= f.Max {
		return wrong("integer", "Min must be below Max")
	}
	return checkSize("integer", f.size(), f.AllowTinyDomain)
}

func checkSize(label string, size uint64, tiny bool) error {
	if size != 0 && size < smallestDomain && !tiny {
		return wrong(label, "the smallest domain has only %d values, so anyone who can protect values "+
			"can compute all its tokens; widen the format, or set AllowTinyDomain", size)
	}
	return nil
}

func (f *IntegerFormat) identity() []any { return []any{"integer", f.Min, f.Max} }

func rangeRadix(size uint64) uint32 {
	params, err := core.RangeParams(size)
	if err != nil {
		return 0
	}
	return params.Radix
}

func (f *IntegerFormat) radix() uint32 { return rangeRadix(f.size()) }

func (f *IntegerFormat) layers(int) int64 { return rangeLayers(f.size()) }

func (f *IntegerFormat) transform(pool *core.Pool, decrypt bool, column core.Strings, tweak []byte,
	tweaks *core.Strings, status []byte) (core.Strings, error) {
	if f.Min <= -most18 || f.Max >= most18 {
		return column, wrong("integer", "in text, an integer has at most 18 digits, but %d to %d has more; "+
			"narrow Min and Max", f.Min, f.Max)
	}
	numbers := make([]uint64, column.Rows())
	if err := core.ReadIntegers(f.Min, f.Max, column, numbers, status); err != nil {
		return column, err
	}
	if err := permute(pool, decrypt, f.size(), numbers, tweak, tweaks, status); err != nil {
		return column, err
	}
	return core.WriteIntegers(f.Min, f.Max, column, numbers, status)
}

// permute replaces the numbers of those rows whose status is 0.
func permute(pool *core.Pool, decrypt bool, size uint64, numbers []uint64, tweak []byte,
	tweaks *core.Strings, status []byte) error {
	if tweaks != nil {
		chosen := make([]byte, len(numbers))
		for i := range chosen {
			if status[i] != 0 {
				continue
			}
			if tweaks.Offsets[i+1]-tweaks.Offsets[i] > int64(core.MaxTweak-len(tweak)) {
				status[i] = byte(WrongTweak)
			} else {
				chosen[i] = 1
			}
		}
		return pool.RangeRows(decrypt, size, tweak, *tweaks, chosen, numbers, numbers)
	}
	if !slices.ContainsFunc(status, func(s byte) bool { return s != 0 }) {
		return pool.Range(decrypt, size, tweak, numbers, numbers)
	}
	var fit []uint64
	for i, s := range status {
		if s == 0 {
			fit = append(fit, numbers[i])
		}
	}
	if len(fit) == 0 {
		return nil
	}
	if err := pool.Range(decrypt, size, tweak, fit, fit); err != nil {
		return err
	}
	for i, s := range status {
		if s == 0 {
			numbers[i], fit = fit[0], fit[1:]
		}
	}
	return nil
}

// DateFormat is the calendar dates from First to Last, as text in one notation. Only year, month
// and day of First and Last count. Make one with [Date].
type DateFormat struct {
	First, Last time.Time
	// Notation has YYYY, MM and DD once each, with printable ASCII characters around them, at most 64
	// in all, such as YYYY-MM-DD or DD.MM.YYYY. Tokens do not depend on it.
	Notation string
	// AllowTinyDomain: the range may have fewer than 100 days.
	AllowTinyDomain bool
}

var parts = regexp.MustCompile("YYYY|MM|DD")

func day(t time.Time) int64 {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

func (f *DateFormat) size() uint64 { return uint64(day(f.Last) - day(f.First) + 1) }

func (f *DateFormat) check() error {
	found := parts.FindAllString(f.Notation, -1)
	slices.Sort(found)
	switch {
	case f.First.Year() < 1 || f.Last.Year() > 9999:
		return wrong("date", "years must be 1 to 9999")
	case day(f.First) >= day(f.Last):
		return wrong("date", "First must be before Last")
	case !slices.Equal(found, []string{"DD", "MM", "YYYY"}):
		return wrong("date", "the notation must have YYYY, MM and DD once each, as in YYYY-MM-DD or DD.MM.YYYY")
	case !printable(f.Notation):
		return wrong("date", "the notation must be printable ASCII")
	case len(f.Notation) > 64:
		return wrong("date", "the notation must have at most 64 characters")
	}
	return checkSize("date", f.size(), f.AllowTinyDomain)
}

func (f *DateFormat) identity() []any {
	return []any{"date", f.First.Format(time.DateOnly), f.Last.Format(time.DateOnly)}
}

func (f *DateFormat) radix() uint32 { return rangeRadix(f.size()) }

func (f *DateFormat) layers(int) int64 { return rangeLayers(f.size()) }

func (f *DateFormat) transform(pool *core.Pool, decrypt bool, column core.Strings, tweak []byte,
	tweaks *core.Strings, status []byte) (core.Strings, error) {
	dates := core.Dates{Notation: f.Notation, First: int32(day(f.First)), Last: int32(day(f.Last))}
	numbers := make([]uint64, column.Rows())
	if err := core.ReadDates(dates, column, numbers, status); err != nil {
		return column, err
	}
	if err := permute(pool, decrypt, f.size(), numbers, tweak, tweaks, status); err != nil {
		return column, err
	}
	return column, core.WriteDates(dates, column, numbers, status, column.Values)
}
