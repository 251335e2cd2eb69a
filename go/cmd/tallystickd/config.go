// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/tallystick/tallystick/go/cmd/internal/allroots"
	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/reveals"
)

// config is the configuration file.
type config struct {
	Listen  string            `toml:"listen"`
	Policy  string            `toml:"policy"`
	Keyring string            `toml:"keyring"`
	Root    string            `toml:"root"`
	Anchor  string            `toml:"anchor"`
	Reveals string            `toml:"reveal_log"`
	Hosts   []string          `toml:"hosts"`
	TLS     tlsConfig         `toml:"tls"`
	Limits  limits            `toml:"limits"`
	Callers map[string]caller `toml:"callers"`
}

type tlsConfig struct {
	Certificate string `toml:"certificate"`
	Key         string `toml:"key"`
	Clients     string `toml:"clients"` // authorities of callers' certificates
}

// limits bound what one request, and all of them together, may take.
type limits struct {
	Body        int64         `toml:"body"`       // bytes of JSON
	ArrowBody   int64         `toml:"arrow_body"` // bytes of Arrow IPC
	Records     int           `toml:"records"`    // of JSON
	Symbols     int64         `toml:"symbols"`    // bytes of values that a request may have protected or revealed
	Layers      int64         `toml:"layers"`     // layers of FAST: CPU, estimated before the work
	Time        time.Duration `toml:"time"`       // of the work of a request
	Requests    int           `toml:"requests"`   // that are worked on at once
	Wait        time.Duration `toml:"wait"`       // for a place among them
	Memory      int64         `toml:"memory"`     // bytes of all bodies together
	Connections int           `toml:"connections"`
}

func defaultLimits() limits {
	return limits{
		Body: 1 << 20, ArrowBody: 64 << 20, Records: 10_000, Symbols: 64 << 20, Layers: 1_000_000_000,
		Time: 20 * time.Second, Requests: 16, Wait: time.Second, Memory: 512 << 20, Connections: 1024,
	}
}

// caller is who may call the server, and what for.
type caller struct {
	TokenHash   string   `toml:"token_sha256"` // of the bearer token, in hexadecimal
	Certificate string   `toml:"certificate"`  // a DNS name or URI of the certificate
	Protect     []string `toml:"protect"`      // columns, or "*"
	Reveal      []string `toml:"reveal"`
	Metrics     bool     `toml:"metrics"`
}

const maxConfig = 1 << 20

// readConfig reads a configuration. Paths in it are relative to its folder.
func readConfig(path string) (*config, error) {
	text, err := private.Read(path, maxConfig)
	if err != nil {
		return nil, err
	}
	made := &config{Listen: "localhost:8443", Limits: defaultLimits()}
	about, err := toml.Decode(string(text), made)
	if err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) { // its other texts quote the file
			return nil, fmt.Errorf("%s: line %d: not valid TOML", path, parse.Position.Line)
		}
		return nil, fmt.Errorf("%s: a key has a value of a wrong type: %w", path, err)
	}
	if unknown := about.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: %s is not a key of this file; remove it or mend its name", path, unknown[0])
	}
	folder := filepath.Dir(path)
	for _, file := range []*string{&made.Policy, &made.Keyring, &made.Reveals, &made.Anchor, &made.TLS.Certificate, &made.TLS.Key, &made.TLS.Clients} {
		if *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(folder, *file)
		}
	}
	for _, scheme := range []string{"file:", "age:"} {
		if file, ok := strings.CutPrefix(made.Root, scheme); ok && !filepath.IsAbs(file) && made.Root != "age:passphrase" {
			made.Root = scheme + filepath.Join(folder, file)
		}
	}
	if err := made.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return made, nil
}

func (c *config) check() error {
	for name, value := range map[string]string{"policy": c.Policy, "keyring": c.Keyring, "root": c.Root} {
		if value == "" {
			return fmt.Errorf("%s is missing", name)
		}
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return errors.New("listen has the form HOST:PORT")
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case (c.TLS.Certificate == "") != (c.TLS.Key == ""):
		return errors.New("tls has both certificate and key, or neither")
	case c.TLS.Certificate == "" && c.TLS.Clients != "":
		return errors.New("tls.clients needs tls.certificate and tls.key")
	case c.TLS.Certificate == "" && !loopback:
		return errors.New("without tls the server listens on this machine alone: set tls.certificate and tls.key, " +
			"or listen on localhost")
	case len(c.Callers) == 0:
		return errors.New("nobody may call: add a caller, such as [callers.shop]; \"tallystickd token\" makes its token")
	}
	l := &c.Limits
	for name, value := range map[string]int64{
		"body": l.Body, "arrow_body": l.ArrowBody, "records": int64(l.Records), "symbols": l.Symbols, "layers": l.Layers,
		"time": int64(l.Time), "requests": int64(l.Requests), "wait": int64(l.Wait) + 1, "memory": l.Memory,
		"connections": int64(l.Connections),
	} {
		if value <= 0 {
			return fmt.Errorf("limits.%s is more than 0", name)
		}
	}
	for name, value := range map[string]time.Duration{"time": l.Time, "wait": l.Wait} {
		if value != 0 && value < time.Millisecond { // a number is taken as nanoseconds
			return fmt.Errorf("limits.%s is at least 1ms: write it with its unit, such as \"20s\"", name)
		}
	}
	if l.Time > maxTime-l.Wait {
		return fmt.Errorf("limits.time and limits.wait are more than %v together: an answer that late is cut off", maxTime)
	}
	shown := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Callers)) {
		one := c.Callers[name]
		hash, err := hex.DecodeString(one.TokenHash)
		shows := string(hash) + " " + strings.ToLower(one.Certificate)
		switch {
		case one.TokenHash == "" && one.Certificate == "":
			return fmt.Errorf("callers.%s has no token_sha256 and no certificate; set one of them or both", name)
		case one.TokenHash != "" && (err != nil || len(hash) != sha256.Size):
			return fmt.Errorf("callers.%s.token_sha256 is 64 hexadecimal digits; \"tallystickd token\" prints them", name)
		case one.TokenHash != "" && [sha256.Size]byte(hash) == sha256.Sum256(nil): // which a request without a token has, too
			return fmt.Errorf("callers.%s.token_sha256 is the hash of no text at all; \"tallystickd token\" makes a token and its hash", name)
		case one.Certificate != "" && c.TLS.Clients == "":
			return fmt.Errorf("callers.%s.certificate needs tls.clients: the authorities of certificates", name)
		case shown[shows] != "":
			return fmt.Errorf("callers.%s and callers.%s are the same; give each its own token", name, shown[shows])
		}
		shown[shows] = name
	}
	return nil
}

// checkColumns refuses rights on columns that the policy does not name.
func (c *config) checkColumns(rules []policy.Rule) error {
	for name, one := range c.Callers {
		for _, column := range append(slices.Clone(one.Protect), one.Reveal...) {
			if column != "*" && !slices.ContainsFunc(rules, func(r policy.Rule) bool { return r.Column == column }) {
				return fmt.Errorf("callers.%s: the policy has no column %q", name, column)
			}
		}
	}
	return nil
}

// open opens the protector of a configuration.
func (c *config) open() (*policy.Protector, error) {
	source, err := allroots.Parse(c.Root)
	if err != nil {
		return nil, err
	}
	loaded, err := policy.Load(c.Policy)
	if err != nil {
		return nil, err
	}
	if err := c.checkColumns(loaded.Rules); err != nil {
		return nil, err
	}
	keys, err := keyring.Open(c.Keyring, source)
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	if c.Anchor != "" {
		if err := keys.FollowAnchor(c.Anchor); err != nil {
			return nil, err
		}
	}
	var options []policy.Option
	if !c.reveals() {
		options = append(options, policy.ProtectOnly())
	}
	if c.Reveals != "" {
		options = append(options, policy.OnReveal(reveals.New(c.Reveals, "tallystickd").Hook))
	}
	return loaded.Open(keys, options...)
}

// reveals says whether anybody may reveal anything.
func (c *config) reveals() bool {
	for _, one := range c.Callers {
		if len(one.Reveal) > 0 {
			return true
		}
	}
	return false
}

// names returns the host names that requests may have.
func (c *config) names() []string {
	host, _, _ := net.SplitHostPort(c.Listen)
	return append([]string{"localhost", host}, c.Hosts...)
}

// open returns nil for a server without TLS.
func (t *tlsConfig) open(callers map[string]caller) (*tls.Config, error) {
	if t.Certificate == "" {
		return nil, nil
	}
	chain, err := private.Read(t.Certificate, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("tls.certificate: %w", err)
	}
	key, err := private.ReadOwnOrRoot(t.Key, maxConfig, "TLS key")
	if err != nil {
		return nil, fmt.Errorf("tls.key: %w", err)
	}
	certificate, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	made := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"},
	}
	if t.Clients == "" {
		return made, nil
	}
	text, err := private.Read(t.Clients, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("tls.clients: %w", err)
	}
	made.ClientCAs = x509.NewCertPool()
	if !made.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("tls.clients: %s has no certificate in PEM", t.Clients)
	}
	made.ClientAuth = tls.RequireAndVerifyClientCert
	for _, one := range callers {
		if one.Certificate == "" {
			made.ClientAuth = tls.VerifyClientCertIfGiven
		}
	}
	return made, nil
}
