// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Backend says how the core runs: "cgo" or "wasm".
const Backend = "wasm"

//go:embed core.wasm
var binaryCore []byte

// The module is compiled once, when it is first needed. It has no state; machines have.
var compiled = sync.OnceValues(func() (func() (api.Module, error), error) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	_, err := r.NewHostModuleBuilder("tallystick").NewFunctionBuilder().
		WithFunc(func(_ context.Context, m api.Module, at, size uint32) uint32 {
			out, ok := m.Memory().Read(at, size)
			if !ok {
				return 1
			}
			if _, err := rand.Read(out); err != nil {
				return 1
			}
			return 0
		}).Export("entropy").Instantiate(ctx)
	if err != nil {
		return nil, err
	}
	module, err := r.CompileModule(ctx, binaryCore)
	if err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	held := experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(newMemory))
	return func() (api.Module, error) { return r.InstantiateModule(held, module, config) }, nil
})

// machine is an instance of the module: a memory, and functions that work in it. One goroutine may use
// it at a time.
type machine struct {
	module    api.Module
	functions map[string]api.Function
	stack     [16]uint64 // arguments and results
	pool      uint32     // the address of memory for a pool, set aside before any other
	poolSize  uint32
	cipher    uint32 // of memory for a cipher; 0: there is none yet
	formats   uint64 // of a format; 0: there is none yet
	format    string // and its description
	scratch   uint32 // of memory for what a call takes and gives
	capacity  uint32
	used      uint32
	broken    bool
}

// The radix whose pools are the largest.
const largestRadix = 256

func newMachine() (*machine, error) {
	instantiate, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("tallystick: the core can't be compiled for this machine: %w", err)
	}
	module, err := instantiate()
	if err != nil {
		return nil, fmt.Errorf("tallystick: the core can't be set up: %w", err)
	}
	m := &machine{module: module, functions: map[string]api.Function{}}
	// First of all, so that it is at the same address in every machine.
	if m.poolSize, err = m.size("tally_fast_pool_size", largestRadix); err == nil {
		m.pool, err = m.alloc(m.poolSize)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// close wipes the machine's whole memory: see memory.Free.
func (m *machine) close() { _ = m.module.Close(context.Background()) }

// errBroken stands for a trap of WebAssembly, which no input should bring about.
var errBroken = errors.New("tallystick: the core in WebAssembly failed")

func (m *machine) call(name string, arguments ...uint64) (uint64, error) {
	function := m.functions[name]
	if function == nil {
		function = m.module.ExportedFunction(name)
		m.functions[name] = function
	}
	copy(m.stack[:], arguments)
	if err := function.CallWithStack(context.Background(), m.stack[:]); err != nil {
		m.broken = true
		return 0, fmt.Errorf("%w: %w", errBroken, err)
	}
	return m.stack[0], nil
}

// size runs a function that gives a size. A call sets the low half of a result of 32 bits alone.
func (m *machine) size(name string, arguments ...uint64) (uint32, error) {
	size, err := m.call(name, arguments...)
	return uint32(size), err
}

// alloc returns zeroed memory that stays.
func (m *machine) alloc(size uint32) (uint32, error) {
	at, err := m.call("tally_go_alloc", uint64(size))
	if err == nil && at == 0 {
		err = ErrMemory
	}
	return uint32(at), err
}

func aligned(size int) int { return (size + 15) &^ 15 }

// reserve sees to it that scratch memory has space for arguments and results of some sizes.
func (m *machine) reserve(sizes ...int) error {
	total := 16 // so that an empty argument has an address that is not NULL
	for _, size := range sizes {
		total += aligned(size)
	}
	if total < 0 || total > math.MaxInt32 {
		return ErrMemory
	}
	m.used = 0
	if total <= int(m.capacity) {
		return nil
	}
	if m.capacity > 0 {
		if _, err := m.call("tally_go_free", uint64(m.scratch), uint64(m.capacity)); err != nil {
			return err
		}
		m.capacity = 0
	}
	capacity := uint32(max(total, 4096))
	at, err := m.alloc(capacity)
	if err == nil {
		m.scratch, m.capacity = at, capacity
	}
	return err
}

// take returns the address of scratch memory that was reserved.
func (m *machine) take(size int) uint64 {
	at := m.scratch + m.used
	m.used += uint32(aligned(size))
	return uint64(at)
}

func (m *machine) view(at uint64, size int) []byte {
	view, ok := m.module.Memory().Read(uint32(at), uint32(size))
	if !ok {
		panic("tallystick: memory of WebAssembly was taken without being reserved")
	}
	return view
}

// put copies bytes in and gives their address; 0 for none.
func (m *machine) put(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	at := m.take(len(b))
	copy(m.view(at, len(b)), b)
	return at
}

func putNumbers[T uint64 | int64](m *machine, numbers []T) uint64 {
	if len(numbers) == 0 {
		return 0
	}
	at := m.take(8 * len(numbers))
	view := m.view(at, 8*len(numbers))
	for i, number := range numbers {
		binary.LittleEndian.PutUint64(view[8*i:], uint64(number))
	}
	return at
}

func (m *machine) get(at uint64, out []byte) {
	if len(out) > 0 {
		copy(out, m.view(at, len(out)))
	}
}

func getNumbers[T uint64 | int64](m *machine, at uint64, out []T) {
	view := m.view(at, 8*len(out))
	for i := range out {
		out[i] = T(binary.LittleEndian.Uint64(view[8*i:]))
	}
}

// status runs a function that gives a tally_status.
func (m *machine) status(name string, arguments ...uint64) error {
	status, err := m.call(name, arguments...)
	if err == nil && uint32(status) != 0 {
		err = Status(uint32(status))
	}
	return err
}

// clean wipes what calls left in scratch memory.
func (m *machine) clean() {
	if !m.broken && m.used > 0 {
		clear(m.view(uint64(m.scratch), int(m.used)))
	}
	m.used = 0
}

// scratchLimit is the most scratch memory with which a machine is used again.
const scratchLimit = 4 << 20

// idle has machines that hold no secret, and no pool that is in use.
var idle = newFreeList(newLimiter[machine](math.MaxInt), newMachine, (*machine).close, func() {})

// release wipes scratch memory, and makes a machine idle.
func release(m *machine) {
	m.clean()
	if m.broken || m.capacity > scratchLimit {
		idle.remove(m)
		return
	}
	idle.put(m)
}

// on runs a call on any machine.
func on(call func(m *machine) error) error {
	m, err := idle.get()
	if err != nil {
		return err
	}
	defer release(m)
	return call(m)
}

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
