// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/text"
)

// A kind that is there twice would have the key of one of them, and a number of bits must not be cut.
func TestKindsRefused(t *testing.T) {
	twice := []text.Kind{{"email", key, "one"}, {"email", key, "other"}}
	if _, err := text.New(twice, text.Options{}); !errors.Is(err, text.ErrTwice) {
		t.Error(err)
	}
	for _, bits := range []int{-1, 256 + 64, math.MaxUint32 + 1 + 64, math.MinInt} {
		if _, err := text.New(twice[:1], text.Options{CheckBits: bits}); !errors.Is(err, text.ErrCheckBits) {
			t.Error(bits, err)
		}
	}
	var policy text.Policy
	if _, err := policy.Open(nil, text.OpenOptions{}); !errors.Is(err, keyring.ErrKeyring) {
		t.Error(err)
	}
}
