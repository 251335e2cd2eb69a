// SPDX-License-Identifier: Apache-2.0

package gofast

import (
	"math"

	"github.com/tallystick/tallystick/go/fast"
)

// Params returns the parameters that the newer go-fast works with, so that package fast reads its data:
//
//	params, err := gofast.Params(256, len(ciphertext))
//	instance, err := cipher.Instance(params) // of fast.New(key, 256)
//	value, err := instance.Decrypt(ciphertext, tweak)
//
// They are those of fast.Recommended, but for two places. At length 5 the branch distance w' is 2, not 1. At
// radix 7 and 8 the newer go-fast computes in floating point, which gives one round more at some lengths above
// 100, such as 121. The errors are those of fast.Recommended.
func Params(radix, length int) (fast.Params, error) {
	params, err := fast.Recommended(radix, length)
	if err != nil {
		return fast.Params{}, err
	}
	params.WPrime = max(params.W-1, 1)
	if (radix == 7 || radix == 8) && length > 100 {
		params.Layers = length * int(math.Ceil(50*math.Sqrt(float64(length)/100)))
	}
	return params, nil
}
