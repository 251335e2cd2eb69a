// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
)

const maxTextToken = 6624

// CheckTextPolicy says what is wrong with a text policy, given as JSON, or returns nil. The error is a
// *ProblemError unless there is no memory.
func CheckTextPolicy(description []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(description), problemBytes); err != nil {
			return err
		}
		return m.described("tally_text_policy_check", 0, m.put(description), uint64(len(description)))
	})
}

// TextKeys are keys for tokens in text, and the machine that they and their restorers live in.
type TextKeys struct {
	lock    sync.Mutex
	machine *machine
	closed  bool
	keys    []uint32
	cleanup runtime.Cleanup
}

// NewTextKeys returns no keys yet.
func NewTextKeys() *TextKeys { return &TextKeys{} }

// Close wipes the keys, and all memory of the machine.
func (k *TextKeys) Close() {
	k.lock.Lock()
	defer k.lock.Unlock()
	if !k.closed && k.machine != nil {
		k.cleanup.Stop()
		idle.remove(k.machine)
	}
	k.closed, k.machine = true, nil
}

// enter locks the keys, and returns their machine. The caller unlocks, also after an error.
func (k *TextKeys) enter() (*machine, error) {
	k.lock.Lock()
	if k.closed {
		return nil, ErrClosed
	}
	if k.machine == nil {
		m, err := idle.get()
		if err != nil {
			return nil, err
		}
		k.machine = m
		k.cleanup = runtime.AddCleanup(k, idle.remove, m)
	}
	return k.machine, nil
}

// made runs a function that returns an object, or 0 and a status.
func (m *machine) made(name string, status uint64, arguments ...uint64) (uint32, error) {
	at, err := m.size(name, append(arguments, status)...)
	if err == nil && at == 0 {
		err = Status(binary.LittleEndian.Uint32(m.view(status, 4)))
	}
	return at, err
}

// Add derives a key, and returns its number.
func (k *TextKeys) Add(key []byte, space, scope string, bits int) (int, error) {
	m, err := k.enter()
	defer k.lock.Unlock()
	if err == nil {
		err = m.reserve(len(key), len(space), len(scope), 4)
	}
	if err != nil {
		return 0, err
	}
	defer m.clean()
	data, s, c, status := m.put(key), m.put([]byte(space)), m.put([]byte(scope)), m.take(4)
	made, err := m.made("tally_go_text_key_new", status, data, uint64(len(key)), s, uint64(len(space)), c,
		uint64(len(scope)), uint64(bits))
	if err != nil {
		return 0, err
	}
	k.keys = append(k.keys, made)
	return len(k.keys) - 1, nil
}

// Protect appends the token of a value to dst.
func (k *TextKeys) Protect(dst []byte, key int, frame uint32, kind string, value []byte) ([]byte, error) {
	m, err := k.enter()
	defer k.lock.Unlock()
	if err == nil {
		err = m.reserve(len(kind), len(value), maxTextToken, 4)
	}
	if err != nil {
		return dst, err
	}
	defer m.clean()
	label, given, out, size := m.put([]byte(kind)), m.put(value), m.take(maxTextToken), m.take(4)
	err = m.status("tally_go_text_protect", uint64(k.keys[key]), uint64(frame), label, uint64(len(kind)), given,
		uint64(len(value)), out, size)
	if err != nil {
		return dst, err
	}
	return append(dst, m.view(out, int(binary.LittleEndian.Uint32(m.view(size, 4))))...), nil
}

// TextRestorer reveals the tokens of a text in chunks. It belongs to one goroutine at a time.
type TextRestorer struct {
	keys              *TextKeys
	made              uint32
	restored, refused uint64
}

// Restorer returns a restorer for the tokens of some keys, by their numbers.
func (k *TextKeys) Restorer(numbers []int, context uint32) (*TextRestorer, error) {
	m, err := k.enter()
	defer k.lock.Unlock()
	if err == nil {
		err = m.reserve(4*len(numbers), 4)
	}
	if err != nil {
		return nil, err
	}
	defer m.clean()
	var chosen []byte
	for _, number := range numbers {
		chosen = binary.LittleEndian.AppendUint32(chosen, k.keys[number])
	}
	keys, status := m.put(chosen), m.take(4)
	made, err := m.made("tally_go_text_restorer_new", status, keys, uint64(len(numbers)), uint64(context))
	if err != nil {
		return nil, err
	}
	return &TextRestorer{keys: k, made: made}, nil
}

// Feed appends what is certain of a chunk and those before to dst; with finish the text ends there. On an error
// dst is as it was.
func (r *TextRestorer) Feed(dst, chunk []byte, finish bool) ([]byte, error) {
	m, err := r.keys.enter()
	defer r.keys.lock.Unlock()
	if err != nil {
		return dst, err
	}
	if r.made == 0 {
		return dst, ErrClosed
	}
	space, err := m.size("tally_text_restore_capacity", uint64(r.made), uint64(len(chunk)))
	if err == nil {
		err = m.reserve(len(chunk), int(space), 4)
	}
	if err != nil {
		return dst, err
	}
	defer m.clean()
	given, out, size := m.put(chunk), m.take(int(space)), m.take(4)
	err = m.status("tally_text_restore", uint64(r.made), given, uint64(len(chunk)), number(finish), out,
		uint64(space), size)
	if err != nil {
		return dst, err
	}
	made := m.view(out, int(binary.LittleEndian.Uint32(m.view(size, 4))))
	dst = append(slices.Grow(dst, len(made)), made...)
	if r.restored, err = m.call("tally_text_restored", uint64(r.made)); err != nil {
		return dst[:len(dst)-len(made)], err
	}
	if r.refused, err = m.call("tally_text_refused", uint64(r.made)); err != nil {
		return dst[:len(dst)-len(made)], err
	}
	return dst, nil
}

// Counts returns how many tokens were revealed, and how many complete ones were of none of the keys.
func (r *TextRestorer) Counts() (restored, refused uint64) { return r.restored, r.refused }

// Close wipes what the restorer holds back.
func (r *TextRestorer) Close() {
	m, err := r.keys.enter()
	defer r.keys.lock.Unlock()
	if err == nil && r.made != 0 {
		_, _ = m.call("tally_text_restorer_free", uint64(r.made))
	}
	r.made = 0
}
