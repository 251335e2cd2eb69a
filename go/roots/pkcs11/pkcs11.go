// SPDX-License-Identifier: Apache-2.0

// Package pkcs11 wraps root keys by an AES key in a token, by the token's own AES-GCM. TALLYSTICK_PKCS11_MODULE is the path
// of the token's library, and TALLYSTICK_PKCS11_PIN (or _FILE) the user's PIN. What Wrap returns is 12 bytes of nonce,
// and what the token encrypted, with 16 bytes of tag. The ring is authenticated. It needs cgo.
package pkcs11

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	token "github.com/miekg/pkcs11"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
)

const (
	module = "TALLYSTICK_PKCS11_MODULE"
	pin    = "TALLYSTICK_PKCS11_PIN"
	value  = `((?:[A-Za-z0-9_.~-]|%[0-9A-F]{2}){1,192})`
)

var (
	form = regexp.MustCompile(`^token=` + value + `;object=` + value + `$`)
	// A token has one login for a process.
	login sync.Mutex
	// Wait is how long a call of the token's library may take: no call of it can be ended from outside.
	Wait = 60 * time.Second
)

// New returns the wrapper of what follows pkcs11: in a root's name: token=TOKEN;object=LABEL, as RFC 7512 has it.
func New(rest string) (keyring.Wrapper, error) {
	if found := form.FindStringSubmatch(rest); found != nil {
		name, err := url.PathUnescape(found[1])
		label, failed := url.PathUnescape(found[2])
		if err == nil && failed == nil {
			return &wrapper{name, label}, nil
		}
	}
	return nil, fmt.Errorf("%w: pkcs11: is written pkcs11:token=TOKEN;object=LABEL; other characters than letters, digits and "+
		"-._~ as %%20", keyring.ErrRootKey)
}

type wrapper struct{ token, label string }

func (w *wrapper) Name() string {
	return "pkcs11:token=" + escaped(w.token) + ";object=" + escaped(w.label)
}

func escaped(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-._~", b) >= 0 {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

func (w *wrapper) wrong(format string, arguments ...any) error {
	return home.Wrong(keyring.ErrRootKey, w.Name(), format, arguments...)
}

func (w *wrapper) Wrap(ctx context.Context, key, ring []byte) ([]byte, error) {
	key = bytes.Clone(key) // the caller may wipe it while the library still has it
	return w.bounded(ctx, func() ([]byte, error) {
		defer clear(key)
		return w.wrap(key, ring)
	})
}

func (w *wrapper) Unwrap(ctx context.Context, wrapped, ring []byte) ([]byte, error) {
	return w.bounded(ctx, func() ([]byte, error) { return w.unwrap(wrapped, ring) })
}

// bounded waits for a call, and gives up after Wait, or when the context is done. The call then goes on, and so do those
// that wait for the token's login; what it returns too late is wiped.
func (w *wrapper) bounded(ctx context.Context, call func() ([]byte, error)) ([]byte, error) {
	type result struct {
		made []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		made, err := call()
		done <- result{made, err}
	}()
	end := time.NewTimer(Wait)
	defer end.Stop()
	var err error
	select {
	case one := <-done:
		return one.made, one.err
	case <-ctx.Done():
		err = w.wrong("the token's library has not answered: %v", ctx.Err())
	case <-end.C:
		err = w.wrong("the token's library has not answered for %v, and can't be stopped; check the token and the connection to "+
			"it, then start this program again", Wait)
	}
	go func() { clear((<-done).made) }()
	return nil, err
}

func (w *wrapper) wrap(key, ring []byte) ([]byte, error) {
	nonce := make([]byte, 12)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	var out []byte
	err := w.use(nonce, ring, func(at *token.Ctx, session token.SessionHandle, mechanism []*token.Mechanism, key_ token.ObjectHandle) error {
		err := at.EncryptInit(session, mechanism, key_)
		if err == nil {
			out, err = at.Encrypt(session, key)
		}
		return err
	})
	return append(nonce, out...), err
}

func (w *wrapper) unwrap(wrapped, ring []byte) ([]byte, error) {
	if len(wrapped) < 28 {
		return nil, home.Changed(w.Name(), "")
	}
	var key []byte
	err := w.use(wrapped[:12], ring, func(at *token.Ctx, session token.SessionHandle, mechanism []*token.Mechanism, key_ token.ObjectHandle) error {
		if err := at.DecryptInit(session, mechanism, key_); err != nil {
			return err
		}
		var err error
		if key, err = at.Decrypt(session, wrapped[12:]); err == nil {
			return nil
		}
		switch code(err) {
		case token.CKR_ENCRYPTED_DATA_INVALID, token.CKR_ENCRYPTED_DATA_LEN_RANGE, token.CKR_GENERAL_ERROR,
			token.CKR_FUNCTION_FAILED, token.CKR_ARGUMENTS_BAD:
			return home.Changed(w.Name(), "")
		}
		return err
	})
	return key, err
}

func code(err error) token.Error {
	var found token.Error
	errors.As(err, &found)
	return found
}

// use logs in, finds the key, and calls a function with it and the mechanism.
func (w *wrapper) use(nonce, ring []byte, do func(*token.Ctx, token.SessionHandle, []*token.Mechanism, token.ObjectHandle) error) error {
	path := os.Getenv(module)
	if path == "" {
		return w.wrong("no library of the token; set %s to its path, such as /usr/lib/softhsm/libsofthsm2.so", module)
	}
	secret, err := private.Secret("PIN of the token", pin)
	if err != nil {
		return w.wrong("%v", err)
	}
	login.Lock()
	defer login.Unlock()
	at := token.New(path)
	if at == nil {
		return w.wrong("can't load %s; check %s", path, module)
	}
	// Who has initialized it finalizes it: it may be in use elsewhere in this process.
	switch err := at.Initialize(); {
	case err == nil:
		defer func() { _ = at.Finalize(); at.Destroy() }()
	case code(err) != token.CKR_CRYPTOKI_ALREADY_INITIALIZED:
		at.Destroy()
		return w.refused(err)
	}
	slot, err := w.slot(at)
	if err != nil {
		return err
	}
	session, err := at.OpenSession(slot, token.CKF_SERIAL_SESSION)
	if err != nil {
		return w.refused(err)
	}
	defer func() { _ = at.CloseSession(session) }()
	switch err := at.Login(session, token.CKU_USER, secret); {
	case err == nil:
		defer func() { _ = at.Logout(session) }()
	case code(err) != token.CKR_USER_ALREADY_LOGGED_IN:
		return w.refused(err)
	}
	key, err := w.find(at, session)
	if err != nil {
		return err
	}
	parameters := token.NewGCMParams(nonce, ring, 128)
	defer parameters.Free()
	err = do(at, session, []*token.Mechanism{token.NewMechanism(token.CKM_AES_GCM, parameters)}, key)
	if err != nil && !errors.Is(err, keyring.ErrRootKey) {
		return w.refused(err)
	}
	return err
}

func (w *wrapper) slot(at *token.Ctx) (uint, error) {
	slots, err := at.GetSlotList(true)
	if err != nil {
		return 0, w.refused(err)
	}
	var found []uint
	for _, slot := range slots {
		if info, err := at.GetTokenInfo(slot); err == nil && strings.TrimRight(info.Label, " \x00") == w.token {
			found = append(found, slot)
		}
	}
	switch len(found) {
	case 0:
		return 0, home.Lost(w.Name(), "no such token")
	case 1:
		return found[0], nil
	}
	return 0, w.wrong("there are %d such tokens; relabel one", len(found))
}

func (w *wrapper) find(at *token.Ctx, session token.SessionHandle) (token.ObjectHandle, error) {
	wanted := []*token.Attribute{
		token.NewAttribute(token.CKA_CLASS, token.CKO_SECRET_KEY), token.NewAttribute(token.CKA_LABEL, w.label),
	}
	if err := at.FindObjectsInit(session, wanted); err != nil {
		return 0, w.refused(err)
	}
	found, _, err := at.FindObjects(session, 2)
	if failed := at.FindObjectsFinal(session); err == nil {
		err = failed
	}
	switch {
	case err != nil:
		return 0, w.refused(err)
	case len(found) == 0:
		return 0, home.Lost(w.Name(), "")
	case len(found) > 1:
		return 0, w.wrong("there are several such keys; relabel all but one")
	}
	return found[0], nil
}

func (w *wrapper) refused(err error) error {
	switch code(err) {
	case token.CKR_PIN_INCORRECT, token.CKR_PIN_INVALID, token.CKR_PIN_LEN_RANGE, token.CKR_PIN_LOCKED, token.CKR_PIN_EXPIRED,
		token.CKR_USER_PIN_NOT_INITIALIZED, token.CKR_USER_NOT_LOGGED_IN, token.CKR_KEY_FUNCTION_NOT_PERMITTED,
		token.CKR_FUNCTION_REJECTED:
		return home.Denied(w.Name(), err.Error(), "check "+pin+", and that the key may encrypt and decrypt; a token locks after "+
			"a few wrong PINs")
	}
	return w.wrong("the token fails (%v); check that it has an AES key of that label, and AES-GCM", err)
}
