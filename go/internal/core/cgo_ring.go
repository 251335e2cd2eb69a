// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

// #include "binding.h"
//
// #cgo noescape tally_go_ring_read
// #cgo nocallback tally_go_ring_read
// #cgo noescape tally_go_ring_unlock
// #cgo nocallback tally_go_ring_unlock
// #cgo noescape tally_go_ring_key
// #cgo nocallback tally_go_ring_key
// #cgo noescape tally_go_key_id_check
// #cgo nocallback tally_go_key_id_check
import "C"

import (
	"runtime"
	"unsafe"
)

var (
	_ = [1]struct{}{}[unsafe.Sizeof(keyInfo{})-C.sizeof_tally_key_info]
	_ = [1]struct{}{}[RootKeySize-C.TALLY_ROOT_KEY_SIZE]
	_ = [1]struct{}{}[DataKeySize-C.TALLY_DATA_KEY_SIZE_MAX]
	_ = [1]struct{}{}[MaxRing-C.TALLY_KEYRING_SIZE_MAX]
	_ = [1]struct{}{}[MaxRoots-C.TALLY_ROOTS_MAX]
	_ = [1]struct{}{}[MaxWrapped-C.TALLY_ROOT_WRAPPED_SIZE_MAX]
	_ = [1]struct{}{}[MaxSigners-C.TALLY_SIGNERS_MAX]
	_ = [1]struct{}{}[RootShares-C.TALLY_ROOT_SHARES]
	_ = [1]struct{}{}[KeyringWrong-C.TALLY_ERROR_KEYRING]
	_ = [1]struct{}{}[Reference-C.TALLY_ERROR_REFERENCE]
	_ = [1]struct{}{}[Problem-C.TALLY_ERROR_PROBLEM]
)

// Ring is a key ring that was read. Any number of goroutines may ask it for keys.
type Ring struct {
	ring    *C.tally_keyring
	cleanup runtime.Cleanup
}

// ReadRing reads the bytes of a ring's file. Nothing is authenticated before Unlock.
func ReadRing(file []byte) (*Ring, error) {
	var p problem
	r := &Ring{}
	if err := p.of(Status(C.tally_go_ring_read(bytesOf(file), C.size_t(len(file)), &r.ring, p.c()))); err != nil {
		return nil, err
	}
	r.cleanup = runtime.AddCleanup(r, func(ring *C.tally_keyring) { C.tally_keyring_free(ring) }, r.ring)
	return r, nil
}

// Unlock verifies a ring with its root key.
func (r *Ring) Unlock(rootKey *[RootKeySize]byte) error {
	defer runtime.KeepAlive(r)
	var p problem
	return p.of(Status(C.tally_go_ring_unlock(r.ring, bytesOf(rootKey[:]), p.c())))
}

// Close wipes a ring; it may be called twice.
func (r *Ring) Close() {
	if r.ring != nil {
		r.cleanup.Stop()
		C.tally_keyring_free(r.ring)
		r.ring = nil
	}
}

// RootKind says where the root key comes from.
func (r *Ring) RootKind() uint32 {
	defer runtime.KeepAlive(r)
	return uint32(C.tally_go_ring_root_kind(r.ring))
}

// ID returns the ring's id.
func (r *Ring) ID() string {
	defer runtime.KeepAlive(r)
	return C.GoString(C.tally_keyring_id(r.ring))
}

// Keys returns the references of the keys.
func (r *Ring) Keys() []string {
	defer runtime.KeepAlive(r)
	keys := make([]string, int(C.tally_keyring_count(r.ring)))
	for i := range keys {
		var info keyInfo
		C.tally_keyring_at(r.ring, C.size_t(i), (*C.tally_key_info)(unsafe.Pointer(&info)))
		keys[i] = info.reference()
	}
	return keys
}

// Key unwraps a key.
func (r *Ring) Key(reference string) ([]byte, error) {
	if r.ring == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(r)
	var p problem
	var size C.size_t
	key := make([]byte, DataKeySize)
	err := p.of(Status(C.tally_go_ring_key(r.ring, textOf(reference), C.size_t(len(reference)),
		bytesOf(key), &size, p.c())))
	if err != nil {
		return nil, err
	}
	return key[:size], nil
}

// CheckReference says whether a text names a key and its version.
func CheckReference(reference string) error {
	var p problem
	return p.of(Status(C.tally_go_key_id_check(textOf(reference), C.size_t(len(reference)), p.c())))
}
