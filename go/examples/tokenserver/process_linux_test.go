// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

// The process has no core dump and does not let others of its user look into it: a server that really runs.
func TestUndumpable(t *testing.T) {
	folder := t.TempDir()
	policyPath := filepath.Join(folder, "policy.toml")
	if err := os.WriteFile(policyPath, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0], "-policy", policyPath, "-root", "env:TEST_ROOT_KEY", "-listen", "127.0.0.1:0",
		"-keyring", filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys"))
	command.Env = append(os.Environ(), "TOKENSERVER_TEST_PROCESS=1", "TOKENSERVER_PROTECT="+protectToken,
		"TEST_ROOT_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	says, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Errorf("it did not stop well: %v", err)
		}
	}()
	line := make([]byte, 200)
	size, err := says.Read(line)
	if err != nil || !bytes.Contains(line[:size], []byte("listening on")) {
		t.Fatalf("%s: %v", line[:size], err)
	}
	place := fmt.Sprintf("/proc/%d/", command.Process.Pid)
	limits, err := os.ReadFile(place + "limits")
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max core file size 0 0 bytes") {
		t.Errorf("it may leave a core dump: %v", err)
	}
	// The files of a process that is not dumpable belong to root; root's own do anyway.
	if os.Geteuid() != 0 {
		if _, err := os.ReadFile(place + "environ"); err == nil {
			t.Error("others of its user may read its environment")
		}
	}
	if err := refuseDumps(); err != nil {
		t.Fatal(err)
	}
	if dumpable, _, failed := syscall.Syscall(syscall.SYS_PRCTL, syscall.PR_GET_DUMPABLE, 0, 0); failed != 0 || dumpable != 0 {
		t.Errorf("PR_GET_DUMPABLE: %d", dumpable)
	}
}
