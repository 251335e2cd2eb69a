// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Symbols and work are refused before anything is done, and a request as large as they allow passes.
func TestBudgets(t *testing.T) {
	for limit, one := range map[string]struct {
		rows int
		says string
	}{"symbols = 1100": {100, "1111 symbols, but the limit is 1100"}, "layers = 5000": {14, "layers of FAST, but the limit is 5000"}} {
		r := start(t, "[limits]\n"+limit)
		for rows, want := range map[int]int{1: 200, one.rows: 200, one.rows + 1: 413} {
			if strings.HasPrefix(limit, "layers") && rows == one.rows+1 {
				rows *= 20
			}
			status, text := r.post(t, "/v1/protect", "shop", `{"records": [`+strings.Repeat(`{"ssn": "078-05-1120"},`, rows)+`{}]}`)
			if status != want || want == 413 && !strings.Contains(text, one.says) {
				t.Errorf("%s, %d records: %d %s", limit, rows, status, text)
			}
		}
	}
}

// longWork is a policy and a request of some seconds of work.
func longWork(t *testing.T) (path string, tokens map[string]string, body string) {
	t.Helper()
	path, tokens = configure(t, "[limits]\nlayers = 9000000000\nrequests = 1\nwait = \"100ms\"\ntime = \"10s\"")
	text := strings.Replace(rules, "[columns]", "[columns]\nlong = { format = { type = \"digits\", max_length = 65536 }, "+
		"key = \"people:1\", namespace = \"l\" }", 1)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "people.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	value := `{"long": "` + strings.Repeat("7", 60_000) + `"}`
	return path, tokens, `{"records": [` + strings.Repeat(value+",", 15) + value + `]}`
}

// When the caller is gone the work ends between two batches; meanwhile others are asked to come again.
func TestCallerIsGone(t *testing.T) {
	path, tokens, body := longWork(t)
	r := startFrom(t, path, tokens)
	ctx, leave := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/protect", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+tokens["all"])
	request.Header.Set("Content-Type", jsonType)
	gone := make(chan error, 1)
	go func() {
		answer, err := r.client.Do(request)
		if err == nil {
			answer.Body.Close()
		}
		gone <- err
	}()
	for len(r.places) == 0 {
		time.Sleep(time.Millisecond)
	}
	if status, text := r.post(t, "/v1/protect", "all", records); status != http.StatusServiceUnavailable || !strings.Contains(text, "come again") {
		t.Errorf("while the place is taken: %d %s", status, text)
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatalf("the work was done before the caller left; the test needs more of it: %v", err)
	}
	for end := time.Now().Add(15 * time.Second); len(r.places) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the work goes on though the caller is gone")
		}
	}
	if status, _ := r.post(t, "/v1/protect", "all", records); status != http.StatusOK {
		t.Errorf("the next request: %d", status)
	}
}

// A request whose time is over is answered, and its work has ended.
func TestTimeIsOver(t *testing.T) {
	path, tokens, body := longWork(t)
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `time = "10s"`, `time = "50ms"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startFrom(t, path, tokens)
	if status, text := r.post(t, "/v1/protect", "all", body); status != http.StatusServiceUnavailable || !strings.Contains(text, "took too long") {
		t.Errorf("%d %s", status, text)
	}
}

// keepAll lets columns without a rule pass.
func keepAll(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "people.toml"), []byte("unlisted = \"keep\"\n"+rules), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Reading a record takes time that is linear in its size, whatever its names are: else the request's
// time is over.
func TestManyNames(t *testing.T) {
	path, tokens := configure(t, "[limits]\ntime = \"5s\"")
	keepAll(t, path)
	r := startFrom(t, path, tokens)
	var body strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&body, ",\"\ufffd%x\":0", i)
	}
	if status, text := r.post(t, "/v1/protect", "shop", `{"records":[{`+body.String()[1:]+"}]}"); status != http.StatusOK {
		t.Errorf("%d %.200s", status, text)
	}
}

// endless is a body without an end.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(text []byte) (int, error) {
	for i := range text {
		text[i] = ' '
	}
	e.read.Add(int64(len(text)))
	return len(text), nil
}

// A body of 1 GB is refused without being read or kept, whether it says its length or not.
func TestHugeBodies(t *testing.T) {
	r := start(t, "")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, known := range []bool{true, false} {
		for kind, limit := range map[string]int64{jsonType: 1 << 20, arrowType: 64 << 20} {
			body := &endless{}
			request, err := http.NewRequest(http.MethodPost, r.url+"/v1/protect", io.LimitReader(body, 1<<30))
			if err != nil {
				t.Fatal(err)
			}
			if known {
				request.ContentLength = 1 << 30
			}
			request.Header.Set("Authorization", "Bearer "+r.tokens["all"])
			request.Header.Set("Content-Type", kind)
			answer, err := r.client.Do(request)
			if err == nil { // else the connection was closed on what is still sent
				answer.Body.Close()
				if answer.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("%s: %d", kind, answer.StatusCode)
				}
			}
			if read := body.read.Load(); read > limit+16<<20 {
				t.Errorf("%s: %d bytes were taken", kind, read)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 400<<20 {
		t.Errorf("%d bytes were made", grown)
	}
	for end := time.Now().Add(5 * time.Second); r.bodies.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are still held", r.bodies.Load())
		}
	}
	if status, _ := r.post(t, "/v1/protect", "all", records); status != http.StatusOK {
		t.Errorf("the next request: %d", status)
	}
}

// Bodies have one memory together; who comes when it is full comes again, unless one body alone has no room in it.
func TestMemoryIsFull(t *testing.T) {
	r := start(t, "[limits]\nmemory = 40000")
	large := `{"records": [` + strings.Repeat(`{"ssn": "078-05-1120"},`, 2000) + `{}]}`
	if status, text := r.post(t, "/v1/protect", "shop", large); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "limits.memory") {
		t.Errorf("%d %s", status, text)
	}
	r.bodies.Add(39_900)
	if status, text := r.post(t, "/v1/protect", "shop", records); status != http.StatusServiceUnavailable || !strings.Contains(text, "memory is full") {
		t.Errorf("beside others: %d %s", status, text)
	}
	r.bodies.Add(-39_900)
	if status, _ := r.post(t, "/v1/protect", "shop", records); status != http.StatusOK || r.bodies.Load() != 0 {
		t.Errorf("a small one: %d, %d bytes held", status, r.bodies.Load())
	}
}

// Who sends slowly or leaves a connection half open keeps nobody else waiting.
func TestSlowCallers(t *testing.T) {
	r := start(t, "[limits]\nrequests = 1\nconnections = 200")
	address := strings.TrimPrefix(r.url, "http://")
	head := "POST /v1/protect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " + r.tokens["shop"] + "\r\n"
	var open []net.Conn
	defer func() {
		for _, one := range open {
			one.Close()
		}
	}()
	for i := range 90 {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, connection)
		text := ""
		switch i % 3 {
		case 0: // half open: nothing at all
		case 1: // a header without an end
			text = "POST /v1/protect HTTP/1.1\r\nHost: local"
		case 2: // a body that is never whole
			text = head + "Content-Length: 1000\r\n\r\n{\"records\": ["
		}
		if _, err := io.WriteString(connection, text); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if status, text := r.post(t, "/v1/protect", "shop", records); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	// One that ends its body at last is answered.
	slow := open[2]
	if _, err := io.WriteString(slow, strings.Repeat(" ", 1000-len(`{"records": [`)-2)+"]}"); err != nil {
		t.Fatal(err)
	}
	_ = slow.SetReadDeadline(time.Now().Add(10 * time.Second))
	if answer, err := http.ReadResponse(bufio.NewReader(slow), nil); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("the slow one: %v", err)
	} else {
		answer.Body.Close()
	}
	// A header that never ends is cut off.
	_ = open[1].SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadAll(open[1]); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a half header stays open")
	}
}

// Who does not read a large answer holds memory until the server's patience ends, and keeps nobody else waiting.
func TestUnreadAnswer(t *testing.T) {
	was := writeTimeout
	writeTimeout = 5 * time.Second
	t.Cleanup(func() { writeTimeout = was })
	r := start(t, "[limits]\nrequests = 1")
	body := stream(t, 1, []string{"account"}, nil, slices.Repeat([][]string{{"0123456789012345"}}, 1_000_000)...)
	connection, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	head := fmt.Sprintf("POST /v1/protect HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Length: %d\r\n\r\n", arrowType, r.tokens["shop"], len(body))
	if _, err := connection.Write(append([]byte(head), body...)); err != nil {
		t.Fatal(err)
	}
	// The request and its answer, which is made: room for it is taken before.
	held := func() bool { return r.bodies.Load() > int64(len(body)*3/2) && len(r.places) == 0 }
	for end := time.Now().Add(20 * time.Second); !held(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there is no answer")
		}
	}
	for range 5 {
		if status, text := r.post(t, "/v1/protect", "shop", records); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	if !held() {
		t.Error("the answer was written though nobody read it; the test needs a larger one")
	}
	for end := time.Now().Add(20 * time.Second); r.bodies.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the answer is held for ever")
		}
	}
	_ = connection.SetReadDeadline(time.Now().Add(20 * time.Second))
	read, err := io.Copy(io.Discard, connection)
	if errors.Is(err, os.ErrDeadlineExceeded) || read >= int64(len(body)) {
		t.Errorf("the connection stays open: %d bytes, %v", read, err)
	}
}

// A reload loses no request, takes new callers and policies, and keeps everything if anything is wrong.
func TestReload(t *testing.T) {
	r := start(t, "")
	path := filepath.Join(r.folder, "tallystickd.toml")
	ctx, stop := context.WithCancel(context.Background())
	var asks sync.WaitGroup
	var asked atomic.Int64
	for range 4 {
		asks.Go(func() {
			for ctx.Err() == nil {
				if status, text := r.post(t, "/v1/protect", "shop", records); status != http.StatusOK {
					t.Errorf("%d %s", status, text)
					return
				}
				asked.Add(1)
			}
		})
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	states := []*state{}
	for i := range 20 {
		states = append(states, r.state.Load())
		text := string(good)
		if i%5 == 4 {
			text = "policy ="
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.reloads <- struct{}{}
		r.reloaded(t, i+1)
	}
	token, hash := newToken()
	more := string(good) + fmt.Sprintf("[callers.new]\ntoken_sha256 = %q\nprotect = [\"email\"]\n", hash)
	if err := os.WriteFile(path, []byte(more), 0o600); err != nil {
		t.Fatal(err)
	}
	r.reloads <- struct{}{}
	r.reloaded(t, 21)
	stop()
	asks.Wait()
	if asked.Load() == 0 || !strings.Contains(r.log.String(), "everything stays as it was") {
		t.Errorf("%d requests", asked.Load())
	}
	r.tokens["new"] = token
	if status, text := r.post(t, "/v1/protect", "new", `{"records": [{"email": "a@example.org"}]}`); status != http.StatusOK {
		t.Errorf("a new caller: %d %s", status, text)
	}
	for i, one := range states[:len(states)-1] {
		if one != states[i+1] && (one.users != 0 || one.use()) {
			t.Error("a state that was replaced is still used")
		}
	}
	_, text := r.send(t, http.MethodGet, "/metrics", "monitor", "", nil)
	if !strings.Contains(text, `tallystickd_reloads_total{result="failed"} 4`) {
		t.Error("reloads are not counted")
	}
}

// reloaded waits until so many reloads were done or failed.
func (r *running) reloaded(t *testing.T, times int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); strings.Count(r.log.String(), `"msg":"reload`) < times; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no reload")
		}
	}
}

// While the server stops it is not ready, and a request under way is answered.
func TestStopping(t *testing.T) {
	r := start(t, "")
	from, to := io.Pipe()
	type result struct {
		status int
		err    error
	}
	done := make(chan result, 1)
	request, _ := http.NewRequest(http.MethodPost, r.url+"/v1/protect", from)
	request.Header.Set("Authorization", "Bearer "+r.tokens["shop"])
	request.Header.Set("Content-Type", jsonType)
	go func() {
		answer, err := r.client.Do(request)
		if err != nil {
			done <- result{0, err}
			return
		}
		answer.Body.Close()
		done <- result{answer.StatusCode, nil}
	}()
	if _, err := io.WriteString(to, `{"records": [`); err != nil {
		t.Fatal(err)
	}
	for r.bodies.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	r.stop()
	for !r.stopping.Load() {
		time.Sleep(time.Millisecond)
	}
	failed := r.routes()["GET /ready"](nil, nil, nil, nil)
	if failed == nil || failed.status != http.StatusServiceUnavailable {
		t.Error("it is ready while it stops")
	}
	if _, err := io.WriteString(to, `]}`); err != nil {
		t.Fatal(err)
	}
	to.Close()
	if got := <-done; got.err != nil || got.status != http.StatusOK {
		t.Errorf("%v", got)
	}
}
