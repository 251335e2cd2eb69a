// SPDX-License-Identifier: Apache-2.0

package shamir

import (
	"encoding/hex"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Limits of authentic shares.
const (
	MaxShares = core.MaxShares
	MaxSecret = core.MaxSecret // bytes of a secret; Disperse is for more
	MaxLabel  = core.MaxLabel  // bytes of a label in UTF-8
	MaxGiven  = core.MaxGiven  // shares that can be given to one call
)

// The errors of authentic shares and of dispersal; those returned may say more, and match these.
var (
	// ErrThresholdRange: not 2 <= threshold <= shares <= 255.
	ErrThresholdRange = errors.New("tallystick: the threshold must be 2 or more, and at most the number of shares, which is at most 255")
	// ErrSecretSize: a secret has 1 to MaxSecret bytes.
	ErrSecretSize = errors.New("tallystick: a secret must have 1 to 16384 bytes; disperse larger ones")
	// ErrLabel: a label must be one line of printable text, of at most MaxLabel bytes in UTF-8.
	ErrLabel = errors.New("tallystick: a label must be one line of printable text, of at most 255 bytes in UTF-8")
	// ErrTooManyShares: more than MaxGiven shares are given.
	ErrTooManyShares = errors.New("tallystick: too many shares; the limit is 1024")
	// ErrSetID: the id of a set must be 32 hexadecimal digits.
	ErrSetID = errors.New("tallystick: the id of a set must be 32 hexadecimal digits")
	// ErrShare: a share is malformed, damaged, altered, or cut short.
	ErrShare = errors.New("tallystick: not a good share")
	// ErrFewShares: no set has as many good shares as its threshold.
	ErrFewShares = errors.New("tallystick: too few good shares of one set for its threshold")
	// ErrSeveralSets: there are enough shares of more than one set.
	ErrSeveralSets = errors.New("tallystick: there are enough shares of more than one set; name the set that you want")
	// ErrFalseShares: the shares belong together, but are not the sharing of one secret.
	ErrFalseShares = errors.New("tallystick: these shares belong together, but they are not the sharing of one secret: their maker broke the rules; do not trust them")
	// ErrKind: shares of a secret are given where those of a dispersed file are wanted, or the other
	// way around.
	ErrKind = errors.New("tallystick: wrong kind of shares")
	// ErrStripe: a part of the data has too few good parts.
	ErrStripe = errors.New("tallystick: too few good parts of a stripe")
	// ErrEntropy: the operating system gave no entropy.
	ErrEntropy error = core.Entropy
	// ErrMemory: no memory is left for the call; without cgo, a call works in less than 2 GiB.
	ErrMemory = core.ErrMemory
)

// Verdict is what became of a share that was given.
type Verdict uint8

// The verdicts, numbered as in the core.
const (
	Good Verdict = iota
	Malformed
	Damaged
	Foreign
	Repeated
)

// String says it in words.
func (v Verdict) String() string {
	texts := [...]string{
		"good", "not a share of this version, or cut short", "damaged or altered", "of another set", "given twice",
	}
	if int(v) >= len(texts) {
		return "unknown"
	}
	return texts[v]
}

// Share is what a share says of itself, bound in: none of it can be changed unnoticed.
type Share struct {
	SetID            string // 32 hexadecimal digits, the same in all shares of one set and in no other
	Index            int    // 1 to Count
	Threshold, Count int    // how many shares give the secret, and how many there are
	Label            string // what the secret is; public
	File             bool   // whether the key of dispersed data is shared, and not a secret itself
	SecretSize       int    // bytes of the secret
}

func shareOf(set *core.Set) Share {
	return Share{
		SetID:      hex.EncodeToString(set.ID[:]),
		Index:      int(set.Index),
		Threshold:  int(set.Threshold),
		Count:      int(set.Count),
		Label:      string(set.Label[:set.LabelSize]),
		File:       set.Kind == core.KindFile,
		SecretSize: int(set.SecretSize),
	}
}

// Combined is a set of shares that were looked at together.
type Combined struct {
	Share    Share     // one of the set: its parameters. The zero Share if none is good
	Good     int       // the different good shares of it
	Verdicts []Verdict // of each share given, in order
	Secret   []byte    // nil unless it was recovered; overwrite it when it is no longer needed
}

// SplitAuthentic makes count shares of a secret of 1 to MaxSecret bytes. Their indices are 1, 2,
// and so on. Any threshold of them recover the secret, and fewer reveal nothing of it but its size.
// The label tells people what the secret is, and every share shows it. SplitAuthentic returns
// ErrThresholdRange, ErrSecretSize, ErrLabel or ErrEntropy.
func SplitAuthentic(secret []byte, count, threshold int, label string) ([][]byte, error) {
	if len(secret) < 1 || len(secret) > MaxSecret {
		return nil, ErrSecretSize
	}
	set, err := newSet(core.KindSecret, count, threshold, label, len(secret))
	if err != nil {
		return nil, err
	}
	all := make([]byte, count*int(set.Size))
	if err := core.SplitAuthentic(set, secret, all); err != nil {
		return nil, err
	}
	return core.Cut(all, int(set.Size)), nil
}

func newSet(kind uint32, count, threshold int, label string, secretSize int) (*core.Set, error) {
	if threshold < 2 || threshold > count || count > MaxShares {
		return nil, fmt.Errorf("%w: threshold %d of %d shares", ErrThresholdRange, threshold, count)
	}
	if len(label) > MaxLabel || !utf8.ValidString(label) {
		return nil, ErrLabel
	}
	for _, r := range label {
		if !unicode.IsPrint(r) {
			return nil, ErrLabel
		}
	}
	set := &core.Set{
		Kind: kind, Threshold: uint32(threshold), Count: uint32(count), SecretSize: uint32(secretSize),
		LabelSize: uint32(len(label)),
	}
	copy(set.Label[:], label)
	core.FillSize(set)
	if set.Size == 0 {
		return nil, core.Argument
	}
	return set, nil
}

// ReadShare checks one share, or the beginning of one of dispersed data, against the name of its set, which
// needs no other share, and returns what it says; else an error that matches ErrShare.
func ReadShare(share []byte) (Share, error) {
	set, verdict := core.ReadShare(share)
	if Verdict(verdict) != Good {
		return Share{}, fmt.Errorf("%w: it is %v; find a good copy of it", ErrShare, Verdict(verdict))
	}
	return shareOf(&set), nil
}

// CombineAuthentic recovers the secret from shares in any order. Bad ones among them do no harm as long as
// there are enough good ones. With ErrFewShares, ErrSeveralSets and ErrFalseShares it also returns what it
// found, so that the bad shares can be named; the secret in it is nil then.
func CombineAuthentic(shares [][]byte) (*Combined, error) { return CombineSet(shares, "") }

// CombineSet is CombineAuthentic for the set with an id; shares of others are Foreign. "" is any set.
func CombineSet(shares [][]byte, setID string) (*Combined, error) {
	found, err := combine(shares, setID)
	if err == nil && found.Share.File {
		clear(found.Secret)
		found.Secret = nil
		err = fmt.Errorf("%w: these are shares of dispersed data; use Recover", ErrKind)
	}
	return found, err
}

func combine(shares [][]byte, setID string) (*Combined, error) {
	want, err := hex.DecodeString(setID)
	if err != nil || len(want) != 0 && len(want) != 16 {
		return nil, ErrSetID
	}
	if len(shares) > MaxGiven {
		return nil, fmt.Errorf("%w, not %d", ErrTooManyShares, len(shares))
	}
	size := 0
	for _, share := range shares {
		size += len(share)
	}
	all := make([]byte, 0, size) // if it grew, pieces of shares would stay behind
	offsets := make([]uint64, 1, len(shares)+1)
	for _, share := range shares {
		all = append(all, share...)
		offsets = append(offsets, uint64(len(all)))
	}
	verdicts, secret := make([]byte, len(shares)), make([]byte, MaxSecret)
	first, good, _, err := core.CombineAuthentic(all, offsets, want, verdicts, secret)
	clear(all)
	found := &Combined{Good: int(good), Verdicts: make([]Verdict, len(shares))}
	for i, verdict := range verdicts {
		found.Verdicts[i] = Verdict(verdict)
	}
	if first.Size > 0 {
		found.Share = shareOf(&first)
	}
	switch {
	case err == nil:
		found.Secret = secret[:first.SecretSize:first.SecretSize]
	case errors.Is(err, core.SharesFew) && first.Size > 0:
		err = fmt.Errorf("%w: %d of set %s, but the threshold is %d", ErrFewShares, good, found.Share.SetID[:8], first.Threshold)
	case errors.Is(err, core.SharesFew):
		err = fmt.Errorf("%w: no share is good", ErrFewShares)
	case errors.Is(err, core.SharesSets):
		err = ErrSeveralSets
	case errors.Is(err, core.SharesFalse):
		err = ErrFalseShares
	}
	return found, err
}
