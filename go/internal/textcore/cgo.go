// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package textcore

// #cgo CFLAGS: -g0 -std=c11 -I${SRCDIR}/../core
// #cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
// #include "text_binding.h"
//
// #cgo noescape tally_go_text_protect
// #cgo nocallback tally_go_text_protect
// #cgo noescape tally_text_restore
// #cgo nocallback tally_text_restore
// #cgo noescape tally_go_scan
// #cgo nocallback tally_go_scan
import "C"

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/tallystick/tallystick/go/internal/core"
)

var (
	_ = [1]struct{}{}[CheckBits-C.TALLY_ERROR_TEXT_CHECK_BITS]
	_ = [1]struct{}{}[Count-C.TALLY_ERROR_TEXT_KEYS]
	_ = [1]struct{}{}[MaxToken-C.TALLY_TEXT_TOKEN_SIZE_MAX]
	_ = [1]struct{}{}[MaxValue-C.TALLY_TEXT_VALUE_SIZE_MAX]
	_ = [1]struct{}{}[MaxKeys-C.TALLY_TEXT_KEYS_MAX]
	_ = [1]struct{}{}[core.ScanFindingBytes-C.sizeof_tally_scan_finding]
)

// CheckPolicy says what is wrong with a text policy, given as JSON, or returns nil.
func CheckPolicy(description []byte) error {
	var p C.tally_problem
	status := C.tally_text_policy_check(nil, (*C.char)(unsafe.Pointer(unsafe.SliceData(description))), C.size_t(len(description)), &p)
	switch core.Status(status) {
	case core.OK:
		return nil
	case core.Memory:
		return core.ErrMemory
	}
	return &core.ProblemError{Status: core.Status(status), Place: C.GoString(&p.place[0]), Text: C.GoString(&p.text[0])}
}

// Keys are keys of one or more namespaces. Any number of goroutines may share them.
type Keys struct {
	lock    sync.RWMutex
	closed  bool
	keys    *[]*C.tally_text_key
	cleanup runtime.Cleanup
}

// NewKeys returns no keys yet.
func NewKeys() *Keys {
	k := &Keys{keys: new([]*C.tally_text_key)}
	k.cleanup = runtime.AddCleanup(k, freeKeys, k.keys)
	return k
}

func freeKeys(keys *[]*C.tally_text_key) {
	for _, key := range *keys {
		C.tally_go_text_key_free(key)
	}
	*keys = nil
}

// Close wipes the keys. Restorers fail afterwards.
func (k *Keys) Close() {
	k.lock.Lock()
	defer k.lock.Unlock()
	if !k.closed {
		k.closed = true
		k.cleanup.Stop()
		freeKeys(k.keys)
	}
}

func bytesAt(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// Add derives a key, and returns its number.
func (k *Keys) Add(key []byte, space, scope string, bits int) (int, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.closed {
		return 0, core.ErrClosed
	}
	var status C.uint32_t
	s, c := []byte(space), []byte(scope)
	made := C.tally_go_text_key_new(bytesAt(key), C.size_t(len(key)), bytesAt(s), C.size_t(len(s)),
		bytesAt(c), C.size_t(len(c)), C.uint32_t(bits), &status)
	if made == nil {
		return 0, core.Status(status)
	}
	*k.keys = append(*k.keys, made)
	return len(*k.keys) - 1, nil
}

// Protect appends the token of a value to dst.
func (k *Keys) Protect(dst []byte, key int, frame uint32, kind string, value []byte) ([]byte, error) {
	k.lock.RLock()
	defer k.lock.RUnlock()
	if k.closed {
		return dst, core.ErrClosed
	}
	var size C.size_t
	label := []byte(kind)
	dst = slices.Grow(dst, MaxToken)
	out := dst[len(dst):cap(dst)]
	status := C.tally_go_text_protect((*k.keys)[key], C.uint32_t(frame), bytesAt(label), C.size_t(len(label)),
		bytesAt(value), C.size_t(len(value)), bytesAt(out), &size)
	if status != 0 {
		return dst, core.Status(status)
	}
	return dst[:len(dst)+int(size)], nil
}

// Restorer reveals the tokens of a text in chunks. It belongs to one goroutine at a time.
type Restorer struct {
	keys    *Keys
	made    *C.tally_text_restorer
	cleanup runtime.Cleanup
}

func freeRestorer(made *C.tally_text_restorer) { C.tally_text_restorer_free(made) }

// Restorer returns a restorer for the tokens of some keys, by their numbers.
func (k *Keys) Restorer(numbers []int, context uint32) (*Restorer, error) {
	k.lock.RLock()
	defer k.lock.RUnlock()
	if k.closed {
		return nil, core.ErrClosed
	}
	var status C.uint32_t
	chosen := make([]*C.tally_text_key, 0, len(numbers))
	for _, number := range numbers {
		chosen = append(chosen, (*k.keys)[number])
	}
	made := C.tally_go_text_restorer_new(unsafe.SliceData(chosen), C.size_t(len(chosen)), C.uint32_t(context), &status)
	if made == nil {
		return nil, core.Status(status)
	}
	r := &Restorer{keys: k, made: made}
	r.cleanup = runtime.AddCleanup(r, freeRestorer, made)
	return r, nil
}

// Feed appends what is certain of a chunk and those before to dst; with finish the text ends there. On an error
// dst is as it was.
func (r *Restorer) Feed(dst, chunk []byte, finish bool) ([]byte, error) {
	r.keys.lock.RLock()
	defer r.keys.lock.RUnlock()
	if r.keys.closed || r.made == nil {
		return dst, core.ErrClosed
	}
	space := C.tally_text_restore_capacity(r.made, C.size_t(len(chunk)))
	dst = slices.Grow(dst, int(space))
	out := dst[len(dst):cap(dst)]
	var size C.size_t
	end := C.int(0)
	if finish {
		end = 1
	}
	status := C.tally_text_restore(r.made, bytesAt(chunk), C.size_t(len(chunk)), end, bytesAt(out), C.size_t(len(out)),
		&size)
	runtime.KeepAlive(r)
	if status != 0 {
		return dst, core.Status(status)
	}
	return dst[:len(dst)+int(size)], nil
}

// Counts returns how many tokens were revealed, and how many complete ones were of none of the keys.
func (r *Restorer) Counts() (restored, refused uint64) {
	if r.made == nil {
		return 0, 0
	}
	restored, refused = uint64(C.tally_text_restored(r.made)), uint64(C.tally_text_refused(r.made))
	runtime.KeepAlive(r)
	return restored, refused
}

// Close wipes what the restorer holds back.
func (r *Restorer) Close() {
	if r.made != nil {
		r.cleanup.Stop()
		freeRestorer(r.made)
		r.made = nil
	}
}
