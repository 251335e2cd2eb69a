// SPDX-License-Identifier: Apache-2.0

//go:build allroots

package allroots

import (
	"github.com/tallystick/tallystick/go/roots"
	"github.com/tallystick/tallystick/go/roots/awskms"
	"github.com/tallystick/tallystick/go/roots/azurekv"
	"github.com/tallystick/tallystick/go/roots/gcpkms"
	"github.com/tallystick/tallystick/go/roots/oskeyring"
)

func init() {
	roots.Register("aws-kms", awskms.New)
	roots.Register("azure-kv", azurekv.New)
	roots.Register("gcp-kms", gcpkms.New)
	roots.Register("keyring", oskeyring.New)
}
