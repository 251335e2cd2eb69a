// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/tallystick/tallystick/go/cmd/internal/dumps"
)

// The program as a process: it reloads on SIGHUP, stops on SIGTERM, and has no core dump.
func TestProcess(t *testing.T) {
	path, _ := configure(t, "")
	command := exec.Command(os.Args[0], "-config", path)
	command.Env = append(os.Environ(), "TALLYSTICKD_TEST_PROCESS=1")
	pipe, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	says := bufio.NewScanner(pipe)
	expect := func(text string) {
		t.Helper()
		if !says.Scan() || !strings.Contains(says.Text(), text) {
			t.Errorf("%q instead of %q", says.Text(), text)
		}
	}
	expect(`"msg":"listening"`)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", command.Process.Pid))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max core file size 0 0 bytes") {
		t.Errorf("it may leave a core dump: %v", err)
	}
	// The files of a process that is not dumpable belong to root; root's own do anyway.
	if os.Geteuid() != 0 {
		if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", command.Process.Pid)); err == nil {
			t.Error("others of its user may read its environment")
		}
	}
	_ = command.Process.Signal(syscall.SIGHUP)
	expect(`"msg":"reloaded"`)
	_ = command.Process.Signal(syscall.SIGTERM)
	for says.Scan() {
		t.Error(says.Text())
	}
	if err := command.Wait(); err != nil {
		t.Errorf("it did not stop well: %v", err)
	}
	if err := dumps.Refuse(); err != nil {
		t.Fatal(err)
	}
	if dumpable, _, failed := syscall.Syscall(syscall.SYS_PRCTL, syscall.PR_GET_DUMPABLE, 0, 0); failed != 0 || dumpable != 0 {
		t.Errorf("PR_GET_DUMPABLE: %d", dumpable)
	}
}
