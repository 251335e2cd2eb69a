// SPDX-License-Identifier: Apache-2.0

package azurekv_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/roots/azurekv"
)

func TestHome(t *testing.T) { homes.Test(t, "azure-kv", azurekv.New, true) }

func TestNames(t *testing.T) {
	homes.Refuse(t, azurekv.New, "", "people", "people/root", "people.vault.azure.net:80/root", "people.vault.azure.net/root/1", "a@b.vault.azure.net/root")
}
