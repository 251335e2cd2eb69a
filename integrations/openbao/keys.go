// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openbao/openbao/sdk/v2/framework"
	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/keyring"
)

const keyPrefix = "keys/"

// dataKey is a named data key in storage, with its versions.
type dataKey struct {
	Latest        int                `json:"latest_version"`
	MinAvailable  int                `json:"min_available_version"`  // older versions are deleted
	MinDecryption int                `json:"min_decryption_version"` // older versions reveal nothing
	MinEncryption int                `json:"min_encryption_version"` // older versions protect nothing
	Deletable     bool               `json:"deletion_allowed"`
	Versions      map[int]keyVersion `json:"versions"`
}

type keyVersion struct {
	Key      []byte    `json:"key"`
	Created  time.Time `json:"creation_time"`
	Imported bool      `json:"imported"`
}

func newDataKey() *dataKey {
	return &dataKey{MinAvailable: 1, MinDecryption: 1, MinEncryption: 1, Versions: map[int]keyVersion{}}
}

// add adds a version.
func (k *dataKey) add(version int, key []byte, imported bool) {
	k.Latest = version
	k.Versions[version] = keyVersion{key, time.Now().UTC().Truncate(time.Second), imported}
}

// addRandom adds a version with a new key.
func (k *dataKey) addRandom(size int) {
	key := make([]byte, size)
	_, _ = rand.Read(key) // never fails
	k.add(k.Latest+1, key, false)
}

func (k *dataKey) wipe() {
	for _, version := range k.Versions {
		clear(version.Key)
	}
}

// answer says all of it but the keys.
func (k *dataKey) answer(name string) *logical.Response {
	versions := map[string]any{}
	for version, about := range k.Versions {
		versions[strconv.Itoa(version)] = map[string]any{
			"creation_time": about.Created, "size": len(about.Key), "imported": about.Imported,
		}
	}
	return &logical.Response{Data: map[string]any{
		"name": name, "latest_version": k.Latest, "min_available_version": k.MinAvailable,
		"min_decryption_version": k.MinDecryption, "min_encryption_version": k.MinEncryption,
		"deletion_allowed": k.Deletable, "versions": versions,
	}}
}

// storedKeys are the keys that a policy is opened with.
type storedKeys struct {
	ctx     context.Context
	storage logical.Storage
}

func (s storedKeys) find(reference string) (*dataKey, int, error) {
	if err := keyring.CheckReference(reference); err != nil {
		return nil, 0, err
	}
	name, digits, _ := strings.Cut(reference, ":")
	version, err := strconv.Atoi(digits)
	if err != nil {
		return nil, 0, keyring.ErrReference
	}
	key, err := get[dataKey](s.ctx, s.storage, keyPrefix+name)
	if err != nil {
		return nil, 0, err
	}
	if key == nil {
		return nil, 0, fmt.Errorf("%w: make it by a write to %s%s", keyring.ErrNoKey, keyPrefix, name)
	}
	if _, there := key.Versions[version]; !there {
		key.wipe()
		return nil, 0, fmt.Errorf("%w: the versions of %s are %d to %d", keyring.ErrNoKey, name, key.MinAvailable, key.Latest)
	}
	return key, version, nil
}

// TokenizerKey implements policy.Keys.
func (s storedKeys) TokenizerKey(reference string) ([]byte, error) {
	key, version, err := s.find(reference)
	if err != nil {
		return nil, err
	}
	made := append([]byte(nil), key.Versions[version].Key...)
	key.wipe()
	return made, nil
}

// Rights implements policy.Keys: they follow from the minimum versions.
func (s storedKeys) Rights(reference string) (rights keyring.Rights) {
	key, version, err := s.find(reference)
	if err != nil {
		return 0
	}
	defer key.wipe()
	if version >= key.MinEncryption {
		rights |= keyring.MayProtect
	}
	if version >= key.MinDecryption {
		rights |= keyring.MayReveal
	}
	return rights
}

func (b *backend) keyPaths() []*framework.Path {
	name := text("the name of the key")
	return []*framework.Path{
		b.list(keyPrefix),
		b.path(named(keyPrefix), "Makes, describes and deletes a data key.", map[string]*framework.FieldSchema{
			"name": name, "size": {Type: framework.TypeInt, Default: 32, Description: "bytes: 16, 24 or 32"},
		}, map[logical.Operation]framework.OperationFunc{
			logical.UpdateOperation: b.createKey,
			logical.ReadOperation:   b.onKey(readKey),
			logical.DeleteOperation: b.onKey(b.deleteKey),
		}),
		b.path(named(keyPrefix)+"/rotate", "Adds a version with a new random key.", map[string]*framework.FieldSchema{
			"name": name,
		}, map[logical.Operation]framework.OperationFunc{logical.UpdateOperation: b.onKey(b.rotateKey)}),
		b.path(named(keyPrefix)+"/config", "Says which versions may be used.", map[string]*framework.FieldSchema{
			"name":                   name,
			"min_decryption_version": number("older versions reveal nothing"),
			"min_encryption_version": number("older versions protect nothing"),
			"deletion_allowed":       {Type: framework.TypeBool, Description: "whether the key may be deleted"},
		}, map[logical.Operation]framework.OperationFunc{logical.UpdateOperation: b.onKey(b.configureKey)}),
		b.path(named(keyPrefix)+"/trim", "Deletes old versions for ever.", map[string]*framework.FieldSchema{
			"name": name, "min_available_version": number("older versions are deleted"),
		}, map[logical.Operation]framework.OperationFunc{logical.UpdateOperation: b.onKey(b.trimKey)}),
	}
}

func (b *backend) createKey(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
	name, size := d.Get("name").(string), d.Get("size").(int)
	if keyring.CheckReference(name+":1") != nil {
		return refuse("a policy can't name this key: use lower-case letters, digits, - and _, such as people")
	}
	if size != 16 && size != 24 && size != 32 {
		return refuse("size is 16, 24 or 32 bytes")
	}
	key, err := get[dataKey](ctx, r.Storage, keyPrefix+name)
	if err != nil {
		return nil, err
	}
	if key != nil {
		defer key.wipe()
		made := key.answer(name)
		made.AddWarning("the key was there, and nothing was changed; " + keyPrefix + name + "/rotate adds a version")
		return made, nil
	}
	key = newDataKey()
	defer key.wipe()
	key.addRandom(size)
	return key.answer(name), b.put(ctx, r.Storage, keyPrefix+name, key)
}

type keyFunc func(ctx context.Context, r *logical.Request, d *framework.FieldData, name string, key *dataKey) (*logical.Response, error)

// onKey calls a function with the key of a path.
func (b *backend) onKey(call keyFunc) framework.OperationFunc {
	return func(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
		name := d.Get("name").(string)
		key, err := get[dataKey](ctx, r.Storage, keyPrefix+name)
		if err != nil {
			return nil, err
		}
		if key == nil {
			if r.Operation == logical.ReadOperation {
				return nil, nil // 404
			}
			return refuse("there is no key %s; make it by a write to %s%s", name, keyPrefix, name)
		}
		defer key.wipe()
		return call(ctx, r, d, name, key)
	}
}

func readKey(_ context.Context, _ *logical.Request, _ *framework.FieldData, name string, key *dataKey) (*logical.Response, error) {
	return key.answer(name), nil
}

func (b *backend) rotateKey(ctx context.Context, r *logical.Request, _ *framework.FieldData, name string, key *dataKey) (*logical.Response, error) {
	key.addRandom(len(key.Versions[key.Latest].Key))
	return key.answer(name), b.put(ctx, r.Storage, keyPrefix+name, key)
}

func (b *backend) configureKey(ctx context.Context, r *logical.Request, d *framework.FieldData, name string, key *dataKey) (*logical.Response, error) {
	for field, place := range map[string]*int{
		"min_decryption_version": &key.MinDecryption, "min_encryption_version": &key.MinEncryption,
	} {
		if given, ok := d.GetOk(field); ok {
			*place = given.(int)
		}
		if *place < key.MinAvailable || *place > key.Latest {
			return refuse("%s is %d to %d", field, key.MinAvailable, key.Latest)
		}
	}
	if given, ok := d.GetOk("deletion_allowed"); ok {
		key.Deletable = given.(bool)
	}
	return key.answer(name), b.put(ctx, r.Storage, keyPrefix+name, key)
}

func (b *backend) trimKey(ctx context.Context, r *logical.Request, d *framework.FieldData, name string, key *dataKey) (*logical.Response, error) {
	first := d.Get("min_available_version").(int)
	if most := min(key.MinDecryption, key.MinEncryption); first < key.MinAvailable || first > most {
		return refuse("min_available_version is %d to %d: not above min_decryption_version and min_encryption_version",
			key.MinAvailable, most)
	}
	if used, err := b.policyWith(ctx, r.Storage, name, first); err != nil || used != "" {
		return refuseUsed(err, "the policy %s names an older version of key %s; write the policy with a newer one, and try again", used, name)
	}
	for version, about := range key.Versions {
		if version < first {
			clear(about.Key)
			delete(key.Versions, version)
		}
	}
	key.MinAvailable = first
	return key.answer(name), b.put(ctx, r.Storage, keyPrefix+name, key)
}

func (b *backend) deleteKey(ctx context.Context, r *logical.Request, _ *framework.FieldData, name string, key *dataKey) (*logical.Response, error) {
	if !key.Deletable {
		return refuse("the key may not be deleted, and its tokens would be lost; %s%s/config can set deletion_allowed", keyPrefix, name)
	}
	if used, err := b.policyWith(ctx, r.Storage, name, key.Latest+1); err != nil || used != "" {
		return refuseUsed(err, "the policy %s names key %s; delete or change the policy, and try again", used, name)
	}
	return nil, b.remove(ctx, r.Storage, keyPrefix+name)
}

// refuseUsed refuses because of what uses a thing, or fails because that could not be found out.
func refuseUsed(err error, format, user, name string) (*logical.Response, error) {
	if err != nil {
		return nil, err
	}
	return refuse(format, user, name)
}
