// SPDX-License-Identifier: Apache-2.0

// Package gcpkms wraps root keys by a symmetric key of Google Cloud KMS. golang.org/x/oauth2 finds the Application Default
// Credentials. The ring is bound as the additional authenticated data. The variable of the program gcloud,
// CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS, names another endpoint.
package gcpkms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/keyring"
)

const endpoint = "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS"

var key = regexp.MustCompile(`^projects/[a-z0-9.:-]{1,100}/locations/[a-z0-9-]{1,63}` +
	`/keyRings/[A-Za-z0-9_-]{1,63}/cryptoKeys/[A-Za-z0-9_-]{1,63}$`)

// New returns the wrapper of what follows gcp-kms: in a root's name: projects/P/locations/L/keyRings/R/cryptoKeys/K.
func New(rest string) (keyring.Wrapper, error) {
	if !key.MatchString(rest) {
		return nil, fmt.Errorf("%w: gcp-kms: is written gcp-kms:projects/P/locations/L/keyRings/R/cryptoKeys/K", keyring.ErrRootKey)
	}
	return &wrapper{rest}, nil
}

type wrapper struct{ key string }

func (w *wrapper) Name() string { return "gcp-kms:" + w.key }

// JSON has bytes in base64.
type request struct {
	Plaintext  []byte `json:"plaintext,omitempty"`
	Ciphertext []byte `json:"ciphertext,omitempty"`
	Bound      []byte `json:"additionalAuthenticatedData"`
}

type answer struct {
	Plaintext, Ciphertext []byte
	Error                 struct{ Message string }
}

func (w *wrapper) Wrap(ctx context.Context, key, ring []byte) ([]byte, error) {
	said, err := w.ask(ctx, "encrypt", request{Plaintext: key, Bound: ring})
	if err == nil && len(said.Ciphertext) == 0 {
		err = w.strange()
	}
	return said.Ciphertext, err
}

func (w *wrapper) Unwrap(ctx context.Context, wrapped, ring []byte) ([]byte, error) {
	said, err := w.ask(ctx, "decrypt", request{Ciphertext: wrapped, Bound: ring})
	if err == nil && len(said.Plaintext) == 0 {
		err = w.strange()
	}
	return said.Plaintext, err
}

func (w *wrapper) wrong(format string, arguments ...any) error {
	return home.Wrong(keyring.ErrRootKey, w.Name(), format, arguments...)
}

func (w *wrapper) strange() error {
	return w.wrong("the endpoint does not answer as Google Cloud KMS does; check %s", endpoint)
}

func (w *wrapper) ask(ctx context.Context, operation string, body request) (answer, error) {
	var said answer
	address, err := home.Base(cmp.Or(os.Getenv(endpoint), "https://cloudkms.googleapis.com"))
	if errors.Is(err, home.ErrPlain) {
		return said, w.wrong("%v; use https:// in %s", err, endpoint)
	}
	if err != nil {
		return said, w.wrong("%s %v", endpoint, err)
	}
	token, err := w.token(ctx)
	if err != nil {
		return said, err
	}
	headers := map[string]string{"Authorization": "Bearer " + token}
	status, err := home.Post(ctx, address+"/v1/"+w.key+":"+operation, headers, body, &said, nil)
	if err != nil {
		return said, w.wrong("can't reach %s (%v); check the network and %s", address, err, endpoint)
	}
	if status != http.StatusOK {
		return answer{}, w.refused(operation, status, said.Error.Message)
	}
	return said, nil
}

func (w *wrapper) token(ctx context.Context) (string, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: 10 * time.Second})
	found, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/cloudkms")
	if err == nil {
		var token *oauth2.Token
		if token, err = found.TokenSource.Token(); err == nil {
			return token.AccessToken, nil
		}
	}
	// The error is not repeated: an answer of the token's server is in it.
	return "", w.wrong("no credentials of Google Cloud (%T); set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or "+
		"run: gcloud auth application-default login", err)
}

func (w *wrapper) refused(operation string, status int, said string) error {
	switch {
	case status == http.StatusNotFound || strings.Contains(said, "DESTROY"):
		return home.Lost(w.Name(), said)
	case status == http.StatusUnauthorized || status == http.StatusForbidden || strings.Contains(said, "DISABLED"):
		right := "cloudkms.cryptoKeyVersions.useToEncrypt"
		if operation == "decrypt" {
			right = "cloudkms.cryptoKeyVersions.useToDecrypt"
		}
		return home.Denied(w.Name(), said, "the account needs the right "+right+", and the key must be enabled")
	case status == http.StatusBadRequest && operation == "decrypt":
		return home.Changed(w.Name(), said)
	}
	return w.wrong("Google Cloud KMS refuses to %s (status %d)%s; mend that, and try again", operation, status, home.Said(said))
}
