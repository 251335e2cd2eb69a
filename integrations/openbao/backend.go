// SPDX-License-Identifier: Apache-2.0

// Package openbao is a secrets engine for OpenBao, and for Vault's plugin protocol. Data keys are made inside the
// server's sealed storage and never leave it. A policy of Tallystick says what its columns are, and a role says who
// may do what with them. Rules about values are in the Go packages, and none are here.
package openbao

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/openbao/openbao/sdk/v2/framework"
	"github.com/openbao/openbao/sdk/v2/logical"
)

const help = `
Protects values as tokens of the same format, and reveals them. Operators make data keys (keys/), write policies
(policies/) and roles (roles/). Callers protect, reveal and rewrap by a role;
encode and decode are Transform's names for the first two.
`

type backend struct {
	*framework.Backend

	writes sync.Mutex // held from the read to the write of what a request changes
	lock   sync.Mutex // of now
	now    *snapshot
}

// Factory makes a backend for a mount.
func Factory(ctx context.Context, config *logical.BackendConfig) (logical.Backend, error) {
	b := &backend{now: newSnapshot()}
	b.Backend = &framework.Backend{
		Help:         help,
		BackendType:  logical.TypeLogical,
		Paths:        framework.PathAppend(b.keyPaths(), b.wrappingPaths(), b.policyPaths(), b.rolePaths(), b.changePaths()),
		PathsSpecial: &logical.Paths{SealWrapStorage: []string{keyPrefix, wrappingPlace}},
		Invalidate:   func(context.Context, string) { b.forget() },
		Clean:        func(context.Context) { b.forget() },
	}
	return b, b.Setup(ctx, config)
}

// use returns what requests share, for one request, and the function that ends its use.
func (b *backend) use() (now *snapshot, done func()) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.now.users.Add(1)
	return b.now, b.now.users.Done
}

// forget makes requests read storage anew. Those under way end with what they began with; then keys are wiped.
func (b *backend) forget() {
	b.lock.Lock()
	old := b.now
	b.now = newSnapshot()
	b.lock.Unlock()
	go old.close()
}

// put writes an entry, after which requests read storage anew.
func (b *backend) put(ctx context.Context, storage logical.Storage, place string, value any) error {
	entry, err := logical.StorageEntryJSON(place, value)
	if err != nil {
		return err
	}
	defer b.forget()
	return storage.Put(ctx, entry)
}

func (b *backend) remove(ctx context.Context, storage logical.Storage, place string) error {
	defer b.forget()
	return storage.Delete(ctx, place)
}

// get reads an entry, and returns nil if there is none.
func get[T any](ctx context.Context, storage logical.Storage, place string) (*T, error) {
	entry, err := storage.Get(ctx, place)
	if err != nil || entry == nil {
		return nil, err
	}
	made := new(T)
	if err := json.Unmarshal(entry.Value, made); err != nil {
		return nil, fmt.Errorf("the entry %s in storage is damaged; restore it from a snapshot", place)
	}
	return made, nil
}

// path makes a path, on which callbacks that write run one after the other. Fields that it does not have are refused.
func (b *backend) path(pattern, help string, fields map[string]*framework.FieldSchema, operations map[logical.Operation]framework.OperationFunc) *framework.Path {
	made := &framework.Path{
		Pattern: pattern, HelpSynopsis: help, Fields: fields, Operations: map[logical.Operation]framework.OperationHandler{},
	}
	for operation, callback := range operations {
		writes := operation != logical.ReadOperation && operation != logical.ListOperation
		made.Operations[operation] = &framework.PathOperation{
			Summary: help,
			Callback: func(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
				if writes && hasOthers(r.Data, fields) {
					return refuse("a field of the request is none of %s", strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
				}
				b.writes.Lock()
				defer b.writes.Unlock()
				return callback(ctx, r, d)
			},
			// What a standby has read may be older than the write before, so it would refuse what is right.
			ForwardPerformanceStandby: writes,
		}
	}
	return made
}

// hasOthers says whether a request has a field that its path does not have.
func hasOthers(data map[string]any, fields map[string]*framework.FieldSchema) bool {
	for name := range data {
		if fields[name] == nil {
			return true
		}
	}
	return false
}

// list makes the path that lists the names under a prefix of storage.
func (b *backend) list(prefix string) *framework.Path {
	return b.path(prefix+"?", "Lists names.", nil, map[logical.Operation]framework.OperationFunc{
		logical.ListOperation: func(ctx context.Context, r *logical.Request, _ *framework.FieldData) (*logical.Response, error) {
			names, err := r.Storage.List(ctx, prefix)
			return logical.ListResponse(names), err
		},
	})
}

// named is a path of one name under a prefix.
func named(prefix string) string { return prefix + framework.GenericNameRegex("name") }

func text(description string) *framework.FieldSchema {
	return &framework.FieldSchema{Type: framework.TypeString, Description: description}
}

func number(description string) *framework.FieldSchema {
	return &framework.FieldSchema{Type: framework.TypeInt, Description: description}
}

func list(description string) *framework.FieldSchema {
	return &framework.FieldSchema{Type: framework.TypeCommaStringSlice, Description: description}
}

// refuse answers 400 with a message, which must hold no value and no key.
func refuse(format string, arguments ...any) (*logical.Response, error) {
	return logical.ErrorResponse(format, arguments...), nil
}
