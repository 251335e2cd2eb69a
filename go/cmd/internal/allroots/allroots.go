// SPDX-License-Identifier: Apache-2.0

// Package allroots reads the sources of root keys for programs. With the build tag allroots it knows all homes, which are
// modules of their own: without the tag, programs don't carry them, and go.mod does not name them. So the tag needs the
// workspace beside go.mod that has them all:
//
//	GOWORK=$PWD/go/cmd/allroots.work go build -C go/cmd -tags allroots ./tallystick ./tallystickd
package allroots

import (
	"fmt"
	"strings"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/roots"
)

// homes are those that not every program has, and whether this one does.
var homes = map[string]bool{"aws-kms": false, "azure-kv": false, "gcp-kms": false, "keyring": false, "pkcs11": false}

func register(scheme string, make roots.New) {
	roots.Register(scheme, make)
	homes[scheme] = true
}

// Parse is roots.Parse, and says so if this program lacks the home.
func Parse(text string) (keyring.Root, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	if here, known := homes[scheme]; known && !here && rest != "" {
		return nil, fmt.Errorf("%w: this program is built without %s:; build it with the tag allroots, and for pkcs11: with cgo",
			keyring.ErrRootKey, scheme)
	}
	return roots.Parse(text)
}
