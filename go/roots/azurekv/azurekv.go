// SPDX-License-Identifier: Apache-2.0

// Package azurekv wraps root keys by an RSA key of Azure Key Vault or Managed HSM, by RSA-OAEP with SHA-256. azidentity
// finds the credentials. RSA-OAEP has no authenticated data, so the ring is not bound. What Wrap returns is
// azure:VERSION: and the vault's answer, in base64url.
package azurekv

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/keyring"
)

var (
	key     = regexp.MustCompile(`^([a-z0-9.-]{1,250})(:[0-9]{1,5})?/([A-Za-z0-9-]{1,127})$`)
	record  = regexp.MustCompile(`^azure:([0-9A-Za-z]{1,64}):([A-Za-z0-9_-]+)$`)
	version = regexp.MustCompile(`/([0-9A-Za-z]{1,64})$`)
	text    = base64.RawURLEncoding
)

// New returns the wrapper of what follows azure-kv: in a root's name: HOST/KEY.
func New(rest string) (keyring.Wrapper, error) {
	found := key.FindStringSubmatch(rest)
	if found == nil || !home.Loopback(found[1]) && (strings.Count(found[1], ".") < 2 || found[2] != "") {
		return nil, fmt.Errorf("%w: azure-kv: is written azure-kv:HOST/KEY, such as azure-kv:people.vault.azure.net/root",
			keyring.ErrRootKey)
	}
	return &wrapper{found[1], found[2], found[3]}, nil
}

type wrapper struct{ host, port, key string }

func (w *wrapper) Name() string { return "azure-kv:" + w.host + w.port + "/" + w.key }

type answer struct {
	Kid, Value string
	Error      struct{ Code, Message string }
}

func (w *wrapper) Wrap(ctx context.Context, key, _ []byte) ([]byte, error) {
	said, err := w.ask(ctx, "wrapkey", key)
	if err != nil {
		return nil, err
	}
	found := version.FindStringSubmatch(said.Kid)
	if found == nil {
		return nil, w.strange()
	}
	return []byte("azure:" + found[1] + ":" + said.Value), nil
}

func (w *wrapper) Unwrap(ctx context.Context, wrapped, _ []byte) ([]byte, error) {
	found := record.FindSubmatch(wrapped)
	if found == nil {
		return nil, home.Changed(w.Name(), "")
	}
	value, err := text.DecodeString(string(found[2]))
	if err != nil {
		return nil, home.Changed(w.Name(), "")
	}
	said, err := w.ask(ctx, string(found[1])+"/unwrapkey", value)
	if err != nil {
		return nil, err
	}
	key, err := text.DecodeString(strings.TrimRight(said.Value, "="))
	if err != nil {
		return nil, w.strange()
	}
	return key, nil
}

func (w *wrapper) wrong(format string, arguments ...any) error {
	return home.Wrong(keyring.ErrRootKey, w.Name(), format, arguments...)
}

func (w *wrapper) strange() error {
	return w.wrong("the host does not answer as a vault does; check it")
}

func (w *wrapper) ask(ctx context.Context, operation string, value []byte) (answer, error) {
	_, domain, _ := strings.Cut(w.host, ".")
	address := "https://" + w.host
	if home.Loopback(w.host) { // an emulator
		address, domain = "http://"+w.host+w.port, "vault.azure.net"
	}
	token, err := w.token(ctx, "https://"+domain+"/.default")
	if err != nil {
		return answer{}, err
	}
	var said answer
	body := map[string]string{"alg": "RSA-OAEP-256", "value": text.EncodeToString(value)}
	headers := map[string]string{"Authorization": "Bearer " + token}
	status, err := home.Post(ctx, address+"/keys/"+w.key+"/"+operation+"?api-version=7.4", headers, body, &said, nil)
	if err != nil {
		return answer{}, w.wrong("can't reach %s (%v); check the vault's name and the network", address, err)
	}
	if status != http.StatusOK {
		return answer{}, w.refused(operation, status, said)
	}
	if said.Value == "" {
		return answer{}, w.strange()
	}
	return said, nil
}

func (w *wrapper) token(ctx context.Context, scope string) (string, error) {
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err == nil {
		token, failed := credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{scope}})
		if failed == nil {
			return token.Token, nil
		}
		err = failed
	}
	// The error is not repeated: an answer of the token's server is in it.
	return "", w.wrong("no credentials of Azure (%T); set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_CERTIFICATE_PATH, "+
		"use a managed identity, or run: az login", err)
}

func (w *wrapper) refused(operation string, status int, said answer) error {
	why := said.Error.Message
	if said.Error.Code != "" {
		why = said.Error.Code + ": " + why
	}
	operation = operation[strings.Index(operation, "/")+1:]
	switch {
	case status == http.StatusNotFound:
		return home.Lost(w.Name(), why)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return home.Denied(w.Name(), why, "the identity needs the right "+operation+" on the key, which must be enabled")
	case status == http.StatusBadRequest && operation == "unwrapkey":
		return home.Changed(w.Name(), why)
	}
	return w.wrong("the vault refuses %s (status %d)%s; mend that, and try again", operation, status, home.Said(why))
}
