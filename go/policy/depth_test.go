// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"strings"
	"testing"
)

// Each of these would take minutes, or more stack than there is.
func TestDeepPolicies(t *testing.T) {
	for _, text := range []string{
		"a = " + strings.Repeat("[", 1_000_000), strings.Repeat("a.", 500_000) + "a = 1",
		"[" + strings.Repeat("a.", 500_000) + "a]", "a = " + strings.Repeat("{a=", 300_000),
	} {
		if _, err := Parse(text, "the file"); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "the file: nested too deep") {
			t.Errorf("%.10s: %v", text, err)
		}
	}
	if _, err := Parse(strings.Repeat("#", maxFile+1), "the file"); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "the file: too large") {
		t.Errorf("too large: %v", err)
	}
}
