// SPDX-License-Identifier: Apache-2.0

package text

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/internal/core"
	"github.com/tallystick/tallystick/go/internal/textcore"
	"github.com/tallystick/tallystick/go/keyring"
)

// Frame is how tokens are written. Both are revealed.
type Frame uint32

// The frames: U+27E6, the kind, ':', the body, U+27E7; or tly-, the kind, '-', the body; or the latter, but for
// e-mail addresses tly-, the kind, '.', the body, at tly.example.
const (
	Unicode Frame = 0
	ASCII   Frame = 1
	Email   Frame = 2
)

// Context is what surrounds tokens. Revealed values are escaped, so that they stay data there.
type Context uint32

// The contexts: text as it is, strings of JSON, and text or quoted attributes of HTML.
const (
	Plain Context = 0
	JSON  Context = 1
	HTML  Context = 2
)

// Errors of this package.
var (
	ErrCheckBits error = textcore.CheckBits
	ErrKind      error = textcore.Kind
	ErrKinds           = errors.New("tallystick: a protector has 1 to 16 pairs of key and namespace")
	ErrTwice           = errors.New("tallystick: the kind is there twice; remove one of them")
	ErrUnknown         = errors.New("tallystick: the protector has no such kind")
	ErrEmpty           = errors.New("tallystick: an empty value has no token")
	ErrKeySize   error = core.KeySize
	ErrNamespace       = errors.New("tallystick: a namespace must have 1 to 256 bytes of UTF-8, and a scope at most 256")
	ErrSpan            = errors.New("tallystick: a span is not within the text")
	ErrNoPolicy        = errors.New("tallystick: the protector was made without a text policy; use Policy.Open")
	ErrNoReveal        = errors.New("tallystick: the protector may not reveal: it only protects, or its keys do")
	ErrNoProtect       = errors.New("tallystick: the key of a kind may only reveal; open the ring with a root that may do more")
	ErrClosed          = core.ErrClosed
)

// Kind is a kind of values, such as "email", with its key.
type Kind struct {
	Name      string // the label in tokens; it is not authenticated
	Key       []byte // 16, 24 or 32 bytes, which may be overwritten after New
	Namespace string // equal values of one key and namespace have equal tokens
}

// Options are options of New. The zero value has the defaults.
type Options struct {
	Frame Frame
	// CheckBits is the size of the check: 40 to 128, in steps of 8; 0 is 64. An invented token is revealed with a
	// chance of 2^-CheckBits for each pair of key and namespace.
	CheckBits int
	// Scope is a tenant, a user or a conversation: tokens of another scope are not revealed.
	Scope string
}

// Protector protects and reveals. It is safe for concurrent use. Do not copy it.
type Protector struct {
	frame   Frame
	keys    *textcore.Keys
	kinds   map[string]int
	numbers []int           // of all keys
	reveals []int           // of those that may reveal
	refused map[string]bool // kinds that may not be protected
	policy  *Policy         // nil: there is none
}

// New returns a protector for some kinds.
func New(kinds []Kind, options Options) (*Protector, error) { return newProtector(kinds, options, nil) }

// newProtector is New with the rights of each kind; nil: all.
func newProtector(kinds []Kind, options Options, rights map[string]keyring.Rights) (*Protector, error) {
	bits := options.CheckBits
	if bits == 0 {
		bits = 64
	}
	if options.Frame > Email {
		return nil, fmt.Errorf("tallystick: there is no frame %d", options.Frame)
	}
	p := &Protector{frame: options.Frame, keys: textcore.NewKeys(), kinds: map[string]int{}, refused: map[string]bool{}}
	type space struct{ key, name string }
	spaces := map[space]int{}
	for _, kind := range kinds {
		if _, twice := p.kinds[kind.Name]; twice {
			p.Close()
			return nil, fmt.Errorf("kind %q: %w", kind.Name, ErrTwice)
		}
		at := space{string(kind.Key), kind.Namespace}
		number, known := spaces[at]
		if !known {
			var err error
			if bits < 0 || bits > math.MaxUint8 { // which the core has 32 bits for
				err = ErrCheckBits
			} else if !utf8.ValidString(kind.Namespace) || !utf8.ValidString(options.Scope) {
				err = core.Argument
			} else {
				number, err = p.keys.Add(kind.Key, kind.Namespace, options.Scope, bits)
			}
			if err != nil {
				p.Close()
				return nil, fmt.Errorf("kind %q: %w", kind.Name, described(err))
			}
			spaces[at] = number
			p.numbers = append(p.numbers, number)
		}
		may, limited := rights[kind.Name]
		p.refused[kind.Name] = limited && may&keyring.MayProtect == 0
		if (!limited || may&keyring.MayReveal != 0) && !slices.Contains(p.reveals, number) {
			p.reveals = append(p.reveals, number)
		}
		if _, err := p.keys.Protect(nil, number, uint32(p.frame), kind.Name, []byte{0}); err != nil {
			p.Close()
			return nil, fmt.Errorf("kind %q: %w", kind.Name, described(err))
		}
		p.kinds[kind.Name] = number
	}
	if len(p.numbers) == 0 || len(p.numbers) > textcore.MaxKeys {
		p.Close()
		return nil, ErrKinds
	}
	return p, nil
}

func described(err error) error {
	switch err {
	case textcore.Value:
		return ErrEmpty
	case textcore.Count:
		return ErrKinds
	case core.Argument:
		return ErrNamespace
	}
	return err
}

// Close wipes the keys. The protector and its restorers fail afterwards.
func (p *Protector) Close() { p.keys.Close() }

// Token returns the token of a value. One of over 4096 bytes becomes several, side by side.
func (p *Protector) Token(kind, value string) (string, error) {
	made, err := p.AppendToken(nil, kind, []byte(value))
	return string(made), err
}

// AppendToken appends the token of a value to dst. On an error it returns dst as it was.
func (p *Protector) AppendToken(dst []byte, kind string, value []byte) ([]byte, error) {
	number, known := p.kinds[kind]
	if !known {
		return dst, ErrUnknown
	}
	if p.refused[kind] {
		return dst, fmt.Errorf("kind %q: %w", kind, ErrNoProtect)
	}
	made := dst
	for first := true; first || len(value) > 0; first = false {
		end := min(len(value), textcore.MaxValue)
		for end < len(value) && end > textcore.MaxValue-utf8.UTFMax && !utf8.RuneStart(value[end]) {
			end--
		}
		var err error
		if made, err = p.keys.Protect(made, number, uint32(p.frame), kind, value[:end]); err != nil {
			return dst, described(err)
		}
		value = value[end:]
	}
	return made, nil
}

// Span is a part of a text: bytes Start to End - 1, a value of a kind.
type Span struct {
	Start, End int
	Kind       string
}

// Protect returns a text with tokens in the place of spans. Spans that overlap are protected as one, from the
// first start to the last end, as the kind of the longest. Tokens of the same keys stay as they are, so a text may be
// protected again.
func (p *Protector) Protect(text string, spans []Span) (string, error) {
	joined, err := join(spans, len(text))
	if err != nil {
		return "", err
	}
	if len(joined) > 0 {
		taken, err := p.tokens(text)
		if err != nil {
			return "", err
		}
		joined = apart(joined, taken)
	}
	var made []byte
	at := 0
	for _, span := range joined {
		made = append(made, text[at:span.Start]...)
		if made, err = p.AppendToken(made, span.Kind, []byte(text[span.Start:span.End])); err != nil {
			return "", err
		}
		at = span.End
	}
	return string(append(made, text[at:]...)), nil
}

// ProtectFound is Protect for what the policy finds. It returns ErrNoPolicy for a protector of New.
func (p *Protector) ProtectFound(text string) (string, error) {
	if p.policy == nil {
		return "", ErrNoPolicy
	}
	spans, err := p.policy.Find(text)
	if err != nil {
		return "", err
	}
	return p.Protect(text, spans)
}

const body = "[0-9a-hjkmnp-tv-z]"

// likely is what may be a token, as it is made.
var likely = regexp.MustCompile("\u27e6[a-z][a-z0-9_]{0,31}:" + body + "{8,}\u27e7|tly-[a-z][a-z0-9_]{0,31}(?:-" + body + `{8,}|\.` +
	body + "{8,}@(?:" + body + `+\.)*tly\.example)`)

// tokens returns where tokens of the own keys are, as they were made.
func (p *Protector) tokens(text string) ([]Span, error) {
	if !strings.Contains(text, "tly-") && !strings.Contains(text, "\u27e6") {
		return nil, nil
	}
	r, err := p.restorer(p.numbers, Plain)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	left := func(likely string) int { // bytes, with the value in the place of a token
		value, _ := r.append(nil, []byte(likely), true)
		clear(value)
		return len(value)
	}
	isOwn := func(likely string) bool { return left(likely) < len(likely) }
	var made []Span
	for from := 0; r.err == nil; {
		at := likely.FindStringIndex(text[from:])
		if at == nil {
			break
		}
		start, found := from+at[0], text[from+at[0]:from+at[1]]
		from = start + 1
		if isOwn(found) {
			size := len(found)
			_, last := utf8.DecodeLastRuneInString(found)
			// What follows the body is not of the token, nor is the frame's end behind it.
			if left(found) == left(found[:size-last])+last {
				size = sort.Search(size, func(n int) bool { return isOwn(found[:n]) })
			}
			from = start + size
			made = append(made, Span{Start: start, End: from})
		}
	}
	return made, r.err
}

// Reveal returns a text with the values of all its tokens. Everything else stays as it is.
func (p *Protector) Reveal(text string, context Context) (string, error) {
	r, err := p.Restorer(context)
	if err != nil {
		return "", err
	}
	defer r.Close()
	made, err := r.append(nil, []byte(text), true)
	return string(made), err
}

// Restorer reveals the tokens of a text that arrives in chunks. It holds back what may be the beginning of a token,
// and nothing else. It belongs to one goroutine at a time.
type Restorer struct {
	made *textcore.Restorer
	err  error
}

// Restorer returns a restorer for a text of a context.
func (p *Protector) Restorer(context Context) (*Restorer, error) {
	if len(p.reveals) == 0 {
		return nil, ErrNoReveal
	}
	return p.restorer(p.reveals, context)
}

func (p *Protector) restorer(numbers []int, context Context) (*Restorer, error) {
	made, err := p.keys.Restorer(numbers, uint32(context))
	if err == core.Argument {
		return nil, fmt.Errorf("tallystick: there is no context %d", context)
	}
	if err != nil {
		return nil, described(err)
	}
	return &Restorer{made: made}, nil
}

// Feed takes a chunk, and returns what is certain by now. It may be cut anywhere, also within a character. After
// an error the rest of the text is lost: each later call returns the error too.
func (r *Restorer) Feed(chunk []byte) ([]byte, error) { return r.append(nil, chunk, false) }

// Finish returns the rest, as the text ends here. The next chunk begins another text.
func (r *Restorer) Finish() ([]byte, error) { return r.append(nil, nil, true) }

// Close wipes what is held back.
func (r *Restorer) Close() {
	r.made.Close()
	if r.err == nil {
		r.err = ErrClosed
	}
}

// Counts returns how many tokens were revealed, and how many complete ones were of none of the keys.
func (r *Restorer) Counts() (restored, refused uint64) { return r.made.Counts() }

const piece = 1 << 16 // bytes that are restored at a time, for bounded memory

func (r *Restorer) append(dst, chunk []byte, finish bool) ([]byte, error) {
	made := dst
	for first := true; r.err == nil && (first || len(chunk) > 0); first = false {
		end := min(len(chunk), piece)
		made, r.err = r.made.Feed(made, chunk[:end], finish && end == len(chunk))
		chunk = chunk[end:]
	}
	if r.err != nil {
		clear(made[len(dst):])
		r.err = described(r.err)
		return dst, r.err
	}
	return made, nil
}

// Reader returns a reader of what another one has, with values in the place of tokens. It closes the restorer at
// the end, and after an error.
func (r *Restorer) Reader(from io.Reader) io.Reader { return &reader{restorer: r, from: from} }

type reader struct {
	restorer *Restorer
	from     io.Reader
	buffer   [4096]byte
	made     []byte
	err      error
}

func (r *reader) Read(out []byte) (int, error) {
	for len(r.made) == 0 && r.err == nil {
		n, err := r.from.Read(r.buffer[:])
		// A text that broke off keeps what was held back: a token may be cut.
		var failed error
		r.made, failed = r.restorer.append(r.made[:0], r.buffer[:n], err == io.EOF)
		if r.err = failed; failed == nil {
			r.err = err
		}
		if r.err != nil {
			r.restorer.Close()
		}
	}
	n := copy(out, r.made)
	clear(r.made[:n])
	r.made = r.made[n:]
	if n > 0 {
		return n, nil
	}
	return 0, r.err
}
