// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
)

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
	return on(func(m *machine) error {
		size := len(secret) + 1
		if err := m.reserve(len(secret), len(shares)*size); err != nil {
			return err
		}
		given, out := m.put(secret), m.take(len(shares)*size)
		err := m.status("tally_go_split", uint64(field), given, uint64(len(secret)),
			uint64(threshold), uint64(len(shares)), out)
		if err == nil {
			for i, share := range shares {
				m.get(out+uint64(i*size), share)
			}
		}
		return err
	})
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
		err := m.status("tally_go_recover", uint64(field), given, uint64(len(shares)), uint64(size), out)
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
		status := m.status("tally_go_shares_recover", given, places, uint64(len(offsets)-1), name,
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
	machine     *machine
	state, size uint64
	cleanup     runtime.Cleanup
}

func newDispersal(begin func(m *machine, state uint64) error) (*Dispersal, error) {
	m, err := idle.get()
	if err != nil {
		return nil, err
	}
	size, err := m.size("tally_go_dispersal_size")
	if err == nil {
		var state uint32
		if state, err = m.alloc(size); err == nil {
			if err = begin(m, uint64(state)); err == nil {
				m.clean()
				d := &Dispersal{machine: m, state: uint64(state), size: uint64(size)}
				// The state is wiped with the machine.
				d.cleanup = runtime.AddCleanup(d, idle.remove, m)
				return d, nil
			}
			_, _ = m.call("tally_go_free", uint64(state), uint64(size))
		}
	}
	release(m)
	return nil, err
}

// BeginDispersal draws a key and writes the beginnings of all shares one behind the other.
func BeginDispersal(set *Set, hedge, heads []byte) (*Dispersal, error) {
	return newDispersal(func(m *machine, state uint64) error {
		if err := m.reserve(setBytes, len(hedge), len(heads)); err != nil {
			return err
		}
		params, begin, out := m.put(set.encode()), m.put(hedge), m.take(len(heads))
		err := m.status("tally_go_dispersal_init", params, begin, uint64(len(hedge)), state, out)
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
		return m.status("tally_go_dispersal_init_with_key", m.put(set.encode()), m.put(key), state)
	})
}

// Close wipes the keys; it may be called twice.
func (d *Dispersal) Close() {
	if d.machine != nil {
		d.cleanup.Stop()
		_, _ = d.machine.call("tally_go_free", d.state, d.size)
		release(d.machine)
		d.machine = nil
	}
}

// Records returns the bytes that data becomes in each share.
func (d *Dispersal) Records(size int, isLast bool) (int, error) {
	if d.machine == nil {
		return 0, ErrClosed
	}
	records, err := d.machine.call("tally_dispersal_records_size", d.state, uint64(size), number(isLast))
	runtime.KeepAlive(d)
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
	defer runtime.KeepAlive(d) // its cleanup ends the machine
	defer m.clean()
	given, out := m.put(data), m.take(len(records))
	err := m.status("tally_go_dispersal_encode", d.state, stripe, given, uint64(len(data)),
		number(isLast), out)
	if err == nil {
		m.get(out, records)
	}
	return err
}

// Unseal checks and decrypts stripes; records of the share indices[i] begin at i*stride.
func (d *Dispersal) Unseal(stripe uint64, stripes int, indices, records []byte, stride int,
	sizes []uint64, out []byte, damaged []uint64) (found Found, err error) {
	m := d.machine
	if m == nil {
		return found, ErrClosed
	}
	if err := m.reserve(len(indices), len(records), 8*len(sizes), len(out), 8*len(damaged), 24, 32); err != nil {
		return found, err
	}
	defer runtime.KeepAlive(d)
	defer m.clean()
	which, given, lengths := m.put(indices), m.put(records), putNumbers(m, sizes)
	data, counts := m.take(len(out)), putNumbers(m, damaged)
	numbers, missing := m.take(24), m.take(32)
	err = m.status("tally_go_dispersal_decode", d.state, stripe, uint64(stripes), which, given,
		uint64(stride), lengths, uint64(len(indices)), data, counts, numbers, missing)
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
