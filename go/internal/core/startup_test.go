// SPDX-License-Identifier: Apache-2.0

package core

import (
	"os"
	"testing"
	"time"
)

// TestStartUp times the first word of a process, which compiles WebAssembly; by itself, with
//
//	TALLY_START_UP=1 CGO_ENABLED=0 go test -v -count=1 -run TestStartUp ./go/internal/core
func TestStartUp(t *testing.T) {
	if os.Getenv("TALLY_START_UP") == "" {
		t.Skip("TALLY_START_UP is not set: this only measures")
	}
	started := time.Now()
	p := pool(t, ProfileFAST, 10)
	instance, _ := params(t, ProfileFAST, 10, 16)
	word := make([]byte, 16)
	if err := p.Words(false, &instance, nil, word, 1, word); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: the first word of a process: %v", Backend, time.Since(started))
}
