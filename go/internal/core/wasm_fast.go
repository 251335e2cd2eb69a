// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero/api"
)

// worker is a machine with a pool and a cipher in its memory.
type worker struct {
	*machine
	cipher uint64
	size   int // of the pool
}

// workers bounds the machines of all pools together.
var workers = newLimiter[worker](max(4, runtime.GOMAXPROCS(0)))

// image is a pool as it lies in a machine's memory. It holds addresses, and serves other machines
// because a pool lies at the same address in all of them.
type image struct {
	at, pool uint32
	bytes    []byte
}

// images has memory of images that were wiped.
var images sync.Pool

func cloneImage(pool []byte) []byte {
	unused, _ := images.Get().(*[]byte)
	if unused == nil || cap(*unused) < len(pool) {
		return slices.Clone(pool)
	}
	return append((*unused)[:0], pool...)
}

// NewPool sets up a pool; close it to wipe it. A pool that is not closed is wiped when it is collected.
func NewPool(profile, radix uint32, key []byte) (*Pool, error) {
	m, err := idle.get()
	if err != nil {
		return nil, err
	}
	held, err := m.setUpPool(profile, radix, key)
	if err != nil {
		release(m)
		return nil, err
	}
	clear(m.view(uint64(m.pool), len(held.bytes)))
	release(m)
	create := func() (*worker, error) {
		m, err := idle.get()
		if err != nil {
			return nil, err
		}
		w, err := m.workOn(held)
		if err != nil {
			idle.remove(m)
		}
		return w, err
	}
	own := newFreeList(workers, create, (*worker).wipe, func() {
		clear(held.bytes)
		pools.subtract(len(held.bytes))
		images.Put(&held.bytes)
	})
	pools.add(len(held.bytes))
	return newPool(own), nil
}

func (m *machine) setUpPool(profile, radix uint32, key []byte) (*image, error) {
	size, err := m.size("tally_fast_pool_size", uint64(radix))
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, Radix
	}
	if size > m.poolSize {
		return nil, errBroken
	}
	if err := m.reserve(len(key), 4); err != nil {
		return nil, err
	}
	defer m.clean()
	given, offset := m.put(key), m.take(4)
	err = m.status("tally_go_pool_init", uint64(profile), uint64(radix), given, uint64(len(key)),
		uint64(m.pool), uint64(size), offset)
	if err != nil {
		return nil, err
	}
	pool := m.pool + binary.LittleEndian.Uint32(m.view(offset, 4))
	return &image{m.pool, pool, cloneImage(m.view(uint64(m.pool), int(size)))}, nil
}

// workOn puts a pool into a machine, and makes a cipher.
func (m *machine) workOn(pool *image) (*worker, error) {
	if m.pool != pool.at {
		return nil, errBroken
	}
	copy(m.view(uint64(m.pool), len(pool.bytes)), pool.bytes)
	size, err := m.size("tally_fast_cipher_size", cacheCapacity)
	if err != nil {
		return nil, err
	}
	if m.cipher == 0 {
		if m.cipher, err = m.alloc(size); err != nil {
			return nil, err
		}
	}
	if err := m.reserve(4); err != nil {
		return nil, err
	}
	defer m.clean()
	offset := m.take(4)
	err = m.status("tally_go_cipher_init", uint64(pool.pool), cacheCapacity, uint64(m.cipher),
		uint64(size), offset)
	if err != nil {
		return nil, err
	}
	cipher := uint64(m.cipher + binary.LittleEndian.Uint32(m.view(offset, 4)))
	return &worker{m, cipher, len(pool.bytes)}, nil
}

// wipe wipes the pool and the cipher, and gives the machine back.
func (w *worker) wipe() {
	if !w.broken {
		clear(w.view(uint64(w.pool), w.size))
		_, _ = w.call("tally_go_cipher_wipe", w.cipher)
	}
	release(w.machine)
}

// needWorkspace sees to it that a machine has memory for columns and row tweaks. Each call wipes what
// it wrote there.
func (m *machine) needWorkspace() error {
	if m.workspace != 0 {
		return nil
	}
	size, err := m.size("tally_fast_workspace_size")
	if err != nil {
		return err
	}
	at, err := m.alloc(size)
	m.workspace = uint64(at)
	return err
}

func (p *Pool) with(call func(w *worker) error) error {
	w, err := p.get()
	if err != nil {
		return err
	}
	defer func() {
		w.clean()
		if w.broken || w.capacity > scratchLimit {
			p.workers.remove(w)
		} else {
			p.workers.put(w)
		}
		runtime.KeepAlive(p)
	}()
	return call(w)
}

// Words encrypts or decrypts count words, one behind the other; out may be words.
func (p *Pool) Words(decrypt bool, params *Params, tweak, words []byte, count int, out []byte) error {
	return p.with(func(w *worker) error {
		if err := w.reserve(len(tweak), len(words)); err != nil {
			return err
		}
		tweaks, given := w.put(tweak), w.put(words)
		err := w.status("tally_go_words", w.cipher, number(decrypt), uint64(params.Radix),
			uint64(params.Length), uint64(params.Layers), uint64(params.W), uint64(params.WPrime),
			tweaks, uint64(len(tweak)), given, uint64(count), given)
		if err == nil {
			w.get(given, out)
		}
		return err
	})
}

// Range permutes numbers below size (0: 2^64); out may be numbers.
func (p *Pool) Range(decrypt bool, size uint64, tweak []byte, numbers, out []uint64) error {
	return p.with(func(w *worker) error {
		if err := w.reserve(len(tweak), 8*len(numbers)); err != nil {
			return err
		}
		tweaks, given := w.put(tweak), putNumbers(w.machine, numbers)
		err := w.status("tally_go_range", w.cipher, number(decrypt), size, tweaks,
			uint64(len(tweak)), given, uint64(len(numbers)), given)
		if err == nil && len(numbers) > 0 {
			getNumbers(w.machine, given, out)
		}
		return err
	})
}

// RangeRows is Range with a tweak for each row, for those rows whose chosen is not 0.
func (p *Pool) RangeRows(decrypt bool, size uint64, tweak []byte, tweaks Strings, chosen []byte,
	numbers, out []uint64) error {
	return p.with(func(w *worker) error {
		if err := w.needWorkspace(); err != nil {
			return err
		}
		if err := w.reserve(len(tweak), 8*len(tweaks.Offsets), len(tweaks.Values), len(chosen),
			8*len(numbers)); err != nil {
			return err
		}
		common, offsets := w.put(tweak), putNumbers(w.machine, tweaks.Offsets)
		own, rows, given := w.put(tweaks.Values), w.put(chosen), putNumbers(w.machine, numbers)
		err := w.status("tally_go_range_rows", w.cipher, w.workspace, number(decrypt), size, common,
			uint64(len(tweak)), offsets, own, rows, given, uint64(len(numbers)), given)
		if err == nil && len(numbers) > 0 {
			getNumbers(w.machine, given, out)
		}
		return err
	})
}

func (s *Shape) encode() []byte {
	b := make([]byte, 0, ShapeSize)
	b = binary.LittleEndian.AppendUint32(b, s.StructSize)
	b = binary.LittleEndian.AppendUint32(b, s.Radix)
	b = append(append(append(append(b, s.Kind[:]...), s.Symbol[:]...), s.Letter[0][:]...), s.Letter[1][:]...)
	for _, n := range []uint32{s.MinSymbols, s.MaxSymbols, s.SmallSymbols, s.KeepLast} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint64(b, s.Keep)
	return append(b, s.KeepAfterDelimiter, s.TweakKept, s.Luhn, 0, 0, 0, 0, 0)
}

// Column encrypts or decrypts texts; out may be column.Values. Each row's status is written, and the
// number of rows of a small domain is returned. No tweaks: the zero Strings.
func (p *Pool) Column(decrypt bool, shape *Shape, column Strings, tweak []byte, tweaks Strings,
	out, status []byte) (small uint64, err error) {
	err = p.with(func(w *worker) error {
		if err := w.needWorkspace(); err != nil {
			return err
		}
		form := shape.encode()
		if err := w.reserve(len(form), 8*len(column.Offsets), len(column.Values), len(tweak),
			8*len(tweaks.Offsets), len(tweaks.Values), len(status), 8); err != nil {
			return err
		}
		shapes, offsets := w.put(form), putNumbers(w.machine, column.Offsets)
		values, common := w.put(column.Values), w.put(tweak)
		tweakOffsets, own := putNumbers(w.machine, tweaks.Offsets), w.put(tweaks.Values)
		statuses, count := w.take(len(status)), w.take(8)
		err := w.status("tally_go_column", w.cipher, w.workspace, number(decrypt), shapes, offsets, values,
			uint64(column.Rows()), common, uint64(len(tweak)), tweakOffsets, own, values, statuses, count)
		if err == nil {
			w.get(values, out)
			w.get(statuses, status)
			small = binary.LittleEndian.Uint64(w.view(count, 8))
		}
		return err
	})
	return small, err
}

// ValueFormat is a shape made ready for single values. Any number of goroutines may use it.
type ValueFormat struct{ bytes []byte }

// NewValueFormat checks a shape and makes its tables.
func NewValueFormat(shape *Shape) (format *ValueFormat, err error) {
	err = on(func(m *machine) error {
		size, err := m.size("tally_go_value_format_size")
		if err != nil {
			return err
		}
		form := shape.encode()
		if err := m.reserve(len(form), int(size), 4); err != nil {
			return err
		}
		given, out, offset := m.put(form), m.take(int(size)), m.take(4)
		if err := m.status("tally_go_value_format_init", given, out, uint64(size), offset); err != nil {
			return err
		}
		at := binary.LittleEndian.Uint32(m.view(offset, 4))
		format = &ValueFormat{slices.Clone(m.view(out+uint64(at), int(size)-formatAlignment+1))}
		return nil
	})
	return format, err
}

const formatAlignment = 64

// useFormat sees to it that a format is in a machine's memory.
func (m *machine) useFormat(format *ValueFormat) error {
	if m.format == format {
		return nil
	}
	if m.formats == 0 {
		at, err := m.alloc(uint32(len(format.bytes)) + formatAlignment)
		if err != nil {
			return err
		}
		m.formats = (uint64(at) + formatAlignment - 1) &^ (formatAlignment - 1)
	}
	copy(m.view(m.formats, len(format.bytes)), format.bytes)
	m.format = format
	return nil
}

// Value encrypts or decrypts one value in place, of at most MaxValue bytes, and returns its status.
func (p *Pool) Value(decrypt bool, format *ValueFormat, tweak, rowTweak, value []byte) (row byte, err error) {
	err = p.with(func(w *worker) error {
		if err := w.useFormat(format); err != nil {
			return err
		}
		if err := w.reserve(len(tweak), len(rowTweak), len(value), 4); err != nil {
			return err
		}
		common, own, given, out := w.put(tweak), w.put(rowTweak), w.put(value), w.take(4)
		err := w.status("tally_go_value", w.cipher, number(decrypt), w.formats, common,
			uint64(len(tweak)), own, uint64(len(rowTweak)), given, uint64(len(value)), out)
		if err == nil {
			w.get(given, value)
			row = byte(binary.LittleEndian.Uint32(w.view(out, 4)))
		}
		return err
	})
	return row, err
}

func getParams(name string, arguments ...uint64) (params Params, err error) {
	err = on(func(m *machine) error {
		if err := m.reserve(20); err != nil {
			return err
		}
		out := m.take(20)
		if err := m.status(name, append(arguments, out)...); err != nil {
			return err
		}
		fields := []*uint32{&params.Radix, &params.Length, &params.Layers, &params.W, &params.WPrime}
		for i, field := range fields {
			*field = binary.LittleEndian.Uint32(m.view(out+uint64(4*i), 4))
		}
		return nil
	})
	return params, err
}

// Recommended returns a profile's parameters for a radix and length.
func Recommended(profile, radix, length uint32) (Params, error) {
	return getParams("tally_fast_recommended", uint64(profile), uint64(radix), uint64(length))
}

// RangeParams returns the parameters of words that carry the numbers below size (0: 2^64).
func RangeParams(size uint64) (Params, error) {
	return getParams("tally_fast_range_params", size)
}

// ReadDates turns texts into days since dates.First.
func ReadDates(dates Dates, column Strings, numbers []uint64, status []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(dates.Notation), 8*len(column.Offsets), len(column.Values),
			8*len(numbers), len(status)); err != nil {
			return err
		}
		notation, offsets := m.put([]byte(dates.Notation)), putNumbers(m, column.Offsets)
		values, out, statuses := m.put(column.Values), m.take(8*len(numbers)), m.take(len(status))
		err := m.status("tally_go_dates_read", notation, uint64(len(dates.Notation)),
			api.EncodeI32(dates.First), api.EncodeI32(dates.Last), offsets, values,
			uint64(column.Rows()), out, statuses)
		if err == nil {
			getNumbers(m, out, numbers)
			m.get(statuses, status)
		}
		return err
	})
}

// WriteDates writes dates over those of a column where status is 0; out may be column.Values.
func WriteDates(dates Dates, column Strings, numbers []uint64, status, out []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(dates.Notation), 8*len(column.Offsets), len(column.Values),
			8*len(numbers), len(status)); err != nil {
			return err
		}
		notation, offsets := m.put([]byte(dates.Notation)), putNumbers(m, column.Offsets)
		values, given, statuses := m.put(column.Values), putNumbers(m, numbers), m.put(status)
		err := m.status("tally_go_dates_write", notation, uint64(len(dates.Notation)),
			api.EncodeI32(dates.First), api.EncodeI32(dates.Last), offsets, values,
			uint64(column.Rows()), given, statuses, values)
		if err == nil {
			m.get(values, out)
		}
		return err
	})
}

// ReadIntegers turns texts into distances from first.
func ReadIntegers(first, last int64, column Strings, numbers []uint64, status []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(8*len(column.Offsets), len(column.Values), 8*len(numbers),
			len(status)); err != nil {
			return err
		}
		offsets, values := putNumbers(m, column.Offsets), m.put(column.Values)
		out, statuses := m.take(8*len(numbers)), m.take(len(status))
		err := m.status("tally_go_integers_read", uint64(first), uint64(last), offsets, values,
			uint64(column.Rows()), out, statuses)
		if err == nil {
			getNumbers(m, out, numbers)
			m.get(statuses, status)
		}
		return err
	})
}

// WriteIntegers makes the column in which the rows with status 0 are other integers.
func WriteIntegers(first, last int64, column Strings, numbers []uint64, status []byte) (made Strings, err error) {
	const most = 19 // bytes of an integer
	err = on(func(m *machine) error {
		capacity := len(column.Values) + most*column.Rows()
		if err := m.reserve(8*len(column.Offsets), len(column.Values), 8*len(numbers), len(status),
			8*len(column.Offsets), capacity); err != nil {
			return err
		}
		offsets, values := putNumbers(m, column.Offsets), m.put(column.Values)
		given, statuses := putNumbers(m, numbers), m.put(status)
		laidOut, out := m.take(8*len(column.Offsets)), m.take(capacity)
		err := m.status("tally_go_integers_lay_out", uint64(first), uint64(last), offsets, values,
			uint64(column.Rows()), given, statuses, laidOut)
		if err != nil {
			return err
		}
		made.Offsets = make([]int64, len(column.Offsets))
		getNumbers(m, laidOut, made.Offsets)
		err = m.status("tally_go_integers_write", uint64(first), uint64(last), offsets, values,
			uint64(column.Rows()), given, statuses, laidOut, out)
		if err == nil {
			made.Values = make([]byte, made.Offsets[len(made.Offsets)-1])
			m.get(out, made.Values)
		}
		return err
	})
	return made, err
}
