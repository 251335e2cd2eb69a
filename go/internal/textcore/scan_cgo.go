// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package textcore

// #include "text_binding.h"
import "C"

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Rules are what a scan of text looks for. Any number of goroutines may share them.
type Rules struct {
	made *C.tally_scan_rules
}

func freeRules(made *C.tally_scan_rules) { C.tally_scan_rules_free(made) }

// NewRules makes rules from the JSON of scan.h.
func NewRules(description []byte) (*Rules, error) {
	var status C.uint32_t
	made := C.tally_go_scan_rules_new(bytesAt(description), C.size_t(len(description)), &status)
	if made == nil {
		return nil, core.Status(status)
	}
	r := &Rules{made}
	runtime.AddCleanup(r, freeRules, made)
	return r, nil
}

// Scan returns the findings of a whole text, in their order.
func (r *Rules) Scan(text []byte) ([]Finding, error) {
	defer runtime.KeepAlive(r)
	return core.AllFindings(binary.NativeEndian, func(out []byte) (int, error) {
		var count C.size_t
		status := C.tally_go_scan(r.made, bytesAt(text), C.size_t(len(text)),
			(*C.tally_scan_finding)(unsafe.Pointer(unsafe.SliceData(out))), C.size_t(len(out)/core.ScanFindingBytes), &count)
		if status != 0 {
			return 0, core.Status(status)
		}
		return int(count), nil
	})
}
