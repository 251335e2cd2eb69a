// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tallystick/tallystick/go/internal/core"
	"github.com/tallystick/tallystick/go/internal/private"
)

// The errors of this package; those returned say more, and match these with errors.Is.
var (
	// ErrKeyring: there is no key ring, or it is malformed, damaged or edited.
	ErrKeyring = errors.New("tallystick: key ring")
	// ErrRootKey: the root key can't be had, or is not the ring's.
	ErrRootKey = errors.New("tallystick: root key")
	// ErrRootLost: the key that wraps the root key is no longer in its home. It is an ErrRootKey.
	ErrRootLost = fmt.Errorf("%w: lost", ErrRootKey)
	// ErrRootDenied: the home of that key refuses to use it for us. It is an ErrRootKey.
	ErrRootDenied = fmt.Errorf("%w: denied", ErrRootKey)
	// ErrRights: a key, or the root that opened the ring, has no right for this.
	ErrRights = errors.New("tallystick: no right")
	// ErrNoKey: the ring has no such key.
	ErrNoKey = errors.New("tallystick: no such key")
	// ErrSameKey: the ring has a key already that was to be imported.
	ErrSameKey = errors.New("tallystick: same key")
	// ErrReference: a key reference does not have the form name:version, such as people:1.
	ErrReference error = core.Reference
)

// rootSize is the bytes of a root key.
const rootSize = core.RootKeySize

// CheckReference returns ErrReference if a text does not name a key and its version.
func CheckReference(text string) error {
	if err := core.CheckReference(text); err != nil {
		return fmt.Errorf("tallystick: %w", err)
	}
	return nil
}

// Keyring is an open key ring, with the contents that its file had when it was opened. It is safe
// for concurrent use, except Close.
type Keyring struct {
	path   string
	ring   *core.Ring
	said   *document
	rights Rights
	keys   []string
}

// Open is OpenContext without a context.
func Open(path string, source Root) (*Keyring, error) {
	return OpenContext(context.Background(), path, source)
}

// OpenContext reads a ring, gets its root key from a source of ParseRoot or Wrapped, and verifies the whole
// file. It unwraps no data key yet. It returns ErrKeyring or ErrRootKey. The context ends calls to the home
// of a wrapping key.
func OpenContext(ctx context.Context, path string, source Root) (*Keyring, error) {
	if err := given(source); err != nil {
		return nil, err
	}
	ring, said, err := read(path)
	if err != nil {
		return nil, err
	}
	key, rights, err := source.recover(ctx, path, said)
	if err != nil {
		ring.Close()
		return nil, err
	}
	defer clear(key)
	return unlock(path, ring, said, rights, key)
}

// OpenWithKey is Open with the 32 bytes of the root key, from any source. They may be overwritten
// afterwards.
func OpenWithKey(path string, key []byte) (*Keyring, error) {
	if len(key) != rootSize {
		return nil, fmt.Errorf("%w: it must have 32 bytes, not %d", ErrRootKey, len(key))
	}
	ring, said, err := read(path)
	if err != nil {
		return nil, err
	}
	return unlock(path, ring, said, AllRights, key)
}

func read(path string) (*core.Ring, *document, error) {
	data, err := private.Read(path, core.MaxRing)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrKeyring, err)
	}
	ring, err := core.ReadRing(data)
	if err != nil {
		return nil, nil, wrapped(path, err)
	}
	said, err := decode(data)
	if err != nil {
		ring.Close()
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrKeyring, path, err)
	}
	return ring, said, nil
}

// wrapped makes an error of the core one of this package.
func wrapped(path string, err error) error {
	kind := ErrKeyring
	for status, known := range map[core.Status]error{core.RootKeyWrong: ErrRootKey, core.NoKey: ErrNoKey} {
		if errors.Is(err, status) {
			kind = known
		}
	}
	return fmt.Errorf("%w: %s: %w", kind, path, err)
}

// unlock verifies a ring, and closes it if it can't be.
func unlock(path string, ring *core.Ring, said *document, rights Rights, key []byte) (*Keyring, error) {
	if err := ring.Unlock((*[rootSize]byte)(key)); err != nil {
		ring.Close()
		return nil, wrapped(path, err)
	}
	return &Keyring{path, ring, said, rights, ring.Keys()}, nil
}

// Close wipes the key that wraps the data keys; Key returns ErrKeyring from then on.
func (k *Keyring) Close() { k.ring.Close() }

// Path returns the file that was opened.
func (k *Keyring) Path() string { return k.path }

// ID returns the ring's id: 32 hexadecimal digits.
func (k *Keyring) ID() string { return k.said.Ring }

// Revision says how often the ring was written. It only grows. It is 0 for a file of format 1.
func (k *Keyring) Revision() uint32 { return k.said.Revision }

// Keys returns the references of the data keys, such as people:1, in the order they were added.
func (k *Keyring) Keys() []string { return slices.Clone(k.keys) }

// Rights returns what a key may be used for by whoever opened the ring as we did: the rights of the key that the
// root has too. The libraries obey them; they do not stop anyone who has the root key.
func (k *Keyring) Rights(reference string) Rights {
	for i, key := range k.keys {
		if key == reference {
			return k.said.Keys[i].Rights & k.rights
		}
	}
	return k.rights
}

// Signers returns the public keys whose signature a policy must have; without any, it needs none.
func (k *Keyring) Signers() []string { return slices.Clone(k.said.Signers) }

// Key is TokenizerKey for a key with all rights, since whoever has the key can do everything. It returns
// ErrRights for another.
func (k *Keyring) Key(reference string) ([]byte, error) {
	if rights := k.Rights(reference); rights != AllRights {
		return nil, fmt.Errorf("%w: %s: key %s may only %v here; open the ring with a root that may do more",
			ErrRights, k.path, reference, rights)
	}
	return k.TokenizerKey(reference)
}

// TokenizerKey unwraps, for a caller that obeys Rights, a data key of 16, 24 or 32 bytes, which should be overwritten when it is no longer needed. It
// returns ErrReference or ErrNoKey, or ErrKeyring if it was wrapped for another place.
func (k *Keyring) TokenizerKey(reference string) ([]byte, error) {
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
