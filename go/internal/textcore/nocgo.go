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

// CheckPolicy says what is wrong with a text policy, given as JSON, or returns nil.
func CheckPolicy(description []byte) error { return core.CheckTextPolicy(description) }

// Rules are what a scan of text looks for. Any number of goroutines may share them.
type Rules = core.ScanRules

// NewRules makes rules from the JSON of scan.h.
func NewRules(description []byte) (*Rules, error) { return core.NewScanRules(description) }
