// SPDX-License-Identifier: Apache-2.0

package fast

import "testing"

// SmallBatches makes batches of less work until a test ends.
func SmallBatches(t *testing.T, work int64) {
	usual := batchWork
	batchWork = work
	t.Cleanup(func() { batchWork = usual })
}
