// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/tallystick/tallystick/go/cmd/internal/allroots"
	"github.com/tallystick/tallystick/go/keyring"
)

// rootOf reads the source of a root key. The message does not repeat it, in case a key was pasted.
func rootOf(text string) (keyring.Root, error) {
	made, err := allroots.Parse(text)
	if err != nil {
		return nil, fail(usage, "ParameterError", "%s", bare(err))
	}
	return made, nil
}
