// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/policy"
)

// TestTOMLErrors says where a policy is not TOML, and quotes nothing of it.
func TestTOMLErrors(t *testing.T) {
	_, err := policy.Parse("\n[columns]\nid = SECRETVALUE\n", "p.toml")
	if err == nil || !strings.Contains(err.Error(), "not valid TOML at line 3, column 6") || strings.Contains(err.Error(), "SECRET") {
		t.Fatal(err)
	}
}
