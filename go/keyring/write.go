// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// written is a whole file of format 2, in the order of its fields.
type written struct {
	Format   string            `json:"format"`
	Version  int               `json:"version"`
	Ring     string            `json:"ring"`
	Created  string            `json:"created"`
	Revision uint32            `json:"revision"`
	Roots    []json.RawMessage `json:"roots"`
	Check    string            `json:"check"`
	Signers  []string          `json:"signers"`
	Keys     []writtenKey      `json:"keys"`
	MAC      string            `json:"mac"`
}

type writtenKey struct {
	Name    string `json:"name"`
	Version uint32 `json:"version"`
	Created string `json:"created"`
	Size    int    `json:"size"`
	Wrapped []byte `json:"wrapped"`
	Rights  Rights `json:"rights"`
}

func (w *writtenKey) info() KeyInfo { return KeyInfo{w.Name, w.Version, w.Size, w.Created, w.Rights} }

// macTail is how many bytes of a file are behind what its MAC covers.
const macTail = 2*sha256.Size + len("\"\n}\n")

// rewrite returns what a file says that the core has read. One of format 1 becomes one of format 2.
func rewrite(data []byte) (*written, error) {
	old := struct {
		written
		Root json.RawMessage `json:"root"`
	}{}
	if err := json.Unmarshal(data, &old); err != nil {
		return nil, err
	}
	made := &old.written
	if made.Version == 1 {
		made.Version, made.Roots = 2, []json.RawMessage{old.Root}
		for i := range made.Keys {
			made.Keys[i].Rights = AllRights
		}
	}
	return made, nil
}

// encode returns the one spelling of a file; without a MAC its digits are zeros.
func (w *written) encode() ([]byte, error) {
	whole := *w
	if whole.MAC == "" {
		whole.MAC = strings.Repeat("0", 2*sha256.Size)
	}
	whole.Signers, whole.Keys = append([]string{}, w.Signers...), append([]writtenKey{}, w.Keys...) // never null
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		return nil, err
	}
	return ascii(out.Bytes()), nil
}

// ascii escapes the characters of JSON that are not ASCII.
func ascii(text []byte) []byte {
	made := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf:
			made = append(made, text[0])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			made = fmt.Appendf(made, `\u%04x\u%04x`, high, low)
		default:
			made = fmt.Appendf(made, `\u%04x`, r)
		}
		text = text[size:]
	}
	return made
}

// subkeys are what a root key does for one ring.
type subkeys struct {
	ring                     []byte
	wrapping, authentication []byte
	check                    string
}

func derive(root []byte, ringID string) (*subkeys, error) {
	salt, err := hex.DecodeString(ringID)
	if err != nil {
		return nil, err
	}
	expand := func(purpose string, size int) (key []byte) {
		if err == nil {
			key, err = hkdf.Key(sha256.New, root, salt, "tallystick keyring 1 "+purpose, size)
		}
		return key
	}
	made := &subkeys{ring: salt, wrapping: expand("wrapping", 32), authentication: expand("authentication", 32)}
	made.check = hex.EncodeToString(expand("check", 16))
	return made, err
}

func (s *subkeys) wipe() {
	clear(s.wrapping)
	clear(s.authentication)
}

func (s *subkeys) mac(body []byte) string {
	made := hmac.New(sha256.New, s.authentication)
	made.Write(body)
	return hex.EncodeToString(made.Sum(nil))
}

// wrap returns nonce, ciphertext and tag of a data key, bound to its place.
func (s *subkeys) wrap(key []byte, name string, version uint32) ([]byte, error) {
	block, err := aes.NewCipher(s.wrapping)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	bound := binary.BigEndian.AppendUint32(bytes.Clone(s.ring), version)
	bound = append(binary.BigEndian.AppendUint16(bound, uint16(len(key))), name...)
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return gcm.Seal(nonce, nonce, key, bound), nil
}
