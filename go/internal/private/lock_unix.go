// SPDX-License-Identifier: Apache-2.0

//go:build unix

package private

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const lockWait = 30 * time.Second

// OpenOwn opens a regular file of ours that gives nobody else any right, and makes it if there is none.
func OpenOwn(path string, flags int, what string) (*os.File, error) {
	file, err := os.OpenFile(path, flags|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	status, err := file.Stat()
	if err == nil && !status.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil {
		err = checkOwner(file, what)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Lock waits for the exclusive lock of a file, which ends when it is closed.
func Lock(file *os.File) error {
	for end := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(end) {
			return errors.New("another process holds its lock")
		}
	}
}

// SyncName makes a new name in a directory outlast a power cut.
func SyncName(path string) error {
	directory, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer directory.Close()
	if err := directory.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
