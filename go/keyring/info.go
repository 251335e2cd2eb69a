// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"fmt"
	"slices"
)

// KeyInfo is what is public about a data key.
type KeyInfo struct {
	Name    string
	Version uint32
	Size    int    // bytes
	Created string // RFC 3339, in UTC to the second
	Rights  Rights // of the key itself, whoever opened the ring
}

// Reference returns the key's name and version, such as people:1.
func (k KeyInfo) Reference() string { return fmt.Sprintf("%s:%d", k.Name, k.Version) }

// Sharing says among whom a root key is split.
type Sharing struct {
	Set       string
	Threshold int
	Holders   []string
}

// Infos describes the data keys, in the order they were added.
func (k *Keyring) Infos() []KeyInfo {
	made := make([]KeyInfo, len(k.said.Keys))
	for i, key := range k.said.Keys {
		made[i] = KeyInfo{key.Name, key.Version, key.Size, key.Created, key.Rights}
	}
	return made
}

// Wrappers returns the names of the keys that wrap the root key.
func (k *Keyring) Wrappers() (names []string) {
	for _, root := range k.said.Roots {
		if root.Kind == "wrapped" {
			names = append(names, root.By)
		}
	}
	return names
}

// Sharing returns how the root key is split, or nil.
func (k *Keyring) Sharing() *Sharing {
	for _, root := range k.said.Roots {
		if root.Kind == "shares" {
			return &Sharing{root.Set, root.Threshold, slices.Clone(root.Holders)}
		}
	}
	return nil
}
