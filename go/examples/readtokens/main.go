// SPDX-License-Identifier: Apache-2.0

// Command readtokens reveals a column of a CSV file that the tallystick command protected, and writes one
// value a line. docs/how-to/read-tokens-in-another-language.md explains it.
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

func main() {
	if err := reveal(os.Stdout, "tokens.csv", "phone"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// reveal writes the values of one column of a protected file.
func reveal(out io.Writer, path, column string) error {
	root, err := keyring.ParseRoot(os.Getenv("TALLYSTICK_ROOT"))
	if err != nil {
		return err
	}
	ring, err := keyring.Open(os.Getenv("TALLYSTICK_KEYRING"), root)
	if err != nil {
		return err
	}
	defer ring.Close()
	rules, err := policy.Load("people.toml")
	if err != nil {
		return err
	}
	protector, err := rules.Open(ring)
	if err != nil {
		return err
	}
	defer protector.Close()

	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return err
	}
	field := slices.Index(records[0], column)
	if field < 0 {
		return fmt.Errorf("the file has no column %s", column)
	}
	tokens := make([]policy.Value, len(records)-1)
	for i, record := range records[1:] {
		tokens[i] = policy.Value{Text: record[field]}
	}
	values, err := protector.Reveal(column, tokens, nil)
	if err != nil {
		return err
	}
	for _, value := range values {
		fmt.Fprintln(out, value.Text)
	}
	return nil
}
