// SPDX-License-Identifier: Apache-2.0

package transit_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/roots/transit"
)

// TestHome has OpenBao's server.
func TestHome(t *testing.T) { homes.Test(t, "transit", transit.New, true) }

func TestNames(t *testing.T) {
	homes.Refuse(t, transit.New, "", "people", "/people", "a/b?c", "a//b")
}
