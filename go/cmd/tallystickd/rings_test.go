// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
)

// withRing is configure with a key ring of its own, which has the keys people:1 to people:3, and for any policy.
func withRing(t *testing.T, more string) (path string, tokens map[string]string, ring string, edit *keyring.Editor) {
	t.Helper()
	path, tokens = configure(t, more)
	folder := filepath.Dir(path)
	ring = filepath.Join(folder, "own.keys")
	root, err := keyring.ParseRoot("file:" + filepath.Join(folder, "root.key"))
	if err == nil {
		err = keyring.Create(t.Context(), ring, root)
	}
	if err == nil {
		edit, err = keyring.Edit(t.Context(), ring, root)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(edit.Close)
	for range 3 {
		if _, err := edit.Add("people", 32); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(t, path, func(text string) string {
		was := filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys")
		return strings.NewReplacer(was, ring, `["email", "phone"]`, `["*"]`, `["email"]`, `["*"]`).Replace(text)
	})
	return path, tokens, ring, edit
}

func rewrite(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(change(string(text))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Rights of a ring's keys bind every caller. What is refused is not in the log of reveals.
func TestRightsOfKeys(t *testing.T) {
	path, tokens, _, edit := withRing(t, `reveal_log = "reveals.log"`)
	for reference, rights := range map[string]keyring.Rights{"people:2": keyring.MayProtect, "people:3": keyring.MayReveal} {
		if err := edit.SetRights(reference, rights); err != nil {
			t.Fatal(err)
		}
	}
	const policy = "[columns]\n" +
		"both = { format = \"digits\", key = \"people:1\", namespace = \"both\" }\n" +
		"in = { format = \"digits\", key = \"people:2\", namespace = \"in\" }\n" +
		"out = { format = \"digits\", key = \"people:3\", namespace = \"out\" }\n" +
		"masked = { format = \"mask\" }\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "people.toml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startFrom(t, path, tokens)
	log := filepath.Join(r.folder, "reveals.log")
	lines := 0
	for _, one := range []struct {
		path    string
		columns []string
		refused string
	}{
		{"/v1/protect", []string{"both", "in", "masked"}, ""},
		{"/v1/reveal", []string{"masked"}, ""},
		{"/v1/reveal", []string{"in"}, "in"},
		{"/v1/reveal", []string{"both", "in"}, "in"},
		{"/v1/reveal", []string{"both", "out", "masked"}, ""},
		{"/v1/protect", []string{"out"}, "out"},
		{"/v1/protect", []string{"both", "out"}, "out"},
	} {
		record, row := map[string]string{}, []string{}
		for _, column := range one.columns {
			record[column], row = "12345678", append(row, "12345678")
		}
		asJSON, _ := json.Marshal(map[string]any{"records": []any{record}})
		for kind, body := range map[string][]byte{jsonType: asJSON, arrowType: stream(t, 1, one.columns, nil, row)} {
			status, text := r.send(t, http.MethodPost, one.path, "all", kind, bytes.NewReader(body))
			if one.refused == "" && status != http.StatusOK || one.refused != "" &&
				(status != http.StatusForbidden || !strings.Contains(text, `"field":"`+one.refused+`"`) || !strings.Contains(text, "this field's key")) {
				t.Errorf("%s of %v as %s: %d %s", one.path, one.columns, kind, status, text)
			}
		}
		if one.path == "/v1/reveal" && one.refused == "" && len(one.columns) > 1 {
			lines += 3 // the record, and each column of Arrow
		}
		found, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) || bytes.Count(found, []byte("\n")) != lines {
			t.Errorf("after %s of %v: %v %s", one.path, one.columns, err, found)
		}
	}
}

// A ring with signers takes signed policies alone.
func TestSigners(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "policy_signatures.json"))
	if err != nil {
		t.Fatal(err)
	}
	var given struct {
		Cases []struct {
			Policy, Signatures string
			Signers            []string
		}
	}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	signed := given.Cases[0]
	path, tokens, _, edit := withRing(t, "")
	policy := filepath.Join(filepath.Dir(path), "people.toml")
	if err := edit.SetSigners(signed.Signers); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{policy: signed.Policy, policy + ".sig": signed.Signatures} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := startFrom(t, path, tokens)
	rewrite(t, policy, func(text string) string { return text + "\n" })
	r.reloads <- struct{}{}
	r.reloaded(t, 1)
	if log := r.log.String(); !strings.Contains(log, "everything stays as it was") || !strings.Contains(log, "sign") {
		t.Errorf("the log: %s", log)
	}
	if status, text := r.post(t, "/v1/protect", "all", `{"records": [{"id": "12345678"}]}`); status != http.StatusOK {
		t.Errorf("after a reload that was refused: %d %s", status, text)
	}
	if _, err := newServer(path, slog.New(slog.NewTextHandler(io.Discard, nil))); err == nil || !strings.Contains(err.Error(), "sign") {
		t.Errorf("a start with a policy that nobody signed: %v", err)
	}
}

// A server with an anchor refuses an older copy of the ring.
func TestAnchor(t *testing.T) {
	path, tokens, ring, edit := withRing(t, `anchor = "own.anchor"`)
	older, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edit.Add("people", 32); err != nil {
		t.Fatal(err)
	}
	root, _ := keyring.ParseRoot("file:" + filepath.Join(filepath.Dir(path), "root.key"))
	newest, err := keyring.Open(ring, root)
	if err != nil {
		t.Fatal(err)
	}
	defer newest.Close()
	if err := newest.MakeAnchor(filepath.Join(filepath.Dir(path), "own.anchor"), false); err != nil {
		t.Fatal(err)
	}
	r := startFrom(t, path, tokens)
	if err := os.WriteFile(ring, older, 0o600); err != nil {
		t.Fatal(err)
	}
	r.reloads <- struct{}{}
	r.reloaded(t, 1)
	if log := r.log.String(); !strings.Contains(log, "everything stays as it was") || !strings.Contains(log, "anchor") {
		t.Errorf("the log: %s", log)
	}
	if status, _ := r.post(t, "/v1/protect", "all", records); status != http.StatusOK {
		t.Errorf("after a reload that was refused: %d", status)
	}
	if _, err := newServer(path, slog.New(slog.NewTextHandler(io.Discard, nil))); err == nil || !strings.Contains(err.Error(), "anchor") {
		t.Errorf("a start with an older ring: %v", err)
	}
}
