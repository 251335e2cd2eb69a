// SPDX-License-Identifier: Apache-2.0

package ff1_test

import (
	"encoding/hex"
	"fmt"
	"log"

	"github.com/tallystick/tallystick/go/ff1"
)

// Sample 2 of NIST's for FF1.
func Example() {
	key, err := hex.DecodeString("2b7e151628aed2a6abf7158809cf4f3c")
	if err != nil {
		log.Fatal(err)
	}
	cipher, err := ff1.New(key, 10)
	if err != nil {
		log.Fatal(err)
	}
	defer cipher.Close()
	token, err := cipher.Encrypt([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte("9876543210"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token)
	// Output: [6 1 2 4 2 0 0 7 7 3]
}
