package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// edge is what a Rewriter knows of the memory that a shallow clone has in part. A commit at its edge cannot be
// rewritten: its new hash follows from commits that are not here, and a commit on top of unknown ones could bring
// back what they contain.
type edge struct {
	commits map[git.ID]bool   // whose parents git leaves out
	twins   map[twin][]git.ID // commits whose parents are here; nil: not read
	more    []git.ID          // where commits may be found, besides the refs
	asked   map[git.ID]bool   // commits of which the twin is looked for
	left    map[git.ID]bool   // commits that stay, without a twin
}

// twin is what a commit and its rewritten form agree in. Its parents are rewritten, and with them two trailers
// that follow from them.
type twin struct {
	tree              git.ID
	parents           int
	author, committer string
	message           string
}

func twinOf(c *git.Commit, tree git.ID, message string) twin {
	var b strings.Builder
	for line := range strings.Lines(message) {
		if !strings.HasPrefix(line, store.TrailerLast+": ") && !strings.HasPrefix(line, store.TrailerRoadmap+": ") {
			b.WriteString(line)
		}
	}
	return twin{tree, len(c.Parents), signed(c.Author), signed(c.Committer), b.String()}
}

func signed(by git.Signature) string {
	return fmt.Sprintf("%s\n%s\n%s", by.Name, by.Email, by.When.Format(time.RFC3339))
}

// isCut reports whether a commit is at the edge, and has parents that git leaves out.
func (w *Rewriter) isCut(c *git.Commit) bool { return len(c.Parents) > 0 && w.edge.commits[c.ID] }

// readEdge reads once which commits are at the edge: one file, which only a shallow clone has.
func (w *Rewriter) readEdge() (err error) {
	if w.edge.commits == nil {
		w.edge.commits, w.edge.asked, w.edge.left = map[git.ID]bool{}, map[git.ID]bool{}, map[git.ID]bool{}
		var list map[git.ID]bool
		if list, err = w.s.Repo().Shallow(); list != nil {
			w.edge.commits = list
		}
	}
	return err
}

// rehearse rewrites history in a quarantine first, if it reaches a commit at the edge: an error of that must leave
// no objects here.
func (w *Rewriter) rehearse(ctx context.Context, list []git.NewCommit) (err error) {
	if err := w.readEdge(); err != nil || len(w.edge.commits) == 0 || w.rehearsal {
		return err
	}
	if !slices.ContainsFunc(list, func(c git.NewCommit) bool { return w.edge.commits[c.ID] && w.commits[c.ID] == "" }) {
		return nil
	}
	repo, remove, err := w.s.Repo().Quarantine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	q := NewRewriter(w.s.Over(repo), w.e)
	q.rehearsal, q.edge.more = true, w.edge.more
	return q.all(ctx, list)
}

// atEdge decides about a commit at the edge; now is what it becomes, apart from its parents:
//
//  1. a commit that is here with its history is what other clones have made of it: that one;
//  2. nothing in it changes: itself. What leads to it is not known to be clean then, see refuseCut;
//  3. [fail.Shallow].
func (w *Rewriter) atEdge(ctx context.Context, old, now *git.Commit) (git.ID, error) {
	if w.edge.asked[old.ID] {
		return "", ErrCut()
	}
	w.edge.asked[old.ID] = true
	if err := w.readTwins(ctx); err != nil {
		return "", err
	}
	var found []git.ID
	for _, id := range w.edge.twins[twinOf(old, now.Tree, now.Message)] {
		to, err := w.Rewrite(ctx, []git.ID{id})
		if err != nil {
			return "", err
		}
		found = append(found, to[id])
	}
	slices.Sort(found)
	switch found = slices.Compact(found); {
	case len(found) == 1:
		return found[0], nil
	case now.Tree == old.Tree && now.Message == old.Message && len(found) == 0:
		w.edge.left[old.ID] = true
		return old.ID, nil
	}
	return "", ErrCut()
}

// readTwins reads the commits that refs reach and that have their parents here.
func (w *Rewriter) readTwins(ctx context.Context) error {
	if w.edge.twins != nil {
		return nil
	}
	v, err := ListRefs(ctx, w.s)
	if err != nil {
		return err
	}
	list, err := w.s.Repo().History(ctx, append(v.Tips(), w.edge.more...))
	if err != nil {
		return err
	}
	w.edge.twins = map[twin][]git.ID{}
	var ids []git.ID
	for _, c := range list {
		if !w.edge.commits[c.ID] {
			ids = append(ids, c.ID)
		}
	}
	for chunk := range slices.Chunk(ids, incoming.ChunkSize) {
		err := w.s.Repo().ReadAll(ctx, chunk, func(o git.Object) error {
			c, err := git.ParseCommit(o.ID, o.Data)
			if err == nil {
				key := twinOf(c, c.Tree, c.Message)
				w.edge.twins[key] = append(w.edge.twins[key], o.ID)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refuseCut refuses to go on with history that has no known past: what was rewritten has commits at the edge.
func (w *Rewriter) refuseCut() error {
	if len(w.edge.left) > 0 {
		return ErrCut()
	}
	return nil
}

// ErrCut is the refusal of memory that is cut.
func ErrCut() error {
	return fail.New(fail.ErrRefused, fail.Shallow, "older memory commits are "+store.BeyondEdge+
		", and may contain what is expunged; nothing was changed", store.Deepen)
}

// IsCut reports whether our branches, tags and the roadmap, deleted branches included, lack older commits because
// this is a shallow clone. It costs the reading of one file where it is none.
func IsCut(ctx context.Context, s *store.Store) (bool, error) {
	var revs []string
	for _, prefix := range []string{git.BranchPrefix, git.TagPrefix, git.DeletedPrefix} {
		revs = append(revs, "--glob="+prefix+"*")
	}
	return s.Cut(ctx, append(revs, "--glob="+git.Root+"roadma[p]")...)
}

// CheckCut returns [fail.Shallow] unless everything that our refs and the tracking refs reach can be rewritten
// without what the tombstones e name although memory is cut, see [IsCut]. theirs are more commits with their history. It
// changes nothing.
func CheckCut(ctx context.Context, s *store.Store, e doc.Expunged, theirs []git.ID) error {
	return Try(ctx, s, e, func(op *Operation) error {
		v, err := ListRefs(ctx, op.Store)
		if err != nil {
			return err
		}
		op.Rewriter.edge.more = theirs
		if _, err := op.Rewriter.Rewrite(ctx, v.Tips()); err != nil {
			return err
		}
		return op.Rewriter.refuseCut()
	})
}

// refuseSearch refuses to search memory that is cut: what is not here could contain the text, too.
func refuseSearch(ctx context.Context, s *store.Store) error {
	cut, err := IsCut(ctx, s)
	if err == nil && cut {
		err = ErrCut()
	}
	return err
}
