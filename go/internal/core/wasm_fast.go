// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
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
