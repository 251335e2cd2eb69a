// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package private

import (
	"context"
	"errors"
	"os"
)

var errSystem = errors.New("this needs a POSIX system, for its locks and owners")

// OpenOwn can't be had here.
func OpenOwn(string, int, string) (*os.File, error) { return nil, errSystem }

// Lock can't be had here.
func Lock(context.Context, *os.File) error { return errSystem }

// SyncName can't be had here.
func SyncName(string) error { return errSystem }

// Locked can't be had here.
func Locked(string) (*os.File, error) { return nil, errSystem }

// WriteNew can't be had here.
func WriteNew(string, []byte) error { return errSystem }

// IsOwn can't be had here.
func IsOwn(string) (bool, error) { return false, errSystem }
