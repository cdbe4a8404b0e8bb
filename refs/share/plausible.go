package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// checkPlausible refuses an expunge that leaves a branch without any entry, or removes or
// redacts more than half of the entries, or of what branches and roadmap say. A person who may
// push to a remote must not be able to erase the memory of everybody who syncs with it.
func (ex *exchanger) checkPlausible(ctx context.Context, op *expunge.Operation, _ []git.ID) error {
	v, err := expunge.ListRefs(ctx, op.Store)
	if err != nil {
		return err
	}
	tips := expunge.UniqueIDs(v.Branches)
	if v.Roadmap != "" {
		tips = append(tips, v.Roadmap)
	}
	now, err := op.Rewriter.Rewrite(ctx, tips)
	if err != nil {
		return err
	}
	entries, left := 0, 0
	for _, r := range v.Branches {
		name, _ := git.BranchName(r.Name)
		before, err := countEntries(ctx, op.Store, name, r.ID)
		if err != nil {
			return err
		}
		after, err := countEntries(ctx, op.Store, name, now[r.ID])
		if err != nil {
			return err
		}
		if before > 0 && after == 0 {
			return ex.implausible(fmt.Sprintf("every entry of branch '%s'", name))
		}
		entries, left = entries+before, left+after
	}
	if 2*left < entries {
		return ex.implausible(fmt.Sprintf("%d of the %d entries", entries-left, entries))
	}
	lost, all, err := lostBytes(ctx, op.Store, tips, slices.Collect(maps.Values(now)))
	if err == nil && 2*lost > all {
		return ex.implausible(fmt.Sprintf("%d%% of what memory says", 100*lost/all))
	}
	return err
}

// implausible returns that refusal.
func (ex *exchanger) implausible(what string) error {
	return fail.New(fail.ErrRefused, fail.ExpungeImplausible,
		fmt.Sprintf("'%s' asks to expunge %s here; nothing was changed", ex.peer.Name, what),
		"git context expunge --from "+prose.ShellWord(ex.peer.Name)+" --dry-run",
		"git context expunge --from "+prose.ShellWord(ex.peer.Name)+" --yes")
}

// implausible reports whether an error is that refusal.
func implausible(err error) bool {
	var e *fail.Error
	return errors.As(err, &e) && e.Code == fail.ExpungeImplausible
}

// countEntries counts the steps and commits of a branch at a commit.
func countEntries(ctx context.Context, s *store.Store, branch string, id git.ID) (int, error) {
	tip, err := s.TipAt(ctx, branch, id)
	if err != nil {
		return 0, err
	}
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return 0, err
	}
	t := meta.Totals()
	return t.Steps + t.Commits, nil
}

// lostBytes returns how many bytes of the documents of some commits their replacements lack,
// and how many there were.
func lostBytes(ctx context.Context, s *store.Store, before, after []git.ID) (lost, all int64, err error) {
	old, err := documents(ctx, s, before)
	if err != nil {
		return 0, 0, err
	}
	now, err := documents(ctx, s, after)
	if err != nil {
		return 0, 0, err
	}
	var changed []git.ID
	for id, size := range old {
		all += size
		if _, same := now[id]; !same {
			lost += size
		}
	}
	for id := range now {
		if _, same := old[id]; !same {
			changed = append(changed, id)
		}
	}
	err = expunge.ReadObjects(ctx, s, changed, func(o git.Object) error {
		for line := range bytes.Lines(o.Data) {
			if !bytes.Contains(line, []byte(doc.Redaction)) {
				lost -= int64(len(line))
			}
		}
		return nil
	})
	return lost, all, err
}

// documents returns the files in the trees of commits, each once, with their sizes.
func documents(ctx context.Context, s *store.Store, commits []git.ID) (map[git.ID]int64, error) {
	var trees, ids []git.ID
	for _, id := range commits {
		c, err := s.Repo().Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		trees = append(trees, c.Tree)
	}
	list, err := s.Repo().Objects(ctx, trees, nil)
	if err != nil {
		return nil, err
	}
	for _, o := range list {
		ids = append(ids, o.ID)
	}
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	sizes := map[git.ID]int64{}
	for _, info := range infos {
		if info.Type == "blob" {
			sizes[info.ID] = info.Size
		}
	}
	return sizes, nil
}
