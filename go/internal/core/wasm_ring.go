// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
	"sync"
	"unsafe"
)

const (
	problemBytes = int(unsafe.Sizeof(problem{}))
	keyInfoBytes = int(unsafe.Sizeof(keyInfo{}))
)

// described runs a function that may have a problem, which is its last argument.
func (m *machine) described(name string, arguments ...uint64) error {
	at := m.take(problemBytes)
	clear(m.view(at, problemBytes))
	err := m.status(name, append(arguments, at)...)
	status, ok := err.(Status)
	if !ok {
		return err
	}
	var p problem
	view := m.view(at, problemBytes)
	copy(p.place[:], view)
	copy(p.text[:], view[len(p.place):])
	return p.of(status)
}

// Ring is a key ring that was read, in a machine of its own. Any number of goroutines may ask it for keys.
type Ring struct {
	mutex   sync.Mutex
	machine *machine
	ring    uint64
	cleanup runtime.Cleanup
}

// ReadRing reads the bytes of a ring's file. Nothing is authenticated before Unlock.
func ReadRing(file []byte) (*Ring, error) {
	m, err := idle.get()
	if err != nil {
		return nil, err
	}
	r := &Ring{machine: m}
	if err = m.reserve(len(file), 4, problemBytes); err == nil {
		given, out := m.put(file), m.take(4)
		if err = m.described("tally_go_ring_read", given, uint64(len(file)), out); err == nil {
			r.ring = uint64(binary.LittleEndian.Uint32(m.view(out, 4)))
		}
	}
	if err != nil {
		release(m)
		return nil, err
	}
	m.clean()
	r.cleanup = runtime.AddCleanup(r, idle.remove, m) // its memory is wiped
	return r, nil
}

// on runs a call on the ring's machine, and wipes what it leaves in scratch memory.
func (r *Ring) on(call func(m *machine) error, sizes ...int) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	defer runtime.KeepAlive(r)
	if r.machine == nil {
		return ErrClosed
	}
	if err := r.machine.reserve(append(sizes, problemBytes)...); err != nil {
		return err
	}
	defer r.machine.clean()
	return call(r.machine)
}

// Unlock verifies a ring with its root key.
func (r *Ring) Unlock(rootKey *[RootKeySize]byte) error {
	return r.on(func(m *machine) error {
		return m.described("tally_go_ring_unlock", r.ring, m.put(rootKey[:]))
	}, RootKeySize)
}

// Close wipes a ring; it may be called twice.
func (r *Ring) Close() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.machine != nil {
		r.cleanup.Stop()
		_, _ = r.machine.call("tally_keyring_free", r.ring)
		release(r.machine)
		r.machine = nil
	}
}

// RootKind says where the root key comes from.
func (r *Ring) RootKind() (kind uint32) {
	_ = r.on(func(m *machine) (err error) {
		kind, err = m.size("tally_go_ring_root_kind", r.ring)
		return err
	})
	return kind
}

// ID returns the ring's id.
func (r *Ring) ID() (id string) {
	_ = r.on(func(m *machine) error {
		at, err := m.size("tally_keyring_id", r.ring)
		if err == nil {
			id = string(m.view(uint64(at), 32))
		}
		return err
	})
	return id
}

// Keys returns the references of the keys.
func (r *Ring) Keys() (keys []string) {
	_ = r.on(func(m *machine) error {
		count, err := m.size("tally_keyring_count", r.ring)
		at := m.take(keyInfoBytes)
		for i := uint64(0); err == nil && i < uint64(count); i++ {
			if _, err = m.call("tally_keyring_at", r.ring, i, at); err == nil {
				var info keyInfo
				view := m.view(at, keyInfoBytes)
				copy(info.name[:], view)
				info.version = binary.LittleEndian.Uint32(view[68:])
				keys = append(keys, info.reference())
			}
		}
		return err
	}, keyInfoBytes)
	return keys
}

// Key unwraps a key.
func (r *Ring) Key(reference string) (key []byte, err error) {
	err = r.on(func(m *machine) error {
		wanted, out, size := m.put([]byte(reference)), m.take(DataKeySize), m.take(4)
		err := m.described("tally_go_ring_key", r.ring, wanted, uint64(len(reference)), out, size)
		if err == nil {
			key = make([]byte, binary.LittleEndian.Uint32(m.view(size, 4)))
			m.get(out, key)
		}
		return err
	}, len(reference), DataKeySize, 4)
	return key, err
}

// CheckReference says whether a text names a key and its version.
func CheckReference(reference string) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(reference), problemBytes); err != nil {
			return err
		}
		return m.described("tally_go_key_id_check", m.put([]byte(reference)), uint64(len(reference)))
	})
}
