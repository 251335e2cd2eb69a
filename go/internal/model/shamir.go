// SPDX-License-Identifier: Apache-2.0

package model

import "crypto/rand"

// Field is GF(2^8) modulo a polynomial of degree 8.
type Field struct{ exponent, logarithm [256]int }

// NewField makes the tables; 3 generates modulo 0x11B, 2 modulo 0x11D.
func NewField(polynomial int) *Field {
	f := &Field{}
	x := 1
	for i := range 255 {
		f.exponent[i], f.logarithm[x] = x, i
		twice := x << 1
		if twice > 255 {
			twice ^= polynomial
		}
		if polynomial == 0x11B {
			twice ^= x
		}
		x = twice
	}
	return f
}

func (f *Field) product(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return f.exponent[(f.logarithm[a]+f.logarithm[b])%255]
}

// Split makes shares at the points 1, 2, ...
func (f *Field) Split(secret []byte, count, threshold int) [][]byte {
	coefficients := make([]byte, (threshold-1)*len(secret))
	_, _ = rand.Read(coefficients)
	shares := make([][]byte, count)
	for i := range shares {
		shares[i] = make([]byte, len(secret)+1)
		shares[i][len(secret)] = byte(i + 1)
		for j, constant := range secret {
			y := 0
			for k := threshold - 2; k >= 0; k-- {
				y = f.product(y^int(coefficients[k*len(secret)+j]), i+1)
			}
			shares[i][j] = byte(y) ^ constant
		}
	}
	return shares
}

// Combine interpolates at 0.
func (f *Field) Combine(shares [][]byte) []byte {
	size := len(shares[0]) - 1
	secret := make([]byte, size)
	for i, share := range shares {
		weight, x := 1, int(share[size])
		for j, other := range shares {
			if y := int(other[size]); j != i {
				weight = f.product(weight, f.product(y, f.exponent[(255-f.logarithm[x^y])%255]))
			}
		}
		for b := range secret {
			secret[b] ^= byte(f.product(weight, int(share[b])))
		}
	}
	return secret
}
