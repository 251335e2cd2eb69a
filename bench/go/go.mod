// SPDX-License-Identifier: Apache-2.0

module tallystick.invalid/bench

go 1.21

require github.com/capitalone/fpe v1.2.1
