// SPDX-License-Identifier: Apache-2.0

// Package transit wraps root keys by a key of the transit secrets engine of OpenBao or Vault. Its clients' variables
// say where the server is and who asks: BAO_ADDR, BAO_TOKEN (or BAO_TOKEN_FILE), BAO_CACERT, BAO_NAMESPACE, or
// the same with VAULT_. The ring is authenticated as associated_data.
package transit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
)

var segment = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// New returns the wrapper of what follows transit: in a root's name: MOUNT/KEY.
func New(rest string) (keyring.Wrapper, error) {
	parts := strings.Split(rest, "/")
	for _, part := range parts {
		if len(parts) < 2 || !segment.MatchString(part) {
			return nil, fmt.Errorf("%w: transit: is written transit:MOUNT/KEY, such as transit:transit/people",
				keyring.ErrRootKey)
		}
	}
	return &wrapper{strings.Join(parts[:len(parts)-1], "/"), parts[len(parts)-1]}, nil
}

type wrapper struct{ mount, key string }

func (w *wrapper) Name() string { return "transit:" + w.mount + "/" + w.key }

func (w *wrapper) Wrap(ctx context.Context, key, ring []byte) ([]byte, error) {
	data, err := w.ask(ctx, "encrypt", map[string]string{"plaintext": base64.StdEncoding.EncodeToString(key)}, ring)
	if err == nil && data.Ciphertext == "" {
		err = w.strange()
	}
	return []byte(data.Ciphertext), err
}

func (w *wrapper) Unwrap(ctx context.Context, wrapped, ring []byte) ([]byte, error) {
	data, err := w.ask(ctx, "decrypt", map[string]string{"ciphertext": string(wrapped)}, ring)
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(data.Plaintext)
	if err != nil || len(key) == 0 {
		return nil, w.strange()
	}
	return key, nil
}

type answer struct{ Ciphertext, Plaintext string }

func (w *wrapper) wrong(kind error, format string, arguments ...any) error {
	return fmt.Errorf("%w: %s: %s", kind, w.Name(), fmt.Sprintf(format, arguments...))
}

func (w *wrapper) strange() error {
	return w.wrong(keyring.ErrRootKey, "the server's answer is not one of a transit engine; check the address in "+
		"BAO_ADDR or VAULT_ADDR, and the mount")
}

func variable(name string) string { return cmp.Or(os.Getenv("BAO_"+name), os.Getenv("VAULT_"+name)) }

func token() (string, error) {
	found, err := private.Secret("token of OpenBao or Vault", "BAO_TOKEN", "VAULT_TOKEN")
	if !errors.Is(err, private.ErrUnset) {
		return found, err
	}
	// Where both programs keep the token of a login.
	if home, homeless := os.UserHomeDir(); homeless == nil {
		data, failed := private.ReadOwn(filepath.Join(home, ".vault-token"), 1<<16, "token")
		if !errors.Is(failed, os.ErrNotExist) {
			return strings.TrimSpace(string(data)), failed
		}
	}
	return "", err
}

// server returns where the server is, and the client for it.
func (w *wrapper) server() (string, *http.Client, error) {
	address := variable("ADDR")
	if address == "" {
		return "", nil, w.wrong(keyring.ErrRootKey, "no server; set BAO_ADDR or VAULT_ADDR, such as https://bao:8200")
	}
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" || at.Scheme != "https" && at.Scheme != "http" || strings.Trim(at.Path, "/") != "" {
		return "", nil, w.wrong(keyring.ErrRootKey, "BAO_ADDR or VAULT_ADDR is not https://HOST:PORT")
	}
	if ip := net.ParseIP(at.Hostname()); at.Scheme == "http" && at.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", nil, w.wrong(keyring.ErrRootKey, "%s would get the token and the root key unencrypted; use https:// in "+
			"BAO_ADDR or VAULT_ADDR", at.Hostname())
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}
	if authorities := variable("CACERT"); authorities != "" {
		data, err := private.Read(authorities, 1<<20)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(data) {
			return "", nil, w.wrong(keyring.ErrRootKey, "can't read certificates in %s; check BAO_CACERT or VAULT_CACERT",
				authorities)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	// A redirection would carry the token elsewhere.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return at.Scheme + "://" + at.Host,
		&http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: refuse}, nil
}

func (w *wrapper) ask(ctx context.Context, operation string, body map[string]string, ring []byte) (answer, error) {
	var said struct {
		Data   answer
		Errors []string
	}
	address, client, err := w.server()
	if err != nil {
		return said.Data, err
	}
	secret, err := token()
	if err != nil {
		return said.Data, w.wrong(keyring.ErrRootKey, "%v", err)
	}
	body["associated_data"] = base64.StdEncoding.EncodeToString(ring)
	text, err := json.Marshal(body)
	if err != nil {
		return said.Data, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		address+"/v1/"+w.mount+"/"+operation+"/"+w.key, bytes.NewReader(text))
	if err != nil {
		return said.Data, err
	}
	request.Header.Set("X-Vault-Token", secret)
	request.Header.Set("X-Vault-Request", "true")
	if namespace := variable("NAMESPACE"); namespace != "" {
		request.Header.Set("X-Vault-Namespace", namespace)
	}
	response, err := client.Do(request)
	if err != nil {
		return said.Data, w.wrong(keyring.ErrRootKey, "can't reach the server at %s (%v); check BAO_ADDR or VAULT_ADDR, "+
			"and that it runs", address, errors.Unwrap(err))
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(data, &said)
	}
	if response.StatusCode != http.StatusOK {
		return answer{}, w.refused(operation, response.StatusCode, said.Errors)
	}
	if err != nil {
		return answer{}, w.strange()
	}
	return said.Data, nil
}

func (w *wrapper) refused(operation string, status int, messages []string) error {
	said := strings.Join(messages, "; ")
	if len(said) > 300 {
		said = said[:300]
	}
	why := ""
	if said != "" {
		why = fmt.Sprintf(" (%q)", said)
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return w.wrong(keyring.ErrRootDenied, "the server denies it%s; the token needs the right to update %s/%s/%s, and must "+
			"not have expired", why, w.mount, operation, w.key)
	case status == http.StatusNotFound || strings.Contains(said, "key not found"):
		return w.wrong(keyring.ErrRootLost, "the server has no such key%s; check mount and name; if the key was deleted, open "+
			"the ring with another of its roots, or restore the key from the server's backup", why)
	case status == http.StatusServiceUnavailable:
		return w.wrong(keyring.ErrRootKey, "the server is sealed or in standby%s; unseal it", why)
	}
	return w.wrong(keyring.ErrRootKey, "the server refuses to %s (status %d)%s; if it says that authentication failed, the "+
		"ring's record was changed: restore the ring", operation, status, why)
}
