// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"runtime"
	"sync"
)

// ScanRules are what a scan of text looks for, and the machine that they live in.
type ScanRules struct {
	lock    sync.Mutex
	machine *machine
	made    uint32
}

// NewScanRules makes rules from the JSON of scan.h.
func NewScanRules(description []byte) (*ScanRules, error) {
	m, err := idle.get()
	if err != nil {
		return nil, err
	}
	r := &ScanRules{machine: m}
	if err = m.reserve(len(description), 4); err == nil {
		given, status := m.put(description), m.take(4)
		r.made, err = m.made("tally_go_scan_rules_new", status, given, uint64(len(description)))
	}
	if err != nil {
		idle.remove(m)
		return nil, err
	}
	runtime.AddCleanup(r, idle.remove, m)
	return r, nil
}

// Scan returns the findings of a whole text, in their order.
func (r *ScanRules) Scan(text []byte) ([]ScanFinding, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	m := r.machine
	return AllFindings(binary.LittleEndian, func(out []byte) (int, error) {
		if err := m.reserve(len(text), len(out), 4); err != nil {
			return 0, err
		}
		defer m.clean()
		given, found, count := m.put(text), m.take(len(out)), m.take(4)
		err := m.status("tally_go_scan", uint64(r.made), given, uint64(len(text)), found,
			uint64(len(out)/ScanFindingBytes), count)
		if err != nil {
			return 0, err
		}
		m.get(found, out)
		return int(binary.LittleEndian.Uint32(m.view(count, 4))), nil
	})
}
