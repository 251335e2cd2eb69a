// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"

	"fmt"
	"html/template"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

// A report is a page about a run, without a value of the data. It is that of the Python package's command, without its plots.
var (
	//go:embed report.html
	reportText string
	//go:embed report.css
	reportStyle string

	reportPage = template.Must(template.New("report").Funcs(template.FuncMap{
		"plain": plain, "count": grouped, "size": sizeOf,
	}).Parse(reportText))
)

const (
	mostRows       = 100 // with an invalid value, that are listed for each reason
	smallestDomain = 100 // values, fewer of which hide next to nothing; TALLY_SMALLEST_DOMAIN of the core
)

// reportFile is a page under way.
type reportFile struct {
	page  *target
	began time.Time
	path  string
}

// openReport opens the page of a run, before anything is read.
func (r *fileRun) openReport() (*reportFile, error) {
	if r.report == "" {
		return nil, nil
	}
	path, err := resolve(r.report)
	if err != nil {
		return nil, err
	}
	page, err := openPrivate(path, r.overwrite)
	return &reportFile{page, time.Now().UTC(), r.report}, err
}

// finish writes the page of a run whose target is complete.
func (p *reportFile) finish(r *fileRun, kind string) error {
	found, err := r.measure(kind)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err = reportPage.Execute(&text, r.page(p.began, found)); err == nil {
		_, err = p.page.Write([]byte(text.String()))
	}
	if err == nil {
		err = p.page.commit(r.overwrite)
	}
	if err != nil {
		err = fileError("%s; %v is complete, and only its report failed", classify(err).text, r.target)
	}
	return err
}

// tile is a number at the top of the page.
type tile struct{ Name, Value, Unit, Kind, More string }

// Signs is how long the number is.
func (t tile) Signs() int { return len([]rune(strings.TrimSpace(t.Value + " " + t.Unit))) }

// reportColumn is a column that was changed.
type reportColumn struct {
	Rule            policy.Rule
	Counts          policy.Counts
	Options         string
	Done, Invalid   int
	Small           int // when protecting
	Became, Fate    string
	Domain, Meaning string
	Rejected        []rejected
}

// rejected are the invalid values of a column for one reason.
type rejected struct {
	Column string
	Reason fast.Reason
	Count  int
	Rows   string
	More   int
}

// reportTable is a table of columns.
type reportTable struct {
	Title, Label, How, Done, None string
	Columns                       []reportColumn
}

func tableOf(columns []reportColumn, keep func(reportColumn) bool, table reportTable) *reportTable {
	for _, column := range columns {
		if keep(column) {
			table.Columns = append(table.Columns, column)
		}
	}
	if table.Columns == nil {
		return nil
	}
	return &table
}

// reportData is what the page shows.
type reportData struct {
	Command, Source, Target, Version, Marker string
	Style                                    template.CSS
	Began                                    time.Time
	Threads                                  int
	BytesIn, BytesOut                        int64
	Protects                                 bool
	Tiles                                    []tile
	Columns                                  []reportColumn
	TwoWay, OneWay                           *reportTable
	Left, Untouched                          []string
	Invalid, Small                           int
	Groups                                   []groups
	SmallDomain, MostRows, MostGroups        int
	Sizes                                    []int
}

func (r *fileRun) page(began time.Time, found []groups) *reportData {
	made := &reportData{
		Command: r.command, Source: nameOf(r.source), Target: nameOf(r.target), Version: version(), Marker: r.marker,
		Style: template.CSS(reportStyle), Began: began, Threads: r.work.threads, BytesIn: r.work.source.count,
		BytesOut: r.work.target.count, Protects: !r.reveals, Groups: found, SmallDomain: fast.SmallDomain, MostRows: mostRows,
		MostGroups: mostGroups, Sizes: groupSizes,
	}
	values, nulls := 0, 0
	for _, job := range r.work.jobs {
		column := r.reportColumn(job)
		made.Columns = append(made.Columns, column)
		made.Invalid, made.Small = made.Invalid+column.Invalid, made.Small+column.Small
		values, nulls = values+column.Done, nulls+column.Counts.Nulls
	}
	done, title := "protected", "Protected"
	if r.reveals {
		done, title = "revealed", "Revealed"
	}
	made.TwoWay = tableOf(made.Columns, func(c reportColumn) bool { return !c.Rule.Format.OneWay() },
		reportTable{Title: title, Label: "columns " + done, How: "format", Done: done})
	made.OneWay = tableOf(made.Columns, func(c reportColumn) bool { return c.Rule.Format.OneWay() },
		reportTable{Title: "Replaced for good (one-way)", Label: "one-way columns", How: "method", Done: "replaced", None: "–"})
	made.Left = slices.DeleteFunc(slices.Clone(r.oneWay), func(name string) bool { return !slices.Contains(r.columns, name) })
	made.Untouched = slices.DeleteFunc(slices.Clone(r.columns), func(name string) bool {
		return slices.ContainsFunc(r.rules.Rules, func(rule policy.Rule) bool { return rule.Column == name })
	})
	good := "good"
	if made.Invalid > 0 {
		good = "bad"
	}
	took := max(r.seconds, 1e-9)
	long := fmt.Sprintf("%.2f", r.seconds)
	if r.seconds >= 100 {
		long = rounded(r.seconds)
	}
	made.Tiles = []tile{
		{Name: "rows", Value: grouped(r.rows)},
		{Name: "columns replaced", Value: fmt.Sprint(len(made.Columns)), Unit: fmt.Sprintf("of %d", len(r.columns))},
		{Name: "values " + done, Value: grouped(values)},
		{Name: "nulls", Value: grouped(nulls)},
		{Name: "values rejected", Value: grouped(made.Invalid), Kind: good},
		{Name: "time", Value: long, Unit: "s"},
		{Name: "throughput", Value: rounded(float64(made.BytesIn) / 1e6 / took), Unit: "MB/s",
			More: rounded(float64(r.rows)/took) + " rows/s"},
	}
	return made
}

// nameOf returns a place's name without its folders.
func nameOf(p place) string {
	if p.path == "" {
		return p.standard
	}
	return filepath.Base(p.path)
}

func rounded(number float64) string { return grouped(int(math.RoundToEven(number))) }

func sizeOf(size int64) string {
	for _, unit := range []struct {
		name string
		one  int64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if size >= unit.one {
			tenths := int(math.RoundToEven(float64(size) / float64(unit.one) * 10))
			return fmt.Sprintf("%s.%d %s", grouped(tenths/10), tenths%10, unit.name)
		}
	}
	return counted(int(size), "byte")
}

func (r *fileRun) reportColumn(job *job) reportColumn {
	counts := job.counts
	made := reportColumn{Rule: job.rule, Counts: counts, Options: optionsOf(job.rule.Format), Domain: domainOf(job.rule.Format)}
	made.Became, made.Fate = "kept in clear", "Kept as they are, in clear"
	switch {
	case job.rule.OnInvalid == policy.OnInvalidNull:
		made.Became, made.Fate = "replaced by null", "Became null"
	case r.reveals:
		made.Became = "kept"
	}
	for reason := range fast.Reason(len(reasonNames)) {
		count := counts.Invalid[reason]
		if count == 0 {
			continue
		}
		made.Invalid += count
		rows := job.rejected[reason]
		var text []string
		for _, row := range rows {
			text = append(text, fmt.Sprint(row+1))
		}
		made.Rejected = append(made.Rejected, rejected{job.rule.Column, reason, count, strings.Join(text, " · "), count - len(rows)})
	}
	made.Done = counts.Rows - counts.Nulls - made.Invalid
	if !r.reveals {
		made.Small = counts.Small
	}
	made.Meaning = meaningOf(job.rule, counts.Small)
	return made
}

// optionsOf returns the options that a policy gives a format.
func optionsOf(format *fast.Format) string {
	var options map[string]any
	text, err := format.MarshalJSON()
	if err != nil || json.Unmarshal(text, &options) != nil {
		return ""
	}
	delete(options, "type")
	var made []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		made = append(made, fmt.Sprintf("%s = %s", name, optionText(options[name])))
	}
	return strings.Join(made, "; ")
}

func optionText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return fmt.Sprintf("%.0f", value)
	case []any:
		var made []string
		for _, one := range value {
			if text, ok := one.(string); ok {
				made = append(made, quoted(text))
			} else {
				made = append(made, optionText(one))
			}
		}
		return "[" + strings.Join(made, ", ") + "]"
	case map[string]any: // a date or a time
		for _, one := range value {
			return optionText(one)
		}
	}
	return fmt.Sprint(value)
}

func domainOf(format *fast.Format) string {
	size := format.SmallestDomain()
	switch {
	case size == 0:
		return "–"
	case size < 1e9:
		return grouped(int(size))
	case size == math.MaxUint64:
		return "over 10¹⁹ (64 bits)"
	}
	power := strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").
		Replace(fmt.Sprintf("%.0f", math.Log10(float64(size))))
	return fmt.Sprintf("about 10%s (%.0f bits)", power, math.Log2(float64(size)))
}

// meaningOf returns what the smallest domain of a rule's format means.
func meaningOf(rule policy.Rule, small int) string {
	size := rule.Format.SmallestDomain()
	switch {
	case size == 0 && rule.Key == "":
		return "no key: anybody can mask guessed values and compare"
	case size == 0:
		return "one-way: a holder of the key can try values; without the key they are hidden"
	case size < smallestDomain:
		return "tiny: a few known pairs list most of its tokens; this hides next to nothing"
	case size < fast.SmallDomain && small > 0:
		return "small: anyone who can protect values can list the tokens of such values"
	case size < fast.SmallDomain:
		return "small only for the shortest values; this file has none of them"
	}
	return "its tokens can't be listed with fewer than a million requests"
}

// checkReport refuses groups without a page that shows them.
func (r *fileRun) checkReport() error {
	switch {
	case len(r.groups) > 0 && r.report == "":
		return parameterError("--groups says what the report counts; pass --report FILE too")
	case len(r.groups) > 0 && r.target.path == "":
		return parameterError("groups: they are shown in a report on a target that is a file")
	}
	return nil
}
