// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// TestPastedSigner refuses digits where a path should be, without repeating them.
func TestPastedSigner(t *testing.T) {
	if _, err := signerOf("file:" + strings.Repeat("ab", 32)); err == nil || strings.Contains(err.Error(), "abab") {
		t.Fatal(err)
	}
}
