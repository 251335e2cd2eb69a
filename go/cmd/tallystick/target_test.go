// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// opened is a target with content, ready to appear.
func opened(t *testing.T, path, content string, marker []byte) *target {
	t.Helper()
	made, err := openTarget(place{path: path}, marker, false, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	return made
}

// Two runs to one target do not mix their files: one waits for the other, and takes away the other's marker.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	plain := opened(t, path, "in clear", nil)
	if err := opened(t, path, "tokens", []byte("marker")).commit(true); err != nil {
		t.Fatal(err)
	}
	held, err := os.Create(filepath.Join(filepath.Dir(path), ".people.csv.0000000000000000.part"))
	if err != nil || unix.Flock(int(held.Fd()), unix.LOCK_EX) != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- plain.commit(true) }()
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	held.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 || left[0].Name() != "people.csv" {
		t.Errorf("%v %v", left, err)
	}
}
