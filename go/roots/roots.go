// SPDX-License-Identifier: Apache-2.0

// Package roots reads the sources of root keys from their texts, with all homes of wrapping keys that Tallystick knows
// (docs/reference/root-keys.md). Programs that need one home alone import its package, and call keyring.Wrapped.
package roots

import (
	"strings"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/roots/age"
	"github.com/tallystick/tallystick/go/roots/transit"
)

var schemes = map[string]func(rest string) (keyring.Wrapper, error){
	"age":     age.New,
	"transit": transit.New,
}

// Parse reads a source: file:PATH and env:NAME, as keyring.ParseRoot does, or the name of a wrapping key. It returns
// keyring.ErrRootKey.
func Parse(text string) (keyring.Root, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	make, known := schemes[scheme]
	if !known || rest == "" {
		return keyring.ParseRoot(text)
	}
	wrapper, err := make(rest)
	if err != nil {
		return nil, err
	}
	return keyring.Wrapped(wrapper), nil
}
