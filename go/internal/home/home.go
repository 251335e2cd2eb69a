// SPDX-License-Identifier: Apache-2.0

// Package home is what homes of wrapping keys share: their errors, and requests to those that speak JSON by HTTPS.
package home

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tallystick/tallystick/go/keyring"
)

// Wrong is an error of a kind of keyring about a wrapping key of this name.
func Wrong(kind error, name, format string, arguments ...any) error {
	return fmt.Errorf("%w: %s: %s", kind, name, fmt.Sprintf(format, arguments...))
}

// Said is what a home said, in brackets and quotes, and not long; nothing if it said nothing.
func Said(text string) string {
	if text == "" {
		return ""
	}
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "")
	}
	return fmt.Sprintf(" (%q)", text)
}

// Lost says that a wrapping key is not in its home.
func Lost(name, said string) error {
	return Wrong(keyring.ErrRootLost, name, "there is no such key%s; check the name; if the key was deleted, open the "+
		"ring with another of its roots, or restore the key in its home", Said(said))
}

// Denied says that a home refuses, and what it wants.
func Denied(name, said, needed string) error {
	return Wrong(keyring.ErrRootDenied, name, "the use of the key is denied%s; %s", Said(said), needed)
}

// Changed says that a key does not decrypt a ring's record.
func Changed(name, said string) error {
	return Wrong(keyring.ErrRootKey, name, "the key does not decrypt the ring's record%s: it is another key of that name, "+
		"or the record was changed; restore the ring, or the key", Said(said))
}

// Waits are the times before each further try of a request.
var Waits = []time.Duration{250 * time.Millisecond, time.Second}

// Loopback tells whether a host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ErrPlain: plain HTTP would go to another machine.
var ErrPlain = errors.New("would get the credential and the root key unencrypted")

// ErrAddress: it is not https://HOST:PORT.
var ErrAddress = errors.New("is not https://HOST:PORT")

// Base returns https://HOST:PORT of an address; plain HTTP is for this machine alone. It returns ErrPlain or
// ErrAddress.
func Base(address string) (string, error) {
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" || at.User != nil || at.Scheme != "https" && at.Scheme != "http" ||
		strings.Trim(at.Path, "/") != "" {
		return "", ErrAddress
	}
	if at.Scheme == "http" && !Loopback(at.Hostname()) {
		return "", fmt.Errorf("%s %w", at.Hostname(), ErrPlain)
	}
	return at.Scheme + "://" + at.Host, nil
}

// Post sends a body as JSON, and returns the status; the answer is put into said if it is JSON. A busy or unreachable
// server is tried three times in all, each of at most ten seconds, and no redirection is followed. Errors have neither
// headers nor body. The server's certificate is by one of authorities, or of the system's if that is nil.
func Post(ctx context.Context, address string, headers map[string]string, body, said any, authorities *x509.CertPool) (int, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	transport := &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities},
		DisableKeepAlives: true,
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: refuse}
	for try := 0; ; try++ {
		status, data, err := once(ctx, client, address, headers, text)
		if last := try == len(Waits); err == nil && (last || !again(status)) {
			// An answer that is none has an empty value for whoever reads it.
			_ = json.Unmarshal(data, said)
			return status, nil
		} else if last {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(Waits[try]):
		}
	}
}

func again(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func once(ctx context.Context, client *http.Client, address string, headers map[string]string, body []byte) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		// A URL's error repeats the address, which callers name.
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		return 0, nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, data, err
}
