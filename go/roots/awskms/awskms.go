// SPDX-License-Identifier: Apache-2.0

// Package awskms wraps root keys by a symmetric key of AWS KMS. The SDK finds region and credentials as always. The ring
// is bound as the encryption context tallystick.
package awskms

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/smithy-go"

	"github.com/tallystick/tallystick/go/internal/home"
	"github.com/tallystick/tallystick/go/keyring"
)

const (
	alias = `alias/[A-Za-z0-9/_-]{1,250}`
	id    = `(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})`
)

var key = regexp.MustCompile(`^(?:` + alias + `|` + id + `|arn:aws[a-z-]*:kms:([a-z0-9-]+):[0-9]{12}:(?:key/` + id + `|` +
	alias + `))$`)

// New returns the wrapper of what follows aws-kms: in a root's name: a key's id or ARN, alias/NAME or an alias's ARN.
func New(rest string) (keyring.Wrapper, error) {
	found := key.FindStringSubmatch(rest)
	if found == nil {
		return nil, fmt.Errorf("%w: aws-kms: is written aws-kms:KEY, with a key's id or ARN, alias/NAME or an alias's ARN",
			keyring.ErrRootKey)
	}
	return &wrapper{rest, found[1]}, nil
}

type wrapper struct{ key, region string }

func (w *wrapper) Name() string { return "aws-kms:" + w.key }

func (w *wrapper) Wrap(ctx context.Context, key, ring []byte) ([]byte, error) {
	client, err := w.client(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := client.Encrypt(ctx, &kms.EncryptInput{KeyId: &w.key, Plaintext: key, EncryptionContext: bound(ring)})
	if err != nil {
		return nil, w.refused("Encrypt", err)
	}
	return answer.CiphertextBlob, nil
}

func (w *wrapper) Unwrap(ctx context.Context, wrapped, ring []byte) ([]byte, error) {
	client, err := w.client(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := client.Decrypt(ctx, &kms.DecryptInput{KeyId: &w.key, CiphertextBlob: wrapped, EncryptionContext: bound(ring)})
	if err != nil {
		return nil, w.refused("Decrypt", err)
	}
	return answer.Plaintext, nil
}

func bound(ring []byte) map[string]string { return map[string]string{"tallystick": string(ring)} }

// errPlain: plain HTTP would go to another machine.
var errPlain = errors.New("would get the root key unencrypted; use https:// in AWS_ENDPOINT_URL")

// secure refuses plain HTTP to other machines. The client of credentials is another one.
type secure struct{ client *http.Client }

func (s secure) Do(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" && !home.Loopback(request.URL.Hostname()) {
		return nil, fmt.Errorf("%s %w", request.URL.Hostname(), errPlain)
	}
	return s.client.Do(request)
}

func (w *wrapper) client(ctx context.Context) (*kms.Client, error) {
	options := []func(*config.LoadOptions) error{
		config.WithRetryer(func() aws.Retryer { return retry.AddWithMaxAttempts(retry.NewStandard(), 3) }),
	}
	if w.region != "" {
		options = append(options, config.WithRegion(w.region))
	}
	found, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, w.unreachable(err)
	}
	return kms.NewFromConfig(found, func(o *kms.Options) {
		o.HTTPClient = secure{&http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}}
	}), nil
}

func (w *wrapper) unreachable(err error) error {
	return home.Wrong(keyring.ErrRootKey, w.Name(), "can't ask AWS KMS (%T); check the region and the credentials (AWS_REGION, "+
		"AWS_PROFILE, ...), and that its endpoint is reachable", innermost(err))
}

func innermost(err error) error {
	for next := err; next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

func (w *wrapper) refused(operation string, err error) error {
	if errors.Is(err, errPlain) {
		return home.Wrong(keyring.ErrRootKey, w.Name(), "the endpoint %v", errPlain)
	}
	var said smithy.APIError
	if !errors.As(err, &said) {
		return w.unreachable(err)
	}
	text := said.ErrorCode() + ": " + said.ErrorMessage()
	switch said.ErrorCode() {
	case "NotFoundException", "KMSInvalidStateException":
		return home.Lost(w.Name(), text)
	case "InvalidCiphertextException", "IncorrectKeyException":
		return home.Changed(w.Name(), text)
	case "AccessDeniedException", "DisabledException", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId",
		"InvalidSignatureException", "MissingAuthenticationToken", "NotAuthorized", "OptInRequired", "UnrecognizedClientException":
		return home.Denied(w.Name(), text, "the credentials must be valid and have the right kms:"+operation+
			", and the key must be enabled")
	}
	return home.Wrong(keyring.ErrRootKey, w.Name(), "AWS KMS refuses %s%s; mend that, and try again", operation, home.Said(text))
}
