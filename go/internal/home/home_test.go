// SPDX-License-Identifier: Apache-2.0

package home_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/internal/home"
)

// TestPost tries a busy server three times, and goes nowhere else.
func TestPost(t *testing.T) {
	home.Waits = []time.Duration{0, 0}
	asked, busy := 0, 2
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/else" {
			t.Error("it followed a redirection")
		}
		if asked++; asked <= busy {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if in.URL.Path == "/moved" {
			http.Redirect(out, in, "/else", http.StatusTemporaryRedirect)
			return
		}
		_, _ = out.Write([]byte(`{"Value": "x"}`))
	}))
	defer server.Close()
	for _, c := range []struct {
		path          string
		busy          int
		status, asked int
		value         string
	}{{"/", 2, 200, 3, "x"}, {"/", 3, 503, 3, ""}, {"/moved", 0, 307, 1, ""}} {
		var said struct{ Value string }
		asked, busy = 0, c.busy
		status, err := home.Post(context.Background(), server.URL+c.path, nil, nil, &said, nil)
		if err != nil || status != c.status || asked != c.asked || said.Value != c.value {
			t.Errorf("%s: %d, %v, asked %d times, said %q", c.path, status, err, asked, said.Value)
		}
	}
}

func TestBase(t *testing.T) {
	for address, want := range map[string]error{
		"https://kms.example": nil, "https://kms.example:1/": nil, "http://127.0.0.1:1": nil, "http://[::1]:1": nil,
		"http://kms.example": home.ErrPlain, "http://127.0.0.1.example": home.ErrPlain,
		"kms.example": home.ErrAddress, "https://": home.ErrAddress, "https://a:b": home.ErrAddress, "ftp://a": home.ErrAddress,
		"https://a/b": home.ErrAddress, "https://user:secret@a": home.ErrAddress,
	} {
		if _, err := home.Base(address); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
