// SPDX-License-Identifier: Apache-2.0

package gofast_test

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/fast/gofast"
)

// A ciphertext of the first go-fast becomes one of package fast, under a new key.
func ExampleCipher_Reencrypt() {
	oldKey, newKey := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 32)
	if err := reencrypt(oldKey, newKey); err != nil {
		fmt.Println(err)
	}
	// Output: sixteen bytes ok
}

func reencrypt(oldKey, newKey []byte) error {
	old, err := gofast.NewCipher(oldKey)
	if err != nil {
		return err
	}
	defer old.Close()
	cipher, err := fast.New(newKey, 256)
	if err != nil {
		return err
	}
	defer cipher.Close()

	ciphertext := old.Encrypt([]byte("sixteen bytes ok"), []byte("old tweak"))
	moved, err := old.Reencrypt(cipher, ciphertext, []byte("old tweak"), []byte("new tweak"))
	if err != nil {
		return err
	}
	value, err := cipher.Decrypt(moved, []byte("new tweak"))
	if err != nil {
		return err
	}
	fmt.Println(string(value))
	return nil
}

// A ciphertext of the newer go-fast is read with its parameters.
func ExampleParams() {
	ciphertext, _ := hex.DecodeString("6938243f83")
	value, err := readNewer([]byte("0123456789abcdef"), ciphertext, nil)
	fmt.Println(string(value), err)
	// Output: hello <nil>
}

func readNewer(key, ciphertext, tweak []byte) ([]byte, error) {
	cipher, err := fast.New(key, 256)
	if err != nil {
		return nil, err
	}
	defer cipher.Close()
	params, err := gofast.Params(256, len(ciphertext))
	if err != nil {
		return nil, err
	}
	instance, err := cipher.Instance(params)
	if err != nil {
		return nil, err
	}
	return instance.Decrypt(ciphertext, tweak)
}
