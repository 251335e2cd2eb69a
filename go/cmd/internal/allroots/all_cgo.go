// SPDX-License-Identifier: Apache-2.0

//go:build allroots && cgo

package allroots

import "github.com/tallystick/tallystick/go/roots/pkcs11"

func init() { register("pkcs11", pkcs11.New) } // which loads the token's library, and so needs cgo
