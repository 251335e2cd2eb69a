// SPDX-License-Identifier: Apache-2.0

package core

import "testing"

func TestTexts(t *testing.T) {
	for said, want := range map[string]string{
		OneWay.Error():       "tallystick: tokens of this format can't be revealed",
		Status(-1).Error():   "tallystick: unknown status",
		ReasonText(5):        "its check digit is wrong",
		ReasonText(1<<8 - 1): "it is invalid",
	} {
		if said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
}
