// SPDX-License-Identifier: Apache-2.0

package gcpkms_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/roots/gcpkms"
)

func TestHome(t *testing.T) { homes.Test(t, "gcp-kms", gcpkms.New, true) }

func TestNames(t *testing.T) {
	homes.Refuse(t, gcpkms.New, "", "people", "projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1", "projects/p/locations/l/keyRings/r/cryptoKeys/")
}
