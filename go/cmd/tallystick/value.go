// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

const (
	mostValues  = 1 << 14 // that are changed at once
	longestLine = 1 << 20
)

// changeValues is tallystick value protect and value reveal: a value a line, from standard input to standard output.
// Values are no arguments, since every user sees those of a process.
func changeValues(command string, arguments []string) error {
	o := newOptions(command)
	o.takeKeys()
	tweak := o.String("tweak", "", "")
	o.BoolVarP(&o.quiet, "quiet", "q", false, "")
	reveal := strings.HasSuffix(command, "reveal")
	if reveal {
		o.StringVar(&o.revealLog, "reveal-log", os.Getenv("TALLYSTICK_REVEAL_LOG"), "")
	}
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("", "COLUMN")
	if err != nil {
		return err
	}
	r := &fileRun{options: o, reveals: reveal, source: place{standard: standardInput}, target: place{standard: standardOutput}}
	if r.rules, err = loadPolicy(o.policy, false); err != nil {
		return err
	}
	at := slices.IndexFunc(r.rules.Rules, func(rule policy.Rule) bool { return rule.Column == names[0] })
	if at < 0 {
		var known []string
		for _, rule := range r.rules.Rules {
			known = append(known, rule.Column)
		}
		return policyError("%s: it has no column %s; there are: %s", o.policy, quoted(names[0]), quotedAll(known))
	}
	rule := r.rules.Rules[at]
	switch {
	case reveal && rule.Format.OneWay():
		return policyError("the formats of all columns are one-way: there is nothing to reveal")
	case rule.Tweak != "" && !o.Changed("tweak"):
		return parameterError("column %s needs --tweak: the value of %s", quoted(rule.Column), quoted(rule.Tweak))
	case rule.Tweak == "" && o.Changed("tweak"):
		return parameterError("column %s has no tweak; leave --tweak out", quoted(rule.Column))
	}
	if r.ring, err = openRing(o.keyring, o.root); err != nil {
		return err
	}
	defer r.ring.Close()
	jobs := []*job{{rule: rule}}
	protector, err := openFor(r.rules, r.ring, jobs, reveal)
	if err != nil {
		return err
	}
	defer protector.Close()
	r.work = &work{source: &input{place: r.source}, rules: r.rules, protector: protector, reveals: reveal, jobs: jobs, threads: 1}
	end, err := r.log()
	if err != nil {
		return err
	}
	if err := end(r.lines(os.Stdin, *tweak)); err != nil {
		return err
	}
	r.warn(jobs[0], ndjsonType)
	if !o.quiet {
		say("%s: %s", command, counted(r.rows, "value"))
	}
	return nil
}

// lines changes each line, and keeps what it ends with. It waits for no more lines than there are.
func (r *fileRun) lines(from io.Reader, tweak string) error {
	reader := bufio.NewReaderSize(from, longestLine)
	for ended := false; !ended; {
		var texts, ends []string
		for len(texts) < mostValues && (len(texts) == 0 || reader.Buffered() > 0) {
			line, err := reader.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				return fileError("%v: row %d: a line of more than %d bytes", r.source, r.rows+len(texts)+1, longestLine)
			}
			if ended = err == io.EOF; ended && len(line) == 0 {
				break
			}
			if err != nil && !ended {
				return withPath(standardInput, err)
			}
			text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
			texts, ends = append(texts, text), append(ends, string(line[len(text):]))
			if ended {
				break
			}
		}
		if err := r.change(texts, ends, tweak); err != nil {
			return err
		}
	}
	return nil
}

// change changes some lines; an empty one is null, and so is what on_invalid makes null.
func (r *fileRun) change(texts, ends []string, tweak string) error {
	job := r.work.jobs[0]
	values := policy.Texts{Column: fast.ColumnOf(texts), Null: make([]bool, len(texts))}
	for row, text := range texts {
		values.Null[row] = text == ""
	}
	var tweaks *policy.Texts
	if job.rule.Tweak != "" {
		tweaks = &policy.Texts{Column: fast.ColumnOf(slices.Repeat([]string{tweak}, len(texts)))}
	}
	made, err := r.apply(job, values, tweaks, func(row int) string {
		return at(r.source, &job.rule.Column, r.rows+row, r.rows+row+1)
	}, func(row int) int { return r.rows + row })
	if err != nil {
		return err
	}
	var out strings.Builder
	for row, text := range made.Strings() {
		out.WriteString(text + ends[row])
	}
	r.rows += len(texts)
	return printRaw([]byte(out.String()))
}
