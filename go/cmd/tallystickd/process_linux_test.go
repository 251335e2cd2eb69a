// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/cmd/internal/dumps"
)

// The program as a process: it reloads on SIGHUP, stops on SIGTERM, also while a reload waits for a file, and has no core dump.
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
	policy := filepath.Join(filepath.Dir(path), "people.toml")
	if err := errors.Join(os.Remove(policy), syscall.Mkfifo(policy, 0o600), command.Process.Signal(syscall.SIGHUP)); err != nil {
		t.Fatal(err)
	}
	writer := -1
	err = syscall.ENXIO // until it reads
	for end := time.Now().Add(10 * time.Second); errors.Is(err, syscall.ENXIO) && time.Now().Before(end); time.Sleep(time.Millisecond) {
		writer, err = syscall.Open(policy, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(writer)
	defer time.AfterFunc(20*time.Second, func() { _ = command.Process.Kill() }).Stop()
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
