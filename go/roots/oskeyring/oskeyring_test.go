// SPDX-License-Identifier: Apache-2.0

package oskeyring_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/roots/oskeyring"
)

func TestHome(t *testing.T) { homes.Test(t, "keyring", oskeyring.New, false) }

func TestNames(t *testing.T) {
	homes.Refuse(t, oskeyring.New, "", "a b", "a/b")
}
