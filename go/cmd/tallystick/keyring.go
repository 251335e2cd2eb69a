// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/keyring"
)

// newRing is tallystick keyring new.
func newRing(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	beside := o.StringArray("beside", nil, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("TALLYSTICK_KEYRING", "RING")
	if err != nil {
		return err
	}
	sources, err := rootsOf(append([]string{o.root}, *beside...))
	if err != nil {
		return err
	}
	if err := differ(sources); err != nil {
		return err
	}
	root, isFile := strings.CutPrefix(o.root, "file:")
	if isFile {
		if err := checkApart("key ring", names[0], []kept{{"root key", root}}); err != nil {
			return err
		}
	}
	made := false
	if isFile && !isThere(root) && !isThere(names[0]) {
		if err := keyring.GenerateRoot(root); err != nil {
			return err
		}
		made = true
	}
	if err := keyring.Create(context.Background(), whole(names[0]), sources...); err != nil {
		return err
	}
	if o.asJSON {
		return printJSON(object{{"command", command}, {"keyring", names[0]}, {"root", o.root}, {"root_made", made}})
	}
	if made {
		if err := printLine("made a root key: " + o.root + " (keep a copy, apart from the key ring)"); err != nil {
			return err
		}
	}
	return printLine("made a key ring: " + names[0])
}

func rootsOf(texts []string) (made []keyring.Root, err error) {
	for _, one := range texts {
		source, err := rootOf(one)
		if err != nil {
			return nil, err
		}
		made = append(made, source)
	}
	return made, nil
}

// differ refuses a source that is there twice.
func differ(sources []keyring.Root) error {
	seen := map[string]bool{}
	for _, one := range sources {
		if seen[one.String()] {
			return parameterError("%v is given twice", one)
		}
		seen[one.String()] = true
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openEditor opens a ring to change it.
func openEditor(path, root string) (*keyring.Editor, error) {
	source, err := rootOf(root)
	if err != nil {
		return nil, err
	}
	if err := ringIsThere(path); err != nil {
		return nil, err
	}
	if err := rootIsThere(root); err != nil {
		return nil, err
	}
	made, err := keyring.Edit(context.Background(), whole(path), source)
	if err == nil {
		made.FollowAnchor(anchorPath())
	}
	return made, err
}

// checkOrder refuses a name in the place of the ring, and a name with a version.
func checkOrder(ring, name string) error {
	if _, err := os.Lstat(ring); err != nil && isThere(name) {
		return parameterError("the key ring is the first argument: %s %s", name, ring)
	}
	if strings.Contains(name, ":") {
		return parameterError("pass the key's name without a version; the next version is chosen for you")
	}
	return nil
}

func bytesOf(bits int) (int, error) {
	if !slices.Contains([]int{128, 192, 256}, bits) {
		return 0, parameterError("a key has 128, 192, 256 bits, not %d", bits)
	}
	return bits / 8, nil
}

// addKey is tallystick keyring add.
func addKey(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	bits := o.Int("bits", 256, "")
	from := o.String("from", "", "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("", "RING", "NAME")
	if err == nil {
		err = checkOrder(names[0], names[1])
	}
	if err != nil {
		return err
	}
	if *from != "" && o.Changed("bits") {
		return parameterError("--bits is the size of a fresh key; --from gives a key as it is")
	}
	size, err := bytesOf(*bits)
	if err != nil {
		return err
	}
	var key []byte
	if *from != "" {
		if key, err = dataKey(*from); err != nil {
			return err
		}
		defer clear(key)
	}
	editor, err := openEditor(names[0], o.root)
	if err != nil {
		return err
	}
	defer editor.Close()
	var added string
	if key == nil {
		added, err = editor.Add(names[1], size)
	} else {
		added, err = editor.Import(names[1], key)
	}
	if err != nil {
		return err
	}
	if o.asJSON {
		return printJSON(object{{"command", command}, {"keyring", names[0]}, {"key", added}})
	}
	return printLine("added key " + added + ": this is its name in policies")
}

var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	digits   = regexp.MustCompile(`^([0-9a-fA-F]{16}){2,4}$`)
)

// dataKey reads a key that another program has. The message does not repeat the text, in case it is a key.
func dataKey(source string) ([]byte, error) {
	scheme, rest, _ := strings.Cut(source, ":")
	var text []byte
	switch {
	case digits.MatchString(rest):
		return nil, errKeySource
	case scheme == "file" && rest != "":
		found, err := private.ReadOwn(rest, 4096, "AES key")
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fail(byKeyring, "RootKeyError", "%s: no such key file; check the path", rest)
		}
		if err != nil {
			return nil, fail(byKeyring, "RootKeyError", "%v", err)
		}
		text = found
	case scheme == "env" && variable.MatchString(rest):
		found, set := os.LookupEnv(rest)
		if !set {
			return nil, fail(byKeyring, "RootKeyError", "environment variable %s: not set; export it with the AES key in it", rest)
		}
		rest, text = "environment variable "+rest, []byte(found)
	default:
		return nil, errKeySource
	}
	defer clear(text)
	if n := len(text); n > 0 && text[n-1] == '\n' {
		text = text[:n-1]
	}
	if !digits.Match(text) {
		return nil, fail(byKeyring, "RootKeyError", "%s: not an AES key, which is 32, 48 or 64 hexadecimal digits and at most one newline", rest)
	}
	key := make([]byte, len(text)/2)
	_, err := hex.Decode(key, text)
	return key, err
}

var errKeySource = parameterError("a key's source is written file:PATH or env:NAME (the name of an environment variable); never " +
	"write the key itself")

// rotateKey is tallystick keyring rotate.
func rotateKey(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	bits := o.Int("bits", 0, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("", "RING", "NAME")
	size := 0
	if err == nil && o.Changed("bits") {
		size, err = bytesOf(*bits)
	}
	if err == nil {
		err = checkOrder(names[0], names[1])
	}
	if err != nil {
		return err
	}
	editor, err := openEditor(names[0], o.root)
	if err != nil {
		return err
	}
	defer editor.Close()
	made, err := editor.Rotate(names[1], size)
	if err != nil {
		return err
	}
	new, before := made.New.Reference(), made.Before.Reference()
	if o.asJSON {
		return printJSON(object{
			{"command", command}, {"keyring", names[0]}, {"key", new}, {"previous", before}, {"bits", 8 * made.New.Size},
		})
	}
	return printRaw(fmt.Appendf(nil, "made key %[1]s, of %[3]d bits. No file uses it yet, and %[2]s stays in the ring\n"+
		"rotate each file that has tokens of the old key, once:\n"+
		"  tallystick rotate SOURCE TARGET --key %[2]s=%[1]s --write-policy NEW_POLICY\n"+
		"then protect new files with NEW_POLICY, which names %[1]s\n", new, before, 8*made.New.Size))
}

// wrapRing is tallystick keyring wrap.
func wrapRing(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	by := o.StringArray("by", nil, "")
	toProtect := o.StringArray("to-protect", nil, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	if len(*by) == 0 {
		return o.misused("missing option --by")
	}
	names, err := o.take("TALLYSTICK_KEYRING", "RING")
	if err != nil {
		return err
	}
	editor, err := openEditor(names[0], o.root)
	if err != nil {
		return err
	}
	defer editor.Close()
	sources, err := rootsOf(*by)
	if err != nil {
		return err
	}
	limited, err := rootsOf(*toProtect)
	if err != nil {
		return err
	}
	for _, one := range limited {
		source, err := keyring.Limited(one, keyring.MayProtect)
		if err != nil {
			return parameterError("%s", bare(err))
		}
		sources = append(sources, source)
	}
	if err := differ(sources); err != nil {
		return err
	}
	for _, one := range *by {
		if err := rootIsThere(one); err != nil {
			return err
		}
	}
	if err := editor.Wrap(context.Background(), sources...); err != nil {
		return err
	}
	roots := make([]string, len(sources))
	for i, one := range sources {
		roots[i] = one.String()
	}
	if o.asJSON {
		return printJSON(object{{"command", command}, {"keyring", names[0]}, {"roots", roots}})
	}
	if err := printLine(names[0] + " opens with " + strings.Join(roots, " or ") + ", and with nothing else"); err != nil {
		return err
	}
	return printLine("Older copies of the key ring, such as backups, still open with what opened them before. Destroy those copies, " +
		"or keep them as safe as before.")
}

// makeAnchor is tallystick keyring anchor.
func makeAnchor(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.overwrite, "overwrite", false, "")
	o.BoolVar(&o.asJSON, "json", false, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("", "RING", "ANCHOR")
	if err != nil {
		return err
	}
	ring, err := openUnder(names[0], o.root, false)
	if err != nil {
		return err
	}
	defer ring.Close()
	if err := ring.MakeAnchor(names[1], o.overwrite); err != nil {
		return err
	}
	if o.asJSON {
		return printJSON(object{
			{"command", command}, {"keyring", names[0]}, {"anchor", names[1]}, {"revision", ring.Revision()},
		})
	}
	return printLine(fmt.Sprintf("%s knows revision %d of %s", names[1], ring.Revision(), names[0]))
}

// setRights is tallystick keyring rights.
func setRights(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	may := o.StringArray("may", nil, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("", "RING", "KEY")
	if err != nil {
		return err
	}
	if len(*may) == 0 {
		return o.misused("missing option --may")
	}
	var rights keyring.Rights
	for _, one := range *may {
		given := map[string]keyring.Rights{"protect": keyring.MayProtect, "reveal": keyring.MayReveal}[one]
		if given == 0 {
			return parameterError("--may is protect or reveal")
		}
		rights |= given
	}
	editor, err := openEditor(names[0], o.root)
	if err != nil {
		return err
	}
	defer editor.Close()
	if err := editor.SetRights(names[1], rights); err != nil {
		return err
	}
	if o.asJSON {
		return printJSON(object{{"command", command}, {"keyring", names[0]}, {"key", names[1]}, {"rights", rights.String()}})
	}
	return printLine("key " + names[1] + " may now " + strings.ReplaceAll(rights.String(), " ", " and "))
}

// setSigners is tallystick keyring signers.
func setSigners(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	given := o.StringArray("signer", nil, "")
	none := o.Bool("none", false, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("TALLYSTICK_KEYRING", "RING")
	if err != nil {
		return err
	}
	signers := []string{}
	for _, one := range *given {
		signer, err := signerOf(one)
		if err != nil {
			return err
		}
		signers = append(signers, signer)
	}
	if (len(signers) > 0) == *none {
		return parameterError("pass the signers by --signer, or --none")
	}
	editor, err := openEditor(names[0], o.root)
	if err != nil {
		return err
	}
	defer editor.Close()
	if err := editor.SetSigners(signers); err != nil {
		return err
	}
	if o.asJSON {
		return printJSON(object{{"command", command}, {"keyring", names[0]}, {"signers", signers}})
	}
	if *none {
		return printLine(names[0] + " takes policies without a signature")
	}
	return printLine(names[0] + " takes only policies that " + strings.Join(signers, " or ") + " signed")
}

var publicKey = regexp.MustCompile(`^[0-9a-f]{64}\n?$`)

// signerOf returns a public key: the text itself, or what is in file:PATH.
func signerOf(text string) (string, error) {
	found := text
	if path, ok := strings.CutPrefix(text, "file:"); ok && !private.IsKey(path) {
		data, err := private.Read(path, 4096)
		if err != nil {
			return "", parameterError("%s: can't read the public key: %s", path, strerror(err))
		}
		found = string(data)
	}
	if !publicKey.MatchString(found) {
		return "", parameterError("a signer is a public key of 64 lower-case hexadecimal digits, or file:PATH of the .pub file " +
			"that `tallystick policy key` makes")
	}
	return strings.TrimSuffix(found, "\n"), nil
}

// listKeys is tallystick keyring list.
func listKeys(command string, arguments []string) error {
	o := newOptions(command)
	o.takeRoot()
	o.BoolVar(&o.asJSON, "json", false, "")
	if done, err := o.parse(arguments); done || err != nil {
		return err
	}
	names, err := o.take("TALLYSTICK_KEYRING", "RING")
	if err != nil {
		return err
	}
	ring, err := openRing(names[0], o.root)
	if err != nil {
		return err
	}
	defer ring.Close()
	if o.asJSON {
		return printJSON(describedRing(command, names[0], ring))
	}
	infos := ring.Infos()
	limited := slices.ContainsFunc(infos, func(info keyring.KeyInfo) bool { return info.Rights != keyring.AllRights })
	table := tabwriter.NewWriter(lines{}, 0, 0, 2, ' ', 0)
	head := "key\tbits\tcreated"
	if limited {
		head += "\trights"
	}
	fmt.Fprintln(table, head)
	for _, info := range infos {
		row := fmt.Sprintf("%s\t%d\t%s", info.Reference(), 8*info.Size, created(info))
		if limited {
			row += "\t" + info.Rights.String()
		}
		fmt.Fprintln(table, row)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if shared := ring.Sharing(); shared != nil {
		holders := make([]string, len(shared.Holders))
		for i, holder := range shared.Holders {
			holders[i] = fmt.Sprintf("%d %s", i+1, holder)
		}
		err = printLine(fmt.Sprintf("opens with any %d of the shares of set %s: %s", shared.Threshold, shared.Set[:8], strings.Join(holders, ", ")))
	}
	if wrappers := ring.Wrappers(); err == nil && wrappers != nil {
		err = printLine("opens with " + strings.Join(wrappers, " or "))
	}
	if signers := ring.Signers(); err == nil && len(signers) > 0 {
		err = printLine("takes only policies that " + strings.Join(signers, " or ") + " signed")
	}
	return err
}

type lines struct{}

func (lines) Write(text []byte) (int, error) { return len(text), printRaw(text) }

// created is a time as Python's isoformat has it.
func created(info keyring.KeyInfo) string { return strings.TrimSuffix(info.Created, "Z") + "+00:00" }

func describedRing(command, path string, ring *keyring.Keyring) object {
	keys := []object{}
	for _, info := range ring.Infos() {
		keys = append(keys, object{
			{"name", info.Name}, {"version", info.Version}, {"bits", 8 * info.Size}, {"created", created(info)},
			{"rights", info.Rights.String()},
		})
	}
	var sharing any
	if shared := ring.Sharing(); shared != nil {
		sharing = object{{"set", shared.Set}, {"threshold", shared.Threshold}, {"holders", shared.Holders}}
	}
	return object{
		{"command", command}, {"keyring", path}, {"keys", keys}, {"sharing", sharing}, {"roots", ring.Wrappers()},
		{"revision", ring.Revision()}, {"signers", ring.Signers()},
	}
}
