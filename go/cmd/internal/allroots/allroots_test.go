// SPDX-License-Identifier: Apache-2.0

package allroots

import (
	"errors"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/keyring"
)

// A home is there, or its lack is said; what follows the scheme is never repeated.
func TestHomes(t *testing.T) {
	for scheme, here := range homes {
		_, err := Parse(scheme + ":?secret")
		want := "is written " + scheme + ":"
		if !here {
			want = "built without " + scheme + ":"
		}
		if !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Error(scheme, err)
		}
	}
	if root, err := Parse("file:root.key"); err != nil || root.String() != "file:root.key" {
		t.Error(root, err)
	}
}
