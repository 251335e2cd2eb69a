// SPDX-License-Identifier: Apache-2.0

package pkcs11_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/roots/pkcs11"
)

func TestHome(t *testing.T) { homes.Test(t, "pkcs11", pkcs11.New, true) }

func TestNames(t *testing.T) {
	homes.Refuse(t, pkcs11.New, "", "token=a", "object=a;token=b", "token=a b;object=c", "token=;object=c", "token=a;object=b?pin-value=1", "token=%zz;object=b")
}
