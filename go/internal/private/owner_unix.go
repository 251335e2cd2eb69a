// SPDX-License-Identifier: Apache-2.0

//go:build unix

package private

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a file that is another's, or that others may use.
func checkOwner(file *os.File, what string) error {
	status, err := file.Stat()
	if err != nil {
		return err
	}
	if system, ok := status.Sys().(*syscall.Stat_t); !ok || int(system.Uid) != os.Geteuid() {
		return fmt.Errorf("the %s file belongs to another user; run as its owner, or make it yours with chown", what)
	}
	if status.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may use the %s file (mode %04o); run chmod 600 on it, and think of who "+
			"may have read it", what, status.Mode().Perm())
	}
	return nil
}
