// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/openbao/openbao/sdk/v2/framework"
	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

// maxLayers bounds the work of a request, as tallystickd does.
const maxLayers = 1_000_000_000

// operation is what a request does with values.
type operation string

const (
	protects operation = "protect"
	reveals  operation = "reveal"
	rewraps  operation = "rewrap"
)

// changePaths are the paths that change values: by the project's names, and by those of Transform, whose clients need
// another mount alone.
func (b *backend) changePaths() (paths []*framework.Path) {
	for _, one := range []struct {
		path     string
		to       operation
		synopsis string
	}{
		{"protect", protects, "Protects values by a role."},
		{"encode", protects, "Protects values by a role, as protect does."},
		{"reveal", reveals, "Reveals tokens by a role."},
		{"decode", reveals, "Reveals tokens by a role, as reveal does."},
		{"rewrap", rewraps, "Moves tokens to the key version of the policy."},
	} {
		paths = append(paths, &framework.Path{
			Pattern:      one.path + "/" + framework.GenericNameRegex("role"),
			HelpSynopsis: one.synopsis,
			HelpDescription: "The body has value, transformation (a column), tweak, key_version and reference, or " +
				"batch_input: a list of objects with these fields. partial_failure_response_code is the status if " +
				"some items of a batch fail.",
			// The framework checks fields with messages that quote them, so the rest is read here.
			Fields:              map[string]*framework.FieldSchema{"role": text("the name of the role")},
			TakesArbitraryInput: true,
			Operations: map[logical.Operation]framework.OperationHandler{
				logical.UpdateOperation: &framework.PathOperation{Summary: one.synopsis, Callback: b.change(one.to)},
			},
		})
	}
	return paths
}

// change answers a request about values.
func (b *backend) change(to operation) framework.OperationFunc {
	return func(ctx context.Context, r *logical.Request, d *framework.FieldData) (*logical.Response, error) {
		now, done := b.use()
		defer done()
		name := d.Get("role").(string)
		about, parsed, err := now.role(ctx, r.Storage, name)
		var items []item
		var failed []error
		var single bool
		if err == nil {
			items, failed, single, err = readItems(d.Raw)
		}
		var made []policy.Value
		if err == nil {
			c := &changing{now, r.Storage, to, name, about, parsed}
			made, err = c.all(policy.WithBudget(ctx, policy.NewBudget(maxLayers, 0)), items, failed)
		}
		var refused refusal
		switch {
		case errors.As(err, &refused):
			return refuse("%s", refused)
		case err != nil:
			return nil, err
		case single && failed[0] != nil:
			return refuse("%v", failed[0])
		}
		return respond(r, d.Raw, to, items, made, failed, single)
	}
}

// changing is one request.
type changing struct {
	now     *snapshot
	storage logical.Storage
	to      operation
	name    string
	role    *role
	policy  *policy.Policy
}

// all changes items, column by column. An item that can't be changed has an error in failed.
func (c *changing) all(ctx context.Context, items []item, failed []error) ([]policy.Value, error) {
	groups := map[columnHandle][]int{}
	for row := range items {
		if failed[row] != nil {
			continue
		}
		handle, err := c.handle(&items[row])
		if failed[row] = err; err == nil {
			groups[handle] = append(groups[handle], row)
		}
	}
	made := make([]policy.Value, len(items))
	for handle, rows := range groups {
		err := c.column(ctx, handle, rows, items, made, failed)
		var refused refusal
		switch {
		case errors.As(err, &refused):
			for _, row := range rows {
				failed[row] = refused
			}
		case err != nil:
			return nil, err
		}
	}
	return made, nil
}

// handle returns the column and key version of an item, if the role may change it.
func (c *changing) handle(one *item) (columnHandle, error) {
	allowed := c.role.columns(c.to)
	column := one.transformation
	if column == "" {
		if len(allowed) != 1 || allowed[0] == "*" && len(c.policy.Rules) != 1 {
			return columnHandle{}, refusalf("transformation is missing: the role %s is for several columns, or for none", c.name)
		}
		if column = allowed[0]; column == "*" {
			column = c.policy.Rules[0].Column
		}
	}
	at := slices.IndexFunc(c.policy.Rules, func(rule policy.Rule) bool { return rule.Column == column })
	if at < 0 || !slices.Contains(allowed, column) && !slices.Contains(allowed, "*") {
		return columnHandle{}, refusalf("the role %s has no transformation of this name to %s", c.name, c.to)
	}
	switch rule := &c.policy.Rules[at]; {
	case c.to == protects && one.version != 0:
		return columnHandle{}, refusalf("values are protected by the version in the policy; leave key_version out")
	case c.to == rewraps && one.version == 0:
		return columnHandle{}, refusalf("key_version is missing: the version that the token has now")
	case rule.Tweak == "" && one.tweaked:
		return columnHandle{}, refusalf("the column %q has no tweak; leave it out", column)
	case rule.Tweak != "" && !one.tweaked && !one.value.Null:
		return columnHandle{}, refusalf("the column %q needs a tweak: the value of %q", column, rule.Tweak)
	}
	return columnHandle{c.role.Policy, column, one.version}, nil
}

// column changes the rows of one column, all at once.
func (c *changing) column(ctx context.Context, handle columnHandle, rows []int, items []item, made []policy.Value, failed []error) error {
	protector, err := c.now.protector(ctx, c.storage, c.policy, handle)
	if err != nil {
		return err
	}
	texts := make([]policy.Value, len(rows))
	var tweaks *policy.Texts
	for i, row := range rows {
		texts[i] = items[row].value
	}
	if protector.Rules()[0].Tweak != "" {
		own := make([]policy.Value, len(rows))
		for i, row := range rows {
			own[i] = items[row].tweak
		}
		column := textsOf(own)
		tweaks = &column
	}
	change := protector.RevealEach
	if c.to == protects {
		change = protector.ProtectEach
	}
	result, invalid, err := change(ctx, handle.column, textsOf(texts), tweaks)
	if err == nil && c.to == rewraps {
		newest := columnHandle{handle.policy, handle.column, 0}
		if protector, err = c.now.protector(ctx, c.storage, c.policy, newest); err != nil {
			return err
		}
		values := result
		var more []*policy.InvalidValueError
		result, more, err = protector.ProtectEach(ctx, handle.column, values, tweaks)
		clear(values.Values)
		invalid = merge(invalid, more)
	}
	if err != nil {
		return c.refusal(err, handle)
	}
	for i, text := range result.Strings() {
		made[rows[i]] = policy.Value{Text: text, Null: result.Null != nil && result.Null[i]}
		if invalid != nil && invalid[i] != nil {
			failed[rows[i]] = refusalf("the value does not match its format: %s", invalid[i].Why())
		}
	}
	return nil
}

func merge(first, second []*policy.InvalidValueError) []*policy.InvalidValueError {
	if first == nil {
		return second
	}
	for row, one := range second {
		if one != nil {
			first[row] = one
		}
	}
	return first
}

// textsOf lays values out as a column.
func textsOf(values []policy.Value) policy.Texts {
	texts, null := make([]string, len(values)), []bool(nil)
	for row, value := range values {
		texts[row] = value.Text
		if value.Null && null == nil {
			null = make([]bool, len(values))
		}
		if value.Null {
			null[row] = true
		}
	}
	return policy.Texts{Column: fast.ColumnOf(texts), Null: null}
}

// refusal makes an error about a column one for the caller.
func (c *changing) refusal(err error, handle columnHandle) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fast.ErrProtectOnly):
		return refusalf("this version of the key of %q is below its min_decryption_version, and reveals nothing", handle.column)
	case errors.Is(err, fast.ErrRevealOnly):
		return refusalf("the key version in the policy for %q is below the key's min_encryption_version; write the policy with "+
			"a newer version", handle.column)
	}
	return refusal(strings.TrimPrefix(err.Error(), "tallystick: "))
}

// respond answers with the results of the items.
func respond(r *logical.Request, raw map[string]any, to operation, items []item, made []policy.Value, failed []error, single bool) (*logical.Response, error) {
	field := "encoded_value"
	if to == reveals {
		field = "decoded_value"
	}
	results, wrong := make([]map[string]any, len(items)), 0
	for row := range items {
		one := make(map[string]any, 2)
		switch {
		case failed[row] != nil:
			one["error"] = failed[row].Error()
			wrong++
		case made[row].Null:
			one[field] = nil
		default:
			one[field] = made[row].Text
		}
		if items[row].referenced {
			one["reference"] = items[row].reference
		}
		results[row] = one
	}
	if single {
		return &logical.Response{Data: results[0]}, nil
	}
	answer := &logical.Response{Data: map[string]any{"batch_results": results}}
	if wrong == 0 {
		return answer, nil
	}
	status := 400
	if given, there := raw["partial_failure_response_code"]; there && wrong < len(items) {
		var ok bool
		if status, ok = readVersion(given); !ok || status < 200 || status > 599 || status == 204 || status == 205 || status == 304 {
			return refuse("partial_failure_response_code is a status of HTTP with a body, such as 200")
		}
	}
	return logical.RespondWithStatusCode(answer, r, status)
}
