// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"fmt"
	"slices"

	"github.com/openbao/openbao/sdk/v2/framework"
	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/policy"
)

const rolePrefix = "roles/"

// role says what its callers may do with the columns of a policy. "*" is all columns.
type role struct {
	Policy  string   `json:"policy"`
	Protect []string `json:"protect"`
	Reveal  []string `json:"reveal"`
	Rewrap  []string `json:"rewrap"`
}

// columns returns the columns for an operation.
func (r *role) columns(to operation) []string {
	return map[operation][]string{protects: r.Protect, reveals: r.Reveal, rewraps: r.Rewrap}[to]
}

// check refuses columns that the policy does not have.
func (r *role) check(parsed *policy.Policy) error {
	for _, column := range slices.Concat(r.Protect, r.Reveal, r.Rewrap) {
		if column != "*" && !slices.ContainsFunc(parsed.Rules, func(rule policy.Rule) bool { return rule.Column == column }) {
			return fmt.Errorf("the policy %s has no column %q; change the policy or the role", r.Policy, column)
		}
	}
	return nil
}

// eachRole calls a function with every role.
func eachRole(ctx context.Context, storage logical.Storage, call func(name string, about *role) error) error {
	names, err := storage.List(ctx, rolePrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		about, err := get[role](ctx, storage, rolePrefix+name)
		if err == nil && about != nil {
			err = call(name, about)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *backend) rolePaths() []*framework.Path {
	return []*framework.Path{
		b.list(rolePrefix),
		b.path(named(rolePrefix), "Writes, returns and deletes a role.", map[string]*framework.FieldSchema{
			"name": text("the name of the role"), "policy": text("the name of its policy"),
			"protect": list("columns that it may protect; * is all"), "reveal": list("columns that it may reveal"),
			"rewrap": list("columns whose tokens it may move to another version of their key"),
		}, map[logical.Operation]framework.OperationFunc{
			logical.UpdateOperation: b.writeRole,
			logical.ReadOperation: func(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
				about, err := get[role](ctx, r.Storage, rolePrefix+d.Get("name").(string))
				if err != nil || about == nil {
					return nil, err
				}
				return &logical.Response{Data: map[string]any{
					"policy": about.Policy, "protect": about.Protect, "reveal": about.Reveal, "rewrap": about.Rewrap,
				}}, nil
			},
			logical.DeleteOperation: func(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
				return nil, b.remove(ctx, r.Storage, rolePrefix+d.Get("name").(string))
			},
		}),
	}
}

// writeRole writes the whole role: a list that is not given is empty.
func (b *backend) writeRole(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
	about := role{
		d.Get("policy").(string), d.Get("protect").([]string), d.Get("reveal").([]string), d.Get("rewrap").([]string),
	}
	parsed, err := readPolicy(ctx, r.Storage, about.Policy)
	if err != nil {
		return nil, err
	}
	if parsed == nil {
		return refuse("there is no policy %q; write it to %s first", about.Policy, policyPrefix)
	}
	if err := about.check(parsed); err != nil {
		return refuse("%v", err)
	}
	return nil, b.put(ctx, r.Storage, rolePrefix+d.Get("name").(string), about)
}
