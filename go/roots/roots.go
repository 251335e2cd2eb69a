// SPDX-License-Identifier: Apache-2.0

// Package roots reads the sources of root keys from their texts, with the homes of wrapping keys that need few modules
// (docs/reference/root-keys.md). The others are modules of their own: a program adds those that it wants by Register.
// Programs that need one home alone import its package, and call keyring.Wrapped.
package roots

import (
	"strings"
	"sync"

	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/roots/age"
	"github.com/tallystick/tallystick/go/roots/transit"
)

// New makes the wrapper of what follows the scheme and its colon in a root's name.
type New = func(rest string) (keyring.Wrapper, error)

var (
	lock    sync.RWMutex
	schemes = map[string]New{"age": age.New, "transit": transit.New}
)

// Register adds a scheme to those that Parse knows, or replaces it:
//
//	roots.Register("aws-kms", awskms.New)
func Register(scheme string, make New) {
	lock.Lock()
	defer lock.Unlock()
	schemes[scheme] = make
}

// Parse reads a source: file:PATH and env:NAME, as keyring.ParseRoot does, or the name of a wrapping key. It returns
// keyring.ErrRootKey.
func Parse(text string) (keyring.Root, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	lock.RLock()
	make, known := schemes[scheme]
	lock.RUnlock()
	if !known || rest == "" || private.Pasted(rest) {
		return keyring.ParseRoot(text)
	}
	wrapper, err := make(rest)
	if err != nil {
		return nil, err
	}
	return keyring.Wrapped(wrapper), nil
}
