// SPDX-License-Identifier: Apache-2.0

package core

import "bytes"

// problem is tally_problem, field by field.
type problem struct {
	place [256]byte
	text  [768]byte
}

// ProblemError is a problem as an error: what is wrong, and where. errors.Is tells its Status.
type ProblemError struct {
	Status      Status
	Place, Text string
}

// Unwrap returns the status.
func (e *ProblemError) Unwrap() error { return e.Status }

// Error says what is wrong, behind its place if it has one.
func (e *ProblemError) Error() string {
	if e.Place == "" {
		return e.Text
	}
	return e.Place + ": " + e.Text
}

// of returns what a call came to: the status, with the problem if the call had one.
func (p *problem) of(status Status) error {
	switch {
	case status == OK:
		return nil
	case status == Memory:
		return ErrMemory
	case p.text[0] == 0:
		return status
	}
	return &ProblemError{status, terminated(p.place[:]), terminated(p.text[:])}
}

// terminated returns the text that ends with a zero.
func terminated(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
