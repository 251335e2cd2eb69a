// SPDX-License-Identifier: Apache-2.0

//go:build unix

package private

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a file that is another's, or that others may use; roots: but one of root's that a group may read.
func checkOwner(file *os.File, what string, roots bool) error {
	status, err := file.Stat()
	if err != nil {
		return err
	}
	system, ok := status.Sys().(*syscall.Stat_t)
	if ok && roots && system.Uid == 0 && status.Mode().Perm()&0o137 == 0 {
		return nil
	}
	if !ok || int(system.Uid) != os.Geteuid() {
		return fmt.Errorf("the %s file belongs to another user; run as its owner, or make it yours with chown", what)
	}
	if status.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may use the %s file (mode %04o); run chmod 600 on it, and think of who "+
			"may have read it", what, status.Mode().Perm())
	}
	return nil
}
