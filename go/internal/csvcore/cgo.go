// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package csvcore

// #cgo CFLAGS: -g0 -std=c11 -I${SRCDIR}/../core
// #include "csv_binding.h"
//
// #cgo noescape tally_go_csv_scan
// #cgo nocallback tally_go_csv_scan
// #cgo noescape tally_go_csv_splice
// #cgo nocallback tally_go_csv_splice
import "C"

import (
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

var (
	_ = [1]struct{}{}[unsafe.Sizeof(core.CSVField{})-C.sizeof_tally_csv_field]
	_ = [1]struct{}{}[unsafe.Sizeof(core.CSVScan{})-C.sizeof_tally_csv_scan]
	_ = [1]struct{}{}[unsafe.Sizeof(core.CSVSplice{})-C.sizeof_tally_csv_splice_result]
	_ = [1]struct{}{}[Unquotable-C.TALLY_CSV_UNQUOTABLE]
)

func at[T, U any](slice []U) *T { return (*T)(unsafe.Pointer(unsafe.SliceData(slice))) }

func scan(dialect uint32, text []byte, last bool, columns uint32, wanted []uint32, fields []Field, most int) (found core.CSVScan, err error) {
	end := C.uint32_t(0)
	if last {
		end = 1
	}
	status := C.tally_go_csv_scan(C.uint32_t(dialect), at[C.uint8_t](text), C.size_t(len(text)), end, C.uint32_t(columns),
		at[C.uint32_t](wanted), C.uint32_t(len(wanted)), at[C.tally_csv_field](fields), C.size_t(most),
		(*C.tally_csv_scan)(unsafe.Pointer(&found)))
	if status != 0 {
		err = core.Status(status)
	}
	return found, err
}

func splice(dialect uint32, text []byte, fields []Field, records int, changed []uint32, offsets []int32, values []byte) (made []byte, done core.CSVSplice, err error) {
	// At least what tally_csv_splice_capacity says of these columns.
	made = make([]byte, len(text)+2*len(values)+2*records*len(changed))
	status := C.tally_go_csv_splice(C.uint32_t(dialect), at[C.uint8_t](text), C.size_t(len(text)), at[C.tally_csv_field](fields),
		C.size_t(records), at[C.uint32_t](changed), at[C.int32_t](offsets), at[C.uint8_t](values), C.uint32_t(len(changed)),
		at[C.uint8_t](made), C.size_t(len(made)), (*C.tally_csv_splice_result)(unsafe.Pointer(&done)))
	if status != 0 {
		return nil, done, core.Status(status)
	}
	return made[:done.Size], done, nil
}
