package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Signing says whether memory commits are signed. The zero value leaves it to
// context.gpgSign; commit.gpgSign speaks of the user's own commits and has no say.
type Signing struct {
	Mode SignMode
	// Key is what git takes behind -S; empty: user.signingKey, or what git makes of
	// its absence.
	Key string
}

// SignMode is who decides whether memory commits are signed.
type SignMode uint8

// The zero SignMode asks the setting; the others overrule it.
const (
	SignAsConfigured SignMode = iota
	SignAlways
	SignNever
)

// wanted reports whether commits are to be signed.
func (o Signing) Wanted(cfg *git.Config) (bool, error) {
	if o.Mode != SignAsConfigured {
		return o.Mode == SignAlways, nil
	}
	return cfg.Bool(KeySign, false)
}

// storeCommit stores a memory commit, signed where that is wanted: all commits
// but those of the notes go through it. A lost race signs again, with the commit
// lock held; that of the journal is free, so that record never waits for it.
func (ses *Transaction) storeCommit(ctx context.Context, c *git.Commit) (*git.Commit, error) {
	if !ses.Sign {
		var err error
		c.ID, err = ses.Store.repo.WriteCommit(ctx, c)
		return c, err
	}
	signed, err := ses.Store.repo.SignCommit(ctx, c, ses.W.Sign.Key)
	if err != nil {
		return nil, ses.signError(ctx, err)
	}
	return signed, nil
}

// signError says that git made no signed commit. What else it fails at (no space)
// it says itself.
func (ses *Transaction) signError(ctx context.Context, err error) error {
	var failed *git.Error
	if !errors.As(err, &failed) || errors.Is(err, context.Canceled) {
		return err
	}
	cfg, problem := ses.Store.repo.Config(ctx)
	if problem != nil {
		return errors.Join(err, problem)
	}
	code, message := fail.SignFailed, "cannot sign the memory commit"
	if errors.Is(err, context.DeadlineExceeded) {
		code, message = fail.SignTimeout, "the program that signs does not answer"
	}
	configured, _ := cfg.String("user.signingKey")
	key := prose.OneLine(cmp.Or(ses.W.Sign.Key, configured), 200)
	format, _ := cfg.String("gpg.format")
	hints := signHints(cmp.Or(format, "openpgp"), key, code == fail.SignTimeout)
	return &fail.Error{Code: code, Kind: fail.ErrRefused, Err: err, Message: message,
		Hints: append(hints, "nothing was changed; without a signature: --no-gpg-sign, or git config "+KeySign+" false")}
}

// signHints says what to look at. GnuPG's own words reach us only through newer git.
func signHints(format, key string, late bool) []string {
	switch {
	case format == "ssh" && key != "":
		return []string{"the key is '" + key + "'; if it has a passphrase: ssh-add PRIVATE-KEY"}
	case format == "ssh":
		return []string{"git config user.signingKey ~/.ssh/id_ed25519.pub"}
	case format == "openpgp" && late:
		return []string{"if the key has a passphrase: export GPG_TTY=$(tty)"}
	case format == "openpgp":
		return []string{"gpg --list-secret-keys", "git config user.signingKey KEY", "if the key has a passphrase: export GPG_TTY=$(tty)"}
	}
	return []string{"git config user.signingKey KEY"}
}
