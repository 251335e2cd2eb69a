// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package beside

import (
	"testing"

	"github.com/capitalone/fpe/ff1"
	"github.com/capitalone/fpe/ff3"
)

const (
	ours  = "Tallystick"
	alone = false
)

// peer is another cipher for texts of digits.
type peer struct {
	name string
	encrypter
}

type encrypter interface{ Encrypt(string) (string, error) }

func peers(b testing.TB) []peer {
	one := made[ff1.Cipher](b)(ff1.NewCipher(10, 0, key, nil))
	three := made[ff3.Cipher](b)(ff3.NewCipher(10, key, make([]byte, 8)))
	return []peer{{"fpe FF1", one}, {"fpe FF3", three}}
}
