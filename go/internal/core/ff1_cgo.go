// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

// #include "binding.h"
//
// #cgo noescape tally_go_ff1_init
// #cgo nocallback tally_go_ff1_init
// #cgo noescape tally_go_ff1_words
// #cgo nocallback tally_go_ff1_words
import "C"

import (
	"math"
	"runtime"
)

// ff1Worker is one call under way: all calls share the cipher, which never changes.
type ff1Worker struct{ cipher *C.uint8_t }

var (
	ff1Calls  = newLimiter[ff1Worker](math.MaxInt)
	ff1Memory [ProfileFF31 + 1]recycler
)

// NewFF1 sets up a cipher; close it to wipe it. A cipher that is not closed is wiped when it is collected.
func NewFF1(profile, radix uint32, key []byte) (*FF1, error) {
	held := ff1Memory[profile].get(int(C.tally_go_ff1_size(C.uint32_t(profile))))
	var at C.size_t
	status := C.tally_go_ff1_init(C.uint32_t(profile), C.uint32_t(radix), bytesOf(key),
		C.size_t(len(key)), held.at(0), held.size(), &at)
	if status != 0 {
		ff1Memory[profile].put(held)
		return nil, Status(status)
	}
	cipher := held.at(at)
	create := func() (*ff1Worker, error) { return &ff1Worker{cipher}, nil }
	finish := func() { ff1Memory[profile].wipe(held) }
	return newFF1(profile, newFreeList(ff1Calls, create, func(*ff1Worker) {}, finish)), nil
}

// FF1MinLength returns the fewest symbols of a word.
func FF1MinLength(profile, radix uint32) int {
	return int(C.tally_ff1_min_length(C.tally_ff1_profile(profile), C.uint32_t(radix)))
}

// FF31Lengths returns the fewest and the most symbols of a word of FF3-1 or FF3; 0 if tweaks do not have this size.
func FF31Lengths(tweakSize int, radix uint32) (least, most int) {
	return int(C.tally_ff3_1_min_length(C.size_t(tweakSize), C.uint32_t(radix))), int(C.tally_ff3_1_max_length(C.uint32_t(radix)))
}

// Words encrypts or decrypts count words, one behind the other; out may be words. Symbols have one byte, or two in
// the machine's order above radix 256.
func (f *FF1) Words(decrypt bool, length int, tweak, words []byte, count int, out []byte) error {
	w, err := f.get()
	if err != nil {
		return err
	}
	status := Status(C.tally_go_ff1_words(w.cipher, C.uint32_t(f.profile), flag(decrypt), C.uint32_t(length), bytesOf(tweak),
		C.size_t(len(tweak)), bytesOf(words), C.size_t(count), bytesOf(out)))
	f.workers.put(w)
	runtime.KeepAlive(f)
	if status != OK {
		return status
	}
	return nil
}
