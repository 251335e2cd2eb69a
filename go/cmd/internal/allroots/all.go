// SPDX-License-Identifier: Apache-2.0

//go:build allroots

package allroots

import (
	"github.com/tallystick/tallystick/go/roots/awskms"
	"github.com/tallystick/tallystick/go/roots/azurekv"
	"github.com/tallystick/tallystick/go/roots/gcpkms"
	"github.com/tallystick/tallystick/go/roots/oskeyring"
)

func init() {
	register("aws-kms", awskms.New)
	register("azure-kv", azurekv.New)
	register("gcp-kms", gcpkms.New)
	register("keyring", oskeyring.New)
}
