// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package textcore

import "github.com/tallystick/tallystick/go/internal/core"

// Keys are keys of one or more namespaces. Any number of goroutines may share them.
type Keys = core.TextKeys

// Restorer reveals the tokens of a text in chunks. It belongs to one goroutine at a time.
type Restorer = core.TextRestorer

// NewKeys returns no keys yet.
func NewKeys() *Keys { return core.NewTextKeys() }
