// SPDX-License-Identifier: Apache-2.0

// Package textcore calls the part of the C core for tokens in text. It is apart from package core, so that
// programs without text do not compile it: with cgo it is a unit of its own, which takes what it needs from
// core's.
package textcore

import "github.com/tallystick/tallystick/go/internal/core"

// The statuses of text.h.
const (
	CheckBits core.Status = 144
	Kind      core.Status = 145
	Value     core.Status = 146
	Count     core.Status = 147
)

// Limits of text.h.
const (
	MaxToken = 6624 // bytes of a token as it is made
	MaxValue = 4096
	MaxKeys  = 16
)

// ScanKinds are the kinds of scan.h, by their numbers.
var ScanKinds = []string{
	"card", "iban", "national_id", "email", "phone", "ipv4", "ipv6", "mac", "uuid", "jwt", "pem", "url", "key", "entropy",
	"list", "pattern",
}

// Finding is one of a scan: bytes Start to End - 1, and the number of its kind.
type Finding = core.ScanFinding
