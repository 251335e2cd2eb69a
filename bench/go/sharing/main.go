// SPDX-License-Identifier: Apache-2.0

// Command sharing times github.com/hashicorp/vault/shamir and github.com/klauspost/reedsolomon, on one
// goroutine, for bench/sharing.py. Each line is a JSON object: the work, who does it, the bytes of
// secret or data that it is about, and nanoseconds.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/hashicorp/vault/shamir"
	"github.com/klauspost/reedsolomon"
)

const enough = 4 * time.Millisecond

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "sharing:", err)
		os.Exit(1)
	}
}

func measure(work, by string, amount int, run func()) {
	run()
	runtime.GC()
	start, calls := time.Now(), 0
	for time.Since(start) < enough {
		run()
		calls++
	}
	ns := float64(time.Since(start).Nanoseconds()) / float64(calls)
	fmt.Printf("{\"work\": \"%s\", \"by\": \"%s\", \"bytes\": %d, \"ns\": %.6g}\n", work, by, amount, ns)
}

func share(size int, amount string, threshold, count int) {
	secret := bytes.Repeat([]byte{7}, size)
	var shares [][]byte
	var recovered []byte
	var err error
	name, about := fmt.Sprintf("%s, %d of %d", amount, threshold, count), 0
	if size > 1000 {
		about = size
	}
	measure("split, "+name, "Vault (Go)", about, func() {
		shares, err = shamir.Split(secret, count, threshold)
		must(err)
	})
	measure("combine, "+name, "Vault (Go)", about, func() {
		recovered, err = shamir.Combine(shares[:threshold])
		must(err)
	})
	if !bytes.Equal(recovered, secret) {
		must(fmt.Errorf("a secret did not come back"))
	}
}

func encode(data, parity, size int) {
	code, err := reedsolomon.New(data, parity, reedsolomon.WithMaxGoroutines(1))
	must(err)
	shards := reedsolomon.AllocAligned(data+parity, size)
	for i := range shards {
		for j := range shards[i] {
			shards[i][j] = byte(i)
		}
	}
	name := fmt.Sprintf("Reed-Solomon %d+%d, %d KiB", data, parity, size>>10)
	measure(name, "klauspost (Go)", data*size, func() { must(code.Encode(shards)) })
	good, err := code.Verify(shards)
	must(err)
	if !good {
		must(fmt.Errorf("parity is not right"))
	}
}

func main() {
	share(1<<20, "1 MB", 2, 5)
	share(1<<20, "1 MB", 3, 5)
	share(32, "32 bytes", 2, 5)
	share(32, "32 bytes", 6, 10)
	share(32, "32 bytes", 128, 255)
	for _, code := range [][2]int{{2, 3}, {5, 5}, {10, 4}} {
		for size := 1 << 14; size <= 1<<20; size <<= 3 {
			encode(code[0], code[1], size)
		}
	}
}
