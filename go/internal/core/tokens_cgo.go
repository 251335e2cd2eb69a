// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

// #include <stdlib.h>
// #include "binding.h"
//
// #cgo noescape tally_go_value
// #cgo nocallback tally_go_value
// #cgo noescape tally_go_rows
// #cgo nocallback tally_go_rows
// #cgo noescape tally_go_integer
// #cgo nocallback tally_go_integer
// #cgo noescape tally_format_explain
// #cgo nocallback tally_format_explain
// #cgo noescape tally_format_check
// #cgo nocallback tally_format_check
// #cgo noescape tally_format_domain_of
// #cgo nocallback tally_format_domain_of
// #cgo noescape tally_format_work
// #cgo nocallback tally_format_work
import "C"

import (
	"runtime"
	"unsafe"
)

var (
	_ = [1]struct{}{}[MaxNamespace-C.TALLY_MAX_NAMESPACE]
	_ = [1]struct{}{}[MaxOneValue-C.TALLY_MAX_VALUE]
	_ = [1]struct{}{}[OneWay-C.TALLY_ERROR_ONE_WAY]
	_ = [1]struct{}{}[ReadOnly-C.TALLY_ERROR_READ_ONLY]
	_ = [1]struct{}{}[Namespace-C.TALLY_ERROR_NAMESPACE]
	_ = [1]struct{}{}[Room-C.TALLY_ERROR_CAPACITY]
	_ = [1]struct{}{}[ClassOther-C.TALLY_CHARACTER_OTHER]
	_ = [1]struct{}{}[FingerprintSize-C.TALLY_FINGERPRINT]
	_ = [1]struct{}{}[unsafe.Sizeof(problem{})-C.sizeof_tally_problem]
)

// Format is a checked format. Any number of goroutines may use it.
type Format struct {
	Facts
	held *C.tally_format
}

// NewFormat makes a format of its description in JSON. The error may be a *ProblemError.
func NewFormat(description string) (*Format, error) {
	var held *C.tally_format
	var p problem
	status := C.tally_format_new(nil, (*C.char)(unsafe.Pointer(unsafe.StringData(description))),
		C.size_t(len(description)), &held, p.c())
	if status != 0 {
		return nil, p.of(Status(status))
	}
	f := &Format{held: held}
	runtime.AddCleanup(f, func(held *C.tally_format) { C.tally_format_free(held) }, held)
	f.Name, f.Identity = C.GoString(C.tally_format_name(held)), C.GoString(C.tally_format_identity(held))
	if cipher := C.tally_format_cipher(held); cipher != nil {
		f.Cipher = C.GoString(cipher)
	}
	f.OneWay, f.Keyed = C.tally_format_is_one_way(held) != 0, C.tally_format_is_keyed(held) != 0
	f.MayBeFormula = C.tally_format_may_be_formula(held) != 0
	f.ForbidsKeep = C.tally_format_forbids_keep(held) != 0
	for i := C.size_t(0); ; i++ {
		example := C.tally_format_example(held, i)
		if example == nil {
			break
		}
		f.Examples = append(f.Examples, C.GoString(example))
	}
	var domain C.tally_domain
	C.tally_format_smallest_domain(held, &domain)
	f.SmallestDomain = domainOf(&domain)
	return f, nil
}

func domainOf(domain *C.tally_domain) uint64 {
	if domain.known == 0 {
		return 0
	}
	return uint64(domain.size)
}

func (p *problem) c() *C.tally_problem { return (*C.tally_problem)(unsafe.Pointer(p)) }

// Explain finds the character at fault in a value that is invalid for a reason.
func (f *Format) Explain(value string, reason byte) Fault {
	var fault C.tally_fault
	C.tally_format_explain(f.held, textOf(value), C.size_t(len(value)), C.tally_reason(reason), &fault)
	runtime.KeepAlive(f)
	return Fault{int(fault.position), int(fault.character)}
}

// CheckValue finds the reason for which a value is invalid, or 0, and the character at fault.
func (f *Format) CheckValue(value string) (reason byte, at Fault, err error) {
	var fault C.tally_fault
	status := C.tally_format_check(f.held, textOf(value), C.size_t(len(value)), &fault)
	runtime.KeepAlive(f)
	if status != 0 {
		return 0, Fault{}, Status(status)
	}
	return byte(fault.reason), Fault{int(fault.position), int(fault.character)}, nil
}

// Domain returns how many values are as a value is: see Facts.SmallestDomain.
func (f *Format) Domain(value string) uint64 {
	var domain C.tally_domain
	C.tally_format_domain_of(f.held, textOf(value), C.size_t(len(value)), &domain)
	runtime.KeepAlive(f)
	return domainOf(&domain)
}

// Work returns the layers of FAST that a value of so many bytes needs.
func (f *Format) Work(size int) int64 {
	work := C.tally_format_work(f.held, C.size_t(size))
	runtime.KeepAlive(f)
	return int64(work)
}

// FormatNames returns the names of all formats.
func FormatNames() (names []string) {
	for i := C.size_t(0); ; i++ {
		name := C.tally_format_name_at(i)
		if name == nil {
			return names
		}
		names = append(names, C.GoString(name))
	}
}

// CheckPolicy says what is wrong with a policy, given as JSON, or returns nil. The error is a
// *ProblemError unless there is no memory.
func CheckPolicy(description []byte) error {
	var made *C.tally_policy
	var p problem
	status := C.tally_policy_new(nil, (*C.char)(unsafe.Pointer(bytesOf(description))),
		C.size_t(len(description)), &made, p.c())
	C.tally_policy_free(made)
	if status != 0 {
		return p.of(Status(status))
	}
	return nil
}

// CheckPolicyText says why the TOML of a policy must not be read, or returns nil.
func CheckPolicyText(text string) error {
	var p problem
	given := (*C.char)(unsafe.Pointer(textOf(text)))
	if status := C.tally_policy_check_text(given, C.size_t(len(text)), p.c()); status != 0 {
		return p.of(Status(status))
	}
	return nil
}

type tokenWorker struct {
	held      *C.tally_worker
	tokenizer *C.tally_tokenizer
}

// tokenWorkers bounds the workers of all tokenizers together.
var tokenWorkers = newLimiter[tokenWorker](max(64, 2*runtime.GOMAXPROCS(0)))

// NewTokenizer makes a tokenizer; close it to wipe its key. One that is not closed is wiped when it is
// collected.
func NewTokenizer(format *Format, key []byte, namespace string) (*Tokenizer, error) {
	var held *C.tally_tokenizer
	var p problem
	status := C.tally_tokenizer_new(nil, format.held, bytesOf(key), C.size_t(len(key)),
		(*C.char)(unsafe.Pointer(textOf(namespace))), C.size_t(len(namespace)), C.TALLY_INVALID_ERROR,
		&held, p.c())
	if status != 0 {
		return nil, p.of(Status(status))
	}
	create := func() (*tokenWorker, error) {
		w := &tokenWorker{tokenizer: held}
		if status := C.tally_worker_new(held, &w.held); status != 0 {
			return nil, Status(status)
		}
		return w, nil
	}
	return newTokenizer(newFreeList(tokenWorkers, create, (*tokenWorker).free, func() {
		C.tally_tokenizer_free(held)
		runtime.KeepAlive(format)
	})), nil
}

func (w *tokenWorker) free() {
	C.tally_worker_free(w.held)
	w.held = nil
}

// Identity returns what tokens depend on beside the key, and public bytes that identify the key; zeros if there is none.
// rows says whether each row has a tweak of its own.
func (t *Tokenizer) Identity(rows bool) (head []byte, key [FingerprintSize]byte, err error) {
	w, err := t.get()
	if err != nil {
		return nil, key, err
	}
	head = make([]byte, C.tally_tokenizer_head(w.tokenizer, C.int(flag(rows)), nil, 0))
	C.tally_tokenizer_head(w.tokenizer, C.int(flag(rows)), bytesOf(head), C.size_t(len(head)))
	C.tally_tokenizer_fingerprint(w.tokenizer, bytesOf(key[:]))
	t.workers.put(w)
	runtime.KeepAlive(t)
	return head, key, nil
}

// Value appends the token or value of one value to dst. A reason other than 0 says why there is none; dst
// is returned as it was. dst must not overlap value, unless it has no room.
func (t *Tokenizer) Value(decrypt bool, dst []byte, value, tweak string, tweaked bool) ([]byte, byte, error) {
	if len(value) > MaxOneValue {
		return dst, 0, Argument
	}
	w, err := t.get()
	if err != nil {
		return dst, 0, err
	}
	var reason C.uint32_t
	var size C.size_t
	dst, room := grown(dst, len(value))
	for {
		status := Status(C.tally_go_value(w.held, flag(decrypt), textOf(value), C.size_t(len(value)),
			textOf(tweak), C.size_t(len(tweak)), flag(tweaked), bytesOf(room), C.size_t(len(room)), &size,
			&reason))
		if status == Room && int(size) > len(room) {
			dst, room = grown(dst, int(size))
			continue
		}
		t.workers.put(w)
		runtime.KeepAlive(t)
		if status != OK {
			return dst, 0, status
		}
		if reason != 0 {
			return dst, byte(reason), nil
		}
		return dst[:len(dst)+int(size)], 0, nil
	}
}

// Rows protects or reveals a column, and writes each row's reason to status. Rows that are invalid keep
// their value. The column's offsets become those of the result. Rows also returns how many rows have a small domain.
// validity is nil, or Arrow's bitmap of the tweaks that are not null.
func (t *Tokenizer) Rows(decrypt bool, column Strings, tweaks *Strings, validity, status []byte) (Strings, uint64, error) {
	w, err := t.get()
	if err != nil {
		return Strings{}, 0, err
	}
	own := Strings{}
	if tweaks != nil {
		own = *tweaks
	}
	var held unsafe.Pointer
	var offsets *C.int64_t
	var values *C.uint8_t
	var size C.size_t
	var small C.uint64_t
	var p problem
	result := C.tally_go_rows(w.held, flag(decrypt), offsetsOf(column.Offsets), bytesOf(column.Values),
		C.size_t(column.Rows()), offsetsOf(own.Offsets), bytesOf(own.Values), bytesOf(validity),
		bytesOf(status), &held, &offsets, &values, &size, &small, p.c())
	t.workers.put(w)
	runtime.KeepAlive(t)
	if result != 0 {
		return Strings{}, 0, p.of(Status(result))
	}
	copy(column.Offsets, unsafe.Slice((*int64)(offsets), len(column.Offsets)))
	column.Values = append([]byte{}, unsafe.Slice((*byte)(values), int(size))...) // which zeroes nothing
	C.tally_go_rows_free(held)
	return column, uint64(small), nil
}

// Integer protects or reveals one integer.
func (t *Tokenizer) Integer(decrypt bool, value int64) (int64, byte, error) {
	w, err := t.get()
	if err != nil {
		return 0, 0, err
	}
	var out C.int64_t
	var reason C.uint32_t
	var p problem
	result := C.tally_go_integer(w.held, flag(decrypt), C.int64_t(value), &out, &reason, p.c())
	t.workers.put(w)
	runtime.KeepAlive(t)
	if result != 0 {
		return 0, 0, p.of(Status(result))
	}
	return int64(out), byte(reason), nil
}

// grown returns dst with room for size more bytes, and the room.
func grown(dst []byte, size int) ([]byte, []byte) {
	if cap(dst)-len(dst) < size {
		dst = append(make([]byte, 0, len(dst)+max(size, 32)), dst...)
	}
	return dst, dst[len(dst):cap(dst)]
}
