package share

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
)

// FirstPush describes the first memory of a remote.
type FirstPush struct {
	Remote   string `json:"-"`
	URL      string `json:"url"` // where it goes, without a password
	Branches int    `json:"branches"`
	Commits  int    `json:"commits"`
	Steps    int    `json:"steps"` // committed ones: pending steps stay here
	Works    int    `json:"works"` // branches whose uncommitted code goes along
	Bytes    int64  `json:"bytes"` // of the objects, without that code, as they are stored here
}

// firstPush describes the push that gives a remote its first memory, and asks for consent.
func (ex *exchanger) firstPush(ctx context.Context, ours *remote.RefSet) error {
	f := &FirstPush{Remote: ex.peer.Name}
	var tips, all []string
	for name, id := range ours.Branches {
		if ex.wants(name) {
			tips = append(tips, string(id))
			if ours.Works[name] != "" {
				f.Works++
			}
		}
	}
	for _, id := range []git.ID{ours.Roadmap, ours.Notes} {
		if id != "" {
			all = append(all, string(id))
		}
	}
	var err error
	f.Branches = len(tips)
	if f.Commits, f.Steps, err = ex.s.CountEntries(ctx, tips...); err != nil {
		return err
	}
	if f.Bytes, err = ex.s.Repo().StoredBytes(ctx, slices.Concat(tips, all)...); err != nil {
		return err
	}
	if f.URL, err = ex.pushURL(ctx); err != nil {
		return err
	}
	ex.res.First = f
	if ex.o.Consent == nil || ex.rehearsal || ex.consented {
		return nil
	}
	ex.consented = true // a further round is the same push
	return ex.o.Consent(*f)
}

// otherNames refuses to begin memory on a remote that has it under its other names: clones that use
// different names do not see each other, and each finds nothing wrong.
func (ex *exchanger) otherNames(ctx context.Context) error {
	there := git.NameOn(git.BranchPrefix, !ex.peer.Heads)
	list, err := ex.s.Repo().LsRemote(ctx, ex.peer.Name, there+"*")
	if errors.Is(err, git.ErrUnreachable) {
		return unreachable(ex.peer.Name, err)
	}
	if err != nil || len(list) == 0 {
		return err
	}
	key := "context." + ex.peer.Name + ".mapping"
	hints := []string{"git config " + key + " " + remote.MappingHeads, "git context init"}
	if ex.peer.Heads {
		hints = []string{"git config --unset " + key, "git context init"}
	}
	return fail.New(fail.ErrRefused, fail.MappingSplit, fmt.Sprintf("'%s' has memory already, under other names such as '%s'", ex.peer.Name,
		git.Shown(list[0].Name)), hints...)
}

// beginsElsewhere reports whether a push goes to another repository than a fetch, remote.<name>.pushurl, which has no memory.
func (ex *exchanger) beginsElsewhere(ctx context.Context) (bool, error) {
	cfg, err := ex.s.Repo().Config(ctx)
	if err != nil {
		return false, err
	}
	url, _ := cfg.String("remote." + ex.peer.Name + ".url")
	for _, there := range cfg.All("remote." + ex.peer.Name + ".pushurl") {
		if there == url || there == "" {
			continue
		}
		list, err := ex.s.Repo().LsRemote(ctx, there, git.NameOn(git.BranchPrefix, ex.peer.Heads)+"*")
		if errors.Is(err, git.ErrUnreachable) {
			return false, unreachable(ex.peer.Name, err)
		}
		if err != nil || len(list) == 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// pushURL returns where a push goes, without a password.
func (ex *exchanger) pushURL(ctx context.Context) (string, error) {
	out, err := ex.s.Repo().Run(ctx, "remote", "get-url", "--push", "--", ex.peer.Name)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(out))
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return u.Redacted(), nil
	}
	return text, nil // a path, or host:path
}
