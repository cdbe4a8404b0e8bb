package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// SeenName returns the name of the file of local state that says where the branches that only the remote has were after the last sync, a name and a
// commit on a line. A fetch alone moves tracking refs, and the next sync must still find what they had. A line that ends in [seenKept]
// says that a ref below [git.SeenPrefix] has it: an expunge has rewritten it, or would have deleted it.
func (r Remote) SeenName() string {
	return "seen/" + git.FileName(r.Name, "")
}

const seenKept = "kept"

// Seen is what [ReadSeen] returns.
type Seen struct {
	Branches map[string]git.ID // commits by the names of branches
	kept     map[string]bool   // those that may have refs: true for those that have
}

// ReadSeen returns where branches were; empty where nothing was recorded. It passes over lines that it cannot parse.
func ReadSeen(ctx context.Context, s *store.Store, r Remote) (Seen, error) {
	seen := Seen{map[string]git.ID{}, map[string]bool{}}
	data, err := git.ReadStateFile(s.StatePath(r.SeenName()))
	if errors.Is(err, fs.ErrNotExist) {
		return seen, nil
	}
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, kept, _ := strings.Cut(rest, " ")
		if s.Repo().IsID(id) && git.CheckBranchName(name) == nil {
			seen.Branches[name] = git.ID(id)
			if kept == seenKept {
				seen.kept[name] = false
			}
		}
	}
	if err != nil || len(seen.kept) == 0 {
		return seen, err
	}
	refs, err := seenRefs(ctx, s, r)
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, git.SeenTracking(r.Name).Branches())
		if _, flagged := seen.kept[name]; flagged {
			seen.Branches[name], seen.kept[name] = ref.ID, true
		}
	}
	return seen, err
}

// Write replaces what ReadSeen returned, and drops the refs, before the file no longer says that there may be some.
func (n Seen) Write(ctx context.Context, s *store.Store, r Remote, now map[string]git.ID) error {
	if maps.Equal(n.Branches, now) && len(n.kept) == 0 {
		return nil
	}
	if len(n.kept) > 0 {
		refs, err := seenRefs(ctx, s, r)
		if err != nil {
			return err
		}
		err = moveSeen(ctx, s, func(tx *git.Tx) {
			for _, ref := range refs {
				tx.Delete(ref.Name, ref.ID)
			}
		})
		if err != nil {
			return err
		}
	}
	return writeSeen(s, r, Seen{Branches: now})
}

func seenRefs(ctx context.Context, s *store.Store, r Remote) ([]git.Ref, error) {
	return s.Repo().Refs(ctx, strings.TrimSuffix(git.SeenTracking(r.Name).Branches(), "/"))
}

// Keep makes refs of some of the branches. The file says first which, so that no ref is left that nothing drops.
func (n Seen) Keep(ctx context.Context, s *store.Store, r Remote, branches []string) error {
	if len(branches) == 0 {
		return nil
	}
	for _, name := range branches {
		n.kept[name] = true
	}
	if err := writeSeen(s, r, n); err != nil {
		return err
	}
	refs, err := seenRefs(ctx, s, r)
	if err != nil {
		return err
	}
	had := map[string]git.ID{} // of a lost file
	for _, ref := range refs {
		had[ref.Name] = ref.ID
	}
	return moveSeen(ctx, s, func(tx *git.Tx) {
		for _, name := range branches {
			ref := git.SeenTracking(r.Name).Of(git.BranchRef(name))
			tx.Update(ref, n.Branches[name], had[ref])
		}
	})
}

// Kept reports whether a branch has a ref. One that a kill has left without is in the file alone.
func (n Seen) Kept(branch string) bool { return n.kept[branch] }

func moveSeen(ctx context.Context, s *store.Store, queue func(*git.Tx)) error {
	tx, err := s.Repo().Begin(ctx, git.TxOptions{Message: "context: what a fetch has replaced"})
	if err != nil {
		return err
	}
	queue(tx)
	return errors.Join(tx.Commit(ctx), tx.Close())
}

func writeSeen(s *store.Store, r Remote, n Seen) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(n.Branches)) {
		fmt.Fprintf(&b, "%s %s", name, n.Branches[name])
		if _, kept := n.kept[name]; kept {
			b.WriteString(" " + seenKept)
		}
		b.WriteByte('\n')
	}
	return s.Repo().WriteStateFile(r.SeenName(), []byte(b.String()))
}
