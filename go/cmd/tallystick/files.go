// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/reveals"
)

// changeFile is tallystick protect and reveal.
func changeFile(command string, arguments []string) error {
	o := newOptions(command)
	o.takeKeys()
	o.takeData(command == "reveal")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("", "SOURCE", "TARGET")
	if err != nil {
		return err
	}
	source, err := placeOf(names[0], standardInput)
	if err != nil {
		return err
	}
	target, err := placeOf(names[1], standardOutput)
	if err != nil {
		return err
	}
	if target.path == "" && o.asJSON {
		return parameterError("--json prints to standard output, and so does TARGET -; use one of them")
	}
	r := &fileRun{options: o, reveals: command == "reveal", source: source, target: target}
	return r.run()
}

func (o *options) takeData(reveals bool) {
	o.StringVar(&o.kind, "type", "", "")
	o.IntVarP(&o.threads, "threads", "t", 0, "")
	o.BoolVar(&o.overwrite, "overwrite", false, "")
	o.BoolVar(&o.ignoreMissing, "ignore-missing", false, "")
	o.BoolVar(&o.noMarker, "no-marker", false, "")
	o.BoolVar(&o.ignoreMarker, "ignore-marker", false, "")
	o.BoolVar(&o.asJSON, "json", false, "")
	o.BoolVarP(&o.quiet, "quiet", "q", false, "")
	o.StringVar(&o.report, "report", "", "")
	if reveals {
		o.StringVar(&o.revealLog, "reveal-log", os.Getenv("TALLYSTICK_REVEAL_LOG"), "")
	} else {
		o.BoolVar(&o.strict, "strict", false, "")
		o.StringArrayVar(&o.groups, "groups", nil, "")
	}
}

// fileRun is a run that makes one file of another.
type fileRun struct {
	*options
	reveals        bool
	source, target place
	rules          *policy.Policy
	ring           *keyring.Keyring
	oneWay         []string
	marker         string // what became of the source's: none, checked or ignored
	marked         bool   // the target has one
	seconds        float64
	*work
}

func (r *fileRun) run() (err error) {
	if err := r.checkReport(); err != nil {
		return err
	}
	if err := r.checkWritten(); err != nil {
		return err
	}
	if r.rules, err = loadPolicy(r.policy, r.strict); err != nil {
		return err
	}
	if r.ring, err = openRing(r.keyring, r.root); err != nil {
		return err
	}
	defer r.ring.Close()
	kind, err := kindOf(r.source, r.target, r.kind)
	if err != nil {
		return err
	}
	if r.rules.CSV.Encoding != "" {
		return fileError("%v: this program reads and writes UTF-8; the Python package's command takes encoding of [csv]", r.source)
	}
	if r.ignoreMissing {
		if err := r.dropMissing(kind); err != nil {
			return err
		}
	}
	jobs, err := r.jobs()
	if err != nil {
		return err
	}
	protector, err := openFor(r.rules, r.ring, jobs, r.reveals)
	if err != nil {
		return err
	}
	defer protector.Close()
	r.work = &work{rules: r.rules, protector: protector, reveals: r.reveals, jobs: jobs, threads: r.options.threads}
	end, err := r.log()
	if err != nil {
		return err
	}
	if err := end(r.make(kind)); err != nil {
		return err
	}
	return r.tell(kind)
}

// checkWritten refuses to write over a file that this run or others need, such as the key ring.
func (r *fileRun) checkWritten() error {
	needed := []kept{{"policy", r.policy}, {"reveal log", r.revealLog}, {"key ring", r.keyring}}
	for _, scheme := range []string{"file:", "age:"} {
		if path, ok := strings.CutPrefix(r.root, scheme); ok {
			needed = append(needed, kept{"root key", path})
		}
	}
	needed = append(needed, kept{"anchor", anchorPath()}, kept{"reveal log", os.Getenv("TALLYSTICK_REVEAL_LOG")})
	if err := checkApart("target", r.target.path, needed); err != nil {
		return err
	}
	return checkApart("report", r.report, append(needed, kept{"target", r.target.path}, kept{"source", r.source.path}))
}

// kept is a file that must not be written over; the path may be empty.
type kept struct{ what, path string }

func checkApart(what, path string, others []kept) error {
	place, err := resolve(path)
	if path == "" || err != nil { // opening it fails with the reason
		return nil
	}
	for _, other := range others {
		if its, err := resolve(other.path); other.path != "" && err == nil && its == place {
			return fileError("%s: the %s would replace the %s; choose another name", filepath.Clean(path), what, other.what)
		}
	}
	return nil
}

// make writes the target, and the report about that.
func (r *fileRun) make(kind string) error {
	page, err := r.openReport()
	if err != nil {
		return err
	}
	if page != nil {
		defer page.page.remove()
		for _, job := range r.work.jobs {
			job.rejected = map[fast.Reason][]int{}
		}
		r.counted = r.sets()
	}
	start := time.Now()
	err = r.transform(kind)
	r.seconds = seconds(start)
	if err == nil && page != nil {
		err = page.finish(r, kind)
	}
	return err
}

// loadPolicy reads a policy; if strict, columns that it does not name are refused in this run.
func loadPolicy(path string, strict bool) (*policy.Policy, error) {
	if status, err := os.Stat(path); err != nil {
		return nil, policyError("%s: can't be read: %s", path, strerror(err))
	} else if status.IsDir() {
		return nil, policyError("%s: can't be read: Is a directory; it is a folder: give a file in it", path)
	}
	made, err := policy.Load(path)
	if err == nil && strict {
		made.Unlisted = policy.UnlistedError
	}
	return made, err
}

// jobs are the rules that a run has to do with.
func (r *fileRun) jobs() (made []*job, err error) {
	for _, rule := range r.rules.Rules {
		if r.reveals && rule.Format.OneWay() {
			r.oneWay = append(r.oneWay, rule.Column)
			continue
		}
		made = append(made, &job{rule: rule})
	}
	if made == nil && r.reveals {
		return nil, policyError("the formats of all columns are one-way: there is nothing to reveal")
	}
	return made, nil
}

// openFor opens the protector of some rules of a policy, and refuses keys without the right.
func openFor(rules *policy.Policy, ring *keyring.Keyring, jobs []*job, reveals bool) (*policy.Protector, error) {
	some := *rules
	some.Rules = nil
	for _, job := range jobs {
		some.Rules = append(some.Rules, job.rule)
	}
	made, err := some.Open(ring)
	var key *policy.KeyError
	if errors.As(err, &key) {
		failed := *classify(key.Err)
		failed.text = fmt.Sprintf("column %s: its key in the policy, %s: %s", quoted(key.Column), key.Key, failed.text)
		return nil, &failed
	}
	if err != nil {
		return nil, err
	}
	for _, rule := range some.Rules {
		if err := checkRights(rule, made.Rights(rule.Column), ring, reveals); err != nil {
			made.Close()
			return nil, err
		}
	}
	return made, nil
}

func checkRights(rule policy.Rule, found keyring.Rights, ring *keyring.Keyring, reveals bool) error {
	wanted := keyring.MayProtect
	if reveals {
		wanted = keyring.MayReveal
	}
	if found&wanted != 0 {
		return nil
	}
	may := "neither protect nor reveal"
	if found != 0 {
		may = "only " + found.String()
	}
	return fail(byKeyring, "KeyringError", "%s: key %s may %s here; to %v, open the ring with a root that may do more, or change "+
		"the rights: `tallystick keyring rights`", ring.Path(), rule.Key, may, wanted)
}

// log writes that the file is about to be revealed, if that is asked for, and returns what writes the end.
func (r *fileRun) log() (end func(error) error, err error) {
	if r.revealLog == "" {
		return func(err error) error { return err }, nil
	}
	log := reveals.New(r.revealLog, who())
	about := policy.Reveal{Ring: r.ring.ID(), Revision: r.ring.Revision()}
	for _, job := range r.work.jobs {
		about.Columns = append(about.Columns, job.rule.Column)
	}
	write := func(event reveals.Event) error {
		return log.File(event, about, r.source.String(), r.target.String())
	}
	if err := write(reveals.Begin); err != nil {
		return nil, err
	}
	forget := onEnd(func() { _ = write(reveals.Failed) }) // the run is ended: nothing more can be done
	return func(err error) error {
		forget()
		if err != nil {
			return errors.Join(err, write(reveals.Failed))
		}
		about.Rows = r.rows
		return write(reveals.End)
	}, nil
}

// who is the user of this process, for logs.
func who() string {
	uid := strconv.Itoa(os.Getuid())
	if found, err := user.LookupId(uid); err == nil {
		return found.Username + " (" + uid + ")"
	}
	return uid
}

// transform writes the target.
func (r *fileRun) transform(kind string) error {
	source, err := openInput(r.source)
	if err != nil {
		return err
	}
	defer source.Close()
	r.work.source = source
	found, made, err := r.markers()
	if err != nil {
		return err
	}
	if r.work.target, err = openTarget(r.target, made, r.reveals, r.overwrite); err != nil {
		return err
	}
	switch kind {
	case csvType:
		dialect, failed := dialectOf(r.rules.CSV, r.source, r.target)
		if err = failed; err == nil {
			err = (&csvRun{work: r.work, dialect: dialect, header: !r.rules.CSV.NoHeader}).run()
		}
	default:
		var named []string
		if !r.reveals {
			named = namedBy(r.rules)
			for _, columns := range r.already {
				for _, one := range columns {
					named = append(named, one.column)
				}
			}
		}
		run, failed := newJSONRun(r.work, kind == jsonType, named)
		if err = failed; err == nil {
			err = run.run()
		}
	}
	if err == nil {
		err = r.work.target.finish()
	}
	if err == nil {
		err = source.unchanged()
	}
	if err == nil {
		now, failed := readMarker(r.source)
		if err = failed; err == nil && string(now) != string(found) {
			err = fileError("%v%s: was changed while %v was read, so nothing was written; run it again when nobody writes to it, "+
				"or on a copy", r.source, markerSuffix, r.source)
		}
	}
	if err != nil {
		r.work.target.remove()
		return err
	}
	r.marked = made != nil && r.target.path != ""
	return r.work.target.commit(r.overwrite)
}

// markers checks the source's marker, and returns it and the target's.
func (r *fileRun) markers() (found, made []byte, err error) {
	if found, err = readMarker(r.source); err != nil {
		return nil, nil, err
	}
	r.marker = "none"
	var old marker
	switch {
	case found == nil:
	case r.ignoreMarker:
		r.marker = "ignored"
	default:
		r.marker = "checked"
		if old, err = parseMarker(found, r.source); err != nil {
			return nil, nil, err
		}
	}
	var entries layer
	for _, job := range r.work.jobs {
		one, err := entryOf(job.rule, r.work.protector)
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, named{job.rule.Column, one})
	}
	var new marker
	switch {
	case !r.reveals:
		new, err = old.protected(r.source, entries)
	case r.marker == "checked":
		new, err = old.revealed(r.source, entries)
	}
	r.already = old
	if err != nil || r.noMarker {
		return found, nil, err
	}
	return found, new.bytes(), nil
}

// dropMissing drops the rules of columns that the source lacks.
func (r *fileRun) dropMissing(kind string) error {
	status, err := os.Stat(r.source.path)
	if r.source.path == "" || err == nil && !status.Mode().IsRegular() {
		return parameterError("--ignore-missing has to read %v twice, which is impossible; save it to a file first", r.source)
	}
	source, err := openInput(r.source)
	if err != nil {
		return err
	}
	defer source.Close()
	w := &work{source: source, target: &target{Writer: nowhere{}}, rules: &policy.Policy{}, reveals: true, threads: 1}
	var names []string
	if kind == csvType {
		dialect, err := dialectOf(r.rules.CSV, r.source, r.target)
		if err != nil {
			return err
		}
		run := &csvRun{work: w, dialect: dialect, header: !r.rules.CSV.NoHeader}
		if err := run.start(); err != nil {
			return err
		}
		names = run.names
	} else {
		run, err := newJSONRun(w, kind == jsonType, namedBy(r.rules))
		if err == nil {
			err = run.run()
		}
		if err != nil {
			return err
		}
		names = run.names.whole()
	}
	r.rules.Rules = slices.DeleteFunc(r.rules.Rules, func(rule policy.Rule) bool { return !slices.Contains(names, rule.Column) })
	if len(r.rules.Rules) == 0 {
		return policyError("%v: has none of the columns that the policy protects; pass the policy of this file", r.source)
	}
	return nil
}

// namedBy returns the columns that a policy names.
func namedBy(rules *policy.Policy) (names []string) {
	for _, rule := range rules.Rules {
		names = append(names, rule.Column)
		if rule.Tweak != "" {
			names = append(names, rule.Tweak)
		}
	}
	return append(names, rules.Keep...)
}

type nowhere struct{}

func (nowhere) Write(data []byte) (int, error) { return len(data), nil }

// reasonNames are the reasons in JSON, by their numbers.
var reasonNames = []string{"", "short", "long", "foreign", "delimiter", "check", "tweak", "notation", "range", "normal"}

// tell says what the run did.
func (r *fileRun) tell(kind string) error {
	if r.asJSON {
		return printJSON(r.described())
	}
	if !r.reveals {
		if r.untouched.unlisted != nil {
			say("warning: not protected, in clear: %s", countedNames(r.untouched.unlisted))
		}
		if r.untouched.kept != nil && !r.quiet {
			say("in clear, as the policy says: %s", countedNames(r.untouched.kept))
		}
	}
	for _, job := range r.work.jobs {
		r.warn(job, kind)
	}
	if !r.quiet {
		r.summarize()
	}
	if r.oneWay != nil && !r.quiet {
		say("not revealed, because their formats are one-way: %s", quotedAll(r.oneWay))
	}
	return nil
}

// warn warns of values that were not protected, are in small domains, or are read as formulas.
func (r *fileRun) warn(job *job, kind string) {
	fate := "kept in clear"
	if job.rule.OnInvalid == policy.OnInvalidNull {
		fate = "replaced by null"
	}
	column := quoted(job.rule.Column)
	for reason := range fast.Reason(len(reasonNames)) {
		if count := job.counts.Invalid[reason]; count > 0 {
			say("warning: column %s: %s %s; reason: %v", column, counted(count, "invalid value"), fate, reason)
		}
	}
	if job.counts.Small > 0 && !r.reveals {
		say("warning: column %s: %s of a small domain (fewer than %s values); anyone who can protect values can list their tokens",
			column, counted(job.counts.Small, "value"), grouped(fast.SmallDomain))
	}
	if !r.reveals && kind == csvType && job.rule.Format.MayBeFormula() {
		say("warning: column %s: tokens may begin with =, +, - or @, which spreadsheets read as a formula; import the column as text",
			column)
	}
}

func (r *fileRun) summarize() {
	if r.marker != "checked" {
		what := "is not protected already"
		if r.reveals {
			what = "was protected by this policy and these keys"
		}
		found := "has no marker"
		if r.marker == "ignored" {
			found = "has a marker, which was ignored"
		}
		say("%v %s: it was not checked whether it %s", r.source, found, what)
	}
	if r.target.path == "" && !r.noMarker && !r.reveals {
		say("standard output has no marker, so later commands can't check how it was protected")
	}
	read := int(r.work.source.count)
	work := fmt.Sprintf("%s in %.2f s", counted(read, "byte"), r.seconds)
	if read >= 1e6 {
		rate := grouped(int(float64(read)/1e6/max(r.seconds, 1e-9) + 0.5))
		work = fmt.Sprintf("%s.%d MB in %.2f s (%s MB/s)", grouped((read+50_000)/1_000_000), (read+50_000)/100_000%10, r.seconds, rate)
	}
	say("%s: %s, %s, %s: %v", r.command, counted(r.rows, "row"), counted(len(r.work.jobs), "column"), work, r.target)
}

// described is the result as JSON.
func (r *fileRun) described() object {
	var columns object
	for _, job := range r.work.jobs {
		var invalid object
		for reason := range fast.Reason(len(reasonNames)) {
			if count := job.counts.Invalid[reason]; count > 0 {
				invalid = append(invalid, field{reasonNames[reason], count})
			}
		}
		columns = append(columns, field{job.rule.Column, object{
			{"rows", job.counts.Rows}, {"nulls", job.counts.Nulls}, {"invalid", invalid}, {"small_domain", job.counts.Small},
		}})
	}
	made := object{
		{"command", r.command}, {"source", r.source.String()}, {"target", r.target.String()}, {"rows", r.rows},
		{"bytes_in", r.work.source.count}, {"bytes_out", r.work.target.count},
		{"seconds", float64(int(r.seconds*1e6)) / 1e6}, {"columns", columns}, {"marker", r.marker},
	}
	if r.reveals {
		made = append(made, field{"one_way", r.oneWay})
	} else {
		made = append(made, field{"unlisted", r.untouched.unlisted}, field{"kept", r.untouched.kept},
			field{"metadata", []string(nil)}) // which text has none of
	}
	if r.report != "" {
		made = append(made, field{"report", filepath.Clean(r.report)})
	}
	return made
}

// openRing opens a key ring, by the anchor that the environment names if it does.
func openRing(path, root string) (*keyring.Keyring, error) { return openUnder(path, root, true) }

func openUnder(path, root string, follow bool) (*keyring.Keyring, error) {
	source, err := rootOf(root)
	if err != nil {
		return nil, err
	}
	if err := ringIsThere(path); err != nil {
		return nil, err
	}
	if err := rootIsThere(root); err != nil {
		return nil, err
	}
	made, err := keyring.Open(whole(path), source)
	if err != nil || !follow {
		return made, err
	}
	if anchor := anchorPath(); anchor != "" {
		if err := made.FollowAnchor(anchor); err != nil {
			made.Close()
			return nil, err
		}
	}
	return made, nil
}

// anchorPath is the anchor that the environment names, or empty.
func anchorPath() string {
	if path := os.Getenv("TALLYSTICK_ANCHOR"); path != "" {
		return whole(path)
	}
	return ""
}

func whole(path string) string {
	if made, err := filepath.Abs(path); err == nil {
		return made
	}
	return path
}

func rootIsThere(root string) error {
	path, ok := strings.CutPrefix(root, "file:")
	if _, err := os.Stat(path); ok && errors.Is(err, os.ErrNotExist) {
		return fail(byKeyring, "RootKeyError", "%s: no such root key file; check the path, or restore it from a backup: no new one "+
			"can replace it", path)
	}
	return nil
}

func ringIsThere(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return fail(byKeyring, "KeyringError", "%s: no such key ring; check the path, or make one with `tallystick keyring new`", whole(path))
	}
	return nil
}
