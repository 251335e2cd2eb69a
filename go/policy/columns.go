// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"

	"github.com/tallystick/tallystick/go/fast"
)

// Texts is a column of texts in one buffer, any of which may be null.
type Texts struct {
	fast.Column
	Null []bool // one for each text; nil if none is null
}

// ProtectTexts is ProtectContext for texts that lie in one buffer, which is much faster. Bytes of a text
// that is null are not looked at, and the result does not have them.
func (p *Protector) ProtectTexts(ctx context.Context, column string, values Texts, tweaks *Texts) (Texts, error) {
	return p.texts(ctx, column, values, tweaks, false, nil, nil)
}

// RevealTexts is the inverse of ProtectTexts.
func (p *Protector) RevealTexts(ctx context.Context, column string, tokens Texts, tweaks *Texts) (Texts, error) {
	return p.texts(ctx, column, tokens, tweaks, true, nil, nil)
}

// ProtectEach is ProtectTexts for values that do not depend on each other. An invalid value does not end the call: its
// row becomes null, and errors has it at its row. errors is nil if all values are valid. The rule's OnInvalid still
// decides which values are errors.
func (p *Protector) ProtectEach(ctx context.Context, column string, values Texts, tweaks *Texts) (made Texts, errors []*InvalidValueError, err error) {
	made, err = p.texts(ctx, column, values, tweaks, false, &errors, nil)
	return made, errors, err
}

// RevealEach is the inverse of ProtectEach.
func (p *Protector) RevealEach(ctx context.Context, column string, tokens Texts, tweaks *Texts) (made Texts, errors []*InvalidValueError, err error) {
	made, err = p.texts(ctx, column, tokens, tweaks, true, &errors, nil)
	return made, errors, err
}

// Counts are what happened to the rows of a column.
type Counts struct {
	Rows, Nulls int
	Invalid     map[fast.Reason]int // invalid values that became null or were kept
	Small       int                 // rows of a small domain; see fast.SmallDomain

	Rejected func(row int, reason fast.Reason) // if it is not nil, it gets each row of a call that Invalid counts
}

// Add adds other counts.
func (c *Counts) Add(other *Counts) {
	c.Rows, c.Nulls, c.Small = c.Rows+other.Rows, c.Nulls+other.Nulls, c.Small+other.Small
	for reason, count := range other.Invalid {
		if c.Invalid == nil {
			c.Invalid = map[fast.Reason]int{}
		}
		c.Invalid[reason] += count
	}
}

// ProtectCounted is ProtectTexts, and adds what happened to counts.
func (p *Protector) ProtectCounted(ctx context.Context, column string, values Texts, tweaks *Texts, counts *Counts) (Texts, error) {
	return p.texts(ctx, column, values, tweaks, false, nil, counts)
}

// RevealCounted is the inverse of ProtectCounted.
func (p *Protector) RevealCounted(ctx context.Context, column string, tokens Texts, tweaks *Texts, counts *Counts) (Texts, error) {
	return p.texts(ctx, column, tokens, tweaks, true, nil, counts)
}

func (c *Counts) invalid(row int, reason fast.Reason) {
	if c == nil {
		return
	}
	if c.Rejected != nil {
		c.Rejected(row, reason)
	}
	if c.Invalid == nil {
		c.Invalid = map[fast.Reason]int{}
	}
	c.Invalid[reason]++
}

func (p *Protector) texts(ctx context.Context, column string, values Texts, tweaks *Texts, reveals bool, each *[]*InvalidValueError, counts *Counts) (Texts, error) {
	i, err := p.rule(column)
	if err != nil {
		return Texts{}, err
	}
	if err := p.may(i, reveals); err != nil {
		return Texts{}, err
	}
	rule := &p.rules[i]
	if (rule.Tweak == "") != (tweaks == nil) {
		return Texts{}, fmt.Errorf("column %q: %w: pass tweaks exactly if its rule has a tweak", column, fast.ErrColumn)
	}
	texts, err := values.withoutNulls()
	var own *fast.Column
	var nullTweaks []bool
	if err == nil && tweaks != nil {
		nullTweaks = tweaks.Null
		var column fast.Column
		if column, err = tweaks.withoutNulls(); err == nil && column.Len() != texts.Len() {
			err = fast.ErrColumn
		}
		own = &column
	}
	if err != nil {
		return Texts{}, fmt.Errorf("column %q: %w", column, err)
	}
	layers, symbols := int64(0), int64(0)
	for row := range texts.Len() {
		size := texts.Offsets[row+1] - texts.Offsets[row]
		layers, symbols = layers+p.tokenizers[i].Work(int(size)), symbols+size
	}
	if err := p.allow(ctx, layers, symbols); err != nil {
		return Texts{}, err
	}
	if reveals {
		if err := p.aboutToReveal(ctx, p.revealed(i), texts.Len()); err != nil {
			return Texts{}, err
		}
	}
	made, reasons, small, err := p.tokenizers[i].CountedColumn(ctx, reveals, texts, own, nullTweaks)
	if err != nil {
		return Texts{}, fmt.Errorf("column %q: %w", column, err)
	}
	if counts != nil {
		counts.Rows, counts.Small = counts.Rows+texts.Len(), counts.Small+small
		for _, null := range values.Null {
			if null {
				counts.Nulls++
			}
		}
	}
	result, nulled := Texts{made, values.Null}, false
	becomeNull := func(row int) {
		if !nulled {
			result.Null, nulled = append(make([]bool, 0, texts.Len()), values.Null...), true
			result.Null = result.Null[:texts.Len()]
		}
		result.Null[row] = true
	}
	for row, reason := range reasons {
		if reason == fast.Fits || values.isNull(row) {
			continue
		}
		text := texts.Values[texts.Offsets[row]:texts.Offsets[row+1]]
		switch rule.OnInvalid {
		case OnInvalidKeep:
			counts.invalid(row, reason)
		case OnInvalidNull:
			counts.invalid(row, reason)
			becomeNull(row)
		default:
			invalid := &InvalidValueError{column, *p.tokenizers[i].InvalidValue(row, string(text), reason)}
			if each == nil {
				return Texts{}, invalid
			}
			if *each == nil {
				*each = make([]*InvalidValueError, texts.Len())
			}
			(*each)[row] = invalid
			becomeNull(row)
		}
	}
	if nulled || values.Null != nil {
		result.Column, err = result.withoutNulls()
	}
	return result, err
}

func (t *Texts) isNull(row int) bool { return t.Null != nil && t.Null[row] }

// withoutNulls returns the column with no bytes where a text is null.
func (t *Texts) withoutNulls() (fast.Column, error) {
	if err := t.Check(); err != nil {
		return fast.Column{}, err
	}
	if t.Null == nil {
		return t.Column, nil
	}
	if len(t.Null) != t.Len() {
		return fast.Column{}, fast.ErrColumn
	}
	made := fast.Column{Offsets: make([]int64, 1, t.Len()+1), Values: make([]byte, 0, len(t.Values))}
	for row, null := range t.Null {
		if !null {
			made.Values = append(made.Values, t.Values[t.Offsets[row]:t.Offsets[row+1]]...)
		}
		made.Offsets = append(made.Offsets, int64(len(made.Values)))
	}
	return made, nil
}
