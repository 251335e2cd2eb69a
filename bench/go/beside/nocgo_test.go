// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package beside

import "testing"

// The peers are measured with cgo; they are the same without.
const (
	ours  = "Tallystick, WebAssembly"
	alone = true
)

type peer struct {
	name string
	encrypter
}

type encrypter interface{ Encrypt(string) (string, error) }

func peers(testing.TB) []peer { return nil }
