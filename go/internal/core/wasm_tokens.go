// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
)

// Format is a checked format. Any number of goroutines may use it; a machine makes it again when it
// needs it.
type Format struct {
	Facts
	description string
}

// NewFormat makes a format of its description in JSON. The error may be a *ProblemError.
func NewFormat(description string) (*Format, error) {
	f := &Format{description: description}
	err := on(func(m *machine) error {
		at, err := m.useFormat(f)
		if err != nil {
			return err
		}
		return m.facts(at, &f.Facts)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// text reads a text that ends in a zero; the second result says whether there is one.
func (m *machine) text(name string, arguments ...uint64) (string, bool, error) {
	at, err := m.call(name, arguments...)
	if err != nil || uint32(at) == 0 {
		return "", false, err
	}
	all, ok := m.module.Memory().Read(uint32(at), m.module.Memory().Size()-uint32(at))
	if !ok {
		return "", false, errBroken
	}
	return terminated(all), true, nil
}

// words returns the text that the core has for a number.
func words(name string, number uint64) (text string) {
	err := on(func(m *machine) (err error) {
		text, _, err = m.text(name, number)
		return err
	})
	if err != nil {
		return err.Error()
	}
	return text
}

func statusText(s Status) string { return words("tally_status_text", uint64(s)) }

// ReasonText says in words why a value is invalid.
func ReasonText(reason uint8) string { return words("tally_reason_text", uint64(reason)) }

func (m *machine) facts(format uint64, out *Facts) (err error) {
	if out.Name, _, err = m.text("tally_format_name", format); err != nil {
		return err
	}
	if out.Identity, _, err = m.text("tally_format_identity", format); err != nil {
		return err
	}
	if out.Cipher, _, err = m.text("tally_format_cipher", format); err != nil {
		return err
	}
	for name, fact := range map[string]*bool{
		"tally_format_is_one_way": &out.OneWay, "tally_format_is_keyed": &out.Keyed,
		"tally_format_may_be_formula": &out.MayBeFormula, "tally_format_forbids_keep": &out.ForbidsKeep,
	} {
		found, err := m.size(name, format)
		if err != nil {
			return err
		}
		*fact = found != 0
	}
	for i := uint64(0); ; i++ {
		example, ok, err := m.text("tally_format_example", format, i)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		out.Examples = append(out.Examples, example)
	}
	if err := m.reserve(domainSize); err != nil {
		return err
	}
	defer m.clean()
	domain := m.take(domainSize)
	if _, err := m.call("tally_format_smallest_domain", format, domain); err != nil {
		return err
	}
	out.SmallestDomain = m.domain(domain)
	return nil
}

// Sizes of the core's structs in WebAssembly.
const (
	domainSize = 16
	faultSize  = 16
)

func (m *machine) domain(at uint64) uint64 {
	view := m.view(at, domainSize)
	if binary.LittleEndian.Uint32(view[8:]) == 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(view)
}

// useFormat returns the address of a format in the machine's memory; the last one is kept.
func (m *machine) useFormat(f *Format) (uint64, error) {
	if m.format == f.description && m.formats != 0 {
		return m.formats, nil
	}
	if m.formats != 0 {
		if _, err := m.call("tally_format_free", m.formats); err != nil {
			return 0, err
		}
		m.formats = 0
	}
	if err := m.reserve(len(f.description), 4, problemBytes); err != nil {
		return 0, err
	}
	defer m.clean()
	given, out := m.put([]byte(f.description)), m.take(4)
	if err := m.described("tally_format_new", 0, given, uint64(len(f.description)), out); err != nil {
		return 0, err
	}
	m.formats, m.format = uint64(binary.LittleEndian.Uint32(m.view(out, 4))), f.description
	return m.formats, nil
}

// about asks something about a value that the core puts into a struct of some size.
func (f *Format) about(value string, size int, ask func(m *machine, format, value, out uint64) error) error {
	return on(func(m *machine) error {
		format, err := m.useFormat(f)
		if err != nil {
			return err
		}
		if err := m.reserve(len(value), size); err != nil {
			return err
		}
		given, out := m.put([]byte(value)), m.take(size)
		return ask(m, format, given, out)
	})
}

// Explain finds the character at fault in a value that is invalid for a reason.
func (f *Format) Explain(value string, reason byte) (fault Fault) {
	_ = f.about(value, faultSize, func(m *machine, format, given, out uint64) error {
		_, err := m.call("tally_format_explain", format, given, uint64(len(value)), uint64(reason), out)
		if err == nil {
			view := m.view(out, faultSize)
			fault.Class = int(binary.LittleEndian.Uint32(view[4:]))
			fault.Position = int(binary.LittleEndian.Uint64(view[8:]))
		}
		return err
	})
	return fault
}

// CheckValue finds the reason for which a value is invalid, or 0, and the character at fault.
func (f *Format) CheckValue(value string) (reason byte, at Fault, err error) {
	err = f.about(value, faultSize, func(m *machine, format, given, out uint64) error {
		err := m.status("tally_format_check", format, given, uint64(len(value)), out)
		if err == nil {
			view := m.view(out, faultSize)
			reason, at.Class = view[0], int(binary.LittleEndian.Uint32(view[4:]))
			at.Position = int(binary.LittleEndian.Uint64(view[8:]))
		}
		return err
	})
	return reason, at, err
}

// Domain returns how many values are as a value is: see Facts.SmallestDomain.
func (f *Format) Domain(value string) (size uint64) {
	_ = f.about(value, domainSize, func(m *machine, format, given, out uint64) error {
		_, err := m.call("tally_format_domain_of", format, given, uint64(len(value)), out)
		if err == nil {
			size = m.domain(out)
		}
		return err
	})
	return size
}

// Work returns the layers of FAST that a value of so many bytes needs.
func (f *Format) Work(size int) (layers int64) {
	_ = f.about("", 0, func(m *machine, format, _, _ uint64) error {
		work, err := m.call("tally_format_work", format, uint64(size))
		layers = int64(work)
		return err
	})
	return layers
}

// FormatNames returns the names of all formats.
func FormatNames() (names []string) {
	_ = on(func(m *machine) error {
		for i := uint64(0); ; i++ {
			name, ok, err := m.text("tally_format_name_at", i)
			if err != nil || !ok {
				return err
			}
			names = append(names, name)
		}
	})
	return names
}

// CheckPolicy says what is wrong with a policy, given as JSON, or returns nil. The error is a
// *ProblemError unless there is no memory.
func CheckPolicy(description []byte) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(description), 4, problemBytes); err != nil {
			return err
		}
		given, out := m.put(description), m.take(4)
		if err := m.described("tally_policy_new", 0, given, uint64(len(description)), out); err != nil {
			return err
		}
		_, err := m.call("tally_policy_free", uint64(binary.LittleEndian.Uint32(m.view(out, 4))))
		return err
	})
}

// CheckPolicyText says why the TOML of a policy must not be read, or returns nil.
func CheckPolicyText(text string) error {
	return on(func(m *machine) error {
		if err := m.reserve(len(text), problemBytes); err != nil {
			return err
		}
		return m.described("tally_policy_check_text", m.put([]byte(text)), uint64(len(text)))
	})
}

// tokenWorker is a machine with a tokenizer and a worker in its memory.
type tokenWorker struct {
	*machine
	tokenizer, worker uint64
}

// tokenWorkers bounds the machines of all tokenizers together.
var tokenWorkers = newLimiter[tokenWorker](max(4, runtime.GOMAXPROCS(0)))

// NewTokenizer makes a tokenizer; close it to wipe its key. One that is not closed is wiped when it is
// collected.
func NewTokenizer(format *Format, key []byte, namespace string) (*Tokenizer, error) {
	held := slices.Clone(key)
	create := func() (*tokenWorker, error) {
		m, err := idle.get()
		if err != nil {
			return nil, err
		}
		w, err := m.tokenize(format, held, namespace)
		if err != nil {
			release(m)
		}
		return w, err
	}
	made := newTokenizer(newFreeList(tokenWorkers, create, (*tokenWorker).free, func() { clear(held) }))
	w, err := made.get() // so that what is wrong is known now
	if err != nil {
		made.Close()
		return nil, err
	}
	made.workers.put(w)
	return made, nil
}

func (m *machine) tokenize(format *Format, key []byte, namespace string) (*tokenWorker, error) {
	held, err := m.useFormat(format)
	if err != nil {
		return nil, err
	}
	if err := m.reserve(len(key), len(namespace), 4, problemBytes); err != nil {
		return nil, err
	}
	defer m.clean()
	keys, name := m.put(key), m.put([]byte(namespace))
	out := m.take(4)
	if err := m.described("tally_tokenizer_new", 0, held, keys, uint64(len(key)), name,
		uint64(len(namespace)), 0, out); err != nil {
		return nil, err
	}
	tokenizer := uint64(binary.LittleEndian.Uint32(m.view(out, 4)))
	if err := m.status("tally_worker_new", tokenizer, out); err != nil {
		_, _ = m.call("tally_tokenizer_free", tokenizer)
		return nil, err
	}
	return &tokenWorker{m, tokenizer, uint64(binary.LittleEndian.Uint32(m.view(out, 4)))}, nil
}

// Identity returns what tokens depend on beside the key, and public bytes that identify the key; zeros if there is none.
// rows says whether each row has a tweak of its own.
func (t *Tokenizer) Identity(rows bool) (head []byte, key [FingerprintSize]byte, err error) {
	err = t.with(func(w *tokenWorker) error {
		size, err := w.size("tally_tokenizer_head", w.tokenizer, number(rows), 0, 0)
		if err != nil {
			return err
		}
		head = make([]byte, size)
		if err := w.reserve(len(head), FingerprintSize); err != nil {
			return err
		}
		at, print := w.take(len(head)), w.take(FingerprintSize)
		if _, err := w.call("tally_tokenizer_head", w.tokenizer, number(rows), at, uint64(size)); err != nil {
			return err
		}
		if _, err := w.call("tally_tokenizer_fingerprint", w.tokenizer, print); err != nil {
			return err
		}
		w.get(at, head)
		w.get(print, key[:])
		return nil
	})
	return head, key, err
}

// free wipes the tokenizer and gives the machine back.
func (w *tokenWorker) free() {
	if !w.broken {
		_, _ = w.call("tally_worker_free", w.worker)
		_, _ = w.call("tally_tokenizer_free", w.tokenizer)
	}
	release(w.machine)
}

func (t *Tokenizer) with(call func(w *tokenWorker) error) error {
	w, err := t.get()
	if err != nil {
		return err
	}
	defer func() {
		w.clean()
		if w.broken || w.capacity > scratchLimit {
			t.workers.remove(w)
		} else {
			t.workers.put(w)
		}
		runtime.KeepAlive(t)
	}()
	return call(w)
}

// Value appends the token or value of one value to dst. A reason other than 0 says why there is none; dst
// is returned as it was.
func (t *Tokenizer) Value(decrypt bool, dst []byte, value, tweak string, tweaked bool) ([]byte, byte, error) {
	if len(value) > MaxOneValue {
		return dst, 0, Argument
	}
	reason := byte(0)
	err := t.with(func(w *tokenWorker) error {
		for room := len(value) + 64; ; {
			if err := w.reserve(len(value), len(tweak)+1, room, 8); err != nil {
				return err
			}
			given, own := w.put([]byte(value)), w.put([]byte(tweak))
			out, sizes := w.take(room), w.take(8)
			err := w.status("tally_go_value", w.worker, number(decrypt), given, uint64(len(value)), own,
				uint64(len(tweak)), number(tweaked), out, uint64(room), sizes, sizes+4)
			size := int(binary.LittleEndian.Uint32(w.view(sizes, 4)))
			if errors.Is(err, Room) && size > room {
				w.clean()
				room = size
				continue
			}
			if err != nil {
				return err
			}
			if reason = byte(binary.LittleEndian.Uint32(w.view(sizes+4, 4))); reason == 0 {
				dst = append(dst, w.view(out, size)...)
			}
			return nil
		}
	})
	return dst, reason, err
}

// Rows protects or reveals a column, and writes each row's reason to status. Rows that are invalid keep
// their value. The column's offsets become those of the result. Rows also returns how many rows have a small domain.
// validity is nil, or Arrow's bitmap of the tweaks that are not null.
func (t *Tokenizer) Rows(decrypt bool, column Strings, tweaks *Strings, validity, status []byte) (made Strings, small uint64, err error) {
	own := Strings{}
	if tweaks != nil {
		own = *tweaks
	}
	err = t.with(func(w *tokenWorker) error {
		if err := w.reserve(8*len(column.Offsets), len(column.Values), 8*len(own.Offsets), len(own.Values),
			len(validity), len(status), 24, problemBytes); err != nil {
			return err
		}
		offsets, values := putNumbers(w.machine, column.Offsets), w.put(column.Values)
		tweakOffsets, tweakValues := putNumbers(w.machine, own.Offsets), w.put(own.Values)
		valid, reasons, out := w.put(validity), w.take(len(status)), w.take(24)
		if err := w.described("tally_go_rows", w.worker, number(decrypt), offsets, values,
			uint64(column.Rows()), tweakOffsets, tweakValues, valid, reasons, out, out+4, out+8, out+12, out+16); err != nil {
			return err
		}
		found := slices.Clone(w.view(out, 24))
		small = binary.LittleEndian.Uint64(found[16:])
		at := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(found[4*i:])) }
		w.get(reasons, status)
		made = Strings{column.Offsets, make([]byte, int(at(3)))}
		getNumbers(w.machine, at(1), made.Offsets)
		w.get(at(2), made.Values)
		_, err := w.call("tally_go_rows_free", at(0))
		return err
	})
	return made, small, err
}

// Integer protects or reveals one integer.
func (t *Tokenizer) Integer(decrypt bool, value int64) (token int64, reason byte, err error) {
	err = t.with(func(w *tokenWorker) error {
		if err := w.reserve(16, problemBytes); err != nil {
			return err
		}
		out := w.take(16)
		if err := w.described("tally_go_integer", w.worker, number(decrypt), uint64(value), out, out+8); err != nil {
			return err
		}
		token = int64(binary.LittleEndian.Uint64(w.view(out, 8)))
		reason = byte(binary.LittleEndian.Uint32(w.view(out+8, 4)))
		return nil
	})
	return token, reason, err
}
