// SPDX-License-Identifier: Apache-2.0

// Package tallystickprocessor is a processor of the OpenTelemetry Collector. It protects the values that a text policy
// finds in logs, spans and metrics, or reveals the tokens in them. Data that it can't process never passes.
//
// docs/how-to/protect-telemetry.md shows how to use it.
package tallystickprocessor

import "errors"

// Config is the configuration of the processor.
type Config struct {
	// TextPolicy is the file of the text policy.
	TextPolicy string `mapstructure:"text_policy"`
	// Keyring is the file of the key ring, and Root its root key: file:PATH or env:NAME.
	Keyring string `mapstructure:"keyring"`
	Root    string `mapstructure:"root"`
	// Anchor is the file of the key ring's anchor, or nothing.
	Anchor string `mapstructure:"anchor"`
	// Scope is the scope of tokens, such as a tenant.
	Scope string `mapstructure:"scope"`
	// Mode is "protect" or "reveal".
	Mode string `mapstructure:"mode"`
	// Context is what revealed values are escaped for: "text", "json" or "html".
	Context string `mapstructure:"context"`
	// RevealLog is the file of a log of reveals, or nothing.
	RevealLog string `mapstructure:"reveal_log"`
	// OnError is "refuse", so that the sender of a batch gets an error, or "drop", so that the log record, span or data
	// point goes missing.
	OnError string `mapstructure:"on_error"`
}

func defaults() *Config { return &Config{Mode: "protect", Context: "text", OnError: "refuse"} }

// Validate refuses a configuration that is not complete, or not clear.
func (c *Config) Validate() error {
	switch {
	case c.TextPolicy == "":
		return errors.New("text_policy: is missing; it is the file of a text policy")
	case c.Keyring == "":
		return errors.New("keyring: is missing; it is the file of a key ring")
	case c.Root == "":
		return errors.New("root: is missing; it is the root key of the key ring, file:PATH or env:NAME")
	case c.Mode != "protect" && c.Mode != "reveal":
		return errors.New("mode: must be protect or reveal")
	case c.OnError != "refuse" && c.OnError != "drop":
		return errors.New("on_error: must be refuse or drop")
	case !known(c.Context):
		return errors.New("context: must be text, json or html")
	case c.Mode == "protect" && (c.Context != "text" || c.RevealLog != ""):
		return errors.New("context and reveal_log: are for mode: reveal")
	}
	return nil
}
