// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openbao/openbao/sdk/v2/helper/consts"
	"github.com/openbao/openbao/sdk/v2/logical"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

const rules = `
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
name = { format = { type = "letters" }, key = "people:1", namespace = "name", tweak = "id" }
note = { format = "digits", key = "people:1", namespace = "note", on_invalid = "keep" }
hidden = { format = "mask" }
`

// mount is a backend with the storage of a mount.
type mount struct {
	logical.Backend
	storage logical.Storage
}

func newMount(t testing.TB) *mount {
	return newMountOn(t, &logical.InmemStorage{}, logical.TestSystemView())
}

func newMountOn(t testing.TB, storage logical.Storage, system logical.SystemView) *mount {
	t.Helper()
	made, err := Factory(context.Background(), &logical.BackendConfig{StorageView: storage, System: system})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Cleanup(context.Background()) })
	return &mount{made, storage}
}

func (m *mount) ask(operation logical.Operation, path string, data map[string]any) (*logical.Response, error) {
	return m.HandleRequest(context.Background(), &logical.Request{
		Operation: operation, Path: path, Data: data, Storage: m.storage,
	})
}

// write returns the data of an answer that is no error.
func (m *mount) write(t testing.TB, path string, data map[string]any) map[string]any {
	t.Helper()
	answer, err := m.ask(logical.UpdateOperation, path, data)
	if err == nil && answer != nil {
		err = answer.Error()
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if answer == nil {
		return nil
	}
	return answer.Data
}

// withRing mounts the engine with the keys of the practice ring, imported as operators do.
func withRing(t testing.TB) (*mount, *keyring.Keyring) {
	t.Helper()
	root := make([]byte, 32)
	for i := range root {
		root[i] = byte(i)
	}
	ring, err := keyring.OpenWithKey("../../go/keyring/testdata/people.keys", root)
	if err != nil {
		t.Fatal(err)
	}
	m := newMount(t)
	read, err := m.ask(logical.ReadOperation, "wrapping_key", nil)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(read.Data["public_key"].(string)))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, reference := range []string{"people:1", "people:2"} {
		key, err := ring.Key(reference)
		if err != nil {
			t.Fatal(err)
		}
		wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, public.(*rsa.PublicKey), key, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.write(t, "keys/people/import", map[string]any{"ciphertext": base64.StdEncoding.EncodeToString(wrapped)})
	}
	m.write(t, "policies/people", map[string]any{"policy": rules})
	m.write(t, "roles/all", map[string]any{"policy": "people", "protect": "*", "reveal": "*", "rewrap": "*"})
	return m, ring
}

// results returns one field of all items.
func results(t testing.TB, data map[string]any, field string) (made []any) {
	t.Helper()
	for _, one := range data["batch_results"].([]map[string]any) {
		if one["error"] != nil {
			t.Fatal(one["error"])
		}
		made = append(made, one[field])
	}
	return made
}

// TestTokensOfGo compares tokens with those of the package policy under the same ring.
func TestTokensOfGo(t *testing.T) {
	m, ring := withRing(t)
	parsed, err := policy.Parse(rules, "rules")
	if err != nil {
		t.Fatal(err)
	}
	protector, err := parsed.Open(ring)
	if err != nil {
		t.Fatal(err)
	}
	defer protector.Close()
	var items []any
	var want []string
	for n := range 100 {
		for _, one := range []struct{ column, value, tweak string }{
			{"ssn", fmt.Sprintf("%03d-05-%04d", n+1, n+1), ""}, {"name", "Ada" + strings.Repeat("x", n), fmt.Sprint(n)},
			{"note", "none", ""}, {"note", fmt.Sprint(1e6 + n), ""}, {"hidden", "secret", ""},
		} {
			item := map[string]any{"transformation": one.column, "value": one.value}
			var tweaks []policy.Value
			if one.tweak != "" {
				item["tweak"], tweaks = one.tweak, []policy.Value{{Text: one.tweak}}
			}
			token, err := protector.Protect(one.column, []policy.Value{{Text: one.value}}, tweaks)
			if err != nil {
				t.Fatal(err)
			}
			items, want = append(items, item), append(want, token[0].Text)
		}
	}
	made := results(t, m.write(t, "encode/all", map[string]any{"batch_input": items}), "encoded_value")
	for i, token := range want {
		if made[i] != token {
			t.Fatalf("%v: %v is not %s", items[i], made[i], token)
		}
	}
}

// A standby looks at nothing before it forwards a write, since what it has read may be old. It serves values itself.
func TestStandby(t *testing.T) {
	active, _ := withRing(t)
	system := logical.TestSystemView()
	system.ReplicationStateVal = consts.ReplicationPerformanceStandby
	standby := newMountOn(t, active.storage, system)
	for _, path := range []string{
		"keys/people", "keys/people/rotate", "keys/people/config", "keys/people/trim", "keys/people/import",
		"policies/people", "roles/all",
	} {
		for _, operation := range []logical.Operation{logical.UpdateOperation, logical.DeleteOperation} {
			_, err := standby.ask(operation, path, map[string]any{"policy": "no policy"})
			if err != logical.ErrReadOnly && !(operation == logical.DeleteOperation && err == logical.ErrUnsupportedOperation) {
				t.Errorf("%s %s: %v", operation, path, err)
			}
		}
	}
	if standby.write(t, "protect/all", map[string]any{"transformation": "ssn", "value": "123-45-6789"}) == nil {
		t.Error("no token")
	}
}

// TestNames asks by the project's names and by those of Transform: the answers are the same, and a role's rights too.
func TestNames(t *testing.T) {
	m, _ := withRing(t)
	m.write(t, "roles/one", map[string]any{"policy": "people", "protect": "ssn"})
	data := map[string]any{"transformation": "ssn", "value": "078-05-1120"}
	token := m.write(t, "protect/all", data)["encoded_value"]
	if other := m.write(t, "encode/one", data)["encoded_value"]; other != token || token == "078-05-1120" {
		t.Error(token, other)
	}
	for _, path := range []string{"reveal", "decode"} {
		data["value"] = token
		if made := m.write(t, path+"/all", data); made["decoded_value"] != "078-05-1120" {
			t.Error(path, made)
		}
		answer, err := m.ask(logical.UpdateOperation, path+"/one", data)
		if err != nil || !answer.IsError() || !strings.Contains(answer.Error().Error(), "to reveal") {
			t.Error(path, answer, err)
		}
	}
}

// TestWipe looks at what requests share: a write drops it, and keys are wiped when the last request has ended.
func TestWipe(t *testing.T) {
	m, _ := withRing(t)
	b := m.Backend.(*backend)
	item := map[string]any{"transformation": "ssn", "value": "078-05-1120"}
	m.write(t, "encode/all", item)
	old, done := b.use()
	protector := old.columns[columnHandle{"people", "ssn", 0}]
	protect := func() error {
		_, err := protector.Protect("ssn", []policy.Value{{Text: "078-05-1120"}}, nil)
		return err
	}
	m.write(t, "keys/people/rotate", nil)
	if now, end := b.use(); now == old || len(now.columns) != 0 {
		t.Error("a write drops nothing")
	} else {
		end()
	}
	if err := protect(); err != nil {
		t.Error("a request under way loses its key", err)
	}
	done()
	old.users.Wait()
	old.close()
	if protect() == nil {
		t.Error("the key was not wiped")
	}
}

// TestConcurrency protects while policies are written and keys are rotated.
func TestConcurrency(t *testing.T) {
	m, _ := withRing(t)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for range 30 {
				path, data := "encode/all", map[string]any{"transformation": "ssn", "value": "078-05-1120"}
				if worker == 0 {
					path, data = "policies/people", map[string]any{"policy": rules}
				} else if worker == 1 {
					path, data = "keys/people/rotate", nil
				}
				answer, err := m.ask(logical.UpdateOperation, path, data)
				if err != nil || answer != nil && answer.IsError() {
					t.Error(path, answer, err)
				}
			}
		})
	}
	all.Wait()
	answer, err := m.ask(logical.ReadOperation, "keys/people", nil)
	if err != nil || answer.Data["latest_version"] != 32 {
		t.Error("rotations were lost", answer, err)
	}
}

// reads counts what is read from storage.
type reads struct {
	logical.Storage
	count atomic.Int64
}

func (r *reads) Get(ctx context.Context, place string) (*logical.StorageEntry, error) {
	r.count.Add(1)
	return r.Storage.Get(ctx, place)
}

// A batch of many versions that the key does not have reads the key once: other requests wait meanwhile.
func TestMissingVersions(t *testing.T) {
	m, _ := withRing(t)
	counted := &reads{Storage: m.storage}
	m.storage = counted
	items := []any{map[string]any{"value": "078-05-1120", "transformation": "ssn", "key_version": 2.0}}
	for version := range 100 {
		items = append(items, map[string]any{"value": "078-05-1120", "transformation": "ssn", "key_version": float64(100 + version)})
	}
	answer, err := m.ask(logical.UpdateOperation, "reveal/all", map[string]any{"batch_input": items})
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprint(answer.Data)
	if strings.Count(body, "does not have this key_version") != 100 || strings.Count(body, "decoded_value") != 1 || strings.Contains(body, "199") {
		t.Errorf("%.1000s", body)
	}
	if got := counted.count.Load(); got > 10 {
		t.Errorf("%d reads", got)
	}
}

// An answer of a status without a body would lose the results of the items that are valid.
func TestStatusWithoutBody(t *testing.T) {
	m, _ := withRing(t)
	for _, status := range []float64{199, 204, 205, 304, 600} {
		answer, err := m.ask(logical.UpdateOperation, "protect/all", map[string]any{"partial_failure_response_code": status, "batch_input": []any{
			map[string]any{"value": "078-05-1120", "transformation": "ssn"}, map[string]any{"value": "x", "transformation": "ssn"},
		}})
		if err != nil || !answer.IsError() {
			t.Error(status, answer, err)
		}
	}
}

// FuzzRequests sends any body: there is no panic, no error of the server, and no message quotes the body.
func FuzzRequests(f *testing.F) {
	m, _ := withRing(f)
	for _, body := range []string{
		`{"value": "078-05-1120", "transformation": "ssn"}`, `{"batch_input": [{"value": "Ada", "transformation": "name", "tweak": "5"}, 5]}`,
		`{"value": {"a": []}, "key_version": 1e300}`, `{"batch_input": [{"value": null, "transformation": "note", "reference": {}}], "partial_failure_response_code": -1}`,
		`{"value": "QUOTEDQUOTED", "transformation": "QUOTEDQUOTED", "key_version": "QUOTEDQUOTED", "QUOTEDQUOTED": 1}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var data map[string]any
		if json.Unmarshal([]byte(body), &data) != nil || data == nil {
			return
		}
		for _, path := range []string{"protect/all", "reveal/all", "rewrap/all"} {
			answer, err := m.ask(logical.UpdateOperation, path, data)
			if err != nil || answer == nil {
				t.Fatal(path, answer, err)
			}
			if answer.IsError() && strings.Contains(answer.Error().Error(), "QUOTEDQUOTED") {
				t.Fatal(answer.Error())
			}
		}
	})
}
