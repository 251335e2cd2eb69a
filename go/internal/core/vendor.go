// SPDX-License-Identifier: Apache-2.0

//go:build vendor

package core

// `go mod vendor` takes folders that some build imports, whatever its tags; these have the C sources. No
// build has this tag.
import (
	_ "github.com/tallystick/tallystick/core/aes"
	_ "github.com/tallystick/tallystick/core/arrow"
	_ "github.com/tallystick/tallystick/core/base"
	_ "github.com/tallystick/tallystick/core/columns"
	_ "github.com/tallystick/tallystick/core/fast/lanes"
	_ "github.com/tallystick/tallystick/core/fast/schedule"
	_ "github.com/tallystick/tallystick/core/fast/words"
	_ "github.com/tallystick/tallystick/core/gf256"
	_ "github.com/tallystick/tallystick/core/include/tallystick"
	_ "github.com/tallystick/tallystick/core/library"
	_ "github.com/tallystick/tallystick/core/numbers"
	_ "github.com/tallystick/tallystick/core/sha2"
	_ "github.com/tallystick/tallystick/core/sharing"
)
