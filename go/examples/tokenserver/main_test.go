// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

const rules = `
keep = ["more", "note"]
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
email = { format = "email", key = "people:1", namespace = "e-mail", on_invalid = "null" }
age = { format = { type = "integer", min = 0, max = 149 }, key = "people:1", namespace = "age", tweak = "id" }
phone = { format = "phone", key = "people:1", namespace = "phone", on_invalid = "keep" }
`

const (
	protectToken = "who-may-protect-this"
	revealToken  = "who-may-reveal-this"
)

// start runs the server on rings and policies in files, and returns its address and what ends it.
func start(t *testing.T, arguments ...string) (string, context.CancelFunc, chan error) {
	t.Helper()
	return startWith(t, rules, arguments...)
}

func startWith(t *testing.T, rules string, arguments ...string) (string, context.CancelFunc, chan error) {
	t.Helper()
	folder := filepath.Join(vectors.Root(), "go", "keyring", "testdata")
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOKENSERVER_PROTECT", protectToken)
	t.Setenv("TEST_ROOT_KEY", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	addresses, ended := make(chan net.Addr, 1), make(chan error, 1)
	arguments = append([]string{
		"-policy", policy, "-keyring", filepath.Join(folder, "people.keys"),
		"-root", "env:TEST_ROOT_KEY", "-listen", "127.0.0.1:0",
	}, arguments...)
	go func() { ended <- run(ctx, arguments, func(a net.Addr) { addresses <- a }) }()
	select {
	case address := <-addresses:
		return "http://" + address.String(), stop, ended
	case err := <-ended:
		t.Fatal(err)
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not start")
	}
	return "", nil, nil
}

var client = &http.Client{Timeout: 20 * time.Second}

func post(t *testing.T, url, token, text string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(got)
}

const records = `{"records": [
	{"id": 7, "ssn": "078-05-1120", "email": "jane.doe@example.org", "age": 41, "phone": "+1 (202) 555-0143", "more": {"a": [1.50]}},
	{"id": "x", "ssn": null, "email": "nobody", "age": 42, "phone": "none"},
	{"note": "no field of the policy"}
]}`

func TestProtectAndReveal(t *testing.T) {
	t.Setenv("TOKENSERVER_REVEAL", revealToken)
	url, stop, ended := start(t)
	status, text := post(t, url+"/protect", protectToken, records)
	var got struct{ Records []map[string]any }
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK || len(got.Records) != 3 {
		t.Fatalf("%d: %v", status, err)
	}
	first, second := got.Records[0], got.Records[1]
	if first["ssn"] == "078-05-1120" || first["email"] == "jane.doe@example.org" || first["age"] == 41.0 && second["age"] == 42.0 {
		t.Error("values are not protected")
	}
	if _, isNumber := first["age"].(float64); !isNumber || !strings.HasSuffix(first["email"].(string), "@example.org") {
		t.Errorf("the format is another: %v", first["age"])
	}
	if second["ssn"] != nil || second["email"] != nil || second["phone"] != "none" || fmt.Sprint(first["more"]) != "map[a:[1.5]]" {
		t.Errorf("nulls, invalid values, or other fields: %v", second)
	}
	if !strings.Contains(text, "1.50") {
		t.Error("another field was written anew")
	}
	for path, tokens := range map[string][]string{
		"/reveal": {"", "guess", protectToken, revealToken + "x"}, "/protect": {"", "guess", revealToken, protectToken[1:]},
	} {
		for _, token := range tokens {
			if status, _ := post(t, url+path, token, text); status != http.StatusUnauthorized {
				t.Errorf("%s with %q: %d", path, token, status)
			}
		}
	}
	status, text = post(t, url+"/reveal", revealToken, text)
	got.Records = nil
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK {
		t.Fatalf("%d: %v", status, err)
	}
	first, second = got.Records[0], got.Records[1]
	if first["ssn"] != "078-05-1120" || first["email"] != "jane.doe@example.org" || first["age"] != 41.0 ||
		first["phone"] != "+1 (202) 555-0143" || second["age"] != 42.0 {
		t.Error("values do not come back")
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("a stop that is not graceful: %v", err)
	}
	if _, err := client.Get(url + "/health"); err == nil {
		t.Error("it still answers")
	}
}

func TestRefusals(t *testing.T) {
	url, _, _ := start(t)
	many := `{"records": [` + strings.Repeat("{},", maxRecords) + `{}]}`
	for name, one := range map[string]struct {
		path, text string
		want       int
		says       string
	}{
		"nothing is revealed": {"/reveal", records, http.StatusNotFound, ""},
		"no JSON":             {"/protect", "{", http.StatusBadRequest, "a request is"},
		"more than one":       {"/protect", `{"records": []} {}`, http.StatusBadRequest, "a request is"},
		"no records":          {"/protect", `{}`, http.StatusBadRequest, "a request is"},
		"other keys":          {"/protect", `{"records": [], "x": 1}`, http.StatusBadRequest, "a request is"},
		"too large":           {"/protect", `{"records": [{"x": "` + strings.Repeat("x", maxBody) + `"}]}`, http.StatusRequestEntityTooLarge, "1 MiB"},
		"too many":            {"/protect", many, http.StatusRequestEntityTooLarge, "10000"},
		"invalid":             {"/protect", `{"records": [{}, {"ssn": "31337"}]}`, http.StatusUnprocessableEntity, `"record":1,"field":"ssn"`},
		"a number as text":    {"/protect", `{"records": [{"ssn": 123456789}]}`, http.StatusUnprocessableEntity, "send it as text"},
		"a list":              {"/protect", `{"records": [{"ssn": [1]}]}`, http.StatusUnprocessableEntity, "neither text"},
		"a field of no rule":  {"/protect", `{"records": [{}, {"zip": "31337"}]}`, http.StatusUnprocessableEntity, `the policy does not name it`},
		"a character":         {"/protect", `{"records": [{"ssn": "07805x120"}]}`, http.StatusUnprocessableEntity, `(a letter, character 6)`},
		"a tweak is missing":  {"/protect", `{"records": [{"age": 7}]}`, http.StatusUnprocessableEntity, "its tweak"},
	} {
		status, text := post(t, url+one.path, protectToken, one.text)
		if status != one.want || !strings.Contains(text, one.says) || strings.Contains(text, "31337") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if answer, err := client.Get(url + "/protect"); err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v", err)
	} else {
		answer.Body.Close()
	}
	if answer, err := client.Get(url + "/health"); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("health: %v", err)
	} else {
		answer.Body.Close()
	}
}

// FuzzRequests sends any body: the answer is JSON with a status of those there are, and what was protected is
// revealed again.
func FuzzRequests(f *testing.F) {
	loaded, err := policy.Parse(rules, "rules")
	if err != nil {
		f.Fatal(err)
	}
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	ring, err := keyring.OpenWithKey(filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys"), key)
	if err != nil {
		f.Fatal(err)
	}
	protector, err := loaded.Open(ring)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(protector.Close)
	served := newHandler(protector, access{protect: "token", reveal: "token"})
	ask := func(t *testing.T, path string, body []byte) (int, []byte) {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, bytes.NewReader(body))
		request.Header.Set("Authorization", "Bearer token")
		served.ServeHTTP(answer, request)
		if !json.Valid(answer.Body.Bytes()) {
			t.Fatalf("no JSON: %d", answer.Code)
		}
		return answer.Code, answer.Body.Bytes()
	}
	f.Add([]byte(records))
	f.Add([]byte(`{"records": [{"ssn": 123456789, "age": 1e2, "id": {}}]}`))
	f.Add([]byte(`{"records": [{"age": -0, "id": "x", "phone": "\ud800"}, {"email": "a@b", "email": null}]} `))
	f.Fuzz(func(t *testing.T, body []byte) {
		ask(t, "/reveal", body)
		status, tokens := ask(t, "/protect", body)
		switch status {
		case http.StatusOK:
			status, back := ask(t, "/reveal", tokens)
			if status != http.StatusOK {
				t.Fatalf("tokens are not revealed: %d", status)
			}
			if status, again := ask(t, "/protect", back); status != http.StatusOK || !bytes.Equal(again, tokens) {
				t.Errorf("other tokens: %d", status)
			}
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		default:
			t.Errorf("status %d", status)
		}
	})
}

func TestTooManyAtOnce(t *testing.T) {
	h := &handler{make(chan struct{}), maxTime} // no place at all
	answer := httptest.NewRecorder()
	h.records(nil)(answer, httptest.NewRequest(http.MethodPost, "/protect", strings.NewReader(records)))
	if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") == "" {
		t.Errorf("%d", answer.Code)
	}
}

// Who sends or reads slowly keeps nobody else waiting, even if there is one place alone.
func TestSlowCallers(t *testing.T) {
	h := &handler{make(chan struct{}, 1), maxTime}
	serve := h.records(func(context.Context, []policy.Record) error { return nil })
	expect := func(answer *httptest.ResponseRecorder) {
		t.Helper()
		if answer.Code != http.StatusOK || answer.Body.String() != "{\"records\":[{}]}\n" {
			t.Errorf("%d: %s", answer.Code, answer.Body)
		}
	}
	try := func() {
		t.Helper()
		answer := httptest.NewRecorder()
		serve(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"records": [{}]}`)))
		expect(answer)
	}
	from, to := io.Pipe()
	slow := &reader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		serve(slow, httptest.NewRequest(http.MethodPost, "/", from))
		close(done)
	}()
	if _, err := io.WriteString(to, `{"records": `); err != nil { // returns when it was read
		t.Fatal(err)
	}
	try()
	if _, err := io.WriteString(to, `[{}]}`); err != nil {
		t.Fatal(err)
	}
	to.Close()
	<-slow.waits
	try()
	close(slow.reads)
	<-done
	expect(slow.ResponseRecorder)
}

// reader is a caller that takes its time to read.
type reader struct {
	*httptest.ResponseRecorder
	waits, reads chan struct{}
}

func (r *reader) Write(text []byte) (int, error) {
	close(r.waits)
	<-r.reads
	return r.ResponseRecorder.Write(text)
}

// What is not the request's fault is 500, and the answer does not say what it is.
func TestInternalErrors(t *testing.T) {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	loaded, err := policy.Parse(rules, "rules")
	if err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	ring, err := keyring.OpenWithKey(filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys"), key)
	if err != nil {
		t.Fatal(err)
	}
	protector, err := loaded.Open(ring)
	if err != nil {
		t.Fatal(err)
	}
	protector.Close() // its keys are gone
	answer := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "http://localhost/protect", strings.NewReader(records))
	newHandler(protector, access{openProtect: true, hosts: []string{"localhost"}}).ServeHTTP(answer, request)
	if text := answer.Body.String(); answer.Code != http.StatusInternalServerError || strings.Contains(text, "Close") {
		t.Errorf("%d: %s", answer.Code, text)
	}
}

// A request that is cut off has no answer but that.
func TestCutOff(t *testing.T) {
	h := &handler{make(chan struct{}, 1), maxTime}
	answer := httptest.NewRecorder()
	body := io.MultiReader(strings.NewReader(`{"records": []}`), iotest.ErrReader(io.ErrUnexpectedEOF))
	h.records(nil)(answer, httptest.NewRequest(http.MethodPost, "/", body))
	if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "cut off") {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}

func TestStartFails(t *testing.T) {
	for _, arguments := range [][]string{
		{"-unknown"}, {}, {"-root", "env:NOBODY_SETS_THIS"}, {"-root", "env:X", "-policy", "/none"},
	} {
		if err := run(context.Background(), arguments, func(net.Addr) {}); err == nil {
			t.Errorf("%v: it starts", arguments)
		}
	}
}

// What is beyond the limit is not decoded: small records take much more memory than text.
func TestTooManyRecordsTakeNoMemory(t *testing.T) {
	text := []byte("[" + strings.Repeat(`{"":0},`, 140_000) + "{}]")
	var list recordList
	if err := list.UnmarshalJSON(text); !errors.Is(err, errTooMany) || len(list) > maxRecords {
		t.Errorf("%d records: %v", len(list), err)
	}
}
