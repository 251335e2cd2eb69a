// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
)

//go:embed help.txt
var help string

// printHelp prints the help of a command, or of the program.
func printHelp(command string) error {
	for _, text := range strings.Split(help, "\f\n") {
		if name, rest, _ := strings.Cut(text, "\n"); name == strings.TrimSpace("tallystick "+command) {
			return printRaw([]byte("usage: " + name + " " + rest))
		}
	}
	return noCommand(command)
}

func version() string {
	if about, ok := debug.ReadBuildInfo(); ok {
		return about.Main.Version
	}
	return "(unknown)"
}

// options are those of a command.
type options struct {
	*pflag.FlagSet
	command string

	policy, keyring, root, revealLog, kind, report   string
	groups                                           []string
	threads                                          int
	overwrite, strict, ignoreMissing                 bool
	noMarker, ignoreMarker, asJSON, quiet, helpAsked bool
}

func newOptions(command string) *options {
	o := &options{FlagSet: pflag.NewFlagSet(command, pflag.ContinueOnError), command: command}
	o.BoolVar(&o.helpAsked, "help", false, "")
	o.SortFlags = false
	return o
}

func (o *options) takeRoot() {
	o.StringVarP(&o.root, "root", "r", os.Getenv("TALLYSTICK_ROOT"), "")
}

func (o *options) takeKeys() {
	o.StringVarP(&o.policy, "policy", "p", os.Getenv("TALLYSTICK_POLICY"), "")
	o.StringVarP(&o.keyring, "keyring", "k", os.Getenv("TALLYSTICK_KEYRING"), "")
	o.takeRoot()
}

// parse reads the arguments; done says that all is done: help was asked for.
func (o *options) parse(arguments []string) (done bool, err error) {
	if err := o.Parse(arguments); err != nil {
		return false, o.misused("%s", strings.ToLower(err.Error()[:1])+err.Error()[1:])
	}
	if o.helpAsked {
		return true, printHelp(o.command)
	}
	return false, o.complete()
}

// complete refuses an option that is needed and missing.
func (o *options) complete() error {
	for _, name := range []string{"policy", "keyring", "root"} {
		if one := o.Lookup(name); one != nil && one.Value.String() == "" {
			return o.misused("missing option --%s", name)
		}
	}
	if one := o.Lookup("threads"); one != nil {
		if one.Changed && (o.threads < 1 || o.threads > 1024) {
			return o.misused("--threads is 1 to 1024")
		}
		if !one.Changed {
			o.threads = runtime.GOMAXPROCS(0)
		}
	}
	return nil
}

func (o *options) misused(format string, arguments ...any) error {
	text := fail(usage, "UsageError", format, arguments...).(*failure)
	text.text += "; `tallystick " + o.command + " --help` shows the usage"
	return text
}

// take returns so many arguments; the first may come from the environment.
func (o *options) take(environment string, names ...string) ([]string, error) {
	given := o.Args()
	if set := os.Getenv(environment); environment != "" && len(given) < len(names) && set != "" {
		given = append([]string{set}, given...)
	}
	if len(given) < len(names) {
		return nil, o.misused("missing argument %s", names[len(given)])
	}
	if len(given) > len(names) {
		return nil, o.misused("got unexpected extra argument (%s)", given[len(names)])
	}
	return given, nil
}
