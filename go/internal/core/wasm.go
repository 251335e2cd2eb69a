// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Backend says how the core runs: "cgo" or "wasm".
const Backend = "wasm"

//go:embed core.wasm
var binaryCore []byte

// The module is compiled once, when it is first needed. It has no state; machines have.
var compiled = sync.OnceValues(func() (func() (api.Module, error), error) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	_, err := r.NewHostModuleBuilder("tallystick").NewFunctionBuilder().
		WithFunc(func(_ context.Context, m api.Module, at, size uint32) uint32 {
			out, ok := m.Memory().Read(at, size)
			if !ok {
				return 1
			}
			if _, err := rand.Read(out); err != nil {
				return 1
			}
			return 0
		}).Export("entropy").Instantiate(ctx)
	if err != nil {
		return nil, err
	}
	module, err := r.CompileModule(ctx, binaryCore)
	if err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	return func() (api.Module, error) { return r.InstantiateModule(ctx, module, config) }, nil
})

// machine is an instance of the module: a memory, and functions that work in it. One goroutine may use
// it at a time.
type machine struct {
	module    api.Module
	functions map[string]api.Function
	stack     [16]uint64 // arguments and results
	scratch   uint32     // the address of room for what a call takes and gives
	room      uint32
	used      uint32
	broken    bool
}

func newMachine() (*machine, error) {
	instantiate, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("tallystick: the core can't be compiled for this machine: %w", err)
	}
	module, err := instantiate()
	if err != nil {
		return nil, fmt.Errorf("tallystick: the core can't be set up: %w", err)
	}
	return &machine{module: module, functions: map[string]api.Function{}}, nil
}

// close wipes the machine's whole memory.
func (m *machine) close() {
	memory := m.module.Memory()
	if all, ok := memory.Read(0, memory.Size()); ok {
		clear(all)
	}
	_ = m.module.Close(context.Background())
}

// errBroken stands for a trap of WebAssembly, which no input should bring about.
var errBroken = errors.New("tallystick: the core in WebAssembly failed")

func (m *machine) call(name string, arguments ...uint64) (uint64, error) {
	function := m.functions[name]
	if function == nil {
		function = m.module.ExportedFunction(name)
		m.functions[name] = function
	}
	copy(m.stack[:], arguments)
	if err := function.CallWithStack(context.Background(), m.stack[:]); err != nil {
		m.broken = true
		return 0, fmt.Errorf("%w: %w", errBroken, err)
	}
	return m.stack[0], nil
}

// alloc returns zeroed memory that stays.
func (m *machine) alloc(size uint32) (uint32, error) {
	at, err := m.call("tally_go_alloc", uint64(size))
	if err == nil && at == 0 {
		err = ErrMemory
	}
	return uint32(at), err
}

func aligned(size int) int { return (size + 15) &^ 15 }

// reserve makes room for things of some sizes that a call takes and gives.
func (m *machine) reserve(sizes ...int) error {
	total := 16 // so that nothing has room for nothing at an address that is not NULL
	for _, size := range sizes {
		total += aligned(size)
	}
	if total < 0 || total > math.MaxInt32 {
		return ErrMemory
	}
	m.used = 0
	if total <= int(m.room) {
		return nil
	}
	if m.room > 0 {
		if _, err := m.call("tally_go_free", uint64(m.scratch), uint64(m.room)); err != nil {
			return err
		}
		m.room = 0
	}
	room := uint32(max(total, 4096))
	at, err := m.alloc(room)
	if err == nil {
		m.scratch, m.room = at, room
	}
	return err
}

// take sets aside room that was reserved.
func (m *machine) take(size int) uint64 {
	at := m.scratch + m.used
	m.used += uint32(aligned(size))
	return uint64(at)
}

func (m *machine) view(at uint64, size int) []byte {
	view, ok := m.module.Memory().Read(uint32(at), uint32(size))
	if !ok {
		panic("tallystick: memory of WebAssembly was taken without being reserved")
	}
	return view
}

// put copies bytes in and gives their address; 0 for none.
func (m *machine) put(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	at := m.take(len(b))
	copy(m.view(at, len(b)), b)
	return at
}

func putNumbers[T uint64 | int64](m *machine, numbers []T) uint64 {
	if len(numbers) == 0 {
		return 0
	}
	at := m.take(8 * len(numbers))
	view := m.view(at, 8*len(numbers))
	for i, number := range numbers {
		binary.LittleEndian.PutUint64(view[8*i:], uint64(number))
	}
	return at
}

func (m *machine) get(at uint64, out []byte) {
	if len(out) > 0 {
		copy(out, m.view(at, len(out)))
	}
}

func getNumbers[T uint64 | int64](m *machine, at uint64, out []T) {
	view := m.view(at, 8*len(out))
	for i := range out {
		out[i] = T(binary.LittleEndian.Uint64(view[8*i:]))
	}
}

// status runs a function that gives a tally_status.
func (m *machine) status(name string, arguments ...uint64) error {
	status, err := m.call(name, arguments...)
	if err == nil && uint32(status) != 0 {
		err = Status(uint32(status))
	}
	return err
}

// clean wipes what calls left in scratch memory.
func (m *machine) clean() {
	if !m.broken && m.used > 0 {
		clear(m.view(uint64(m.scratch), int(m.used)))
	}
	m.used = 0
}

// keep is the scratch memory above which a machine is not kept for calls to come.
const keep = 4 << 20

// idle has machines for functions that keep nothing.
var idle = newLender(newMachine, (*machine).close, func() {})

func giveBack(l *lender[machine], m *machine) {
	m.clean()
	if m.broken || m.room > keep {
		l.dropOne(m)
		return
	}
	l.give(m)
}

// on runs a call on any machine.
func on(call func(m *machine) error) error {
	m, err := idle.take()
	if err != nil {
		return err
	}
	defer giveBack(idle, m)
	return call(m)
}

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Pool is FAST under one key and radix.
type Pool struct {
	lender  *lender[worker]
	cleanup runtime.Cleanup
}

// worker is a machine with a pool and a cipher in its memory.
type worker struct {
	*machine
	cipher uint64
}

// image is a pool as it lies in a machine's memory. All machines are alike, so it can be put into
// others, at the same address.
type image struct {
	at, pool uint32
	bytes    []byte
}

// NewPool sets up a pool; close it to wipe it. What is not closed is wiped when it is collected.
func NewPool(profile, radix uint32, key []byte) (*Pool, error) {
	first, err := newMachine()
	if err != nil {
		return nil, err
	}
	held, err := first.setUpPool(profile, radix, key)
	if err != nil {
		first.close()
		return nil, err
	}
	make_ := func() (*worker, error) {
		m := first
		first = nil
		if m == nil {
			if m, err = newMachine(); err != nil {
				return nil, err
			}
		}
		w, err := m.workOn(held)
		if err != nil {
			m.close()
		}
		return w, err
	}
	p := &Pool{lender: newLender(make_, func(w *worker) { w.close() }, func() {
		clear(held.bytes)
		if first != nil {
			first.close()
		}
	})}
	p.cleanup = runtime.AddCleanup(p, func(l *lender[worker]) { l.close() }, p.lender)
	return p, nil
}

func (m *machine) setUpPool(profile, radix uint32, key []byte) (*image, error) {
	size, err := m.call("tally_fast_pool_size", uint64(radix))
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, Radix
	}
	at, err := m.alloc(uint32(size))
	if err != nil {
		return nil, err
	}
	if err := m.reserve(len(key), 4); err != nil {
		return nil, err
	}
	defer m.clean()
	given, status := m.put(key), m.take(4)
	pool, err := m.call("tally_go_pool", uint64(profile), uint64(radix), given, uint64(len(key)),
		uint64(at), size, status)
	if err != nil {
		return nil, err
	}
	if uint32(pool) == 0 {
		return nil, Status(binary.LittleEndian.Uint32(m.view(status, 4)))
	}
	return &image{at, uint32(pool), slices.Clone(m.view(uint64(at), int(size)))}, nil
}

func (m *machine) workOn(pool *image) (*worker, error) {
	if m.room == 0 { // a fresh one
		at, err := m.alloc(uint32(len(pool.bytes)))
		if err != nil {
			return nil, err
		}
		if at != pool.at {
			return nil, errBroken
		}
		copy(m.view(uint64(at), len(pool.bytes)), pool.bytes)
	}
	size, err := m.call("tally_fast_cipher_size", sequencesKept)
	if err != nil {
		return nil, err
	}
	at, err := m.alloc(uint32(size))
	if err != nil {
		return nil, err
	}
	cipher, err := m.call("tally_go_cipher", uint64(pool.pool), sequencesKept, uint64(at), size)
	return &worker{m, cipher}, err
}

// Close wipes the pool, now or when the calls that are at work end.
func (p *Pool) Close() {
	p.cleanup.Stop()
	p.lender.close()
	runtime.KeepAlive(p)
}

func (p *Pool) with(call func(w *worker) error) error {
	w, err := p.lender.take()
	if err != nil {
		return err
	}
	defer func() {
		w.clean()
		if w.broken || w.room > keep {
			p.lender.dropOne(w)
		} else {
			p.lender.give(w)
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
		if err := w.reserve(len(tweak), 8*len(tweaks.Offsets), len(tweaks.Values), len(chosen),
			8*len(numbers)); err != nil {
			return err
		}
		common, offsets := w.put(tweak), putNumbers(w.machine, tweaks.Offsets)
		own, rows, given := w.put(tweaks.Values), w.put(chosen), putNumbers(w.machine, numbers)
		err := w.status("tally_go_range_rows", w.cipher, number(decrypt), size, common,
			uint64(len(tweak)), offsets, own, rows, given, uint64(len(numbers)), given)
		if err == nil && len(numbers) > 0 {
			getNumbers(w.machine, given, out)
		}
		return err
	})
}

func (s *Shape) encode() []byte {
	b := make([]byte, 0, 1056)
	b = append(append(append(append(b, s.Kind[:]...), s.Symbol[:]...), s.Letter[0][:]...), s.Letter[1][:]...)
	for _, n := range []uint32{s.Radix, s.MinSymbols, s.MaxSymbols, s.SmallSymbols} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint64(b, s.Keep)
	b = binary.LittleEndian.AppendUint32(b, s.KeepLast)
	return append(b, s.KeepAfterMark, s.TweakKept, s.Luhn, 0)
}

// Column encrypts or decrypts texts; out may be column.Values. Each row's status is written, and the
// number of rows of a small domain is returned. No tweaks: the zero Strings.
func (p *Pool) Column(decrypt bool, shape *Shape, column Strings, tweak []byte, tweaks Strings,
	out, status []byte) (small uint64, err error) {
	err = p.with(func(w *worker) error {
		form := shape.encode()
		if err := w.reserve(len(form), 8*len(column.Offsets), len(column.Values), len(tweak),
			8*len(tweaks.Offsets), len(tweaks.Values), len(status), 8); err != nil {
			return err
		}
		shapes, offsets := w.put(form), putNumbers(w.machine, column.Offsets)
		values, common := w.put(column.Values), w.put(tweak)
		tweakOffsets, own := putNumbers(w.machine, tweaks.Offsets), w.put(tweaks.Values)
		statuses, count := w.take(len(status)), w.take(8)
		err := w.status("tally_go_column", w.cipher, number(decrypt), shapes, offsets, values,
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
		room := len(column.Values) + most*column.Rows()
		if err := m.reserve(8*len(column.Offsets), len(column.Values), 8*len(numbers), len(status),
			8*len(column.Offsets), room); err != nil {
			return err
		}
		offsets, values := putNumbers(m, column.Offsets), m.put(column.Values)
		given, statuses := putNumbers(m, numbers), m.put(status)
		laidOut, out := m.take(8*len(column.Offsets)), m.take(room)
		err := m.status("tally_go_integers_lay_out", uint64(first), uint64(last), offsets, values,
			uint64(column.Rows()), given, statuses, laidOut)
		if err != nil {
			return err
		}
		made.Offsets = make([]int64, len(column.Offsets))
		getNumbers(m, laidOut, made.Offsets)
		_, err = m.call("tally_go_integers_write", uint64(first), uint64(last), offsets, values,
			uint64(column.Rows()), given, statuses, laidOut, out)
		if err == nil {
			made.Values = make([]byte, made.Offsets[len(made.Offsets)-1])
			m.get(out, made.Values)
		}
		return err
	})
	return made, err
}

// Split writes count raw shares of a secret one behind the other.
func Split(field uint32, secret []byte, threshold, count int, shares []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(secret), len(shares)); err != nil {
			return err
		}
		given, out := m.put(secret), m.take(len(shares))
		err := m.status("tally_go_split", uint64(field), given, uint64(len(secret)),
			uint64(threshold), uint64(count), out)
		if err == nil {
			m.get(out, shares)
		}
		return err
	})
}

// SplitInto is Split to shares that lie anywhere, all one byte longer than the secret.
func SplitInto(field uint32, secret []byte, threshold int, shares [][]byte) error {
	size := len(secret) + 1
	all := make([]byte, len(shares)*size)
	defer clear(all)
	if err := Split(field, secret, threshold, len(shares), all); err != nil {
		return err
	}
	for i, share := range shares {
		copy(share, all[i*size:])
	}
	return nil
}

// Combine recovers a secret from raw shares, all one byte longer than it.
func Combine(field uint32, shares [][]byte, secret []byte) error {
	return on(func(m *machine) error {
		size := len(secret) + 1
		if err := m.reserve(len(shares)*size, len(secret)); err != nil {
			return err
		}
		given, out := m.take(len(shares)*size), m.take(len(secret))
		for i, share := range shares {
			copy(m.view(given+uint64(i*size), size), share)
		}
		err := m.status("tally_go_combine", uint64(field), given, uint64(len(shares)), uint64(size), out)
		if err == nil {
			m.get(out, secret)
		}
		return err
	})
}

const setBytes = 300

func (s *Set) encode() []byte {
	b := make([]byte, 0, setBytes)
	for _, n := range []uint32{s.Kind, s.Threshold, s.Count, s.SecretSize, s.LabelSize, s.Index, s.Size} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return append(append(b, s.ID[:]...), s.Label[:]...)
}

func (s *Set) decode(b []byte) {
	for i, n := range []*uint32{&s.Kind, &s.Threshold, &s.Count, &s.SecretSize, &s.LabelSize, &s.Index, &s.Size} {
		*n = binary.LittleEndian.Uint32(b[4*i:])
	}
	copy(s.ID[:], b[28:])
	copy(s.Label[:], b[44:])
}

// FillSize sets set.Size, to 0 if a parameter is outside its range.
func FillSize(set *Set) {
	set.Size = 0
	_ = on(func(m *machine) error {
		if err := m.reserve(setBytes); err != nil {
			return err
		}
		at := m.put(set.encode())
		if _, err := m.call("tally_go_shares_size", at); err != nil {
			return err
		}
		set.decode(m.view(at, setBytes))
		return nil
	})
}

// SplitAuthentic writes the shares of a set, set.Size bytes each, one behind the other.
func SplitAuthentic(set *Set, secret, shares []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(setBytes, len(secret), len(shares)); err != nil {
			return err
		}
		params, given, out := m.put(set.encode()), m.put(secret), m.take(len(shares))
		err := m.status("tally_go_shares_split", params, given, out)
		if err == nil {
			m.get(out, shares)
		}
		return err
	})
}

// ReadShare returns what a share says, and a verdict.
func ReadShare(share []byte) (set Set, verdict uint32) {
	verdict = 1 // malformed, should WebAssembly fail
	_ = on(func(m *machine) error {
		if err := m.reserve(len(share), setBytes); err != nil {
			return err
		}
		given, out := m.put(share), m.take(setBytes)
		got, err := m.call("tally_go_shares_read", given, uint64(len(share)), out)
		if err == nil {
			verdict = uint32(got)
			set.decode(m.view(out, setBytes))
		}
		return err
	})
	return set, verdict
}

// CombineAuthentic recovers a secret, of at most len(secret) = MaxSecret bytes, from shares one behind
// the other. want is empty or a set's 16 bytes.
func CombineAuthentic(shares []byte, offsets []uint64, want, verdicts, secret []byte) (
	first Set, good, sets uint32, err error) {
	err = on(func(m *machine) error {
		if err := m.reserve(len(shares), 8*len(offsets), len(want), len(verdicts), setBytes, 4, 4,
			len(secret)); err != nil {
			return err
		}
		given, places, name := m.put(shares), putNumbers(m, offsets), m.put(want)
		judged, set, many, several := m.take(len(verdicts)), m.take(setBytes), m.take(4), m.take(4)
		out := m.take(len(secret))
		status := m.status("tally_go_shares_combine", given, places, uint64(len(offsets)-1), name,
			judged, set, many, several, out)
		if m.broken {
			return status
		}
		m.get(judged, verdicts)
		first.decode(m.view(set, setBytes))
		good = binary.LittleEndian.Uint32(m.view(many, 4))
		sets = binary.LittleEndian.Uint32(m.view(several, 4))
		m.get(out, secret)
		return status
	})
	return first, good, sets, err
}

// Dispersal is data under way to shares or from them.
type Dispersal struct {
	machine *machine
	state   uint64
	cleanup runtime.Cleanup
}

func newDispersal(begin func(m *machine, state uint64) error) (*Dispersal, error) {
	m, err := newMachine()
	if err != nil {
		return nil, err
	}
	size, err := m.call("tally_go_dispersal_size")
	if err == nil {
		var state uint32
		if state, err = m.alloc(uint32(size)); err == nil {
			if err = begin(m, uint64(state)); err == nil {
				m.clean()
				d := &Dispersal{machine: m, state: uint64(state)}
				d.cleanup = runtime.AddCleanup(d, (*machine).close, m)
				return d, nil
			}
		}
	}
	m.close()
	return nil, err
}

// BeginDispersal draws a key and writes the beginnings of all shares one behind the other.
func BeginDispersal(set *Set, hedge, heads []byte) (*Dispersal, error) {
	return newDispersal(func(m *machine, state uint64) error {
		if err := m.reserve(setBytes, len(hedge), len(heads)); err != nil {
			return err
		}
		params, begin, out := m.put(set.encode()), m.put(hedge), m.take(len(heads))
		err := m.status("tally_go_dispersal_begin", params, begin, uint64(len(hedge)), state, out)
		if err == nil {
			m.get(out, heads)
		}
		return err
	})
}

// OpenDispersal goes on with data that was dispersed.
func OpenDispersal(set *Set, key []byte) (*Dispersal, error) {
	return newDispersal(func(m *machine, state uint64) error {
		if err := m.reserve(setBytes, len(key)); err != nil {
			return err
		}
		return m.status("tally_go_dispersal_open", m.put(set.encode()), m.put(key), state)
	})
}

// Close wipes the keys; it may be called twice.
func (d *Dispersal) Close() {
	if d.machine != nil {
		d.cleanup.Stop()
		d.machine.close()
		d.machine = nil
	}
}

// Records returns the bytes that data becomes in each share.
func (d *Dispersal) Records(size int, isLast bool) (int, error) {
	if d.machine == nil {
		return 0, ErrClosed
	}
	records, err := d.machine.call("tally_dispersal_records", d.state, uint64(size), number(isLast))
	return int(uint32(records)), err
}

// Seal encrypts and cuts up data from a stripe on; all records of one share are together.
func (d *Dispersal) Seal(stripe uint64, data []byte, isLast bool, records []byte) error {
	m := d.machine
	if m == nil {
		return ErrClosed
	}
	if err := m.reserve(len(data), len(records)); err != nil {
		return err
	}
	defer m.clean()
	given, out := m.put(data), m.take(len(records))
	err := m.status("tally_go_dispersal_seal", d.state, stripe, given, uint64(len(data)),
		number(isLast), out)
	if err == nil {
		m.get(out, records)
	}
	return err
}

// Unseal checks and decrypts stripes; records of the share indices[i] begin at i*room.
func (d *Dispersal) Unseal(stripe uint64, stripes int, indices, records []byte, room int,
	sizes []uint64, out []byte, damaged []uint64) (found Found, err error) {
	m := d.machine
	if m == nil {
		return found, ErrClosed
	}
	if err := m.reserve(len(indices), len(records), 8*len(sizes), len(out), 8*len(damaged), 24, 32); err != nil {
		return found, err
	}
	defer m.clean()
	which, given, lengths := m.put(indices), m.put(records), putNumbers(m, sizes)
	data, counts := m.take(len(out)), putNumbers(m, damaged)
	numbers, missing := m.take(24), m.take(32)
	err = m.status("tally_go_dispersal_unseal", d.state, stripe, uint64(stripes), which, given,
		uint64(room), lengths, uint64(len(indices)), data, counts, numbers, missing)
	if m.broken {
		return found, err
	}
	var three [3]uint64
	getNumbers(m, numbers, three[:])
	getNumbers(m, counts, damaged)
	m.get(missing, found.Missing[:])
	found.Size, found.Stripes, found.IsLast = int(three[0]), int(three[1]), three[2] != 0
	m.get(data, out[:found.Size])
	return found, err
}
