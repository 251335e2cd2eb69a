// SPDX-License-Identifier: Apache-2.0

//go:build race

package fast_test

const raceEnabled = true
