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
	Signer   string // as the key or the allowed signers file names it; "" if unknown
	Key      string // its id or fingerprint; "" if unknown
	Subject  string
	Problem  string // why it cannot be checked, in git's words, where it has any
	// NoSigners: that is because gpg.ssh.allowedSignersFile names no file.
	NoSigners bool
}

// verifyChunk is how many commits one child checks: at half a second for each it
// still has enough time.
const verifyChunk = 256

// VerifyCommits has git check the signatures of commits, by the user's settings (gpg.*)
// and keys, in the order of ids. Relative paths in the settings are read from the
// worktree's top, as git reads them. It costs one child for 256 commits, which starts one
// or two for each that is signed; and one more for each commit whose verdict does not
// decide whether git accepts it.
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
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	cfg, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	_, picky := cfg.String("gpg.minTrustLevel")
	said := new(tail)
	out, err := r.start(ctx, command{env: r.childEnv, stdin: in.Bytes(), said: said, silent: true,
		args: []string{"-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8", "log", "-z",
			"--no-walk=unsorted", "--no-color", "--no-mailmap", "--format=%H%x00%G?%x00%GS%x00%GK%x00%s", "--stdin"}})
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 5*len(ids) {
		return nil, fmt.Errorf("git log: cannot understand '%s'", Shown(string(out)))
	}
	list := make([]CheckedCommit, 0, len(ids))
	for f := range slices.Chunk(fields, 5) {
		if len(f[1]) != 1 {
			return nil, fmt.Errorf("git log: cannot understand the signature '%s'", Shown(f[1]))
		}
		c := CheckedCommit{ID: ID(f[0]), Verdict: Verdict(f[1][0]), Signer: f[2], Key: f[3], Subject: f[4]}
		if err := r.judge(ctx, &c, picky, said.String()); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// judge mends a verdict that git gets wrong, and finds out whether it accepts the
// commit:
//
//  1. Unsigned, with a signature: a program or a setting is missing.
//  2. Bad, while the program could not be run: nothing was checked. (Of SSH only.)
//  3. Good, and no gpg.minTrustLevel: accepted.
//  4. Good otherwise, or of unknown validity: it depends on the kind of key and on
//     that setting, so git is asked.
//  5. Else: not accepted.
func (r *Repo) judge(ctx context.Context, c *CheckedCommit, picky bool, said string) error {
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
	case c.Verdict == Good && !picky:
		c.Accepted = true
	case c.Verdict == Good || c.Verdict == UnknownValidity:
		_, err := r.start(ctx, command{env: r.childEnv, args: []string{"verify-commit", string(c.ID)}, silent: true})
		if err != nil && ExitCode(err) != 1 {
			return err
		}
		c.Accepted = err == nil
	}
	return nil
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
