// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math"

	"github.com/openbao/openbao/sdk/v2/framework"
	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/keyring"
)

const (
	wrappingPlace = "wrapping-key"
	wrappingBits  = 3072
)

// wrappingKey is the RSA key that keys are wrapped for on their way into the server.
type wrappingKey struct {
	Private []byte `json:"private"` // PKCS #8
}

func (b *backend) wrappingPaths() []*framework.Path {
	return []*framework.Path{
		b.path("wrapping_key", "Returns the public key that imported keys are wrapped for.", nil,
			map[logical.Operation]framework.OperationFunc{logical.ReadOperation: b.readWrappingKey}),
		b.path(named(keyPrefix)+"/import", "Adds a version with a key from elsewhere.", map[string]*framework.FieldSchema{
			"name":       text("the name of the key, which need not be there yet"),
			"ciphertext": text("the key, encrypted for wrapping_key by RSA-OAEP with SHA-256, in Base64"),
			"version":    number("the version that it becomes; the next one if it is not given"),
		}, map[logical.Operation]framework.OperationFunc{logical.UpdateOperation: b.importKey}),
	}
}

func (b *backend) wrapping(ctx context.Context, storage logical.Storage) (*rsa.PrivateKey, error) {
	kept, err := get[wrappingKey](ctx, storage, wrappingPlace)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		made, err := rsa.GenerateKey(rand.Reader, wrappingBits)
		if err != nil {
			return nil, err
		}
		text, err := x509.MarshalPKCS8PrivateKey(made)
		if err != nil {
			return nil, err
		}
		defer clear(text)
		return made, b.put(ctx, storage, wrappingPlace, wrappingKey{text})
	}
	defer clear(kept.Private)
	parsed, err := x509.ParsePKCS8PrivateKey(kept.Private)
	if err != nil {
		return nil, err
	}
	return parsed.(*rsa.PrivateKey), nil
}

func (b *backend) readWrappingKey(ctx context.Context, r *logical.Request, _ *framework.FieldData) (*logical.Response, error) {
	key, err := b.wrapping(ctx, r.Storage)
	if err != nil {
		return nil, err
	}
	text, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: text})
	return &logical.Response{Data: map[string]any{"public_key": string(public)}}, nil
}

func (b *backend) importKey(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
	name := d.Get("name").(string)
	if keyring.CheckReference(name+":1") != nil {
		return refuse("a policy can't name this key: use lower-case letters, digits, - and _, such as people")
	}
	wrapped, err := base64.StdEncoding.DecodeString(d.Get("ciphertext").(string))
	if err != nil || len(wrapped) == 0 {
		return refuse("ciphertext is not Base64; never pass a key itself")
	}
	private, err := b.wrapping(ctx, r.Storage)
	if err != nil {
		return nil, err
	}
	imported, err := rsa.DecryptOAEP(sha256.New(), nil, private, wrapped, nil)
	if err != nil {
		return refuse("ciphertext is not a key that was encrypted for wrapping_key, by RSA-OAEP with SHA-256 for the hash and for MGF1")
	}
	defer clear(imported)
	if size := len(imported); size != 16 && size != 24 && size != 32 {
		return refuse("the imported key has %d bytes, not 16, 24 or 32", size)
	}
	key, err := get[dataKey](ctx, r.Storage, keyPrefix+name)
	if err != nil {
		return nil, err
	}
	if key == nil {
		key = newDataKey()
	}
	defer key.wipe()
	version := key.Latest + 1
	if given, ok := d.GetOk("version"); ok {
		version = given.(int)
	}
	if version <= key.Latest || version > math.MaxInt32 {
		return refuse("version is above %d, the latest version of the key, and at most %d", key.Latest, math.MaxInt32)
	}
	if key.Latest == 0 {
		key.MinAvailable, key.MinDecryption, key.MinEncryption = version, version, version
	}
	key.add(version, imported, true)
	return key.answer(name), b.put(ctx, r.Storage, keyPrefix+name, key)
}
