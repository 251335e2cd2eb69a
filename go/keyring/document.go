// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Rights are what a key, or whoever opens a ring, may do. The libraries obey them; nothing makes others obey.
type Rights uint8

// The rights. Those of a handle are the rights of its key that whoever opened the ring has too.
const (
	MayProtect Rights = 1 << iota
	MayReveal
	AllRights = MayProtect | MayReveal
)

// String returns them as a ring's file has them.
func (r Rights) String() string {
	return [...]string{"none", "protect", "reveal", "protect reveal"}[r&AllRights]
}

// MarshalText writes what UnmarshalText reads.
func (r Rights) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what String returns.
func (r *Rights) UnmarshalText(text []byte) error {
	for one := MayProtect; one <= AllRights; one++ {
		if one.String() == string(text) {
			*r = one
			return nil
		}
	}
	return fmt.Errorf("rights are %v, %v or %v", AllRights, MayProtect, MayReveal)
}

// document is what a ring's file says beside its keys. The core has found it to be valid.
type document struct {
	Version  int
	Ring     string
	Revision uint32
	Root     record // of format 1
	Roots    []record
	Signers  []string
	MAC      string
	Keys     []struct {
		Name    string
		Version uint32
		Created string
		Size    int
		Wrapped []byte
		Rights  Rights
	}
}

// record says where the root key comes from, or who wraps it.
type record struct {
	Kind    string
	By      string
	Rights  Rights
	Wrapped []byte

	Set       string // of shares
	Threshold int
	Holders   []string
}

func decode(data []byte) (*document, error) {
	said := &document{}
	if err := json.Unmarshal(data, said); err != nil {
		return nil, err
	}
	if said.Version == 1 {
		said.Roots = []record{said.Root}
		for i := range said.Keys {
			said.Keys[i].Rights = AllRights
		}
	}
	return said, nil
}

// refuse says that the root key does not come from a source, and where it comes from.
func (d *document) refuse(path string, source Root) error {
	var from []string
	for _, record := range d.Roots {
		from = append(from, map[string]string{
			"key": "a file or a variable", "scrypt": "a passphrase", "shares": "shares", "wrapped": record.By,
		}[record.Kind])
	}
	with := "pass its 32 bytes to OpenWithKey"
	if d.Roots[0].Kind == "wrapped" || d.Roots[0].Kind == "key" {
		with = "use that"
	}
	return fmt.Errorf("%w: %s: the root key comes from %s, not from %v; %s",
		ErrRootKey, path, strings.Join(from, " or "), source, with)
}
