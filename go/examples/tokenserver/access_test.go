// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/policy"
)

// TestMain is the server itself when the tests start it as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("TOKENSERVER_TEST_PROCESS") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestOpenProtect(t *testing.T) {
	os.Unsetenv("TOKENSERVER_PROTECT") // start sets it until the test ends
	url, _, _ := start(t, "-open-protect", "-protect-token", "env:NOBODY_SETS_THIS")
	if status, text := post(t, url+"/protect", "", records); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := post(t, url+"/reveal", "", records); status != http.StatusNotFound {
		t.Errorf("revealed without a token: %d", status)
	}
}

func TestTokensInFiles(t *testing.T) {
	folder := t.TempDir()
	protect, reveal := filepath.Join(folder, "protect"), filepath.Join(folder, "reveal")
	for path, token := range map[string]string{protect: "a token in a file\n", reveal: "another-token-in-a-file\n"} {
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(token, " ", "-")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url, _, _ := start(t, "-protect-token", "file:"+protect, "-reveal-token", "file:"+reveal)
	status, text := post(t, url+"/protect", "a-token-in-a-file", records)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if status, _ := post(t, url+"/reveal", "another-token-in-a-file", text); status != http.StatusOK {
		t.Errorf("reveal: %d", status)
	}
}

// A server that nobody made safe does not start, and no message repeats a token.
func TestStartIsRefused(t *testing.T) {
	folder := t.TempDir()
	open := filepath.Join(folder, "open")
	if err := os.WriteFile(open, []byte("a-secret-that-all-may-read"), 0o644); err != nil { //nolint:gosec // what is tested
		t.Fatal(err)
	}
	large := filepath.Join(folder, "large")
	if err := os.WriteFile(large, []byte(strings.Repeat("secret", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHORT", "secret")
	t.Setenv("SAME", "the-secret-for-both")
	t.Setenv("SPACES", "a secret of several words")
	for says, arguments := range map[string][]string{
		"there is no token for protecting":       {"-protect-token", "env:NOBODY_SETS_THIS"},
		"never write the token itself":           {"-protect-token", "secret-in-the-arguments"},
		"the token for revealing: its source":    {"-protect-token", "env:SAME", "-reveal-token", "secret:x"},
		"16 or more printable characters":        {"-protect-token", "env:SHORT"},
		"no space":                               {"-protect-token", "env:SPACES"},
		"have the same token":                    {"-protect-token", "env:SAME", "-reveal-token", "env:SAME"},
		"and -open-protect":                      {"-protect-token", "env:SAME", "-open-protect"},
		"others may use its file (mode 0644)":    {"-protect-token", "file:" + open},
		"no such file":                           {"-protect-token", "file:" + open + "x"},
		"-max-work is 0 or more":                 {"-protect-token", "env:SAME", "-max-work", "-1"},
		"its file has more than 4096 bytes":      {"-protect-token", "file:" + large},
		"there are arguments that no flag takes": {"-protect-token", "env:SAME", "secret"},
	} {
		err := run(context.Background(), arguments, func(net.Addr) {})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// A web page whose name leads here sends its own name, and is refused.
func TestHost(t *testing.T) {
	url, _, _ := start(t, "-hosts", "tokens.example, other.example")
	for host, want := range map[string]int{
		"attacker.example": http.StatusMisdirectedRequest, "attacker.example:80": http.StatusMisdirectedRequest,
		"localhost.attacker.example": http.StatusMisdirectedRequest, "127.0.0.1.attacker.example": http.StatusMisdirectedRequest,
		"localhost": http.StatusOK, "LOCALHOST:8080": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]:99": http.StatusOK,
		"tokens.example": http.StatusOK, "other.example:443": http.StatusOK, "": http.StatusOK, // the address that was dialled
	} {
		for _, path := range []string{"/health", "/protect"} {
			method, text := http.MethodGet, ""
			if path == "/protect" {
				method, text = http.MethodPost, records
			}
			request, err := http.NewRequest(method, url+path, strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			request.Header.Set("Authorization", "Bearer "+protectToken)
			answer, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s of host %q: %d", path, host, answer.StatusCode)
			}
		}
	}
}

// A request of much work is refused before it is done.
func TestMaxWork(t *testing.T) {
	url, _, _ := start(t, "-max-work", "5000")
	one := `{"phone": "030 901820"},`
	for rows, want := range map[int]int{1: http.StatusOK, 200: http.StatusRequestEntityTooLarge} {
		status, text := post(t, url+"/protect", protectToken, `{"records": [`+strings.Repeat(one, rows)+`{}]}`)
		if status != want || want != http.StatusOK && !strings.Contains(text, "layers of FAST, but the limit is 5000") {
			t.Errorf("%d records: %d %s", rows, status, text)
		}
	}
}

// When the caller is gone the work ends between two batches.
func TestCallerIsGone(t *testing.T) {
	said := make(lines, 10)
	log.SetOutput(said)
	defer log.SetOutput(os.Stderr)
	policyText := strings.Replace(rules, "[columns]", "[columns]\nlong = { format = { type = \"digits\", max_length = 65536 }, "+
		"key = \"people:1\", namespace = \"l\" }", 1)
	url, _, _ := startWith(t, policyText, "-max-work", "0")
	value := strings.Repeat("7", 60_000)
	text := `{"records": [` + strings.Repeat(`{"long": "`+value+`"},`, 15) + `{"long": "` + value + `"}]}`
	request, err := http.NewRequest(http.MethodPost, url+"/protect", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+protectToken)
	ctx, leave := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer leave()
	if answer, err := client.Do(request.WithContext(ctx)); err == nil {
		answer.Body.Close()
		t.Fatal("the work was done before the caller left; the test needs more of it")
	}
	select {
	case line := <-said:
		if !strings.Contains(line, "the caller went away") {
			t.Error(line)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the work goes on though the caller is gone")
	}
	if status, _ := post(t, url+"/protect", protectToken, records); status != http.StatusOK {
		t.Errorf("the next request: %d", status)
	}
}

// A request whose time is over is answered, and its work has ended.
func TestTimeIsOver(t *testing.T) {
	h := &handler{make(chan struct{}, 1), time.Millisecond}
	answer := httptest.NewRecorder()
	wait := func(ctx context.Context, _ []policy.Record) error {
		<-ctx.Done()
		return ctx.Err()
	}
	h.records(wait)(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(records)))
	if answer.Code != http.StatusServiceUnavailable || !strings.Contains(answer.Body.String(), "took too long") {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}

// lines has each line of a log.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}
