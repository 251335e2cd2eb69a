// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// ending is what is undone when a signal ends the run. Whoever gives files their names holds its lock.
var ending struct {
	sync.Mutex
	undo []func()
}

// onEnd registers what is undone, and returns the function that forgets it.
func onEnd(undo func()) (forget func()) {
	ending.Lock()
	defer ending.Unlock()
	at := len(ending.undo)
	ending.undo = append(ending.undo, undo)
	return func() {
		ending.Lock()
		defer ending.Unlock()
		ending.undo[at] = func() {}
	}
}

var names = map[os.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// endOnSignals lets the first signal that asks for an end remove what is not complete. One that is ignored from the
// beginning, as under nohup, stays so.
func endOnSignals(asJSON bool) {
	signal.Ignore(syscall.SIGPIPE) // writes fail instead
	came := make(chan os.Signal, 1)
	for one := range names {
		if !signal.Ignored(one) {
			signal.Notify(came, one)
		}
	}
	go func() {
		one := <-came
		ending.Lock() // for ever: the run must not go on
		for _, undo := range slices.Backward(ending.undo) {
			undo()
		}
		os.Exit(report(fail(stopped+int(one.(syscall.Signal)), "Stopped", "stopped by %s", names[one]), asJSON))
	}()
}
