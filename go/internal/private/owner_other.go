// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package private

import "os"

// checkOwner has nothing to look at: there are no modes here.
func checkOwner(*os.File, string, bool) error { return nil }
