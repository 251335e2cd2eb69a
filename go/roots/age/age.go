// SPDX-License-Identifier: Apache-2.0

// Package age wraps root keys in age's format (age-encryption.org/v1), for an X25519 identity or a passphrase. age
// has no authenticated data, so the ring is not bound.
package age

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"filippo.io/age"

	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
)

// maxWork is log2 of the most work of scrypt that is done for a file, as the program age has it.
const maxWork = 22

var identityText = regexp.MustCompile(`AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}`)

// New returns the wrapper of what follows age: in a root's name: the path of a file with one X25519 identity; its
// recipient age1..., which wraps and can't unwrap; or passphrase, which is in TALLYSTICK_AGE_PASSPHRASE or in
// the file of mode 0600 that TALLYSTICK_AGE_PASSPHRASE_FILE names.
func New(rest string) (keyring.Wrapper, error) {
	if private.IsKey(rest) {
		return nil, fmt.Errorf("%w: age: takes the path of an identity file; never write an identity", keyring.ErrRootKey)
	}
	if rest == "passphrase" {
		return passphrase{}, nil
	}
	if strings.HasPrefix(rest, "age1") {
		if _, err := age.ParseX25519Recipient(rest); err != nil {
			return nil, fmt.Errorf("%w: age:%s: no recipient; check it for typing errors", keyring.ErrRootKey, rest)
		}
		return &identity{recipient: rest}, nil
	}
	found, err := readIdentity(rest)
	if err != nil {
		return nil, err
	}
	return &identity{recipient: found.Recipient().String(), path: rest}, nil
}

func readIdentity(path string) (*age.X25519Identity, error) {
	text, err := private.ReadOwn(path, 1<<16, "age identity")
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s: no such age identity file; check the path; if the file is lost, open the ring with "+
			"another of its roots, or restore the file from a backup", keyring.ErrRootLost, path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", keyring.ErrRootKey, err)
	}
	defer clear(text)
	found := identityText.FindAll(text, -1)
	if len(found) != 1 {
		return nil, fmt.Errorf("%w: %s: has %d X25519 identities, and one is needed (AGE-SECRET-KEY-1...); make one "+
			"with age-keygen; an encrypted identity file must be decrypted first", keyring.ErrRootKey, path, len(found))
	}
	identity, err := age.ParseX25519Identity(string(found[0]))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: the age identity has a typing error; find a good copy", keyring.ErrRootKey, path)
	}
	return identity, nil
}

type identity struct{ recipient, path string }

func (i *identity) Name() string { return "age:" + i.recipient }

func (i *identity) Wrap(_ context.Context, key, _ []byte) ([]byte, error) {
	recipient, err := age.ParseX25519Recipient(i.recipient)
	if err != nil {
		return nil, err
	}
	return encrypt(key, recipient)
}

func (i *identity) Unwrap(_ context.Context, wrapped, _ []byte) ([]byte, error) {
	if i.path == "" {
		return nil, fmt.Errorf("%w: %s: a recipient only wraps; to open the ring, give the path of its identity "+
			"file: age:PATH", keyring.ErrRootKey, i.Name())
	}
	identity, err := readIdentity(i.path)
	if err != nil {
		return nil, err
	}
	key, err := decrypt(wrapped, identity)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: the age identity does not open the key ring's root key; give the identity of "+
			"%s, or restore the key ring from a backup", keyring.ErrRootDenied, i.path, i.recipient)
	}
	return key, nil
}

type passphrase struct{}

func (passphrase) Name() string { return "age:passphrase" }

func (passphrase) secret() (string, error) {
	text, err := private.Secret("passphrase", "TALLYSTICK_AGE_PASSPHRASE")
	if err != nil {
		err = fmt.Errorf("%w: age:passphrase: %w", keyring.ErrRootKey, err)
	}
	return text, err
}

func (p passphrase) Wrap(_ context.Context, key, _ []byte) ([]byte, error) {
	text, err := p.secret()
	if err != nil {
		return nil, err
	}
	recipient, err := age.NewScryptRecipient(text)
	if err != nil {
		return nil, err
	}
	return encrypt(key, recipient)
}

func (p passphrase) Unwrap(_ context.Context, wrapped, _ []byte) ([]byte, error) {
	text, err := p.secret()
	if err != nil {
		return nil, err
	}
	identity, err := age.NewScryptIdentity(text)
	if err != nil {
		return nil, fmt.Errorf("%w: age:passphrase: the passphrase is empty", keyring.ErrRootKey)
	}
	identity.SetMaxWorkFactor(maxWork)
	key, err := decrypt(wrapped, identity)
	if err != nil {
		return nil, fmt.Errorf("%w: age:passphrase: the passphrase does not open the key ring's root key; check it",
			keyring.ErrRootDenied)
	}
	return key, nil
}

func encrypt(key []byte, recipient age.Recipient) ([]byte, error) {
	var out bytes.Buffer
	writer, err := age.Encrypt(&out, recipient)
	if err != nil {
		return nil, err
	}
	if _, err = writer.Write(key); err == nil {
		err = writer.Close()
	}
	return out.Bytes(), err
}

func decrypt(wrapped []byte, identity age.Identity) ([]byte, error) {
	reader, err := age.Decrypt(bytes.NewReader(wrapped), identity)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, 64))
}
