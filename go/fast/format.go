// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Format says which values are valid, and which tokens they get. Make one with a function such as
// [Card], or with [NewFormat] of a name and options. docs/reference/formats has all formats and
// options; they are those of a policy. A format does not change and is safe for concurrent use.
type Format struct {
	name        string
	description []byte // JSON
	made        func() (*core.Format, error)
}

// FormatOption is an option of a format. One that the format has not is refused.
type FormatOption struct {
	name  string
	value any
}

// NewFormat returns the format of a name, such as "card", with options as a policy has them: texts,
// integers, booleans, and time.Time for dates. Its errors are those of Check.
func NewFormat(name string, options map[string]any) (*Format, error) {
	given := make([]FormatOption, 0, len(options))
	for option, value := range options {
		given = append(given, FormatOption{option, value})
	}
	f := newFormat(name, given)
	return f, f.Check()
}

// FormatNames returns the names of all formats.
func FormatNames() []string { return core.FormatNames() }

func newFormat(name string, options []FormatOption, more ...FormatOption) *Format {
	description := map[string]any{"type": name}
	for _, option := range append(more, options...) {
		if option.name == "type" {
			err := fmt.Errorf("%w: %q: 'type' is no option: the name says which format it is", ErrFormat, name)
			return &Format{name: name, made: func() (*core.Format, error) { return nil, err }}
		}
		description[option.name] = asJSON(name, option.value)
	}
	text, err := json.Marshal(description)
	if err != nil {
		err = fmt.Errorf("%w: %s: an option is not text, a number, a boolean or a time", ErrFormat, name)
		return &Format{name: name, made: func() (*core.Format, error) { return nil, err }}
	}
	return described(name, text)
}

// asJSON writes a time as the core reads it; everything else stays.
func asJSON(format string, value any) any {
	moment, ok := value.(time.Time)
	switch {
	case !ok:
		return value
	case format == "timestamp" && moment.Location().String() == "datetime-local": // as the library of TOML has it
		return map[string]string{"$datetime": moment.Format("2006-01-02T15:04:05.999999999")}
	case format == "timestamp":
		return map[string]string{"$datetime": moment.Format("2006-01-02T15:04:05.999999999Z07:00")}
	}
	return map[string]string{"$date": moment.Format(time.DateOnly)}
}

func described(name string, description []byte) *Format {
	return &Format{name, description, sync.OnceValues(func() (*core.Format, error) {
		made, err := core.NewFormat(string(description))
		var problem *core.ProblemError
		if errors.As(err, &problem) {
			err = fmt.Errorf("%w: %w", ErrFormat, problem)
		}
		return made, err
	})}
}

// MarshalJSON writes the format as a policy describes it.
func (f *Format) MarshalJSON() ([]byte, error) {
	if f == nil || f.description == nil {
		return []byte("null"), nil
	}
	return bytes.Clone(f.description), nil
}

// UnmarshalJSON reads a format as a policy describes it: a name, or a table with its type. Its errors
// are those of Check.
func (f *Format) UnmarshalJSON(description []byte) error {
	*f = *described("", bytes.Clone(description))
	made, err := f.made()
	if err == nil {
		f.name = made.Name
	}
	return err
}

// core returns the core's format; nil has none.
func (f *Format) core() (*core.Format, error) {
	if f == nil || f.made == nil {
		return nil, fmt.Errorf("%w: nil", ErrFormat)
	}
	return f.made()
}

// Check returns an error that matches ErrFormat and says what is wrong with the format, or nil.
func (f *Format) Check() error {
	_, err := f.core()
	return err
}

// String returns the format's name.
func (f *Format) String() string {
	if f == nil {
		return "no format"
	}
	return f.name
}

// OneWay reports whether tokens can't be revealed. It is false for a format that Check refuses.
func (f *Format) OneWay() bool {
	made, err := f.core()
	return err == nil && made.OneWay
}

// Identity returns the text that stands for the format and its options in tweaks and markers; docs/reference/tokens.md.
// It is empty for a format that Check refuses.
func (f *Format) Identity() string {
	made, err := f.core()
	if err != nil {
		return ""
	}
	return made.Identity
}

// MayBeFormula reports whether tokens may begin as spreadsheets' formulas do: with =, +, - or @.
func (f *Format) MayBeFormula() bool {
	made, err := f.core()
	return err == nil && made.MayBeFormula
}

// Cipher returns "fast", "ff1", "ff1-2016" or "ff3-1". It is empty for a format that encrypts no words,
// and for one that Check refuses.
func (f *Format) Cipher() string {
	made, err := f.core()
	if err != nil {
		return ""
	}
	return made.Cipher
}

// Keyed reports whether the format needs a key.
func (f *Format) Keyed() bool {
	made, err := f.core()
	return err == nil && made.Keyed
}

// Examples returns one or two valid values.
func (f *Format) Examples() []string {
	made, err := f.core()
	if err != nil {
		return nil
	}
	return slices.Clone(made.Examples)
}

// SmallestDomain returns how many values are as the shortest valid one is; math.MaxUint64 stands for
// that many or more, and 0 for a number that depends on the values.
func (f *Format) SmallestDomain() uint64 {
	made, err := f.core()
	if err != nil {
		return 0
	}
	return made.SmallestDomain
}

// SameTokens reports whether equal values have equal tokens in both formats, under one key and namespace.
func SameTokens(one, other *Format) bool {
	first, err := one.core()
	second, failed := other.core()
	return err == nil && failed == nil && first.Identity == second.Identity
}

// ForbidsKeep reports whether an invalid value must not be kept: one that is kept because its check
// digit is wrong could be taken for a token.
func (f *Format) ForbidsKeep() bool {
	made, err := f.core()
	return err == nil && made.ForbidsKeep
}
