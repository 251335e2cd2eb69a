// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs certificates of tests.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{made, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// sign makes a certificate for a DNS name or a URI, and its key.
func (a *authority) sign(t *testing.T, name string, until time.Duration) (certificate, keyText []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(until),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		Subject: pkix.Name{CommonName: "common." + name},
	}
	if at, err := url.Parse(name); err == nil && at.Scheme != "" {
		template.URIs = []*url.URL{at}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}

// Callers show a certificate, a token, or both, as the configuration has them; TLS 1.1 is refused; a new
// certificate counts after a reload.
func TestTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	path, tokens := configure(t, "[tls]\ncertificate = \"server.crt\"\nkey = \"server.key\"\nclients = \"clients.crt\"")
	folder := filepath.Dir(path)
	certificate, key := ours.sign(t, "localhost", time.Hour)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	token, hash := newToken()
	text = append(text, "[callers.job]\ncertificate = \"job.example\"\nprotect = [\"ssn\"]\n[callers.uri]\ncertificate = \"spiffe://a/b\"\n"+
		"protect = [\"ssn\"]\n[callers.both]\ncertificate = \"both.example\"\ntoken_sha256 = \""+hash+"\"\nprotect = [\"ssn\"]\n"...)
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": key, "clients.crt": ours.pem, "tallystickd.toml": text} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := startFrom(t, path, tokens)
	r.tokens["both"] = token
	r.url = strings.Replace(r.url, "http:", "https:", 1)
	pool := x509.NewCertPool()
	pool.AddCert(ours.certificate)
	as := func(by *authority, name string, until time.Duration) *http.Client {
		made := &tls.Config{RootCAs: pool}
		if by != nil {
			one, private := by.sign(t, name, until)
			pair, err := tls.X509KeyPair(one, private)
			if err != nil {
				t.Fatal(err)
			}
			// The client sends it even if the server would not like its authority.
			made.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{TLSClientConfig: made, ForceAttemptHTTP2: true}}
	}
	one := `{"records": [{"ssn": "078-05-1120"}]}`
	for name, try := range map[string]struct {
		client *http.Client
		caller string
		want   int // 0: no connection
	}{
		"a token alone":                    {as(nil, "", 0), "shop", 200},
		"neither":                          {as(nil, "", 0), "", 401},
		"a certificate":                    {as(ours, "job.example", time.Hour), "", 200},
		"a URI":                            {as(ours, "spiffe://a/b", time.Hour), "", 200},
		"a certificate of nobody":          {as(ours, "other.example", time.Hour), "", 401},
		"its common name":                  {as(ours, "job", time.Hour), "", 401},
		"both":                             {as(ours, "both.example", time.Hour), "both", 200},
		"of both the certificate":          {as(ours, "both.example", time.Hour), "", 401},
		"of both the token":                {as(nil, "", 0), "both", 401},
		"a certificate that is over":       {as(ours, "job.example", -time.Hour), "", 0},
		"a certificate of other authority": {as(theirs, "job.example", time.Hour), "", 0},
	} {
		r.client = try.client
		if try.want == 0 {
			if answer, err := r.client.Post(r.url+"/v1/protect", jsonType, strings.NewReader(one)); err == nil {
				answer.Body.Close()
				t.Errorf("%s: %d", name, answer.StatusCode)
			}
			continue
		}
		if status, text := r.post(t, "/v1/protect", try.caller, one); status != try.want {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	answer, err := r.client.Get(r.url + "/health")
	if err == nil {
		answer.Body.Close()
	}
	fresh := as(nil, "", 0)
	if answer, err = fresh.Get(r.url + "/health"); err != nil || answer.ProtoMajor != 2 {
		t.Fatalf("HTTP/2: %v", err)
	}
	answer.Body.Close()
	old := as(nil, "", 0)
	old.Transport.(*http.Transport).TLSClientConfig.MinVersion = tls.VersionTLS10
	old.Transport.(*http.Transport).TLSClientConfig.MaxVersion = tls.VersionTLS11
	if answer, err := old.Get(r.url + "/health"); err == nil {
		answer.Body.Close()
		t.Error("TLS 1.1 is taken")
	}
	certificate, key = theirs.sign(t, "localhost", time.Hour)
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": key} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.reloads <- struct{}{}
	r.reloaded(t, 1)
	pool.AddCert(theirs.certificate)
	fresh = as(nil, "", 0)
	answer, err = fresh.Get(r.url + "/health")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if by := answer.TLS.PeerCertificates[0]; by.CheckSignatureFrom(theirs.certificate) != nil {
		t.Error("the old certificate is shown after the reload")
	}
	r.client = fresh
}

// The key's file is as private as that of the root key, but root's may have a group.
func TestTLSKeyOfOthers(t *testing.T) {
	path, _ := configure(t, "[tls]\ncertificate = \"server.crt\"\nkey = \"server.key\"")
	certificate, key := newAuthority(t).sign(t, "localhost", time.Hour)
	place := filepath.Join(filepath.Dir(path), "server.key")
	if err := errors.Join(os.WriteFile(filepath.Join(filepath.Dir(path), "server.crt"), certificate, 0o644), os.WriteFile(place, key, 0o600)); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: os.Geteuid() == 0, 0o660: false, 0o604: false} {
		if err := os.Chmod(place, mode); err != nil {
			t.Fatal(err)
		}
		err := command([]string{"check", "-config", path}, io.Discard, io.Discard)
		if good && err != nil || !good && (err == nil || !strings.Contains(err.Error(), "tls.key") || !strings.Contains(err.Error(), "chmod 600")) {
			t.Errorf("%v: %v", mode, err)
		}
	}
}
