// SPDX-License-Identifier: Apache-2.0

// Package oskeyring wraps root keys by a key in the keyring of the operating system, which a login unlocks: the item of
// service tallystick and an account, 64 hexadecimal digits. Such a keyring stores, and encrypts nothing for others: the
// program gets the key, and encrypts with it by AES-256-GCM: 12 bytes of nonce, 32 of the root key, 16 of the tag. The
// ring is authenticated.
package oskeyring

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	store "github.com/zalando/go-keyring"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/keyring"
)

const service = "tallystick"

var account = regexp.MustCompile(`^[A-Za-z0-9_.@-]{1,100}$`)

// New returns the wrapper of what follows keyring: in a root's name: the item's account.
func New(rest string) (keyring.Wrapper, error) {
	if !account.MatchString(rest) {
		return nil, fmt.Errorf("%w: keyring: is written keyring:NAME, of letters, digits and _.@-", keyring.ErrRootKey)
	}
	return &wrapper{rest}, nil
}

type wrapper struct{ account string }

func (w *wrapper) Name() string { return "keyring:" + w.account }

// Wrap encrypts with the item, which is made if there is none.
func (w *wrapper) Wrap(_ context.Context, key, ring []byte) ([]byte, error) {
	sealer, err := w.sealer(true)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, sealer.NonceSize(), 64)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return sealer.Seal(nonce, nonce, key, ring), nil
}

func (w *wrapper) Unwrap(_ context.Context, wrapped, ring []byte) ([]byte, error) {
	sealer, err := w.sealer(false)
	if err != nil {
		return nil, err
	}
	size := sealer.NonceSize()
	if len(wrapped) < size {
		return nil, home.Changed(w.Name(), "")
	}
	key, err := sealer.Open(nil, wrapped[:size], wrapped[size:], ring)
	if err != nil {
		return nil, home.Changed(w.Name(), "")
	}
	return key, nil
}

func (w *wrapper) sealer(make bool) (cipher.AEAD, error) {
	text, err := store.Get(service, w.account)
	if errors.Is(err, store.ErrNotFound) && make {
		if text, err = w.create(); err == nil {
			text, err = store.Get(service, w.account)
		}
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, home.Lost(w.Name(), "")
	case err != nil && (strings.Contains(err.Error(), "unlock") || strings.Contains(err.Error(), "dismissed")):
		return nil, home.Denied(w.Name(), err.Error(), "the keyring is locked: unlock it")
	case err != nil:
		return nil, home.Wrong(keyring.ErrRootKey, w.Name(), "the keyring fails%s; check that it runs, and is unlocked",
			home.Said(err.Error()))
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, home.Wrong(keyring.ErrRootKey, w.Name(), "the item of service %s is not 64 hexadecimal digits; restore it",
			service)
	}
	defer clear(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (w *wrapper) create() (string, error) {
	key := make([]byte, 32)
	defer clear(key)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	text := hex.EncodeToString(key)
	return text, store.Set(service, w.account, text)
}
