// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package csvcore

import "github.com/tallystick/tallystick/go/internal/core"

var scan, splice = core.ScanCSV, core.SpliceCSV
