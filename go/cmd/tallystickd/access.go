// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
)

// tokenPrefix makes tokens that leaked into a file easy to find.
const tokenPrefix = "tallystickd_"

// newToken makes a token and its hash. It has 256 random bits, so that a plain hash keeps it.
func newToken() (token, hash string) {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(bits[:])
	sum := sha256.Sum256([]byte(token))
	return token, hex.EncodeToString(sum[:])
}

// rights are what a caller may do, by column.
type rights struct {
	name            string
	hash            [sha256.Size]byte
	hasToken        bool
	certificate     string
	protect, reveal []string
	metrics         bool
}

// newRights returns the callers by their names, so that who shows the secrets of several is always the same one.
func newRights(callers map[string]caller) (list []rights) {
	for _, name := range slices.Sorted(maps.Keys(callers)) {
		one := callers[name]
		made := rights{
			name: name, hasToken: one.TokenHash != "", certificate: one.Certificate,
			protect: one.Protect, reveal: one.Reveal, metrics: one.Metrics,
		}
		_, _ = hex.Decode(made.hash[:], []byte(one.TokenHash)) // checked with the configuration
		list = append(list, made)
	}
	return list
}

// may says whether a column may be protected or revealed.
func (r *rights) may(reveals bool, column string) bool {
	columns := r.protect
	if reveals {
		columns = r.reveal
	}
	return slices.Contains(columns, column) || slices.Contains(columns, "*")
}

// identify finds who calls. A caller with a token and a certificate has to show both. It returns nil for nobody.
func identify(list []rights, r *http.Request) (found *rights) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	given := sha256.Sum256([]byte(token))
	for i := range list {
		one := &list[i]
		good := 1
		if one.hasToken { // all hashes are compared, in the same time
			good = subtle.ConstantTimeCompare(given[:], one.hash[:])
		}
		if one.certificate != "" && !presents(r, one.certificate) {
			good = 0
		}
		// A caller that has to show both goes before one that shows half of it.
		if good == 1 && (found == nil || one.hasToken && one.certificate != "") {
			found = one
		}
	}
	return found
}

// presents says whether the request came with a verified certificate for a DNS name or URI.
func presents(r *http.Request, name string) bool {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return false
	}
	certificate := r.TLS.VerifiedChains[0][0]
	for _, uri := range certificate.URIs {
		if uri.String() == name {
			return true
		}
	}
	return slices.ContainsFunc(certificate.DNSNames, func(dns string) bool { return strings.EqualFold(dns, name) })
}

// isOurs says whether a request calls the server by an address or by a name of its own. A web page whose
// name is made to lead here (DNS rebinding) sends its own name; it can't send an address.
func isOurs(names []string, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return net.ParseIP(host) != nil ||
		slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) })
}
