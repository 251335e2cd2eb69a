// SPDX-License-Identifier: Apache-2.0

//go:build unix

package keyring

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a file that is another's, or that others may use.
func checkOwner(file *os.File) error {
	status, err := file.Stat()
	if err != nil {
		return err
	}
	if system, ok := status.Sys().(*syscall.Stat_t); !ok || int(system.Uid) != os.Geteuid() {
		return errors.New("the root key file belongs to another user; run as its owner, or make it yours with chown")
	}
	if status.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may use the root key file (mode %04o); run chmod 600 on it, and think of who "+
			"may have read it", status.Mode().Perm())
	}
	return nil
}
