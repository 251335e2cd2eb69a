// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/reveals"
)

// TestMain is the program itself when the tests start it as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("TALLYSTICKD_TEST_PROCESS") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const rules = `
keep = ["more", "note"]
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
email = { format = "email", key = "people:1", namespace = "e-mail", on_invalid = "null" }
age = { format = { type = "integer", min = 0, max = 149 }, key = "people:1", namespace = "age", tweak = "id" }
phone = { format = "phone", key = "people:1", namespace = "phone", on_invalid = "keep" }
account = { format = "digits", key = "people:1", namespace = "account" }
`

const rootKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// journal is a log that tests read while the server writes it.
type journal struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(text []byte) (int, error) {
	j.lock.Lock()
	defer j.lock.Unlock()
	return j.text.Write(text)
}

func (j *journal) String() string {
	j.lock.Lock()
	defer j.lock.Unlock()
	return j.text.String()
}

// running is a server under test.
type running struct {
	*server
	folder, url string
	log         *journal
	client      *http.Client
	protocol    int // of HTTP, which answers must have; 0: any
	tokens      map[string]string
	reloads     chan struct{}
	stop        context.CancelFunc
	ended       chan error
}

// callersText has callers with every kind of right, and the server's tokens for them.
func callersText() (string, map[string]string) {
	var text strings.Builder
	tokens := map[string]string{}
	for name, rights := range map[string]string{
		"all":     `protect = ["*"]` + "\n" + `reveal = ["*"]`,
		"shop":    `protect = ["*"]`,
		"support": `protect = ["email"]` + "\n" + `reveal = ["email", "phone"]`,
		"monitor": `metrics = true`,
	} {
		token, hash := newToken()
		tokens[name] = token
		fmt.Fprintf(&text, "[callers.%s]\ntoken_sha256 = %q\n%s\n", name, hash, rights)
	}
	return text.String(), tokens
}

// configure writes a configuration and all that it names into a folder.
func configure(t testing.TB, more string) (path string, tokens map[string]string) {
	t.Helper()
	folder := t.TempDir()
	text, tokens := callersText()
	ring := filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys")
	text = fmt.Sprintf("listen = \"127.0.0.1:0\"\npolicy = \"people.toml\"\nkeyring = %q\nroot = \"file:root.key\"\n"+
		"hosts = [\"tokens.example\"]\n%s\n%s", ring, more, text)
	for name, content := range map[string]string{"people.toml": rules, "root.key": rootKey, "tallystickd.toml": text} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "tallystickd.toml"), tokens
}

func start(t testing.TB, more string) *running {
	t.Helper()
	path, tokens := configure(t, more)
	return startFrom(t, path, tokens)
}

func startFrom(t testing.TB, path string, tokens map[string]string) *running {
	t.Helper()
	log := &journal{}
	s, err := newServer(path, slog.New(slog.NewJSONHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{
		server: s, folder: filepath.Dir(path), log: log, tokens: tokens, reloads: make(chan struct{}), stop: stop,
		ended: make(chan error, 1), client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}},
	}
	addresses := make(chan net.Addr, 1)
	go func() { r.ended <- s.run(ctx, r.reloads, func(a net.Addr) { addresses <- a }) }()
	select {
	case address := <-addresses:
		r.url = "http://" + address.String()
	case err := <-r.ended:
		t.Fatal(err)
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() {
		stop()
		r.client.CloseIdleConnections()
		select {
		case <-r.ended:
		case <-time.After(30 * time.Second):
			t.Error("the server does not stop")
		}
	})
	return r
}

// send sends a request as a caller, and checks the answer against openapi.json.
func (r *running) send(t testing.TB, method, path, caller, kind string, body io.Reader) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, r.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if token := r.tokens[caller]; token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	} else if caller != "" {
		request.Header.Set("Authorization", caller)
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	answer, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if r.protocol != 0 && answer.ProtoMajor != r.protocol {
		t.Fatalf("the answer has %s", answer.Proto)
	}
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	checkAnswer(t, method, path, answer, got)
	return answer.StatusCode, string(got)
}

// speak makes the client use HTTP/1.1 or HTTP/2 in clear, and nothing else.
func (r *running) speak(protocol int) {
	r.protocol = protocol
	transport := r.client.Transport.(*http.Transport)
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(protocol == 1)
	transport.Protocols.SetUnencryptedHTTP2(protocol == 2)
	transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 4 << 20, MaxReadFrameSize: 1 << 20}
}

func (r *running) post(t testing.TB, path, caller, text string) (int, string) {
	t.Helper()
	return r.send(t, http.MethodPost, path, caller, jsonType, strings.NewReader(text))
}

var described = sync.OnceValue(func() *openapi3.T {
	document, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err == nil {
		err = document.Validate(context.Background())
	}
	if err != nil {
		panic(err)
	}
	return document
})

// checkAnswer holds an answer against the description: its status, its type, and the schema of JSON.
func checkAnswer(t testing.TB, method, path string, answer *http.Response, body []byte) {
	t.Helper()
	item := described().Paths.Find(path)
	if item == nil || item.GetOperation(method) == nil {
		return // what is not there is answered by the library
	}
	response := item.GetOperation(method).Responses.Status(answer.StatusCode)
	if response == nil {
		t.Fatalf("%s %s: openapi.json has no status %d", method, path, answer.StatusCode)
	}
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	content := response.Value.Content[kind]
	if content == nil {
		t.Fatalf("%s %s: openapi.json has no type %q for %d", method, path, kind, answer.StatusCode)
	}
	if kind == jsonType {
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			t.Fatal(err)
		}
		if err := content.Schema.Value.VisitJSON(value); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
}

const records = `{"records": [
	{"id": 7, "ssn": "078-05-1120", "email": "jane.doe@example.org", "age": 41, "phone": "+1 (202) 555-0143", "more": {"a": [1.50]}},
	{"id": "x", "ssn": null, "email": "nobody", "age": 42, "phone": "none"},
	{"note": "no field of the policy"}
]}`

func TestProtectAndReveal(t *testing.T) {
	r := start(t, "")
	status, text := r.post(t, "/v1/protect", "all", records)
	var got struct{ Records []map[string]any }
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK || len(got.Records) != 3 {
		t.Fatalf("%d: %v", status, err)
	}
	first, second := got.Records[0], got.Records[1]
	if first["ssn"] == "078-05-1120" || first["email"] == "jane.doe@example.org" || first["age"] == 41.0 && second["age"] == 42.0 {
		t.Error("values are not protected")
	}
	if second["ssn"] != nil || second["email"] != nil || second["phone"] != "none" || fmt.Sprint(first["more"]) != "map[a:[1.5]]" ||
		!strings.Contains(text, "1.50") {
		t.Errorf("nulls, invalid values, or other fields: %v", second)
	}
	status, text = r.post(t, "/v1/reveal", "all", text)
	got.Records = nil
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK {
		t.Fatalf("%d: %v", status, err)
	}
	if first = got.Records[0]; first["ssn"] != "078-05-1120" || first["email"] != "jane.doe@example.org" || first["age"] != 41.0 ||
		first["phone"] != "+1 (202) 555-0143" || got.Records[1]["age"] != 42.0 {
		t.Error("values do not come back")
	}
	if log := r.log.String(); !strings.Contains(log, `"caller":"all"`) || !strings.Contains(log, `"ssn":2`) {
		t.Errorf("the log: %s", log)
	}
	for _, secret := range []string{"078-05", "jane", `"age":41`, "tallystickd_", "555-0143", "no field"} {
		if strings.Contains(r.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Errorf("a stop that is not graceful: %v", err)
	}
	r.ended <- nil
	if _, err := r.client.Get(r.url + "/health"); err == nil {
		t.Error("it still answers")
	}
}

// Each caller can do what its rights say, route by route and column by column.
func TestRights(t *testing.T) {
	r := start(t, "")
	email, ssn := `{"records": [{"email": "jane@example.org"}]}`, `{"records": [{"email": "jane@example.org"}, {"ssn": "078-05-1120"}]}`
	for _, one := range []struct {
		path, caller, text string
		want               int
	}{
		{"/v1/protect", "all", ssn, 200}, {"/v1/protect", "shop", ssn, 200}, {"/v1/protect", "support", email, 200},
		{"/v1/protect", "support", ssn, 403}, {"/v1/protect", "monitor", email, 403}, {"/v1/protect", "", email, 401},
		{"/v1/protect", "Bearer guess", email, 401}, {"/v1/protect", "Bearer ", email, 401},
		{"/v1/protect", "Bearer " + r.tokens["all"] + "x", email, 401}, {"/v1/protect", r.tokens["all"], email, 401},
		{"/v1/protect", "bearer " + r.tokens["all"], email, 200}, {"/v1/protect", "BEARER " + r.tokens["all"], email, 200},
		{"/v1/protect", "Basic " + r.tokens["all"], email, 401},
		{"/v1/reveal", "all", ssn, 200}, {"/v1/reveal", "shop", email, 403}, {"/v1/reveal", "support", email, 200},
		{"/v1/reveal", "support", ssn, 403}, {"/metrics", "all", "", 403}, {"/metrics", "", "", 401}, {"/metrics", "monitor", "", 200},
		{"/health", "", "", 200}, {"/ready", "", "", 200}, {"/openapi.json", "", "", 200},
	} {
		method := http.MethodPost
		if one.text == "" {
			method = http.MethodGet
		}
		status, text := r.send(t, method, one.path, one.caller, jsonType, strings.NewReader(one.text))
		if status != one.want || status == 403 && one.text == ssn && !strings.Contains(text, `"record":1,"field":"ssn"`) {
			t.Errorf("%s as %q: %d %s", one.path, one.caller, status, text)
		}
	}
	_, text := r.send(t, http.MethodGet, "/metrics", "monitor", "", nil)
	for _, line := range []string{
		`tallystickd_requests_total{route="POST /v1/protect",status="403"} 2`, `tallystickd_values_total{column="ssn",operation="protect"} 2`,
		`tallystickd_requests_working 0`, `tallystickd_request_seconds_count{route="POST /v1/reveal"} 4`, "go_goroutines",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("/metrics has no %q", line)
		}
	}
}

// Each reveal is in the log, with its caller; without the log nothing is revealed.
func TestRevealLog(t *testing.T) {
	r := start(t, `reveal_log = "reveals.log"`)
	tokens := `{"records": [{"email": "jane@example.org"}, {"email": "joe@example.org"}]}`
	path := filepath.Join(r.folder, "reveals.log")
	for _, one := range []struct {
		path, caller string
		want         int
	}{
		{"/v1/protect", "all", 200}, {"/v1/reveal", "support", 200}, {"/v1/reveal", "shop", 403}, {"/v1/reveal", "all", 200},
	} {
		if status, text := r.post(t, one.path, one.caller, tokens); status != one.want {
			t.Errorf("%s: %d %s", one.path, status, text)
		}
	}
	log, err := os.ReadFile(path)
	if head, also := reveals.Verify(path); err != nil || also != nil || head.Lines != 2 {
		t.Fatal(err, also, head)
	}
	if !strings.Contains(string(log), `"who":"support","event":"reveal","columns":["email"],"rows":2`) || strings.Contains(string(log), "jane") {
		t.Errorf("%s", log)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if status, text := r.post(t, "/v1/reveal", "all", tokens); status != 503 || strings.Contains(text, "@") {
		t.Errorf("%d %s", status, text)
	}
}

// The description names the routes that there are, and no others.
func TestDescription(t *testing.T) {
	r, named := start(t, ""), map[string]bool{}
	for path, item := range described().Paths.Map() {
		for method := range item.Operations() {
			named[method+" "+path] = true
		}
	}
	for route := range r.routes() {
		if !named[route] {
			t.Errorf("openapi.json lacks %s", route)
		}
		delete(named, route)
	}
	if len(named) > 0 {
		t.Errorf("openapi.json has routes that are not there: %v", named)
	}
	if _, text := r.send(t, http.MethodGet, "/openapi.json", "", "", nil); text != string(openAPI) {
		t.Error("another description is served")
	}
}

func TestRefusals(t *testing.T) {
	r := start(t, "")
	many := `{"records": [` + strings.Repeat("{},", 10_000) + `{}]}`
	for name, one := range map[string]struct {
		text string
		want int
		says string
	}{
		"no JSON":             {"{", http.StatusBadRequest, "a request is"},
		"more than one":       {`{"records": []} {}`, http.StatusBadRequest, "a request is"},
		"no records":          {`{}`, http.StatusBadRequest, "a request is"},
		"null records":        {`{"records": null}`, http.StatusBadRequest, "a request is"},
		"an array":            {`[]`, http.StatusBadRequest, "a request is"},
		"deep":                {`{"records": [{"note": ` + strings.Repeat("[", 100_000) + `}]}`, http.StatusBadRequest, "a request is"},
		"no UTF-8":            {"{\"records\": [{\"ssn\": \"\xff\xfe\"}]}", http.StatusBadRequest, "not UTF-8"},
		"no UTF-8 elsewhere":  {"{\"records\": [{\"note\": \"\xff\xfe\"}]}", http.StatusBadRequest, "not UTF-8"},
		"half a character":    {`{"records": [{}, {"phone": "\udc01"}]}`, http.StatusBadRequest, `half of a surrogate pair, which is not a character; correct the program that wrote it","record":1,"field":"phone"`},
		"half a tweak":        {`{"records": [{"age": 7, "id": "\ud801"}]}`, http.StatusBadRequest, `"record":0,"field":"id"`},
		"half a name":         {`{"records": [{}, {"\ud801": 1}]}`, http.StatusBadRequest, "name of a field"},
		"a whole name":        {`{"records": [{"\ufffd": 1}]}`, http.StatusUnprocessableEntity, "does not name it"},
		"other keys":          {`{"records": [], "x": 1}`, http.StatusBadRequest, "a request is"},
		"records twice":       {`{"records": [{"ssn": "078-05-1120"}], "records": []}`, http.StatusBadRequest, "records twice"},
		"another case":        {`{"Records": []}`, http.StatusBadRequest, "a request is"},
		"a field twice":       {`{"records": [{}, {"ssn": "31337", "\u0073sn": null}]}`, http.StatusBadRequest, `twice; send it once","record":1,"field":"ssn"`},
		"a kept field twice":  {`{"records": [{"note": 1, "more": {}, "note": 1}]}`, http.StatusBadRequest, `twice; send it once","record":0,"field":"note"`},
		"a null as a record":  {`{"records": [null]}`, http.StatusBadRequest, "a request is"},
		"a comma at the end":  {`{"records": [{},]}`, http.StatusBadRequest, "a request is"},
		"a comma in a record": {`{"records": [{"note": 1,}]}`, http.StatusBadRequest, "a request is"},
		"no comma":            {`{"records": [{} {}]}`, http.StatusBadRequest, "a request is"},
		"no colon":            {`{"records": [{"note" 1}]}`, http.StatusBadRequest, "a request is"},
		"no name":             {`{"records": [{1: 1}]}`, http.StatusBadRequest, "a request is"},
		"brackets that cross": {`{"records": [{"note": 1]}]`, http.StatusBadRequest, "a request is"},
		"no end":              {`{"records": [{}]`, http.StatusBadRequest, "a request is"},
		"too large":           {`{"records": [{"x": "` + strings.Repeat("x", 1<<20) + `"}]}`, http.StatusRequestEntityTooLarge, "1048576 bytes"},
		"too many":            {many, http.StatusRequestEntityTooLarge, "10000"},
		"invalid":             {`{"records": [{}, {"ssn": "31337"}]}`, http.StatusUnprocessableEntity, `"record":1,"field":"ssn"`},
		"a number as text":    {`{"records": [{"ssn": 123456789}]}`, http.StatusUnprocessableEntity, "send it as text"},
		"a list":              {`{"records": [{"ssn": [1]}]}`, http.StatusUnprocessableEntity, "neither text"},
		"a field of no rule":  {`{"records": [{}, {"zip": "31337"}]}`, http.StatusUnprocessableEntity, `the policy does not name it`},
		"a character":         {`{"records": [{"ssn": "07805x120"}]}`, http.StatusUnprocessableEntity, `(a letter, character 6)`},
		"a tweak is missing":  {`{"records": [{"age": 7}]}`, http.StatusUnprocessableEntity, "its tweak"},
	} {
		status, text := r.post(t, "/v1/protect", "shop", one.text)
		if status != one.want || !strings.Contains(text, one.says) || strings.Contains(text, "31337") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded"} {
		if status, _ := r.send(t, http.MethodPost, "/v1/protect", "shop", kind, strings.NewReader(records)); status != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %d", kind, status)
		}
	}
	for coding, want := range map[string]int{"gzip": http.StatusUnsupportedMediaType, "identity": http.StatusOK} {
		request, err := http.NewRequest(http.MethodPost, r.url+"/v1/protect", strings.NewReader(records))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer " + r.tokens["shop"]}, "Content-Type": {jsonType}, "Content-Encoding": {coding}}
		answer, err := r.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d", coding, answer.StatusCode)
		}
	}
	if status, _ := r.send(t, http.MethodGet, "/v1/protect", "shop", "", nil); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", status)
	}
}

// A web page whose name leads here sends its own name, and is refused.
func TestHost(t *testing.T) {
	r := start(t, "")
	for host, want := range map[string]int{
		"attacker.example": 421, "attacker.example:80": 421, "localhost.attacker.example": 421, "127.0.0.1.attacker.example": 421,
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1": 200, "[::1]:99": 200, "tokens.example": 200, "Tokens.Example:443": 200,
	} {
		for _, path := range []string{"/health", "/v1/protect", "/openapi.json"} {
			method := http.MethodGet
			if path == "/v1/protect" {
				method = http.MethodPost
			}
			request, err := http.NewRequest(method, r.url+path, strings.NewReader(records))
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			request.Header.Set("Authorization", "Bearer "+r.tokens["shop"])
			request.Header.Set("Content-Type", jsonType)
			answer, err := r.client.Do(request)
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

// Who shows what several callers have is the same caller each time: the first by name, or the one that has to show both.
func TestCallersInOrder(t *testing.T) {
	callers := map[string]caller{}
	for letter := 'a'; letter <= 'z'; letter++ {
		callers[string(letter)] = caller{TokenHash: strings.Repeat("0", 64)}
	}
	for range 10 {
		for i, one := range newRights(callers) {
			if one.name != string(rune('a'+i)) {
				t.Fatalf("%s at %d", one.name, i)
			}
		}
	}
}

// A server that nobody made safe does not start, and no message repeats a token.
func TestConfigurations(t *testing.T) {
	_, hash := newToken()
	good := `policy = "people.toml"` + "\n" + `keyring = "people.keys"` + "\n" + `root = "file:root.key"` + "\n"
	shop := "[callers.shop]\ntoken_sha256 = \"" + hash + "\"\nprotect = [\"*\"]\n"
	for says, text := range map[string]string{
		"line 1: not valid TOML":             "secret-one",
		"is not a key of this file":          good + "other = 1\n" + shop,
		"policy is missing":                  `keyring = "a"` + "\n" + `root = "file:x"`,
		"nobody may call":                    good,
		"listen on localhost":                good + "listen = \"0.0.0.0:80\"\n" + shop,
		"listen has the form":                good + "listen = \"80\"\n" + shop,
		"certificate and key, or neither":    good + shop + "[tls]\ncertificate = \"x\"",
		"needs tls.certificate":              good + shop + "[tls]\nclients = \"x\"",
		"needs tls.clients":                  good + "[callers.a]\ncertificate = \"a.example\"",
		"has no token_sha256":                good + "[callers.a]\nprotect = [\"*\"]",
		"64 hexadecimal digits":              good + "[callers.a]\ntoken_sha256 = \"tallystickd_secret\"",
		"hash of no text":                    good + strings.Replace(shop, hash, "E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 1),
		"are the same; give each":            good + shop + strings.Replace(shop, "shop", "twin", 1),
		"twin and callers.shop are the same": good + shop + strings.Replace(strings.Replace(shop, "shop", "twin", 1), hash, strings.ToUpper(hash), 1),
		"b and callers.a are the same": good + "[tls]\ncertificate = \"x\"\nkey = \"x\"\nclients = \"x\"\n[callers.a]\ncertificate = \"Shop.example\"\n" +
			"[callers.b]\ncertificate = \"shop.EXAMPLE\"\n",
		"limits.time is more than 0":        good + shop + "[limits]\ntime = \"0s\"",
		"limits.time is at least 1ms":       good + shop + "[limits]\ntime = 20",
		"limits.wait is at least 1ms":       good + shop + "[limits]\nwait = 1",
		"are more than 30s together":        good + shop + "[limits]\ntime = \"29s\"\nwait = \"1001ms\"",
		"limits.requests is more than 0":    good + shop + "[limits]\nrequests = -1",
		"a key has a value of a wrong type": good + shop + "[limits]\nrequests = \"many\"",
		"no such file":                      good + shop,
	} {
		path := filepath.Join(t.TempDir(), "tallystickd.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := command([]string{"check", "-config", path}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), hash) {
			t.Errorf("%s: %v", says, err)
		}
	}
	path, _ := configure(t, "[limits]\ntime = \"29s\"\nwait = \"1s\"")
	if err := command([]string{"check", "-config", path}, io.Discard, io.Discard); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append(text, "[callers.x]\ntoken_sha256 = \""+hash+"\"\nreveal = [\"zip\"]\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := command([]string{"check", "-config", path}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), `no column "zip"`) {
		t.Errorf("a right on a column that is not there: %v", err)
	}
	var out bytes.Buffer
	if err := command([]string{"token"}, &out, io.Discard); err != nil || !strings.Contains(out.String(), tokenPrefix) {
		t.Errorf("token: %v", err)
	}
	if err := command([]string{"-config", path, "more"}, io.Discard, io.Discard); err == nil {
		t.Error("more arguments")
	}
}
