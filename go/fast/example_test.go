// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"encoding/hex"
	"fmt"

	"github.com/tallystick/tallystick/go/fast"
)

func exampleKey() []byte {
	key, _ := hex.DecodeString("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	return key
}

func ExampleTokenizer() {
	cards, err := fast.NewTokenizer(fast.Card(fast.KeepLast(4)), exampleKey(), "card")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cards.Close()
	token, err := cards.Protect("4111 1111 1111 1111")
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := cards.Reveal(token)
	fmt.Println(token[15:], value, err)
	_, err = cards.Protect("4111 1111 1111 1112")
	fmt.Println(err)
	// Output:
	// 1111 4111 1111 1111 1111 <nil>
	// tallystick: the value does not match its format: its check digit is wrong
}

func ExampleCipher() {
	c, err := fast.New(exampleKey(), 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	token, err := c.Encrypt([]byte{1, 2, 3, 4}, []byte("low level"))
	if err != nil {
		fmt.Println(err)
		return
	}
	word, err := c.Decrypt(token, []byte("low level"))
	fmt.Println(word, err)
	// Output: [1 2 3 4] <nil>
}

func ExampleCipher_EncryptWords() {
	c, err := fast.New(exampleKey(), 256)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	words := []byte("onetwosix") // three of three bytes, replaced in place
	err = c.EncryptWords(words, words, 3, nil)
	fmt.Println(err, c.DecryptWords(words, words, 3, nil), string(words))
	// Output: <nil> <nil> onetwosix
}

func ExampleRange() {
	r, err := fast.NewRange(exampleKey(), 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	token, err := r.Encrypt(42, nil)
	fmt.Println(token < 1000, err)
	number, err := r.Decrypt(token, nil)
	fmt.Println(number, err)
	// Output:
	// true <nil>
	// 42 <nil>
}
