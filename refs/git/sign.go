package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SignCommit stores a commit with a signature and returns it as it was stored. Git makes
// it (`git commit-tree -S`), and runs the program that its configuration names
// (gpg.format, gpg.program, gpg.ssh.program, user.signingKey, gpg.ssh.defaultKeyCommand)
// with the user's whole environment, so that agents which keep a key open are asked. key
// is what -S takes; empty means git's own choice. c has no Extra; its ID is not looked at.
//
// The program has no terminal to ask on. One that asks in another way, or hangs, is
// stopped after 50 seconds where the caller has no deadline. A failure is an *Error in the
// words of git, and of the program where git passes them on. It costs two processes and
// more: 4 ms with an SSH key.
//
// Git takes a message with code points that Unicode reserves (U+FFFE and the like) for
// Latin-1 and would recode it: each becomes U+FFFD.
func (r *Repo) SignCommit(ctx context.Context, c *Commit, key string) (*Commit, error) {
	if err := r.checkCommit(c); err != nil {
		return nil, err
	}
	if err := r.behind.flush(); err != nil { // git wants to see the tree
		return nil, err
	}
	sign := "--gpg-sign"
	if key != "" {
		sign += "=" + key
	}
	// Newer git would call the message Latin-1 where the user's commits are.
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", sign}
	for _, p := range c.Parents {
		args = append(args, "-p", string(p))
	}
	message := strings.Map(assigned, c.Message)
	waiting, done := r.interruptible(ctx)
	defer done()
	env := append(r.childEnv[:len(r.childEnv):len(r.childEnv)], c.Author.env("AUTHOR")...)
	out, err := r.start(waiting, command{
		env:   append(env, c.Committer.env("COMMITTER")...),
		args:  append(args, string(c.Tree)),
		stdin: []byte(message), limit: signTimeout, silent: true,
	})
	if errors.Is(err, context.Canceled) {
		err = context.Cause(waiting) // which signal it was
	}
	if err != nil {
		return nil, err
	}
	id := strings.TrimSpace(string(out))
	if !r.IsID(id) {
		return nil, fmt.Errorf("git commit-tree: cannot understand '%s'", Shown(id))
	}
	stored, err := r.Commit(ctx, ID(id))
	if err != nil {
		return nil, err
	}
	if stored.Tree != c.Tree || !slices.Equal(stored.Parents, c.Parents) || stored.Message != message {
		return nil, errors.New("git commit-tree: the commit is not what was to be signed")
	}
	return stored, nil
}

// Verdict is git's judgement of the signature of a commit. The letters are those of %G? in
// git-log(1).
type Verdict byte

const (
	Good            Verdict = 'G'
	Bad             Verdict = 'B'
	UnknownValidity Verdict = 'U' // good, by a key of unknown trust
	Expired         Verdict = 'X' // good, but the signature has expired
	ExpiredKey      Verdict = 'Y' // good, by a key that has expired
	RevokedKey      Verdict = 'R' // good, by a key that was revoked
	CannotCheck     Verdict = 'E' // the key is missing, or the program, or a setting
	Unsigned        Verdict = 'N'
)

// CheckedCommit is a commit whose signature git has looked at.
type CheckedCommit struct {
	ID       ID
	Verdict  Verdict
	Accepted bool   // as `git verify-commit` does, by gpg.minTrustLevel too
	Known    bool   // the signer, as `git merge --verify-signatures` demands it, and Owner is ""
	Owner    string // the address of the author, if it is another known signer's
	Signer   string // as the key or the allowed signers file names it; "" if unknown
	Key      string // its id or fingerprint; "" if unknown
	Author   string // "NAME <EMAIL>", as the commit says
	Subject  string
	Problem  string // why it cannot be checked, in git's words, where it has any
	// NoSigners: that is because gpg.ssh.allowedSignersFile names no file.
	NoSigners bool
}

// checkedFields is how many fields git log prints of a commit.
const checkedFields = 6

// verifyChunk is how many commits one child checks: at half a second for each it
// still has enough time.
const verifyChunk = 256

// VerifyCommits has git check the signatures of commits, by the user's settings (gpg.*)
// and keys, in the order of ids. Relative paths in the settings are read from the
// worktree's top, as git reads them. It costs one child for 256 commits, which starts one
// or two for each that is signed; two children with gpg.minTrustLevel.
func (r *Repo) VerifyCommits(ctx context.Context, ids []ID) ([]CheckedCommit, error) {
	list := make([]CheckedCommit, 0, len(ids))
	for chunk := range slices.Chunk(ids, verifyChunk) {
		checked, err := r.verifyChunk(ctx, chunk)
		if err != nil {
			return nil, err
		}
		list = append(list, checked...)
	}
	return list, nil
}

func (r *Repo) verifyChunk(ctx context.Context, ids []ID) ([]CheckedCommit, error) {
	fields, said, err := r.logSignatures(ctx, ids, checkedFields, "%H%x00%G?%x00%GS%x00%GK%x00%an <%ae>%x00%s")
	if err != nil {
		return nil, err
	}
	list := make([]CheckedCommit, 0, len(ids))
	for f := range slices.Chunk(fields, checkedFields) {
		if len(f[1]) != 1 {
			return nil, fmt.Errorf("git log: cannot understand the signature '%s'", Shown(f[1]))
		}
		c := CheckedCommit{ID: ID(f[0]), Verdict: Verdict(f[1][0]), Signer: f[2], Key: f[3], Author: f[4], Subject: f[5]}
		if err := r.mend(ctx, &c, said); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if err := r.trust(ctx, list); err != nil {
		return nil, err
	}
	return list, r.claims(ctx, list)
}

// logSignatures returns the fields that one git log prints of commits, n of each, and its errors.
func (r *Repo) logSignatures(ctx context.Context, ids []ID, n int, format string) (fields []string, said string, err error) {
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	stderr := new(tail)
	out, err := r.start(ctx, command{env: r.childEnv, stdin: in.Bytes(), said: stderr, silent: true,
		args: []string{"-c", "log.showSignature=false", "log", "-z",
			"--no-walk=unsorted", "--no-color", "--no-mailmap", "--format=" + format, "--stdin"}})
	if err != nil {
		return nil, "", err
	}
	fields = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != n*len(ids) {
		return nil, "", fmt.Errorf("git log: cannot understand '%s'", Shown(string(out)))
	}
	return fields, stderr.String(), nil
}

// trustLevels are git's, from the lowest, which is its default for gpg.minTrustLevel.
var trustLevels = []string{"undefined", "never", "marginal", "fully", "ultimate"}

// trust decides which signatures that are good git accepts:
//
//  1. by an SSH key that no allowed signer has: not;
//  2. without gpg.minTrustLevel: the others, and the signer is known if the key is valid;
//  3. with it: those whose keys have that trust, the setting being the user's word on the signer.
//
// Of a commit without a good signature git must not be asked for the trust: it aborts.
func (r *Repo) trust(ctx context.Context, list []CheckedCommit) error {
	cfg, err := r.Config(ctx)
	if err != nil {
		return err
	}
	least, set := cfg.String("gpg.minTrustLevel")
	var good []*CheckedCommit
	var ids []ID
	for i := range list {
		if c := &list[i]; (c.Verdict == Good || c.Verdict == UnknownValidity) && !c.ByStranger() {
			c.Accepted, c.Known = true, c.Verdict == Good
			good, ids = append(good, c), append(ids, c.ID)
		}
	}
	if !set || len(ids) == 0 {
		return nil
	}
	levels, _, err := r.logSignatures(ctx, ids, 1, "%GT")
	if err != nil {
		return err
	}
	for i, c := range good {
		c.Accepted = slices.Index(trustLevels, levels[i]) >= slices.Index(trustLevels, strings.ToLower(least))
		c.Known = c.Accepted
	}
	return nil
}

// sshFingerprint begins the name of an SSH key; others are hexadecimal.
const sshFingerprint = "SHA256:"

// ByStranger reports whether an SSH key that no allowed signer has made the signature.
func (c *CheckedCommit) ByStranger() bool {
	return c.Verdict == UnknownValidity && strings.HasPrefix(c.Key, sshFingerprint)
}

// mend corrects a verdict that git gets wrong:
//
//  1. Unsigned, with a signature: a program or a setting is missing.
//  2. Bad, while the program could not be run: nothing was checked. (Of SSH only.)
func (r *Repo) mend(ctx context.Context, c *CheckedCommit, said string) error {
	switch {
	case c.Verdict == Unsigned:
		commit, err := r.Commit(ctx, c.ID)
		if err != nil {
			return err
		}
		if commit.signed() {
			c.Verdict, c.Problem = CannotCheck, complaint(said)
			c.NoSigners = strings.HasPrefix(c.Problem, "gpg.ssh.allowedSignersFile ")
		}
	case c.Verdict == Bad && notRunText(said):
		c.Verdict, c.Problem = CannotCheck, complaint(said)
	}
	return nil
}

// Complaint says what is wrong with the signature of a commit that a text names.
func (c *CheckedCommit) Complaint(name string) string {
	switch c.Verdict {
	case Unsigned:
		return name + " is not signed"
	case CannotCheck:
		switch {
		case c.Key != "": // of OpenPGP, which git names
			return name + " is signed by a key that is not here, " + c.Key
		case c.Problem != "":
			return "the signature of " + name + " cannot be checked: " + c.Problem
		}
		return "the signature of " + name + " cannot be checked"
	case UnknownValidity, Good:
		switch {
		case c.ByStranger():
			return name + " is signed by an unknown key, " + c.Key
		case c.Owner != "" && strings.EqualFold(c.Owner, emailOf(c.Signer)): // a user id of the key that is not valid
			return name + " is signed by the key " + c.Key + ", and not by that of " + Shown(c.Owner)
		case c.Owner != "":
			return name + " is signed by " + Shown(c.Signer) + ", and not by the key of " + Shown(c.Owner)
		}
		return name + " is signed by a key that is not trusted enough, " + c.Key
	case Expired:
		return "the signature of " + name + " has expired"
	case ExpiredKey:
		return name + " is signed by a key that has expired, " + c.Key
	case RevokedKey:
		return name + " is signed by a key that was revoked, " + c.Key
	}
	return name + " is not what was signed: its signature is bad"
}

// Remedy is what the reader can do about a signature that is not accepted.
func (c *CheckedCommit) Remedy() string {
	switch {
	case c.Verdict == CannotCheck && c.Key != "":
		return "gpg --recv-keys " + c.Key
	case c.NoSigners:
		return "write a line 'EMAIL PUBLIC-KEY' for each signer into FILE, then: git config gpg.ssh.allowedSignersFile FILE"
	case c.Owner != "" && strings.HasPrefix(c.Key, sshFingerprint):
		return "if both are one person, name both addresses in front of the key in the file that gpg.ssh.allowedSignersFile names: EMAIL,EMAIL PUBLIC-KEY"
	case c.Owner != "":
		return "git verify-commit -v " + string(c.ID)
	case c.ByStranger():
		return "if you know whose it is, add the line 'EMAIL PUBLIC-KEY' to the file that gpg.ssh.allowedSignersFile names"
	case c.Verdict == UnknownValidity || c.Verdict == Good:
		return "gpg --edit-key " + c.Key + " trust"
	case c.Verdict == Unsigned:
		return "git show " + string(c.ID)
	}
	return "git verify-commit -v " + string(c.ID)
}

// notRunText reports whether git could not run a program: newer ones say "exec" of one
// that is named by its path, as it always did of one that is not executable.
func notRunText(stderr string) bool {
	for line := range strings.Lines(stderr) {
		said, ok := faultLine(line)
		if ok && (strings.HasPrefix(said, "cannot run ") || strings.HasPrefix(said, "cannot exec ")) {
			return true
		}
	}
	return false
}
