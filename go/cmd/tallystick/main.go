// SPDX-License-Identifier: Apache-2.0

// Command tallystick protects and reveals CSV, NDJSON, JSON and single values by a policy, and makes key rings. It is one
// file without anything beside it:
//
//	tallystick keyring new people.keys --root file:root.key
//	tallystick keyring add people.keys people --root file:root.key
//	tallystick protect people.csv tokens.csv -p people.toml -k people.keys -r file:root.key
//	tallystick reveal tokens.csv back.csv -p people.toml -k people.keys -r file:root.key
//
// Commands, options, messages, exit codes and files are those of the Python package's command, of which it has a part:
// docs/reference/go-command.md says which.
package main

import (
	"os"
	"slices"

	"github.com/tallystick/tallystick/go/cmd/internal/dumps"
)

func main() {
	arguments := os.Args[1:]
	asJSON := slices.Contains(arguments, "--json")
	endOnSignals(asJSON)
	err := dumps.Refuse()
	if err == nil {
		err = run(arguments)
	}
	os.Exit(report(err, asJSON))
}

// run does what the arguments say.
func run(arguments []string) error {
	if len(arguments) == 0 || arguments[0] == "--help" {
		return printHelp("")
	}
	switch name, rest := arguments[0], arguments[1:]; name {
	case "--version":
		return printLine("tallystick " + version())
	case "protect", "reveal":
		return changeFile(name, rest)
	case "value":
		return group(name, rest, map[string]func(string, []string) error{"protect": changeValues, "reveal": changeValues})
	case "keyring":
		return group(name, rest, map[string]func(string, []string) error{
			"new": newRing, "add": addKey, "rotate": rotateKey, "wrap": wrapRing, "rights": setRights,
			"anchor": makeAnchor, "signers": setSigners, "list": listKeys,
		})
	default:
		return noCommand(name)
	}
}

// group runs a command of several that have a name together.
func group(name string, arguments []string, commands map[string]func(string, []string) error) error {
	if len(arguments) == 0 || arguments[0] == "--help" {
		return printHelp(name)
	}
	command, known := commands[arguments[0]]
	if !known {
		return noCommand(name + " " + arguments[0])
	}
	return command(name+" "+arguments[0], arguments[1:])
}

func noCommand(name string) error {
	return fail(usage, "UsageError", "no such command: %s; this program has protect, reveal, value and keyring (new, add, "+
		"rotate, wrap, rights, anchor, signers, list); the Python package's command has more; `tallystick --help` shows the usage", name)
}
