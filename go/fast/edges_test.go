// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
)

// A value of over 1 MiB has the token that it has in a column, alone too.
func TestLargeValueAlone(t *testing.T) {
	large := strings.Repeat("1", 1<<20+1)
	tags := tokenizer(t, fast.Pseudonym(), "a")
	all, err := tags.ProtectAll([]string{large}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if alone, err := tags.Protect(large); err != nil || alone != all[0] {
		t.Errorf("%q, %v; want %q", alone, err, all[0])
	}
	if alone, err := tags.AppendProtect([]byte("x"), []byte(large)); err != nil || string(alone) != "x"+all[0] {
		t.Errorf("%q, %v; want %q", alone, err, all[0])
	}
	digits := tokenizer(t, fast.Digits(), "a")
	var invalid *fast.InvalidValueError
	if _, err := digits.Protect(large); !errors.As(err, &invalid) || invalid.Reason != fast.TooLong || invalid.Row != -1 {
		t.Error(err)
	}
	if _, err := digits.ProtectTweaked("1234567", large); !errors.As(err, &invalid) || invalid.Reason != fast.WrongTweak {
		t.Error(err)
	}
	if err := fast.Digits().CheckValue(large); !errors.Is(err, fast.ErrFormat) {
		t.Error(err)
	}
	if most, huge := digits.Work(math.MaxInt32), digits.Work(math.MaxInt); most != huge {
		t.Errorf("work %d for the largest value, %d for a larger one", most, huge)
	}
}

// Close ends every call, also one without values.
func TestClosedWithoutValues(t *testing.T) {
	digits := tokenizer(t, fast.Digits(), "a")
	numbers, err := fast.NewRange(key, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := digits.ProtectAll(nil, nil); err != nil {
		t.Error(err)
	}
	digits.Close()
	numbers.Close()
	if _, err := digits.ProtectAll(nil, nil); err != fast.ErrClosed {
		t.Error(err)
	}
	if _, _, err := digits.RevealColumn(fast.Column{}, nil); err != fast.ErrClosed {
		t.Error(err)
	}
	if err := numbers.EncryptAll(nil, nil, nil); err != fast.ErrClosed {
		t.Error(err)
	}
}

// What a format gives out is a copy: a format does not change.
func TestFormatGivesCopies(t *testing.T) {
	format := fast.Digits()
	examples := format.Examples()[0]
	format.Examples()[0] = "changed"
	text, _ := format.MarshalJSON()
	clear(text)
	if again, err := format.MarshalJSON(); format.Examples()[0] != examples || err != nil || again[0] != '{' {
		t.Errorf("%s, %q, %v", format.Examples()[0], again, err)
	}
}

func TestNoOption(t *testing.T) {
	if _, err := fast.NewTokenizer(fast.Digits(), key, "a", nil, fast.ProtectOnly()); err != nil {
		t.Error(err)
	}
}
