// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Wrapper is a key that wraps root keys and never leaves its home: a KMS, an HSM, an identity. Implement it for
// homes of your own. Errors say what is wrong, where and how to mend it, and show neither a key nor a
// credential; they should match ErrRootLost or ErrRootDenied where that is so.
type Wrapper interface {
	// Name is the key's public name, which rings record: a scheme, a colon, and printable text, such as
	// transit:transit/people. Equal names are the same key.
	Name() string
	// Wrap encrypts a root key of 32 bytes; the result has 1 to 4096. It is bound to the context if the
	// home has authenticated data; a ring's check value tells another ring's root key in any case.
	Wrap(ctx context.Context, key, ring []byte) ([]byte, error)
	// Unwrap decrypts what Wrap returned for the same ring.
	Unwrap(ctx context.Context, wrapped, ring []byte) ([]byte, error)
}

// WrapContext is what a root key is wrapped for, as Wrap and Unwrap have it.
func WrapContext(ringID string) []byte { return []byte("tallystick keyring " + ringID) }

// Wrapped returns the source of a root key that a wrapper has wrapped.
func Wrapped(wrapper Wrapper) Root { return wrappedRoot{wrapper, AllRights} }

// Limited returns a source that opens rings with these rights alone. A ring records them when Create or Wrap is given the
// source. It returns ErrRootKey for the root key itself, which can't be limited.
func Limited(root Root, rights Rights) (Root, error) {
	if err := given(root); err != nil {
		return nil, err
	}
	made, wraps := root.(wrappedRoot)
	if !wraps {
		return nil, fmt.Errorf("%w: %v is the root key itself, so it can't be limited", ErrRootKey, root)
	}
	if rights&AllRights == 0 {
		return nil, errors.New("tallystick: rights are to protect, to reveal, or both")
	}
	made.rights = rights & AllRights
	return made, nil
}

type wrappedRoot struct {
	Wrapper
	rights Rights
}

func (r wrappedRoot) String() string { return r.Name() }

func (r wrappedRoot) recover(ctx context.Context, path string, said *document) ([]byte, Rights, error) {
	for _, record := range said.Roots {
		if record.Kind != "wrapped" || record.By != r.Name() {
			continue
		}
		key, err := r.Unwrap(ctx, record.Wrapped, WrapContext(said.Ring))
		if err == nil && len(key) != rootSize {
			clear(key)
			err = errors.New("it unwrapped something that is not a root key; restore the file from a backup")
		}
		if err == nil {
			return key, record.Rights, nil
		}
		if errors.Is(err, ErrRootKey) {
			return nil, 0, err
		}
		return nil, 0, fmt.Errorf("%w: %s: %s: %w", ErrRootKey, path, r.Name(), err)
	}
	return nil, 0, said.refuse(path, r)
}

func (r wrappedRoot) establish(ctx context.Context, ringID string, key []byte) ([]byte, any, error) {
	if key == nil {
		key = make([]byte, rootSize)
		_, _ = rand.Read(key) // never fails
	}
	wrapped, err := r.Wrap(ctx, key, WrapContext(ringID))
	if err != nil {
		return nil, nil, err
	}
	if len(wrapped) < 1 || len(wrapped) > core.MaxWrapped {
		return nil, nil, fmt.Errorf("%w: %s returned %d bytes for a wrapped root key, and 1 to %d fit in a ring; use "+
			"another wrapping key", ErrRootKey, r.Name(), len(wrapped), core.MaxWrapped)
	}
	return key, struct {
		Kind    string `json:"kind"`
		By      string `json:"by"`
		Rights  Rights `json:"rights"`
		Wrapped []byte `json:"wrapped"`
	}{"wrapped", r.Name(), r.rights, wrapped}, nil
}
