// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"syscall"
	"testing"
)

// A full disk says what to do, as in Python.
func TestFullDisk(t *testing.T) {
	wanted := "t.csv: No space left on device; free some space, or choose another disk"
	for _, err := range []error{
		withPath("t.csv", syscall.ENOSPC), &fs.PathError{Op: "write", Path: "t.csv", Err: syscall.ENOSPC},
	} {
		if failed := classify(err); failed.text != wanted || failed.code != file || failed.name != "FileError" {
			t.Errorf("%v became %+v", err, failed)
		}
	}
}
