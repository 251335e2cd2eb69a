// SPDX-License-Identifier: Apache-2.0

package textcore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/textcore"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

// TestScanVectors compares places and kinds; rules and certainties have no use in Go.
func TestScanVectors(t *testing.T) {
	rules, err := textcore.NewRules([]byte(`{"least": "weak", "lists": {"names": ["acme corp", "acme", "Müller", "ümit", "田中"]},
		"patterns": {"ids": "ID-[0-9]{6}"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range vectors.Load[struct {
		Name, Text string
		Findings   []string
	}](t, "text_scan") {
		found, err := rules.Scan([]byte(c.Text))
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, one := range found {
			got = append(got, fmt.Sprintf("%d %d %s", one.Start, one.End-one.Start, textcore.ScanKinds[one.Kind]))
		}
		for _, line := range c.Findings { // "5 19 national_id.br.cpf strong"
			words := strings.Fields(line)
			kind, _, _ := strings.Cut(words[2], ".")
			want = append(want, strings.Join([]string{words[0], words[1], kind}, " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", c.Name, got, want)
		}
	}
}
