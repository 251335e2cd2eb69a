// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

func ExampleProtector_ProtectRecords() {
	// The practice keys protect nothing: everybody can read them.
	os.Setenv("PRACTICE_ROOT", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	protector, err := open("../../docs/how-to/practice/people.toml", "../../docs/tutorials/practice.keys", "env:PRACTICE_ROOT")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer protector.Close()
	body := []byte(`[{"id": 1001, "phone": "+43 660 1234567", "plan": "gold"}]`)
	tokens, err := protect(context.Background(), protector, body)
	fmt.Println(string(tokens), err)
	_, err = protect(context.Background(), protector, []byte(`[{"phone": "none"}]`))
	fmt.Println(errors.Is(err, policy.ErrRecord))
	// Output:
	// [{"id":1001,"phone":"+06 188 5564575","plan":"gold"}] <nil>
	// true
}

func ExampleProtector_Protect() {
	os.Setenv("PRACTICE_ROOT", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	protector, err := open("../../docs/how-to/practice/people.toml", "../../docs/tutorials/practice.keys", "env:PRACTICE_ROOT")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer protector.Close()
	tokens, err := protector.Protect("phone", []policy.Value{{Text: "+43 660 1234567"}, {Null: true}}, nil)
	fmt.Println(tokens[0].Text, tokens[1].Null, err)
	_, err = protector.Protect("telephone", nil, nil)
	fmt.Println(err)
	// Output:
	// +06 188 5564575 true <nil>
	// tallystick: policy: it has no rule for column "telephone"; pass one of "name", "email", "phone", "card"
}

func open(rules, ring, root string) (*policy.Protector, error) {
	source, err := keyring.ParseRoot(root) // such as file:root.key
	if err != nil {
		return nil, err
	}
	keys, err := keyring.Open(ring, source)
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	loaded, err := policy.Load(rules)
	if err != nil {
		return nil, err
	}
	return loaded.Open(keys, policy.ProtectOnly(), policy.MaxWork(100_000_000))
}

func protect(ctx context.Context, protector *policy.Protector, body []byte) ([]byte, error) {
	var records []policy.Record
	if err := json.Unmarshal(body, &records); err != nil {
		return nil, err
	}
	if err := protector.ProtectRecords(ctx, records); err != nil {
		return nil, err // a *policy.RecordError names record and field, never the value
	}
	return json.Marshal(records)
}
