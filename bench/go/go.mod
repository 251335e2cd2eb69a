// SPDX-License-Identifier: Apache-2.0

module tallystick.invalid/bench

go 1.25.3

require (
	github.com/capitalone/fpe v1.2.1
	github.com/hashicorp/vault v1.21.4
	github.com/klauspost/reedsolomon v1.14.2
	github.com/tallystick/tallystick v0.0.0
)

replace github.com/tallystick/tallystick => ../..

require (
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
