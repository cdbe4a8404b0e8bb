package maintain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// deleted drops branches that were deleted before deletedExpire, and code that was handed over before and that
// nobody can take any more.
func (gc *collector) deleted(ctx context.Context) error {
	list, err := gc.s.Repo().Refs(ctx, git.DeletedPrefix, git.WorkPrefix)
	if err != nil || len(list) == 0 {
		return err
	}
	expire, err := deletedExpire(ctx, gc.s)
	if err != nil || expire.IsZero() {
		return err
	}
	var old []Drop
	if gc.o.DryRun {
		old, err = gc.expired(ctx, list, expire, func(git.Ref) {})
		for _, d := range old {
			gc.drop(d, 0)
		}
		return err
	}
	tx, err := gc.s.Begin(ctx, gc.o.Writer, "gc: drop deleted branches")
	if err != nil {
		return err
	}
	defer tx.Close()
	err = tx.Swap(ctx, func(ctx context.Context) error {
		list, err := gc.s.Repo().Refs(ctx, git.DeletedPrefix, git.WorkPrefix)
		if err != nil {
			return err
		}
		old, err = gc.expired(ctx, list, expire, func(r git.Ref) { tx.Refs.Delete(r.Name, r.ID) })
		if err == nil && len(old) == 0 {
			err = store.ErrNothing
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range old {
		gc.drop(d, 0)
	}
	return nil
}

// expired calls each for the refs that may be dropped, and returns them.
func (gc *collector) expired(ctx context.Context, list []git.Ref, expire time.Time, each func(git.Ref)) ([]Drop, error) {
	var old []Drop
	for _, r := range list {
		d, err := gc.droppable(ctx, r)
		if err != nil {
			return nil, err
		}
		if !d.When.IsZero() && d.When.Before(expire) {
			each(r)
			old = append(old, d)
		}
	}
	return old, nil
}

// droppable returns since when a ref may be dropped; the zero time is never. The name of a deleted branch
// contains when.
func (gc *collector) droppable(ctx context.Context, r git.Ref) (Drop, error) {
	branch, work := git.WorkBranch(r.Name)
	if !work {
		name, when := deletedBranch(r.Name)
		return Drop{Kind: DropBranch, Name: name, When: when}, nil
	}
	d := Drop{Kind: DropWork, Name: branch}
	used, err := gc.s.OffersWork(ctx, branch, r.ID)
	if used || err != nil {
		return d, err
	}
	c, err := gc.s.Repo().Commit(ctx, r.ID)
	if err == nil {
		d.When = c.Committer.When
	} else if errors.Is(err, git.ErrNotFound) { // fsck reports it
		err = nil
	}
	return d, err
}

// deletedBranch splits the ref of a deleted branch; the time is zero for another ref.
func deletedBranch(ref string) (name string, when time.Time) {
	name, id, ok := git.DeletedBranch(ref)
	if !ok {
		return strings.TrimPrefix(ref, git.DeletedPrefix), time.Time{}
	}
	return name, doc.IDTime(id)
}

// deletedExpire returns before when a branch must have been deleted to be dropped; the zero
// time is never. git parses it, as it parses gc.reflogExpire.
func deletedExpire(ctx context.Context, s *store.Store) (time.Time, error) {
	out, err := s.Repo().Run(ctx, "config", "--type=expiry-date", "--default", store.DefaultDeletedExpire, "--get",
		store.KeyDeletedExpire)
	var child *git.Error
	if errors.As(err, &child) && child.Code > 0 {
		return time.Time{}, &fail.Error{Code: fail.ConfigInvalid, Kind: fail.ErrInvalid, Err: err,
			Hints:   []string{"git config " + store.KeyDeletedExpire + " " + store.DefaultDeletedExpire},
			Message: fmt.Sprintf("%s is not a time that git understands", store.KeyDeletedExpire)}
	}
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("git config: cannot understand '%s'", prose.OneLine(string(out), 60))
	}
	if seconds == 0 {
		return time.Time{}, nil
	}
	const lastYear = 253402300799 // "now" is the largest number
	return time.Unix(int64(min(seconds, lastYear)), 0), nil
}

// followed deletes what was expunged elsewhere and kept here for its time.
func (gc *collector) followed(ctx context.Context) error {
	list, err := expunge.Overdue(ctx, gc.s)
	if err != nil || len(list) == 0 {
		return err
	}
	if !gc.o.DryRun {
		warnings, err := expunge.DropFollowed(ctx, gc.s, gc.o.Writer)
		for _, text := range warnings {
			gc.warn("%s", text)
		}
		if err != nil {
			return err
		}
	}
	for _, r := range list {
		gc.res.Expunged = append(gc.res.Expunged,
			Expunged{Remote: r.Remote, Entries: len(r.Asked.Entries()), Texts: r.Asked.Texts(), Until: r.Until.UTC()})
	}
	return nil
}

// bundle drops the tracking refs of a bundle that an interrupted unbundle left.
func (gc *collector) bundle(ctx context.Context) (err error) {
	var left []git.Ref
	if gc.o.DryRun {
		left, err = expunge.LeftOfBundle(ctx, gc.s)
	} else {
		left, err = expunge.DropBundle(ctx, gc.s, gc.o.Writer)
	}
	for _, r := range left {
		gc.drop(Drop{Kind: DropBundle, Name: r.Name}, 0)
	}
	return err
}
