// SPDX-License-Identifier: Apache-2.0

//go:build unix

package private

import (
	"context"
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
		err = checkOwner(file, what, false)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Lock waits for the exclusive lock of a file, which ends when it is closed; not after the context is done.
func Lock(ctx context.Context, file *os.File) error {
	for end := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(end) || ctx.Err() != nil {
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

// Locked returns a file of ours with its exclusive lock, which ends when it is closed; it makes the file if there is none.
func Locked(path string) (*os.File, error) {
	for {
		file, err := OpenOwn(path, os.O_RDWR, "lock")
		if err != nil {
			return nil, err
		}
		err = Lock(context.Background(), file)
		var ours, there os.FileInfo
		if err == nil {
			ours, err = file.Stat()
		}
		if err == nil {
			there, err = os.Lstat(path)
		}
		if err == nil && os.SameFile(ours, there) {
			return file, nil
		}
		file.Close()
		if err != nil && !errors.Is(err, os.ErrNotExist) { // somebody removed it: others lock another file
			return nil, err
		}
	}
}

// WriteNew makes a file that does not exist yet, mode 0600 whatever the umask, on the disk; it leaves none on failure.
func WriteNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = file.Chmod(0o600)
	if err == nil {
		_, err = file.Write(data)
	}
	if err == nil {
		err = file.Sync()
	}
	if also := file.Close(); err == nil {
		err = also
	}
	if err != nil {
		os.Remove(path) //nolint:errcheck // the first error tells more
	}
	return err
}

// IsOwn says whether a file is ours; one that is not there is an error that matches os.ErrNotExist.
func IsOwn(path string) (bool, error) {
	status, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	system, ok := status.Sys().(*syscall.Stat_t)
	return ok && int(system.Uid) == os.Geteuid(), nil
}
