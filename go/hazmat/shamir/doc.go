// SPDX-License-Identifier: Apache-2.0

// Package shamir makes and combines raw Shamir shares. It is hazardous: a wrong, altered or foreign share,
// or one too few, gives a wrong secret without an error. For new secrets use package go/shamir.
//
// It is the drop-in for github.com/hashicorp/vault/shamir and github.com/fadhilkurnia/shamir/shamir: change
// the import line to
//
//	"github.com/tallystick/tallystick/go/hazmat/shamir"
//
// [Split] makes shares that Vault reads, and [Combine] reads Vault's. [CombineField] reads those of tools
// that work modulo 0x11D, such as Go-Shamir.
//
// A share with the x coordinate 0 is the secret itself: see [ErrCoordinate].
package shamir
