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
