package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Verify says what becomes of commits of another repository that no known signer has signed. A
// higher value demands more.
type Verify int

// The values of context.<remote>.verify.
const (
	VerifyOff     Verify = iota // they are taken in unasked
	VerifyWarn                  // they are taken in with a warning
	VerifyRequire               // the refs that bring them are set aside
)

var verifyNames = []string{"off", "warn", "require"}

// VerifyOf returns what is demanded of a remote. A bundle can come from anywhere, so that the
// strictest setting of all remotes applies to it; to a remote without a setting of its own, the strictest of those that
// are gone, because git remote rename leaves it behind. fail.ErrInvalid: a value that is none.
func VerifyOf(ctx context.Context, s *store.Store, r Remote) (Verify, error) {
	if r.Bundle {
		return strictest(ctx, s, func(string) bool { return true })
	}
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return VerifyOff, err
	}
	if _, set := cfg.String(VerifyKey(r.Name)); set {
		return verifySetting(cfg, r.Name)
	}
	names, err := s.Repo().Remotes(ctx)
	if err != nil {
		return VerifyOff, err
	}
	return strictest(ctx, s, func(remote string) bool { return !slices.Contains(names, remote) })
}

// VerifyFor returns what is demanded of the commit that a revision names and that no ref of this
// repository leads to: the setting of the remote that the revision begins with, else the
// strictest of all remotes.
func VerifyFor(ctx context.Context, s *store.Store, rev string) (Verify, error) {
	named := func(remote string) bool {
		return strings.HasPrefix(rev, remote+"/") || strings.HasPrefix(rev, git.RemoteTracking(remote).Branches())
	}
	names, err := s.Repo().Remotes(ctx)
	if err != nil {
		return VerifyOff, err
	}
	most, found := VerifyOff, false
	for _, name := range names {
		if !named(name) {
			continue
		}
		v, err := VerifyOf(ctx, s, Remote{Name: name})
		if err != nil {
			return VerifyOff, err
		}
		most, found = max(most, v), true
	}
	all, err := strictest(ctx, s, func(string) bool { return true }) // an invalid setting of any remote is told
	if found {
		return most, err
	}
	return all, err
}

// strictest returns the highest demand of some remotes. A remote needs no URL for it, so that the
// setting of one that was removed still counts.
func strictest(ctx context.Context, s *store.Store, counts func(remote string) bool) (Verify, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return VerifyOff, err
	}
	most := VerifyOff
	for _, name := range cfg.Subsections("context") {
		v, err := verifySetting(cfg, name)
		if err != nil {
			return VerifyOff, err
		}
		if counts(name) {
			most = max(most, v)
		}
	}
	return most, nil
}

// VerifyKey is the setting of a remote.
func VerifyKey(remote string) string { return "context." + remote + ".verify" }

func verifySetting(cfg *git.Config, remote string) (Verify, error) {
	key := VerifyKey(remote)
	value, ok := cfg.String(key)
	if !ok {
		return VerifyOff, nil
	}
	for i, name := range verifyNames {
		if value == name {
			return Verify(i), nil
		}
	}
	return VerifyOff, fail.New(fail.ErrInvalid, fail.ConfigInvalid,
		fmt.Sprintf("%s is '%s'; it must be off, warn or require", key, value), "git config "+key+" require")
}
