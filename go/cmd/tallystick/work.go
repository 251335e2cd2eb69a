// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

// job is a rule at work on its column.
type job struct {
	rule   policy.Rule
	lock   sync.Mutex // of counts
	counts policy.Counts

	rejected map[fast.Reason][]int // the first rows with invalid values; nil: nobody asks
}

// reject notes rows with values that are invalid for a reason.
func (j *job) reject(reason fast.Reason, rows []int) {
	all := append(j.rejected[reason], rows...)
	slices.Sort(all)
	j.rejected[reason] = all[:min(len(all), mostRows)]
}

// work is what a run does to a file.
type work struct {
	source    *input
	target    *target
	rules     *policy.Policy
	protector *policy.Protector
	reveals   bool
	jobs      []*job
	threads   int
	already   marker     // what the source's marker says
	untouched untouched  // of a run that protects
	columns   []string   // of the source
	counted   [][]string // columns whose groups will be counted
	rows      int
}

// used are the columns that the jobs read.
func (w *work) used() map[string]bool {
	made := map[string]bool{}
	for _, job := range w.jobs {
		made[job.rule.Column] = true
		if job.rule.Tweak != "" {
			made[job.rule.Tweak] = true
		}
	}
	return made
}

// look notes the columns that pass in clear, and refuses them if the policy says so.
func (w *work) look(columns []string) error {
	w.columns = columns
	if err := checkGroups(w.counted, columns); err != nil {
		return err
	}
	if w.reveals {
		return nil
	}
	w.untouched = untouchedBy(w.rules, columns, w.already)
	return refuseUnlisted(w.rules, w.untouched, w.source.place)
}

// checkColumns checks that the jobs' columns are there, each once. Names of a file may be shown if they can't be values.
func (w *work) checkColumns(names []string, shown bool) error {
	for _, job := range w.jobs {
		for _, name := range []string{job.rule.Column, job.rule.Tweak} {
			if name == "" {
				continue
			}
			count := 0
			for _, one := range names {
				if one == name {
					count++
				}
			}
			if count > 1 {
				return fileError("%v: %d columns are named %s; rename them", w.source, count, quoted(name))
			}
			if count == 0 {
				return fileError("%v: no column %s; %s", w.source, quoted(name), missing(name, names, shown))
			}
		}
	}
	return nil
}

func missing(name string, names []string, shown bool) string {
	alike := func(one string) bool { return strings.EqualFold(strings.TrimSpace(one), strings.TrimSpace(name)) }
	were := "were"
	if len(names) == 1 {
		were = "was"
	}
	switch {
	case slices.ContainsFunc(names, alike):
		return "one column differs only in case or spaces; write the name as in the file"
	case shown && len(names) == 0:
		return "there are: none"
	case shown:
		return "there are: " + quotedAll(names)
	}
	return "check its spelling, the delimiter and whether the file has a header; if the policy is for several tables, ignore " +
		"missing columns (--ignore-missing); " + counted(len(names), "column") + " " + were + " found"
}

const (
	mend = "correct the value, change the options of the format (such as case, separators or a wider range), or set " +
		"on_invalid = 'null' or 'keep' for the column in the policy"
	mendRevealing = "it can't be a token of this policy; pass the policy that protected the data"
)

// apply changes some values of a column. where names the place of one, and number is its row in the source, from 0.
func (w *work) apply(job *job, values policy.Texts, tweaks *policy.Texts, where func(row int) string, number func(row int) int) (policy.Texts, error) {
	change := w.protector.ProtectCounted
	if w.reveals {
		change = w.protector.RevealCounted
	}
	var counts policy.Counts
	rejected := map[fast.Reason][]int{}
	if job.rejected != nil {
		counts.Rejected = func(row int, reason fast.Reason) {
			if len(rejected[reason]) < mostRows {
				rejected[reason] = append(rejected[reason], number(row))
			}
		}
	}
	made, err := change(context.Background(), job.rule.Column, values, tweaks, &counts)
	var invalid *policy.InvalidValueError
	if errors.As(err, &invalid) {
		advice := mend
		if w.reveals {
			advice = mendRevealing
		}
		return made, fail(invalidValue, "InvalidValueError", "%s: %s; %s", where(invalid.Row), invalid.Why(), advice)
	}
	job.lock.Lock()
	defer job.lock.Unlock()
	job.counts.Add(&counts)
	for reason, rows := range rejected {
		job.reject(reason, rows)
	}
	return made, err
}
