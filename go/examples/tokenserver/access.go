// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
)

const (
	leastToken   = 16   // bytes of a token
	maxTokenFile = 4096 // bytes of its file
)

// access says who may call the server.
type access struct {
	protect, reveal string   // the bearer tokens; no reveal token: nothing is revealed
	openProtect     bool     // protecting takes no token
	hosts           []string // names that requests may call the server by, beside IP addresses
}

// readAccess reads the tokens from their sources, which are written env:NAME or file:PATH.
func readAccess(protect, reveal string, openProtect bool, hosts []string) (access, error) {
	made := access{openProtect: openProtect, hosts: hosts}
	var err error
	if made.protect, err = readToken(protect); err != nil {
		return access{}, fmt.Errorf("the token for protecting: %w", err)
	}
	if made.reveal, err = readToken(reveal); err != nil {
		return access{}, fmt.Errorf("the token for revealing: %w", err)
	}
	switch {
	case made.protect == "" && !openProtect:
		return access{}, errors.New("there is no token for protecting: set TOKENSERVER_PROTECT, or pass " +
			"-protect-token file:PATH, or -open-protect to let everybody protect")
	case made.protect != "" && openProtect:
		return access{}, errors.New("there is a token for protecting, and -open-protect: leave out one of the two")
	case made.protect != "" && made.protect == made.reveal:
		return access{}, errors.New("protecting and revealing have the same token: whoever protects could reveal")
	}
	return made, nil
}

// readToken reads a token; an environment variable that is not set has none. The message never repeats the
// source, in case a token was pasted.
func readToken(source string) (string, error) {
	scheme, rest, _ := strings.Cut(source, ":")
	var token string
	switch {
	case scheme == "env" && rest != "":
		value, set := os.LookupEnv(rest)
		if !set {
			return "", nil
		}
		token = value
	case scheme == "file" && rest != "":
		text, err := readPrivate(rest)
		if err != nil {
			return "", err
		}
		token = strings.TrimSuffix(text, "\n")
	default:
		return "", errors.New("its source is written file:PATH or env:NAME; never write the token itself")
	}
	if len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("it has %d or more printable characters and no space; make one with "+
			"\"head -c 24 /dev/urandom | base64\"", leastToken)
	}
	return token, nil
}

// readPrivate reads a small file that nobody else may use.
func readPrivate(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil {
		return "", err
	}
	if status.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("others may use its file (mode %04o); run chmod 600 on it, and make a new token",
			status.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenFile+1))
	if len(text) > maxTokenFile {
		return "", fmt.Errorf("its file has more than %d bytes", maxTokenFile)
	}
	return string(text), err
}

// bearer lets those through who send a token; hashes are compared, so that not even its length shows.
func bearer(token, what string, next http.HandlerFunc) http.HandlerFunc {
	want := sha256.Sum256([]byte(token))
	return func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(w, http.StatusUnauthorized, &failure{Error: what + " takes its bearer token of this server"})
			return
		}
		next(w, r)
	}
}

// checkHost refuses requests that call the server by a name that is not its own. A web page whose name is
// made to lead here (DNS rebinding) sends its own name; it can't send an address.
func checkHost(names []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		if net.ParseIP(host) == nil && !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) }) {
			fail(w, http.StatusMisdirectedRequest, &failure{Error: "this server does not answer to that host; its -hosts says to which"})
			return
		}
		next.ServeHTTP(w, r)
	})
}
