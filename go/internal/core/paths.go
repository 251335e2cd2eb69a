// SPDX-License-Identifier: Apache-2.0

package core

// StepKind is what a step of a column's path leads to.
type StepKind uint32

// The kinds of steps: to a field by its name, to the items of a list, and to the values of a map.
const (
	StepField StepKind = 1 + iota
	StepItems
	StepValues
)

// PathStep is a step of a path; Name is empty unless it leads to a field.
type PathStep struct {
	Kind StepKind
	Name string
}
