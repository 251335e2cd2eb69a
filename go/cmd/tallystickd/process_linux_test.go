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

// makeFIFO puts a FIFO in the place of a file.
func makeFIFO(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// writer waits until a process reads a FIFO, and returns the other end.
func writer(t *testing.T, path string) int {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		to, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return to
		}
		if !errors.Is(err, syscall.ENXIO) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// The program as a process: it reloads on SIGHUP, also on one that came while it started, stops on SIGTERM, also while
// a reload waits for a file, and has no core dump.
func TestProcess(t *testing.T) {
	path, _ := configure(t, "")
	policy := filepath.Join(filepath.Dir(path), "people.toml")
	makeFIFO(t, policy)
	command := exec.Command(os.Args[0], "-config", path)
	command.Env = append(os.Environ(), "TALLYSTICKD_TEST_PROCESS=1")
	pipe, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(30*time.Second, func() { _ = command.Process.Kill() }).Stop()
	to := writer(t, policy)
	_ = command.Process.Signal(syscall.SIGHUP)
	if err := errors.Join(os.Remove(policy), os.WriteFile(policy, []byte(rules), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Write(to, []byte(rules)); errors.Join(err, syscall.Close(to)) != nil {
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
	expect(`"msg":"reloaded"`)
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
	makeFIFO(t, policy)
	_ = command.Process.Signal(syscall.SIGHUP)
	defer syscall.Close(writer(t, policy))
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

// A configuration or certificate that does not end, or not soon, is refused; a pipe would be waited for.
func TestEndlessFiles(t *testing.T) {
	path, _ := configure(t, "")
	large := filepath.Join(filepath.Dir(path), "large")
	pipe := filepath.Join(filepath.Dir(path), "people.toml")
	makeFIFO(t, pipe)
	if err := errors.Join(os.WriteFile(large, nil, 0o600), os.Truncate(large, maxConfig+1)); err != nil {
		t.Fatal(err)
	}
	_, err := (&tlsConfig{Certificate: large}).open(nil)
	if err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := readConfig(pipe)
		read <- err
	}()
	select {
	case err := <-read:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it waits for a pipe")
	}
}
