// SPDX-License-Identifier: Apache-2.0

package fast_test

//lint:file-ignore SA4006 the README leaves the handling of errors to its reader

import (
	"fmt"

	"github.com/tallystick/tallystick/go/fast"
)

// The example of the README, as it stands there.
func ExampleNewTokenizer() {
	key := exampleKey()
	format := fast.Card(fast.KeepLast(4)) // github.com/tallystick/tallystick/go/fast
	cards, err := fast.NewTokenizer(format, key, "card")
	token, err := cards.Protect("4111 1111 1111 1111") // the token that Python makes
	fmt.Println(token, err)
	// Output: 2922 6108 0300 1111 <nil>
}
