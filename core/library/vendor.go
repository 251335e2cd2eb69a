// SPDX-License-Identifier: Apache-2.0

//go:build vendor

// Package library is empty. It makes `go mod vendor` copy this folder, whose C go/internal/core compiles.
package library
