// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/internal/vectors"
)

const rules = `
[columns]
ssn = { format = "ssn", key = "people:1", domain = "person id" }
email = { format = "email", key = "people:1", domain = "e-mail", unfit = "null" }
age = { format = { type = "integer", min = 0, max = 149 }, key = "people:1", domain = "age", tweak = "id" }
phone = { format = "phone", key = "people:1", domain = "phone", unfit = "keep" }
`

// start runs the server on rings and policies in files, and returns its address and what ends it.
func start(t *testing.T, arguments ...string) (string, context.CancelFunc, chan error) {
	t.Helper()
	folder := filepath.Join(vectors.Root(), "go", "keyring", "testdata")
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
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
	t.Setenv("TOKENSERVER_REVEAL", "who reads this")
	url, stop, ended := start(t)
	status, text := post(t, url+"/protect", "", records)
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
		t.Errorf("nulls, what does not fit, or other fields: %v", second)
	}
	if !strings.Contains(text, "1.50") {
		t.Error("another field was written anew")
	}
	if status, _ := post(t, url+"/reveal", "", text); status != http.StatusUnauthorized {
		t.Errorf("revealed without a token: %d", status)
	}
	if status, _ := post(t, url+"/reveal", "guess", text); status != http.StatusUnauthorized {
		t.Errorf("revealed with another token: %d", status)
	}
	status, text = post(t, url+"/reveal", "who reads this", text)
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
		"unfit":               {"/protect", `{"records": [{}, {"ssn": "31337"}]}`, http.StatusUnprocessableEntity, `"record":1,"field":"ssn"`},
		"a number as text":    {"/protect", `{"records": [{"ssn": 123456789}]}`, http.StatusUnprocessableEntity, "send it as text"},
		"a list":              {"/protect", `{"records": [{"ssn": [1]}]}`, http.StatusUnprocessableEntity, "neither text"},
		"a tweak is missing":  {"/protect", `{"records": [{"age": 7}]}`, http.StatusUnprocessableEntity, "its tweak"},
	} {
		status, text := post(t, url+one.path, "", one.text)
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

func TestTooManyAtOnce(t *testing.T) {
	h := &handler{nil, make(chan struct{})} // no place at all
	answer := &recorder{header: http.Header{}}
	h.records(nil)(answer, &http.Request{})
	if answer.status != http.StatusServiceUnavailable || answer.header.Get("Retry-After") == "" {
		t.Errorf("%d", answer.status)
	}
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header            { return r.header }
func (r *recorder) WriteHeader(status int)         { r.status = status }
func (r *recorder) Write(text []byte) (int, error) { return len(text), nil }

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
