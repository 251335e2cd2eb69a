// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/text"
)

var key = bytes.Repeat([]byte{7}, 32)

func protector(t *testing.T, options text.Options) *text.Protector {
	t.Helper()
	p, err := text.New([]text.Kind{{"email", key, "e-mail"}, {"name", key, "name"}}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func token(t *testing.T, p *text.Protector, kind, value string) string {
	t.Helper()
	made, err := p.Token(kind, value)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The tokens are those that Python and C read in the same file.
func TestVectors(t *testing.T) {
	cases := vectors.Load[struct {
		Frame, Kind, Namespace, Scope string
		Key, Value, Token             vectors.Hex
		CheckBits                     int `json:"check_bits"`
	}](t, "text_tokens")
	if len(cases) < 8 {
		t.Fatalf("%d cases", len(cases))
	}
	frames := map[string]text.Frame{"unicode": text.Unicode, "ascii": text.ASCII, "email": text.Email}
	for _, c := range cases {
		value, want := c.Value, c.Token
		options := text.Options{Frame: frames[c.Frame], CheckBits: c.CheckBits, Scope: c.Scope}
		p, err := text.New([]text.Kind{{c.Kind, c.Key, c.Namespace}}, options)
		if err != nil {
			t.Fatal(err)
		}
		if got := token(t, p, c.Kind, string(value)); got != string(want) {
			t.Errorf("kind %s: another token than in the vectors", c.Kind)
		}
		if got, err := p.Reveal("<"+string(want)+">", text.Plain); err != nil || got != "<"+string(value)+">" {
			t.Errorf("kind %s: %v", c.Kind, err)
		}
		p.Close()
	}
}

func TestProtectAndReveal(t *testing.T) {
	for _, frame := range []text.Frame{text.Unicode, text.ASCII} {
		p := protector(t, text.Options{Frame: frame})
		given := "To Zoë <zoe@example.com>"
		spans := []text.Span{{9, 24, "email"}, {9, 12, "name"}, {3, 7, "name"}}
		made, err := p.Protect(given, spans)
		if err != nil || strings.Contains(made, "Zo") || strings.Contains(made, "example") {
			t.Fatal(made, err)
		}
		got, err := p.Reveal(strings.ToUpper(made), text.Plain)
		if err != nil || got != "TO Zoë <zoe@example.com>" {
			t.Errorf("%q, %v", got, err)
		}
		other := protector(t, text.Options{Frame: frame, Scope: "other"})
		if got, err := other.Reveal(made, text.Plain); err != nil || got != made {
			t.Errorf("revealed in another scope: %q, %v", got, err)
		}
	}
}

func TestContexts(t *testing.T) {
	p := protector(t, text.Options{})
	made := token(t, p, "name", `a"<b`)
	for context, want := range map[text.Context]string{
		text.Plain: `a"<b`, text.JSON: `a\"\u003cb`, text.HTML: `a&quot;&lt;b`,
	} {
		if got, err := p.Reveal(made, context); err != nil || !strings.EqualFold(got, want) {
			t.Errorf("%d: %q, %v", context, got, err)
		}
	}
	if _, err := p.Restorer(3); err == nil {
		t.Error("a context that is none was taken")
	}
}

// However a text is cut, it is restored to the same, and values come at once.
func TestChunks(t *testing.T) {
	p := protector(t, text.Options{})
	whole := "⟦ tly- " + strings.Repeat(token(t, p, "name", "Zoë")+", ", 50) + "⟦name:0"
	want := "⟦ tly- " + strings.Repeat("Zoë, ", 50) + "⟦name:0"
	draw := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		r, err := p.Restorer(text.Plain)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for rest := []byte(whole); len(rest) > 0; {
			n := min(len(rest), draw.IntN(9))
			made, err := r.Feed(rest[:n])
			if err != nil {
				t.Fatal(err)
			}
			got, rest = append(got, made...), rest[n:]
		}
		end, err := r.Finish()
		if got = append(got, end...); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
		if restored, refused := r.Counts(); restored != 50 || refused != 0 {
			t.Error(restored, refused)
		}
		r.Close()
	}
	r, _ := p.Restorer(text.Plain)
	got, err := io.ReadAll(r.Reader(iotest.OneByteReader(strings.NewReader(whole))))
	if err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}

// A stream that breaks off within a token gives an error, and nothing of the token.
func TestBrokenReader(t *testing.T) {
	p := protector(t, text.Options{})
	made := token(t, p, "name", "Zoë")
	broken := errors.New("broken")
	r, _ := p.Restorer(text.Plain)
	from := io.MultiReader(strings.NewReader("To "+made[:20]), iotest.ErrReader(broken))
	got, err := io.ReadAll(r.Reader(from))
	if string(got) != "To " || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := r.Feed(nil); !errors.Is(err, text.ErrClosed) {
		t.Error(err)
	}
}

func TestLongValues(t *testing.T) {
	p := protector(t, text.Options{Frame: text.ASCII})
	value := strings.Repeat("ë", 5000)
	made := token(t, p, "name", value)
	if got, err := p.Reveal(made, text.Plain); err != nil || got != value || strings.Count(made, "tly-") != 3 {
		t.Error(err, strings.Count(made, "tly-"))
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		kinds   []text.Kind
		options text.Options
		want    error
	}{
		"no kinds":   {nil, text.Options{}, text.ErrKinds},
		"a key":      {[]text.Kind{{"a", key[:5], "n"}}, text.Options{}, text.ErrKeySize},
		"a kind":     {[]text.Kind{{"A", key, "n"}}, text.Options{}, text.ErrKind},
		"tly":        {[]text.Kind{{"atly", key, "n"}}, text.Options{}, text.ErrKind},
		"a name":     {[]text.Kind{{"a", key, ""}}, text.Options{}, text.ErrNamespace},
		"no UTF-8":   {[]text.Kind{{"a", key, "\xff"}}, text.Options{}, text.ErrNamespace},
		"check bits": {[]text.Kind{{"a", key, "n"}}, text.Options{CheckBits: 32}, text.ErrCheckBits},
		"a scope":    {[]text.Kind{{"a", key, "n"}}, text.Options{Scope: strings.Repeat("s", 257)}, text.ErrNamespace},
	} {
		if _, err := text.New(c.kinds, c.options); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := protector(t, text.Options{})
	if _, err := p.Token("phone", "1"); !errors.Is(err, text.ErrUnknown) {
		t.Error(err)
	}
	if _, err := p.Token("name", ""); !errors.Is(err, text.ErrEmpty) {
		t.Error(err)
	}
	for _, span := range []text.Span{{-1, 1, "name"}, {2, 1, "name"}, {0, 4, "name"}} {
		if _, err := p.Protect("abc", []text.Span{span}); !errors.Is(err, text.ErrSpan) {
			t.Error(span, err)
		}
	}
	r, _ := p.Restorer(text.Plain)
	p.Close()
	p.Close()
	if _, err := p.Token("name", "a"); !errors.Is(err, text.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.Feed([]byte("a")); !errors.Is(err, text.ErrClosed) {
		t.Error(err)
	}
	r.Close()
}

func TestGoroutines(t *testing.T) {
	p := protector(t, text.Options{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				made, err := p.Token("name", "Zoë")
				if got, e := p.Reveal(made, text.Plain); err != nil || e != nil || got != "Zoë" {
					t.Error(got, err, e)
				}
			}
		})
	}
	all.Wait()
}

// What a span covers behind a token, or between tokens, is protected too.
func TestWhatFollowsAToken(t *testing.T) {
	for _, frame := range []text.Frame{text.Unicode, text.ASCII, text.Email} {
		p := protector(t, text.Options{Frame: frame})
		made := token(t, p, "name", "Jane")
		for _, given := range []string{made + "0", made + "abc", made + made, made + "t" + made} {
			protected, err := p.Protect(given, []text.Span{{Start: 0, End: len(given), Kind: "name"}})
			if err != nil || (protected == given) != (given == made+made) {
				t.Errorf("%q: %q, %v", given, protected, err)
			}
			before, _ := p.Reveal(given, text.Plain)
			if after, err := p.Reveal(protected, text.Plain); err != nil || after != before {
				t.Errorf("%q: %q, %v", given, after, err)
			}
		}
	}
}

// What stands between a token's body and the end of its frame is no part of the token.
func TestWhatStandsBeforeTheEndOfAFrame(t *testing.T) {
	const number = "4111111111111111"
	for _, frame := range []text.Frame{text.Unicode, text.ASCII, text.Email} {
		p := protector(t, text.Options{Frame: frame})
		whole := token(t, p, "email", "jane@example.org")
		domain := ""
		if frame == text.Email {
			domain = "@tly.example"
		}
		body := strings.TrimSuffix(strings.TrimSuffix(whole, "\u27e7"), domain)
		cut := len(body) - 9
		for _, given := range []string{
			body + number + "\u27e7", body + "@" + number + ".tly.example", body + number + domain,
			body[:cut] + "@" + body[cut:] + "." + number + ".tly.example",
		} {
			start := strings.Index(given, number)
			made, err := p.Protect(given, []text.Span{{Start: start, End: start + len(number), Kind: "name"}})
			if err != nil || made != strings.Replace(given, number, token(t, p, "name", number), 1) {
				t.Errorf("%q: %q, %v", given, made, err)
			}
		}
		if made, err := p.Protect(whole, []text.Span{{Start: 0, End: len(whole), Kind: "name"}}); err != nil || made != whole {
			t.Errorf("%q: %q, %v", whole, made, err)
		}
	}
}
