// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

// snapshot is what requests have read from storage so far. Any write drops all of it.
type snapshot struct {
	users sync.WaitGroup

	lock     sync.Mutex
	roles    map[string]*role
	policies map[string]*policy.Policy
	columns  map[columnHandle]*policy.Protector
	versions map[string]map[int]bool // that keys have: a batch may ask for ten thousand others
}

// columnHandle names a protector of one column. Version 0 is that of the policy.
type columnHandle struct {
	policy, column string
	version        int
}

func newSnapshot() *snapshot {
	return &snapshot{roles: map[string]*role{}, policies: map[string]*policy.Policy{}, columns: map[columnHandle]*policy.Protector{},
		versions: map[string]map[int]bool{}}
}

// close wipes keys when the last request has ended.
func (s *snapshot) close() {
	s.users.Wait()
	for _, protector := range s.columns {
		protector.Close()
	}
}

// refusal is an error of the caller, for whom its text is. It holds no value.
type refusal string

func (r refusal) Error() string { return string(r) }

func refusalf(format string, arguments ...any) error {
	return refusal(fmt.Sprintf(format, arguments...))
}

// role returns a role and its policy.
func (s *snapshot) role(ctx context.Context, storage logical.Storage, name string) (*role, *policy.Policy, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	about := s.roles[name]
	if about == nil {
		read, err := get[role](ctx, storage, rolePrefix+name)
		if err != nil {
			return nil, nil, err
		}
		if read == nil {
			return nil, nil, refusalf("there is no role %q; an operator writes it to %s", name, rolePrefix)
		}
		about, s.roles[name] = read, read
	}
	parsed := s.policies[about.Policy]
	if parsed == nil {
		read, err := readPolicy(ctx, storage, about.Policy)
		if err != nil {
			return nil, nil, err
		}
		if read == nil {
			return nil, nil, refusalf("the role %s has a policy that is not there; an operator writes it to %s", name, policyPrefix)
		}
		parsed, s.policies[about.Policy] = read, read
	}
	return about, parsed, nil
}

// protector returns the protector of one column.
func (s *snapshot) protector(ctx context.Context, storage logical.Storage, parsed *policy.Policy, handle columnHandle) (*policy.Protector, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if made := s.columns[handle]; made != nil {
		return made, nil
	}
	at := slices.IndexFunc(parsed.Rules, func(rule policy.Rule) bool { return rule.Column == handle.column })
	if at < 0 {
		return nil, refusalf("the policy has no column %q", handle.column)
	}
	rule := parsed.Rules[at]
	if handle.version != 0 {
		name, _, keyed := strings.Cut(rule.Key, ":")
		if !keyed {
			return nil, refusalf("the column %q has no key, so it takes no key_version", handle.column)
		}
		if there, err := s.versionsOf(ctx, storage, name); err != nil {
			return nil, err
		} else if !there[handle.version] {
			return nil, refusalf("the key of %q does not have this key_version; a read of %s%s shows its versions", handle.column, keyPrefix, name)
		}
		rule.Key = fmt.Sprintf("%s:%d", name, handle.version)
	}
	made, err := (&policy.Policy{Rules: []policy.Rule{rule}}).OpenWith(storedKeys{ctx, storage})
	switch {
	case errors.Is(err, keyring.ErrNoKey), errors.Is(err, keyring.ErrReference):
		return nil, refusal(err.Error())
	case err != nil:
		return nil, err
	}
	s.columns[handle] = made
	return made, nil
}

// versionsOf returns the versions of a key, none if it is not there. The lock is held.
func (s *snapshot) versionsOf(ctx context.Context, storage logical.Storage, name string) (map[int]bool, error) {
	if there := s.versions[name]; there != nil {
		return there, nil
	}
	key, err := get[dataKey](ctx, storage, keyPrefix+name)
	if err != nil {
		return nil, err
	}
	there := map[int]bool{}
	if key != nil {
		defer key.wipe()
		for version := range key.Versions {
			there[version] = true
		}
	}
	s.versions[name] = there
	return there, nil
}
