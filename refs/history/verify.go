package history

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Verified is the result of checking a memory commit's signature.
type Verified struct {
	Commit git.ID  `json:"commit"`
	Status string  `json:"status"` // one of the Signature constants
	Signer *string `json:"signer"` // as the key or the allowed signers file names it; nil if unknown

	Key      string `json:"-"` // id or fingerprint, "" if unknown
	Summary  string `json:"-"`
	Accepted bool   `json:"-"` // `git verify-commit` accepts it

	checked git.CheckedCommit
}

// The values of Verified.Status.
const (
	SignatureGood       = "good"
	SignatureBad        = "bad"              // the commit differs from what was signed
	SignatureUnknown    = "unknown-validity" // good, by a key of unknown validity
	SignatureExpired    = "expired"          // good, but the signature has expired
	SignatureExpiredKey = "expired-key"      // good, by a key that has expired
	SignatureRevokedKey = "revoked-key"      // good, by a key that was revoked
	SignatureUnchecked  = "cannot-check"     // a key, a program or a setting is missing
	SignatureMissing    = "unsigned"
)

// Verify has git check the signatures of the memory commits that rev names: one commit; for
// "A..B" all that B reaches and A does not, newest first; for "A...B" all that only one of
// them reaches. An empty side is the current branch, and an empty rev its newest commit
// with an entry. rev may name any memory commit, and the roadmap and the notes by the names of their refs.
//
// If git does not accept all of them (`git verify-commit`, gpg.minTrustLevel included),
// Verify returns the list together with an error of the kind fail.ErrRefused that names the
// first.
func Verify(ctx context.Context, s *store.Store, rev string) ([]Verified, error) {
	ids, err := toVerify(ctx, s, rev)
	if err != nil {
		return nil, err
	}
	checked, err := s.Repo().VerifyCommits(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Verified, len(checked))
	for i, c := range checked {
		list[i] = Verified{Commit: c.ID, Status: statusOf(c.Verdict), Key: c.Key, Summary: c.Subject,
			Accepted: c.Accepted, checked: c}
		if c.Signer != "" {
			list[i].Signer = &c.Signer
		}
	}
	return list, refused(list)
}

// toVerify returns the commits that a revision or a range names.
func toVerify(ctx context.Context, s *store.Store, rev string) ([]git.ID, error) {
	if from, dots, to := SplitRange(rev); dots != "" {
		a, err := verifiable(ctx, s, from)
		if err != nil {
			return nil, err
		}
		b, err := verifiable(ctx, s, to)
		if err != nil {
			return nil, err
		}
		return s.Repo().Between(ctx, a, dots, b)
	}
	if rev != "" {
		id, err := verifiable(ctx, s, rev)
		return []git.ID{id}, err
	}
	c, err := s.NewestCommitAt(ctx, git.HeadName)
	if err != nil {
		return nil, err
	}
	return []git.ID{c.ID}, nil
}

// verifiable resolves one commit; "" is the current branch.
func verifiable(ctx context.Context, s *store.Store, rev string) (git.ID, error) {
	if rev == "" {
		rev = git.HeadName
	}
	if rev == git.RoadmapRef || rev == git.NotesRef {
		return s.Repo().Ref(ctx, rev)
	}
	c, err := s.Revision(ctx, rev)
	if err != nil {
		return "", err
	}
	return c.ID, nil
}

func statusOf(v git.Verdict) string {
	switch v {
	case git.Good:
		return SignatureGood
	case git.UnknownValidity:
		return SignatureUnknown
	case git.Expired:
		return SignatureExpired
	case git.ExpiredKey:
		return SignatureExpiredKey
	case git.RevokedKey:
		return SignatureRevokedKey
	case git.CannotCheck:
		return SignatureUnchecked
	case git.Unsigned:
		return SignatureMissing
	}
	return SignatureBad
}

// refused returns an error that names the first commit that git does not accept.
func refused(list []Verified) error {
	var first *Verified
	others := 0
	for i := range list {
		switch {
		case list[i].Accepted:
		case first == nil:
			first = &list[i]
		default:
			others++
		}
	}
	if first == nil {
		return nil
	}
	message, hint := first.complaint()
	if others > 0 {
		message += fmt.Sprintf(" (the first of %d)", others+1)
	}
	return fail.New(fail.ErrRefused, fail.NotVerified, message, hint)
}

// complaint describes the problem of a signature, and its solution.
func (v *Verified) complaint() (message, hint string) {
	hint = v.checked.Remedy()
	if v.checked.Verdict == git.Unsigned {
		hint = "to sign what is written from now on: git config " + store.KeySign + " true"
	}
	return v.checked.Complaint("commit '" + v.Commit.Short() + "'"), hint
}
