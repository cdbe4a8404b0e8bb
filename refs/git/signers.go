package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
)

// claims finds commits that a known signer has signed and that name another known signer as their author:
// Owner is set, and Known is not any more. An address that no key has is anybody's, such as that of an agent.
func (r *Repo) claims(ctx context.Context, list []CheckedCommit) error {
	k := keyring{repo: r, pgp: map[string][]pgpKey{}}
	for i := range list {
		c := &list[i]
		email := emailOf(c.Author)
		// git names the signer of an SSH key by the file of signers, and that of an OpenPGP key by its first user id, which its owner chooses.
		if !c.Known || email == "" || strings.HasPrefix(c.Key, sshFingerprint) && strings.EqualFold(email, emailOf(c.Signer)) {
			continue
		}
		owned, others, err := k.owners(ctx, email, c.Key)
		if err != nil {
			return err
		}
		if others && !owned {
			c.Known, c.Owner = false, email
		}
	}
	return nil
}

// keyring is what git takes for the keys of persons. It is read once.
type keyring struct {
	repo *Repo
	ssh  []allowedSigner
	read bool
	pgp  map[string][]pgpKey // of an address
}

// owners reports whether a key is one of an address, and whether another one is, of either kind.
func (k *keyring) owners(ctx context.Context, email, key string) (owned, others bool, err error) {
	if !k.read {
		if k.ssh, err = k.repo.allowedSigners(ctx); err != nil {
			return false, false, err
		}
		k.read = true
	}
	owned, others = sshOwner(k.ssh, email, key)
	if owned || others && strings.HasPrefix(key, sshFingerprint) {
		return owned, others, nil
	}
	keys, ok := k.pgp[email]
	if !ok {
		if keys, err = k.repo.pgpKeys(ctx, email); err != nil {
			return false, false, err
		}
		k.pgp[email] = keys
	}
	owned, more := pgpOwner(keys, key)
	return owned, others || more, nil
}

// emailOf returns the address of "NAME <EMAIL>", or all of a text without one.
func emailOf(who string) string {
	if _, rest, ok := strings.Cut(who, "<"); ok {
		email, _, _ := strings.Cut(rest, ">")
		return strings.TrimSpace(email)
	}
	return strings.TrimSpace(who)
}

// allowedSigner is a line of the file that gpg.ssh.allowedSignersFile names, see ssh-keygen(1).
type allowedSigner struct {
	principals []string // patterns
	key        string   // its fingerprint
}

// mostSigners is the size of such a file in bytes that is read.
const mostSigners = 16 << 20

// signersPath returns the path of that file; "" if none is set.
func (r *Repo) signersPath(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "config", "-z", "--type=path", "--get", "gpg.ssh.allowedSignersFile")
	if ExitCode(err) == 1 && len(out) == 0 { // git-config(1): it is not set
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return disk.Absolute(r.runDir(), strings.TrimSuffix(string(out), "\x00")), nil
}

// TrackedSigners returns the path of that file in the worktree if git tracks it there; else "". Whoever changes the code
// that is checked out then says who is known.
func (r *Repo) TrackedSigners(ctx context.Context) (string, error) {
	path, err := r.signersPath(ctx)
	if err != nil || path == "" || r.workTree == "" {
		return "", err
	}
	top, err := filepath.EvalSymlinks(r.workTree)
	if err != nil {
		return "", err
	}
	file, err := filepath.EvalSymlinks(path)
	if err != nil { // nobody is known then, which every signature says
		return "", nil
	}
	within, err := filepath.Rel(top, file)
	if err != nil || !filepath.IsLocal(within) {
		return "", nil
	}
	within = filepath.ToSlash(within)
	out, err := r.Run(ctx, "ls-files", "-z", "--", ":(top,literal)"+within)
	if err != nil || len(out) == 0 {
		return "", err
	}
	return within, nil
}

func (r *Repo) allowedSigners(ctx context.Context) ([]allowedSigner, error) {
	path, err := r.signersPath(ctx)
	if err != nil || path == "" {
		return nil, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) { // it gives no key an address
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSigners {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file of at most 16 MiB")}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseSigners(string(text)), nil
}

// parseSigners reads the lines that name a key. Those of an authority name none: which keys it has certified
// is not in the file.
func parseSigners(text string) (list []allowedSigner) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		words := quotedWords(line)
		for i := 1; i < min(3, len(words)-1); i++ { // behind the options, if there are any
			blob, err := base64.StdEncoding.DecodeString(words[i+1])
			if err != nil || keyType(blob) != words[i] {
				continue
			}
			if i == 1 || !slices.ContainsFunc(strings.Split(words[1], ","), authority) {
				sum := sha256.Sum256(blob)
				list = append(list, allowedSigner{principals: strings.Split(strings.Trim(words[0], `"`), ","),
					key: sshFingerprint + base64.RawStdEncoding.EncodeToString(sum[:])})
			}
			break
		}
	}
	return list
}

func authority(option string) bool { return strings.EqualFold(option, "cert-authority") }

// keyType is what an SSH key says of itself: its blob begins with the length and the name of the type.
func keyType(blob []byte) string {
	if len(blob) < 4 {
		return ""
	}
	n := binary.BigEndian.Uint32(blob)
	if uint64(n) > uint64(len(blob)-4) {
		return ""
	}
	return string(blob[4 : 4+n])
}

// quotedWords splits a line at white space that is not within quotes.
func quotedWords(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return !quoted && (c == ' ' || c == '\t')
	})
}

// sshOwner reports whether a key may sign for an address, and whether the address is that of another key. A
// pattern such as *@example.com lets a key sign for an address and makes it nobody's; one without any part of an
// address, such as *, says what a key may sign, and not as whom.
func sshOwner(list []allowedSigner, email, key string) (owned, others bool) {
	for _, s := range list {
		for _, p := range s.principals {
			switch pattern := strings.ContainsAny(p, "*?!") && strings.Trim(p, "*?!@") != ""; {
			case s.key == key && (strings.EqualFold(p, email) || pattern && like(strings.ToLower(p), strings.ToLower(email))):
				owned = true
			case s.key != key && strings.EqualFold(p, email):
				others = true
			}
		}
	}
	return owned, others
}

// like matches a pattern of OpenSSH, in which * is any text and ? any character.
func like(pattern, text string) bool {
	for i, c := range pattern {
		switch {
		case c == '*':
			for n := 0; n <= len(text); n++ {
				if like(pattern[i+1:], text[n:]) {
					return true
				}
			}
			return false
		case text == "" || c != '?' && text[0] != byte(c):
			return false
		}
		text = text[1:]
	}
	return text == ""
}

// pgpKey is a valid OpenPGP key: the ids of it and of its subkeys.
type pgpKey []string

// pgpKeys asks the program that checks the signatures for the valid keys of an address.
func (r *Repo) pgpKeys(ctx context.Context, email string) ([]pgpKey, error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	const usual = "gpg"
	program := usual
	for _, key := range []string{"gpg.program", "gpg.openpgp.program"} {
		if value, ok := cfg.String(key); ok && value != "" {
			program = value
		}
	}
	if program == usual && !r.hasKeyring() { // gpg would make one; a program of the user's may have its own elsewhere
		return nil, nil
	}
	ctx, cancel := withTimeout(ctx, childTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--batch", "--no-tty", "--with-colons", "--list-keys", "--", "<"+email+">")
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout = r.runDir(), r.childEnv, &out
	var ended *exec.ExitError
	err = process.Run(ctx, cmd)
	if noKey := errors.As(err, &ended) && ended.ExitCode() == 2; err != nil && !noKey { // one that was killed has told nothing
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return parsePGPKeys(out.String(), email), nil
}

// hasKeyring reports whether there is a home of GnuPG.
func (r *Repo) hasKeyring() bool {
	home := ""
	for _, v := range r.childEnv {
		if value, ok := strings.CutPrefix(v, "GNUPGHOME="); ok {
			home = value
		} else if value, ok := strings.CutPrefix(v, "HOME="); ok && home == "" && runtime.GOOS != "windows" {
			home = filepath.Join(value, ".gnupg")
		}
	}
	if home == "" {
		return true // it is elsewhere
	}
	_, err := os.Stat(home)
	return !errors.Is(err, fs.ErrNotExist)
}

// parsePGPKeys reads what gpg --with-colons prints: of keys with a valid user id of the address the ids.
func parsePGPKeys(text, email string) (list []pgpKey) {
	var ids pgpKey
	valid := false
	end := func() {
		if valid {
			list = append(list, ids)
		}
		ids, valid = nil, false
	}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), ":")
		switch {
		case len(f) < 10:
		case f[0] == "pub":
			end()
			ids = append(ids, f[4])
		case f[0] == "sub":
			ids = append(ids, f[4])
		case f[0] == "uid" && strings.ContainsAny(f[1], "fu"):
			valid = valid || strings.EqualFold(emailOf(f[9]), email)
		}
	}
	end()
	return list
}

// pgpOwner reports whether a key, by its id or fingerprint, is one of those, and whether there is another.
func pgpOwner(list []pgpKey, key string) (owned, others bool) {
	for _, k := range list {
		if slices.ContainsFunc(k, func(id string) bool { return id != "" && strings.HasSuffix(strings.ToUpper(key), id) }) {
			owned = true
		} else {
			others = true
		}
	}
	return owned, others
}
