// SPDX-License-Identifier: Apache-2.0

// Package beside has Tallystick's Go packages beside their peers: benchmarks, and tests that they understand
// each other. Nothing but `go test` uses it.
package beside
