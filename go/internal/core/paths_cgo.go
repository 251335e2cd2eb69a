// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

// #include "binding.h"
import "C"

import "unsafe"

var _ = [1]struct{}{}[StepValues-C.TALLY_STEP_VALUES]

// PathSteps returns the steps of a column's path; nil if the text is no path.
func PathSteps(path string) (steps []PathStep, err error) {
	given, name := (*C.char)(unsafe.Pointer(textOf(path))), make([]byte, len(path)+1)
	var at, size C.size_t
	for int(at) < len(path) {
		kind := C.tally_path_step(given, C.size_t(len(path)), &at, (*C.char)(unsafe.Pointer(&name[0])), C.size_t(len(name)), &size)
		if kind == C.TALLY_STEP_NONE {
			return nil, nil
		}
		steps = append(steps, PathStep{StepKind(kind), string(name[:size])})
	}
	return steps, nil
}
