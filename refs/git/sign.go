package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SignCommit stores a commit with a signature and returns it as it stands. Git
// makes it (`git commit-tree -S`), and with it runs whatever program signs by its
// configuration (gpg.format, gpg.program, gpg.ssh.program, user.signingKey,
// gpg.ssh.defaultKeyCommand) with the user's whole environment, so that agents
// which keep a key open are asked. key is what -S takes; empty means git's own
// choice. c has no Extra; its ID is not looked at.
//
// Nothing asks on the terminal, which the program does not have; one that asks in
// another way, or hangs, is stopped after 50 seconds where the caller has no
// deadline. A failure is an *Error in the words of git, and of the program where
// git passes them on. It costs two processes and more: 4 ms with an SSH key.
//
// Git takes a message with code points that Unicode reserves (U+FFFE and the like)
// for Latin-1 and would recode it: each becomes U+FFFD.
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
	out, err := r.start(waiting, command{
		env:   append(append(r.childEnv[:len(r.childEnv):len(r.childEnv)], c.Author.env("AUTHOR")...), c.Committer.env("COMMITTER")...),
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
	if !isHex(id, r.hexLen()) {
		return nil, fmt.Errorf("git commit-tree: cannot understand '%s'", shown(id))
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

// env gives a signature to a child. Git has the '@' for a date that counts seconds
// from the start.
func (s Signature) env(who string) []string {
	return []string{
		"GIT_" + who + "_NAME=" + s.Name, "GIT_" + who + "_EMAIL=" + s.Email,
		fmt.Sprintf("GIT_%s_DATE=@%d %s", who, s.When.Unix(), s.When.Format("-0700")),
	}
}

// assigned replaces the code points that are never characters.
func assigned(c rune) rune {
	if c&0xfffe == 0xfffe || c >= 0xfdd0 && c <= 0xfdef {
		return '\uFFFD'
	}
	return c
}

// Signed reports whether a commit carries a signature, good or not.
func (c *Commit) Signed() bool {
	for line := range strings.Lines(string(c.Extra)) {
		if strings.HasPrefix(line, "gpgsig ") || strings.HasPrefix(line, "gpgsig-sha256 ") {
			return true
		}
	}
	return false
}
