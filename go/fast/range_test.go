// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"errors"
	"testing"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Only a size that is none is ErrSize: without cgo there may be no memory to find its parameters in.
func TestRangeError(t *testing.T) {
	for given, want := range map[error]error{
		core.Argument: ErrSize, core.ErrMemory: ErrMemory, core.ErrClosed: ErrClosed,
	} {
		if got := rangeError(given); !errors.Is(got, want) {
			t.Errorf("%v: %v", given, got)
		}
	}
}
