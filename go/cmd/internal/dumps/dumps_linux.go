// SPDX-License-Identifier: Apache-2.0

// Package dumps keeps keys out of core dumps.
package dumps

import (
	"fmt"
	"syscall"
)

// Refuse lets the system write no core dump of this process, and no other process of the same user look
// into its memory and environment: both have keys and tokens in them.
func Refuse() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("core dumps can't be switched off: %w", err)
	}
	if _, _, failed := syscall.Syscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); failed != 0 {
		return fmt.Errorf("the process can't be made undumpable: %w", failed)
	}
	return nil
}
