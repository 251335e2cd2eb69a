// SPDX-License-Identifier: Apache-2.0

package text

import (
	"cmp"
	"slices"
)

// join returns spans in order, none over another, as in Python's tallystick.text.
func join(spans []Span, size int) ([]Span, error) {
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	made, longest := sorted[:0], 0
	for _, span := range sorted {
		if span.Start < 0 || span.Start > span.End || span.End > size {
			return nil, ErrSpan
		}
		width := span.End - span.Start
		if width == 0 {
			continue
		}
		if len(made) > 0 && span.Start < made[len(made)-1].End {
			last := &made[len(made)-1]
			if width > longest {
				last.Kind, longest = span.Kind, width
			}
			last.End = max(last.End, span.End)
			continue
		}
		made, longest = append(made, span), width
	}
	return made, nil
}

// apart returns spans without the parts that are taken. Both are in order, none over another.
func apart(spans, taken []Span) []Span {
	var made []Span
	at := 0
	for _, span := range spans {
		for at < len(taken) && taken[at].End <= span.Start {
			at++
		}
		for _, one := range taken[at:] {
			if one.Start >= span.End {
				break
			}
			if span.Start < one.Start {
				made = append(made, Span{span.Start, one.Start, span.Kind})
			}
			span.Start = max(span.Start, one.End)
		}
		if span.Start < span.End {
			made = append(made, span)
		}
	}
	return made
}
