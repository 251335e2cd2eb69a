// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tallystick/tallystick/go/internal/core"
)

// The errors of this package; those returned say more, and match these with errors.Is.
var (
	// ErrKeyring: there is no key ring, or it is malformed, damaged or edited.
	ErrKeyring = errors.New("tallystick: key ring")
	// ErrRootKey: the root key can't be had, or is not the ring's.
	ErrRootKey = errors.New("tallystick: root key")
	// ErrNoKey: the ring has no such key.
	ErrNoKey = errors.New("tallystick: no such key")
	// ErrReference: a key reference does not have the form name:version, such as people:1.
	ErrReference = errors.New("tallystick: a key reference has the form name:version, for example people:1")
)

// rootSize is the bytes of a root key.
const rootSize = core.RootKeySize

// maxFile is the most bytes of a ring's file: about 4000 keys.
const maxFile = 1 << 20

// CheckReference returns ErrReference if a text does not name a key and its version.
func CheckReference(text string) error {
	if core.CheckReference(text) != nil {
		return ErrReference
	}
	return nil
}

// Keyring is an open key ring, with the contents that its file had when it was opened. It is safe
// for concurrent use, except Close.
type Keyring struct {
	path string
	ring *core.Ring
	id   string
	keys []string
}

// Open reads a ring, gets its root key from a source of ParseRoot, and verifies the whole file. It
// unwraps no data key yet. It returns ErrKeyring or ErrRootKey.
func Open(path string, source Root) (*Keyring, error) {
	ring, err := read(path)
	if err != nil {
		return nil, err
	}
	if kind := ring.RootKind(); kind != core.RootKey {
		ring.Close()
		return nil, fmt.Errorf("%w: %s: the root key comes from %s, not from %v; pass its 32 bytes to OpenWithKey",
			ErrRootKey, path, map[uint32]string{core.RootScrypt: "a passphrase", core.RootShares: "shares"}[kind], source)
	}
	if source == nil {
		ring.Close()
		return nil, fmt.Errorf("%w: no source is given; make one with ParseRoot", ErrRootKey)
	}
	key, err := source.fetch()
	if err != nil {
		ring.Close()
		return nil, err
	}
	defer clear(key)
	return unlock(path, ring, key)
}

// OpenWithKey is Open with the 32 bytes of the root key, from any source. They may be overwritten
// afterwards.
func OpenWithKey(path string, key []byte) (*Keyring, error) {
	if len(key) != rootSize {
		return nil, fmt.Errorf("%w: it must have 32 bytes, not %d", ErrRootKey, len(key))
	}
	ring, err := read(path)
	if err != nil {
		return nil, err
	}
	return unlock(path, ring, key)
}

func read(path string) (*core.Ring, error) {
	data, err := readFile(path, maxFile, func(*os.File) error { return nil })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyring, err)
	}
	ring, err := core.ReadRing(data)
	if err != nil {
		return nil, wrapped(path, err)
	}
	return ring, nil
}

// wrapped makes an error of the core one of this package.
func wrapped(path string, err error) error {
	kind := ErrKeyring
	for status, known := range map[core.Status]error{
		core.RootKeyWrong: ErrRootKey, core.NoKey: ErrNoKey, core.Reference: ErrReference,
	} {
		if errors.Is(err, status) {
			kind = known
		}
	}
	return fmt.Errorf("%w: %s: %w", kind, path, err)
}

// readFile reads a regular file of at most so many bytes, if a check of it passes.
func readFile(path string, limit int64, check func(*os.File) error) ([]byte, error) {
	// Opening a pipe that nobody writes to would wait for ever.
	if status, err := os.Stat(path); err != nil {
		return nil, err
	} else if !status.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file; check the path", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := check(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: larger than %d bytes; check the path", path, limit)
	}
	return data, err
}

// unlock verifies a ring, and closes it if it can't be.
func unlock(path string, ring *core.Ring, key []byte) (*Keyring, error) {
	if err := ring.Unlock((*[rootSize]byte)(key)); err != nil {
		ring.Close()
		return nil, wrapped(path, err)
	}
	return &Keyring{path, ring, ring.ID(), ring.Keys()}, nil
}

// Close wipes the key that wraps the data keys; Key returns ErrKeyring from then on.
func (k *Keyring) Close() { k.ring.Close() }

// ID returns the ring's id: 32 hexadecimal digits.
func (k *Keyring) ID() string { return k.id }

// Keys returns the references of the data keys, such as people:1, in the order they were added.
func (k *Keyring) Keys() []string { return slices.Clone(k.keys) }

// Key unwraps a data key of 16, 24 or 32 bytes, which should be overwritten when it is no longer needed. It
// returns ErrReference or ErrNoKey, or ErrKeyring if it was wrapped for another place.
func (k *Keyring) Key(reference string) ([]byte, error) {
	if err := CheckReference(reference); err != nil {
		return nil, err
	}
	key, err := k.ring.Key(reference)
	if errors.Is(err, core.ErrClosed) {
		return nil, fmt.Errorf("%w: %s: the ring is closed; open it again", ErrKeyring, k.path)
	}
	if err != nil {
		return nil, wrapped(k.path, err)
	}
	return key, nil
}
