//go:build 386 || arm || mips || mipsle

// SPDX-License-Identifier: Apache-2.0

package shamir_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tallystick/tallystick/go/hazmat/shamir"
)

// The product of parts and their size does not fit an int of 32 bits.
func TestSharesBeyondInt(t *testing.T) {
	secret := make([]byte, math.MaxUint32/255+1)
	if _, err := shamir.Split(secret, 255, 2); !errors.Is(err, shamir.ErrMemory) {
		t.Errorf("Split: %v", err)
	}
	parts := make([][]byte, 255)
	for i := range parts {
		secret[len(secret)-len(parts)+i] = byte(i + 1)
		parts[i] = secret[:len(secret)-len(parts)+i+1]
		parts[i] = parts[i][i:]
	}
	if _, err := shamir.Combine(parts); !errors.Is(err, shamir.ErrMemory) {
		t.Errorf("Combine: %v", err)
	}
}
