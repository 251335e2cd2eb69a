// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
	"slices"
)

// ff1Worker is a machine with a cipher in its memory.
type ff1Worker struct {
	*machine
	cipher, memory uint64
	size           uint32 // of the memory
}

// ff1Workers bounds the machines of all ciphers together.
var ff1Workers = newLimiter[ff1Worker](max(4, runtime.GOMAXPROCS(0)))

// NewFF1 sets up a cipher; close it to wipe it. A cipher that is not closed is wiped when it is collected.
func NewFF1(profile, radix uint32, key []byte) (*FF1, error) {
	held := slices.Clone(key)
	create := func() (*ff1Worker, error) {
		m, err := idle.get()
		if err != nil {
			return nil, err
		}
		w, err := m.setUpFF1(profile, radix, held)
		if err != nil {
			release(m)
		}
		return w, err
	}
	f := newFF1(profile, newFreeList(ff1Workers, create, (*ff1Worker).wipe, func() { clear(held) }))
	// The first call's machine is made now: it says whether the key and the radix are valid.
	w, err := f.get()
	if err != nil {
		f.Close()
		return nil, err
	}
	f.workers.put(w)
	return f, nil
}

func (m *machine) setUpFF1(profile, radix uint32, key []byte) (*ff1Worker, error) {
	size, err := m.size("tally_go_ff1_size", uint64(profile))
	if err != nil {
		return nil, err
	}
	memory, err := m.alloc(size)
	if err != nil {
		return nil, err
	}
	w := &ff1Worker{machine: m, memory: uint64(memory), size: size}
	if err = m.reserve(len(key), 4); err == nil {
		given, offset := m.put(key), m.take(4)
		err = m.status("tally_go_ff1_init", uint64(profile), uint64(radix), given, uint64(len(key)),
			w.memory, uint64(size), offset)
		w.cipher = w.memory + uint64(binary.LittleEndian.Uint32(m.view(offset, 4)))
		m.clean()
	}
	if err != nil {
		w.free()
		return nil, err
	}
	return w, nil
}

// free wipes the cipher.
func (w *ff1Worker) free() {
	if !w.broken {
		_, _ = w.call("tally_go_free", w.memory, uint64(w.size))
	}
}

// wipe wipes the cipher, and gives the machine back.
func (w *ff1Worker) wipe() {
	w.free()
	release(w.machine)
}

// FF1MinLength returns the fewest symbols of a word; 0 also if there is no machine to ask.
func FF1MinLength(profile, radix uint32) (length int) {
	_ = on(func(m *machine) error {
		least, err := m.size("tally_ff1_min_length", uint64(profile), uint64(radix))
		length = int(least)
		return err
	})
	return length
}

// FF31Lengths returns the fewest and the most symbols of a word of FF3-1 or FF3; 0 if tweaks do not have this size,
// or there is no machine to ask.
func FF31Lengths(tweakSize int, radix uint32) (least, most int) {
	_ = on(func(m *machine) error {
		fewest, err := m.size("tally_ff3_1_min_length", uint64(tweakSize), uint64(radix))
		if err != nil {
			return err
		}
		longest, err := m.size("tally_ff3_1_max_length", uint64(radix))
		least, most = int(fewest), int(longest)
		return err
	})
	return least, most
}

func (f *FF1) with(call func(w *ff1Worker) error) error {
	w, err := f.get()
	if err != nil {
		return err
	}
	defer func() {
		w.clean()
		if w.broken || w.capacity > scratchLimit {
			f.workers.remove(w)
		} else {
			f.workers.put(w)
		}
		runtime.KeepAlive(f)
	}()
	return call(w)
}

// Words encrypts or decrypts count words, one behind the other; out may be words. Symbols have one byte, or two in
// the machine's order above radix 256.
func (f *FF1) Words(decrypt bool, length int, tweak, words []byte, count int, out []byte) error {
	return f.with(func(w *ff1Worker) error {
		if err := w.reserve(len(tweak), len(words)); err != nil {
			return err
		}
		tweaks, given := w.put(tweak), w.put(words)
		wide := len(words) != count*length
		if wide {
			swap(w.view(given, len(words)))
		}
		err := w.status("tally_go_ff1_words", w.cipher, uint64(f.profile), number(decrypt), uint64(length), tweaks,
			uint64(len(tweak)), given, uint64(count), given)
		if err == nil {
			w.get(given, out)
			if wide {
				swap(out)
			}
		}
		return err
	})
}

// swap turns symbols of two bytes from the machine's order into that of WebAssembly, or back.
func swap(symbols []byte) {
	for i := 0; i+1 < len(symbols); i += 2 {
		binary.LittleEndian.PutUint16(symbols[i:], binary.NativeEndian.Uint16(symbols[i:]))
	}
}
