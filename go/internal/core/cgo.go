// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package core

// #cgo CFLAGS: -g0 -std=c11
// #cgo windows LDFLAGS: -lbcrypt
// #include "binding.h"
// #include "tallystick_internal.h"
//
// #cgo noescape tally_go_pool_init
// #cgo nocallback tally_go_pool_init
// #cgo noescape tally_go_cipher_init
// #cgo nocallback tally_go_cipher_init
// #cgo noescape tally_go_cipher_wipe
// #cgo nocallback tally_go_cipher_wipe
// #cgo noescape tally_go_words
// #cgo nocallback tally_go_words
// #cgo noescape tally_go_range
// #cgo nocallback tally_go_range
// #cgo noescape tally_go_split
// #cgo nocallback tally_go_split
// #cgo noescape tally_go_recover
// #cgo nocallback tally_go_recover
// #cgo noescape tally_shamir_split
// #cgo nocallback tally_shamir_split
// #cgo noescape tally_shamir_recover
// #cgo nocallback tally_shamir_recover
// #cgo noescape tally_go_shares_split
// #cgo nocallback tally_go_shares_split
// #cgo noescape tally_go_shares_read
// #cgo nocallback tally_go_shares_read
// #cgo noescape tally_go_shares_recover
// #cgo nocallback tally_go_shares_recover
// #cgo noescape tally_go_dispersal_init
// #cgo nocallback tally_go_dispersal_init
// #cgo noescape tally_go_dispersal_init_with_key
// #cgo nocallback tally_go_dispersal_init_with_key
// #cgo noescape tally_go_dispersal_encode
// #cgo nocallback tally_go_dispersal_encode
// #cgo noescape tally_go_dispersal_decode
// #cgo nocallback tally_go_dispersal_decode
// #cgo noescape tally_fast_recommended
// #cgo nocallback tally_fast_recommended
// #cgo noescape tally_fast_range_params
// #cgo nocallback tally_fast_range_params
import "C"

import (
	"runtime"
	"unsafe"
)

// Backend says how the core runs: "cgo" or "wasm".
const Backend = "cgo"

// The layouts of C's structs and Go's are the same, and so are limits and enumerations (of which the last
// stands for all), or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Set{})-C.sizeof_tally_go_set]
	_ = [1]struct{}{}[unsafe.Sizeof(Params{})-C.sizeof_tally_fast_params]
	_ = [1]struct{}{}[MaxLength-C.TALLY_FAST_MAX_LENGTH]
	_ = [1]struct{}{}[PartSize-C.TALLY_DISPERSAL_PART]
	_ = [1]struct{}{}[RecordSize-C.TALLY_DISPERSAL_RECORD]
	_ = [1]struct{}{}[DispersalKey-C.TALLY_DISPERSAL_KEY]
	_ = [1]struct{}{}[MaxSecret-C.TALLY_SHARES_MAX_SECRET]
	_ = [1]struct{}{}[MaxLabel-C.TALLY_SHARES_MAX_LABEL]
	_ = [1]struct{}{}[MaxGiven-C.TALLY_SHARES_MAX_GIVEN]
	_ = [1]struct{}{}[Argument-C.TALLY_ERROR_ARGUMENT]
	_ = [1]struct{}{}[Entropy-C.TALLY_ERROR_ENTROPY]
	_ = [1]struct{}{}[KeySize-C.TALLY_ERROR_KEY_SIZE]
	_ = [1]struct{}{}[Radix-C.TALLY_ERROR_RADIX]
	_ = [1]struct{}{}[Length-C.TALLY_ERROR_LENGTH]
	_ = [1]struct{}{}[Parameters-C.TALLY_ERROR_PARAMS]
	_ = [1]struct{}{}[Symbol-C.TALLY_ERROR_SYMBOL]
	_ = [1]struct{}{}[SharesFew-C.TALLY_ERROR_SHARES_FEW]
	_ = [1]struct{}{}[SharesSets-C.TALLY_ERROR_SHARES_SETS]
	_ = [1]struct{}{}[SharesFalse-C.TALLY_ERROR_SHARES_FALSE]
	_ = [1]struct{}{}[FF1Radix-C.TALLY_ERROR_FF1_RADIX]
	_ = [1]struct{}{}[FF1Tweak-C.TALLY_ERROR_FF1_TWEAK_SIZE]
	_ = [1]struct{}{}[ProfileFF12016-C.TALLY_FF1_2016]
	_ = [1]struct{}{}[ProfileFF31-C.TALLY_GO_FF3_1]
	_ = [1]struct{}{}[MaxLength-C.TALLY_FF1_MAX_LENGTH]
	_ = [1]struct{}{}[ProfileBytesLegacy-C.TALLY_FAST_BYTES_LEGACY]
	_ = [1]struct{}{}[KindFile-C.TALLY_SHARES_FILE]
)

func statusText(s Status) string { return C.GoString(C.tally_status_text(C.tally_status(s))) }

// ReasonText says in words why a value is invalid.
func ReasonText(reason uint8) string { return C.GoString(C.tally_reason_text(C.tally_reason(reason))) }

// bytesOf and the like give the address that C takes; nil for nothing, since Go may have no valid one.
func bytesOf(b []byte) *C.uint8_t {
	if len(b) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.SliceData(b))
}

func textOf(s string) *C.uint8_t {
	if s == "" {
		return nil
	}
	return (*C.uint8_t)(unsafe.StringData(s))
}

func numbersOf(n []uint64) *C.uint64_t {
	if len(n) == 0 {
		return nil
	}
	return (*C.uint64_t)(unsafe.SliceData(n))
}

func offsetsOf(n []int64) *C.int64_t {
	if len(n) == 0 {
		return nil
	}
	return (*C.int64_t)(unsafe.SliceData(n))
}

func flag(b bool) C.uint32_t {
	if b {
		return 1
	}
	return 0
}

// worker is a cipher: scratch memory of one call at a time.
type worker struct {
	memory *memory
	cipher *C.uint8_t // in the memory
}

// ciphers bounds the ciphers of all pools together.
var ciphers = newLimiter[worker](max(64, 2*runtime.GOMAXPROCS(0)))

var (
	poolMemory   [257]recycler // by radix
	cipherMemory recycler
)

// NewPool sets up a pool; close it to wipe it. A pool that is not closed is wiped when it is collected.
func NewPool(profile, radix uint32, key []byte) (*Pool, error) {
	size := poolSize(radix)
	if size == 0 {
		return nil, Radix
	}
	own := &poolMemory[radix]
	held := own.get(size)
	var at C.size_t
	status := C.tally_go_pool_init(C.uint32_t(profile), C.uint32_t(radix), bytesOf(key),
		C.size_t(len(key)), held.at(0), held.size(), &at)
	if status != 0 {
		own.put(held)
		return nil, Status(status)
	}
	pool := held.at(at)
	pools.add(size)
	create := func() (*worker, error) { return newWorker(pool) }
	return newPool(newFreeList(ciphers, create, (*worker).wipe, func() {
		own.wipe(held)
		pools.subtract(size)
	})), nil
}

func newWorker(pool *C.uint8_t) (*worker, error) {
	w := &worker{memory: cipherMemory.get(cipherSize())}
	var at C.size_t
	if status := C.tally_go_cipher_init(pool, cacheCapacity, w.memory.at(0), w.memory.size(), &at); status != 0 {
		cipherMemory.put(w.memory)
		return nil, Status(status)
	}
	w.cipher = w.memory.at(at)
	return w, nil
}

func (w *worker) wipe() {
	C.tally_go_cipher_wipe(w.cipher)
	cipherMemory.put(w.memory)
	w.memory, w.cipher = nil, nil
}

func poolSize(radix uint32) int { return int(C.tally_fast_pool_size(C.uint32_t(radix))) }
func cipherSize() int           { return int(C.tally_fast_cipher_size(cacheCapacity)) }

// with runs one call on a cipher that nobody else uses.
func (p *Pool) with(call func(cipher *C.uint8_t) C.uint32_t) error {
	w, err := p.get()
	if err != nil {
		return err
	}
	status := Status(call(w.cipher))
	p.workers.put(w)
	runtime.KeepAlive(p)
	if status != OK {
		return status
	}
	return nil
}

// Words encrypts or decrypts count words, one behind the other; out may be words.
func (p *Pool) Words(decrypt bool, params *Params, tweak, words []byte, count int, out []byte) error {
	// As with, but a closure would be allocated for each word.
	w, err := p.get()
	if err != nil {
		return err
	}
	status := Status(C.tally_go_words(w.cipher, flag(decrypt), C.uint32_t(params.Radix),
		C.uint32_t(params.Length), C.uint32_t(params.Layers), C.uint32_t(params.W),
		C.uint32_t(params.WPrime), bytesOf(tweak), C.size_t(len(tweak)), bytesOf(words),
		C.size_t(count), bytesOf(out)))
	p.workers.put(w)
	runtime.KeepAlive(p)
	if status != OK {
		return status
	}
	return nil
}

// Range permutes numbers below size (0: 2^64); out may be numbers.
func (p *Pool) Range(decrypt bool, size uint64, tweak []byte, numbers, out []uint64) error {
	return p.with(func(cipher *C.uint8_t) C.uint32_t {
		return C.tally_go_range(cipher, flag(decrypt), C.uint64_t(size), bytesOf(tweak),
			C.size_t(len(tweak)), numbersOf(numbers), C.size_t(len(numbers)), numbersOf(out))
	})
}

func result(status C.uint32_t) error {
	if status != 0 {
		return Status(status)
	}
	return nil
}

// Recommended returns a profile's parameters for a radix and length.
func Recommended(profile, radix, length uint32) (Params, error) {
	var params C.tally_fast_params
	status := C.tally_fast_recommended(C.tally_fast_profile(profile), C.uint32_t(radix),
		C.uint32_t(length), &params)
	return paramsOf(&params), result(C.uint32_t(status))
}

// RangeParams returns the parameters of words that carry the numbers below size (0: 2^64).
func RangeParams(size uint64) (Params, error) {
	var params C.tally_fast_params
	status := C.tally_fast_range_params(C.uint64_t(size), &params)
	return paramsOf(&params), result(C.uint32_t(status))
}

func paramsOf(p *C.tally_fast_params) Params {
	return Params{uint32(p.radix), uint32(p.length), uint32(p.layers), uint32(p.w), uint32(p.w_prime)}
}

// Split writes count raw shares of a secret one behind the other.
func Split(field uint32, secret []byte, threshold, count int, shares []byte) error {
	return result(C.tally_go_split(C.uint32_t(field), bytesOf(secret), C.size_t(len(secret)),
		C.size_t(threshold), C.size_t(count), bytesOf(shares)))
}

// few is how many bytes of shares are copied; pinning takes longer than that.
const few = 4096

// pinned has the addresses of shares, which stay where they are until it is unpinned.
type pinned struct {
	runtime.Pinner
	places [MaxShares]*C.uint8_t
}

func (p *pinned) pin(shares [][]byte) **C.uint8_t {
	for i, share := range shares {
		p.places[i] = bytesOf(share)
		p.Pin(p.places[i])
	}
	return &p.places[0]
}

// SplitInto is Split to shares that lie anywhere, all one byte longer than the secret.
func SplitInto(field uint32, secret []byte, threshold int, shares [][]byte) error {
	size := len(secret) + 1
	if size <= few/len(shares) {
		var buffer [few]byte
		all := buffer[:len(shares)*size]
		defer clear(all)
		if err := Split(field, secret, threshold, len(shares), all); err != nil {
			return err
		}
		for i, share := range shares {
			copy(share, all[i*size:])
		}
		return nil
	}
	var pins pinned
	defer pins.Unpin()
	return result(C.uint32_t(C.tally_shamir_split(C.tally_gf256_field(field), bytesOf(secret),
		C.size_t(len(secret)), C.size_t(threshold), C.size_t(len(shares)), pins.pin(shares))))
}

// Combine recovers a secret from raw shares, all one byte longer than it.
func Combine(field uint32, shares [][]byte, secret []byte) error {
	size := len(secret) + 1
	if size <= few/len(shares) {
		var buffer [few]byte
		all := buffer[:len(shares)*size]
		defer clear(all)
		for i, share := range shares {
			copy(all[i*size:], share)
		}
		return result(C.tally_go_recover(C.uint32_t(field), bytesOf(all), C.size_t(len(shares)),
			C.size_t(size), bytesOf(secret)))
	}
	var pins pinned
	defer pins.Unpin()
	return result(C.uint32_t(C.tally_shamir_recover(C.tally_gf256_field(field), pins.pin(shares),
		C.size_t(len(shares)), C.size_t(size), bytesOf(secret))))
}

func setOf(set *Set) *C.tally_go_set { return (*C.tally_go_set)(unsafe.Pointer(set)) }

// FillSize sets set.Size, to 0 if a parameter is outside its range.
func FillSize(set *Set) { C.tally_go_shares_size(setOf(set)) }

// SplitAuthentic writes the shares of a set, set.Size bytes each, one behind the other.
func SplitAuthentic(set *Set, secret, shares []byte) error {
	return result(C.tally_go_shares_split(setOf(set), bytesOf(secret), bytesOf(shares)))
}

// ReadShare returns what a share says, and a verdict.
func ReadShare(share []byte) (Set, uint32) {
	var set Set
	verdict := C.tally_go_shares_read(bytesOf(share), C.size_t(len(share)), setOf(&set))
	return set, uint32(verdict)
}

// CombineAuthentic recovers a secret, of at most len(secret) = MaxSecret bytes, from shares one behind
// the other. want is empty or a set's 16 bytes.
func CombineAuthentic(shares []byte, offsets []uint64, want, verdicts, secret []byte) (
	first Set, good, sets uint32, err error) {
	var foundGood, foundSets C.uint32_t
	status := C.tally_go_shares_recover(bytesOf(shares), numbersOf(offsets),
		C.size_t(len(offsets)-1), bytesOf(want), bytesOf(verdicts), setOf(&first), &foundGood,
		&foundSets, bytesOf(secret))
	return first, uint32(foundGood), uint32(foundSets), result(status)
}

// Dispersal is data under way to shares or from them.
type Dispersal struct {
	memory  *memory
	cleanup runtime.Cleanup
}

var dispersalMemory recycler

func newDispersal(begin func(*C.tally_dispersal) C.uint32_t) (*Dispersal, error) {
	d := &Dispersal{memory: dispersalMemory.get(int(C.tally_go_dispersal_size()))}
	if status := begin(d.state()); status != 0 {
		dispersalMemory.put(d.memory)
		return nil, Status(status)
	}
	d.cleanup = runtime.AddCleanup(d, dispersalMemory.wipe, d.memory)
	return d, nil
}

func (d *Dispersal) state() *C.tally_dispersal {
	return (*C.tally_dispersal)(unsafe.Pointer(d.memory.at(0)))
}

// BeginDispersal draws a key and writes the beginnings of all shares one behind the other.
func BeginDispersal(set *Set, hedge, heads []byte) (*Dispersal, error) {
	return newDispersal(func(d *C.tally_dispersal) C.uint32_t {
		return C.tally_go_dispersal_init(setOf(set), bytesOf(hedge), C.size_t(len(hedge)), d,
			bytesOf(heads))
	})
}

// OpenDispersal goes on with data that was dispersed.
func OpenDispersal(set *Set, key []byte) (*Dispersal, error) {
	return newDispersal(func(d *C.tally_dispersal) C.uint32_t {
		return C.tally_go_dispersal_init_with_key(setOf(set), bytesOf(key), d)
	})
}

// Close wipes the keys; it may be called twice.
func (d *Dispersal) Close() {
	if d.memory != nil {
		d.cleanup.Stop()
		dispersalMemory.wipe(d.memory)
		d.memory = nil
	}
}

// Records returns the bytes that data becomes in each share.
func (d *Dispersal) Records(size int, isLast bool) (int, error) {
	if d.memory == nil {
		return 0, ErrClosed
	}
	records := C.tally_dispersal_records_size(d.state(), C.size_t(size), C.int(flag(isLast)))
	runtime.KeepAlive(d)
	return int(records), nil
}

// Seal encrypts and cuts up data from a stripe on; all records of one share are together.
func (d *Dispersal) Seal(stripe uint64, data []byte, isLast bool, records []byte) error {
	if d.memory == nil {
		return ErrClosed
	}
	err := result(C.tally_go_dispersal_encode(d.state(), C.uint64_t(stripe),
		bytesOf(data), C.size_t(len(data)), flag(isLast), bytesOf(records)))
	runtime.KeepAlive(d)
	return err
}

// Unseal checks and decrypts stripes; records of the share indices[i] begin at i*stride.
func (d *Dispersal) Unseal(stripe uint64, stripes int, indices, records []byte, stride int,
	sizes []uint64, out []byte, damaged []uint64) (found Found, err error) {
	if d.memory == nil {
		return found, ErrClosed
	}
	var numbers [3]C.uint64_t
	status := C.tally_go_dispersal_decode(d.state(), C.uint64_t(stripe),
		C.size_t(stripes), bytesOf(indices), bytesOf(records), C.size_t(stride), numbersOf(sizes),
		C.size_t(len(indices)), bytesOf(out), numbersOf(damaged), &numbers[0],
		bytesOf(found.Missing[:]))
	runtime.KeepAlive(d)
	found.Size, found.Stripes, found.IsLast = int(numbers[0]), int(numbers[1]), numbers[2] != 0
	return found, result(status)
}
