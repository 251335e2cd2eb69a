// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/openbao/openbao/sdk/v2/framework"
	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/policy"
)

const policyPrefix = "policies/"

// policyText is a policy as it was written. It is public.
type policyText struct {
	Text string `json:"policy"`
}

// parse reads TOML, or JSON if it begins with a brace. The core checks both.
func (p policyText) parse(name string) (*policy.Policy, error) {
	if strings.HasPrefix(strings.TrimLeft(p.Text, " \t\r\n"), "{") {
		return policy.ParseJSON(p.Text, name)
	}
	return policy.Parse(p.Text, name)
}

func readPolicy(ctx context.Context, storage logical.Storage, name string) (*policy.Policy, error) {
	kept, err := get[policyText](ctx, storage, policyPrefix+name)
	if err != nil || kept == nil {
		return nil, err
	}
	return kept.parse(name)
}

func (b *backend) policyPaths() []*framework.Path {
	return []*framework.Path{
		b.list(policyPrefix),
		b.path(named(policyPrefix), "Writes, returns and deletes a policy, which is public.", map[string]*framework.FieldSchema{
			"name": text("the name of the policy"), "policy": text("the text of a policy file: TOML, or JSON"),
		}, map[logical.Operation]framework.OperationFunc{
			logical.UpdateOperation: b.writePolicy,
			logical.ReadOperation: func(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
				kept, err := get[policyText](ctx, r.Storage, policyPrefix+d.Get("name").(string))
				if err != nil || kept == nil {
					return nil, err
				}
				return &logical.Response{Data: map[string]any{"policy": kept.Text}}, nil
			},
			logical.DeleteOperation: b.deletePolicy,
		}),
	}
}

// writePolicy keeps a policy whose keys are all there, and which still has the columns that roles name.
func (b *backend) writePolicy(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
	name, given := d.Get("name").(string), policyText{d.Get("policy").(string)}
	parsed, err := given.parse(name)
	if err != nil {
		return refuse("%v", err)
	}
	opened, err := parsed.OpenWith(storedKeys{ctx, r.Storage})
	if err != nil {
		return refuse("%v", err)
	}
	opened.Close()
	err = eachRole(ctx, r.Storage, func(role string, about *role) error {
		if about.Policy != name {
			return nil
		}
		if err := about.check(parsed); err != nil {
			return fmt.Errorf("the role %s: %w", role, err)
		}
		return nil
	})
	if err != nil {
		return refuse("%v", err)
	}
	return nil, b.put(ctx, r.Storage, policyPrefix+name, given)
}

func (b *backend) deletePolicy(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
	name, user := d.Get("name").(string), ""
	err := eachRole(ctx, r.Storage, func(role string, about *role) error {
		if about.Policy == name {
			user = role
		}
		return nil
	})
	if err != nil || user != "" {
		return refuseUsed(err, "the role %s uses the policy %s; delete the role first", user, name)
	}
	return nil, b.remove(ctx, r.Storage, policyPrefix+name)
}

// policyWith returns the name of a policy that names a version of a key below one, or "".
func (b *backend) policyWith(ctx context.Context, storage logical.Storage, key string, below int) (string, error) {
	names, err := storage.List(ctx, policyPrefix)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		parsed, err := readPolicy(ctx, storage, name)
		if err != nil {
			return "", err
		}
		for _, rule := range parsed.Rules {
			of, digits, _ := strings.Cut(rule.Key, ":")
			if version, err := strconv.Atoi(digits); err == nil && of == key && version < below {
				return name, nil
			}
		}
	}
	return "", nil
}
