// SPDX-License-Identifier: Apache-2.0

module tallystick.invalid/bench

go 1.25.3

require (
	github.com/capitalone/fpe v1.2.1
	github.com/hashicorp/vault v1.21.4
	github.com/klauspost/reedsolomon v1.14.2
)

require (
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	golang.org/x/sys v0.40.0 // indirect
)
