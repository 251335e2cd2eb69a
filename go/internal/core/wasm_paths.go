// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import "encoding/binary"

// PathSteps returns the steps of a column's path; nil if the text is no path.
func PathSteps(path string) (steps []PathStep, err error) {
	err = on(func(m *machine) error {
		if err := m.reserve(len(path), len(path)+1, 4, 4); err != nil {
			return err
		}
		given, name, at, size := m.put([]byte(path)), m.take(len(path)+1), m.put(make([]byte, 4)), m.take(4)
		number := func(of uint64) int { return int(binary.LittleEndian.Uint32(m.view(of, 4))) }
		for number(at) < len(path) {
			kind, err := m.call("tally_path_step", given, uint64(len(path)), at, name, uint64(len(path)+1), size)
			if err != nil {
				return err
			}
			if kind == 0 {
				steps = nil
				return nil
			}
			steps = append(steps, PathStep{StepKind(kind), string(m.view(name, number(size)))})
		}
		return nil
	})
	return steps, err
}
