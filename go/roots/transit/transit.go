// SPDX-License-Identifier: Apache-2.0

// Package transit wraps root keys by a key of the transit secrets engine of OpenBao or Vault. Its clients' variables
// say where the server is and who asks: BAO_ADDR, BAO_TOKEN (or BAO_TOKEN_FILE), BAO_CACERT, BAO_NAMESPACE, or
// the same with VAULT_. The ring is authenticated as associated_data.
package transit

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
)

var segment = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// New returns the wrapper of what follows transit: in a root's name: MOUNT/KEY.
func New(rest string) (keyring.Wrapper, error) {
	parts := strings.Split(rest, "/")
	for _, part := range parts {
		if len(parts) < 2 || !segment.MatchString(part) || private.IsKey(part) {
			return nil, fmt.Errorf("%w: transit: is written transit:MOUNT/KEY, such as transit:transit/people; KEY is the key's "+
				"name, never write the key itself", keyring.ErrRootKey)
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

func (w *wrapper) wrong(format string, arguments ...any) error {
	return home.Wrong(keyring.ErrRootKey, w.Name(), format, arguments...)
}

func (w *wrapper) strange() error {
	return w.wrong("the server's answer is not one of a transit engine; check the address in BAO_ADDR or VAULT_ADDR, and " +
		"the mount")
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

// server returns where the server is, and whose certificates count; nil: the system's.
func (w *wrapper) server() (string, *x509.CertPool, error) {
	text := variable("ADDR")
	if text == "" {
		return "", nil, w.wrong("no server; set BAO_ADDR or VAULT_ADDR, such as https://bao:8200")
	}
	address, err := home.Base(text)
	if errors.Is(err, home.ErrPlain) {
		return "", nil, w.wrong("%v; use https:// in BAO_ADDR or VAULT_ADDR", err)
	}
	if err != nil {
		return "", nil, w.wrong("BAO_ADDR or VAULT_ADDR %v", err)
	}
	authorities := variable("CACERT")
	if authorities == "" {
		return address, nil, nil
	}
	data, err := private.Read(authorities, 1<<20)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(data) {
		return "", nil, w.wrong("can't read certificates in %s; check BAO_CACERT or VAULT_CACERT", authorities)
	}
	return address, pool, nil
}

func (w *wrapper) ask(ctx context.Context, operation string, body map[string]string, ring []byte) (answer, error) {
	address, authorities, err := w.server()
	if err != nil {
		return answer{}, err
	}
	secret, err := token()
	if err != nil {
		return answer{}, w.wrong("%v", err)
	}
	headers := map[string]string{"X-Vault-Token": secret, "X-Vault-Request": "true"}
	if namespace := variable("NAMESPACE"); namespace != "" {
		headers["X-Vault-Namespace"] = namespace
	}
	body["associated_data"] = base64.StdEncoding.EncodeToString(ring)
	var said struct {
		Data   answer
		Errors []string
	}
	where := address + "/v1/" + w.mount + "/" + operation + "/" + w.key
	status, err := home.Post(ctx, where, headers, body, &said, authorities)
	if err != nil {
		return answer{}, w.wrong("can't reach the server at %s (%v); check BAO_ADDR or VAULT_ADDR, and that it runs", address, err)
	}
	if status != http.StatusOK {
		return answer{}, w.refused(operation, status, strings.Join(said.Errors, "; "))
	}
	return said.Data, nil
}

func (w *wrapper) refused(operation string, status int, said string) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return home.Denied(w.Name(), said, fmt.Sprintf("the token needs the right to update %s/%s/%s, and must not have expired",
			w.mount, operation, w.key))
	case status == http.StatusNotFound || strings.Contains(said, "key not found"):
		return home.Lost(w.Name(), said)
	case status == http.StatusServiceUnavailable:
		return w.wrong("the server is sealed or in standby%s; unseal it", home.Said(said))
	case strings.Contains(said, "authentication failed"):
		return home.Changed(w.Name(), said)
	}
	return w.wrong("the server refuses to %s (status %d)%s; mend that, and try again", operation, status, home.Said(said))
}
