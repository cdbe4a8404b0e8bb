package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// BundleOptions describe one bundle. Paths are absolute.
type BundleOptions struct {
	store.Writer
	File     string
	Since    string // a former bundle whose contents are left out; empty: none
	Progress io.Writer
}

// BundleResult is what a bundle contains.
type BundleResult struct {
	File string   `json:"file"`
	Refs []string `json:"refs"`
}

// Bundle writes the memory (branches, tags, roadmap, notes) into a file that Unbundle reads
// elsewhere, with the same hashes. The file is a git bundle: `git bundle verify` and `git
// fetch` read it. A former bundle of memory of that name is replaced, whole; fail.ErrExists for any other
// file. fail.ErrRefused: nothing is new since the former bundle, or a request to forget something has no answer yet.
func Bundle(ctx context.Context, s *store.Store, o BundleOptions) (BundleResult, error) {
	res := BundleResult{File: o.File, Refs: []string{}}
	names, err := s.BranchNames(ctx)
	if err != nil {
		return res, err
	}
	if len(names) == 0 {
		return res, fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	asked, err := expunge.Unanswered(ctx, s)
	if err == nil {
		err = refuseHidden("no bundle is written", asked)
	}
	if err != nil {
		return res, err
	}
	if err := s.FoldBranches(ctx, o.Writer); err != nil {
		return res, err
	}
	if _, err := os.Stat(filepath.Dir(o.File)); errors.Is(err, fs.ErrNotExist) {
		return res, fail.New(fail.ErrNotFound, fail.FolderNotFound,
			fmt.Sprintf("folder '%s' not found", prose.OneLine(filepath.Dir(o.File), 200)))
	}
	if err := mayReplace(ctx, s, o.File); err != nil {
		return res, err
	}
	var known []git.ID
	if o.Since != "" {
		former, err := checkBundle(ctx, s, o.Since)
		if err != nil {
			return res, err
		}
		for _, r := range former {
			known = append(known, r.ID)
		}
	}
	list, err := bundleRefs(ctx, s, o, known)
	if errors.Is(err, git.ErrEmptyBundle) {
		return res, fail.New(fail.ErrRefused, fail.NothingNew,
			fmt.Sprintf("nothing is new since '%s'", prose.OneLine(o.Since, 200)))
	}
	if err != nil {
		return res, err
	}
	for _, r := range list {
		res.Refs = append(res.Refs, r.Name)
	}
	return res, nil
}

// mayReplace refuses to write over a file that is no bundle of memory. An empty file, as mktemp makes it,
// contains nothing to lose.
func mayReplace(ctx context.Context, s *store.Store, file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read '%s': %w", file, reason(err))
	case info.Mode().IsRegular() && info.Size() == 0:
		return nil
	}
	if info.Mode().IsRegular() {
		held, err := s.Repo().BundleRefs(ctx, file)
		if err == nil && hasMemory(held) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fail.New(fail.ErrExists, fail.FileExists,
		fmt.Sprintf("'%s' exists and is not a bundle of memory; it was not changed", prose.OneLine(file, 200)),
		"git context bundle ANOTHER-FILE")
}

// hasMemory reports whether a bundle contains memory.
func hasMemory(held []git.Ref) bool {
	return slices.ContainsFunc(held, func(r git.Ref) bool {
		return strings.HasPrefix(r.Name, git.Root) || r.Name == git.NotesRef
	})
}

// bundleRefs writes all refs except known ones, as they are at one moment: it starts again if a
// ref moves before git reads it.
func bundleRefs(ctx context.Context, s *store.Store, o BundleOptions, known []git.ID) ([]git.Ref, error) {
	for range store.MaxTries {
		list, err := s.Repo().Refs(ctx, git.BranchPrefix, git.TagPrefix, git.WorkPrefix, git.RoadmapRef, git.NotesRef)
		if err != nil {
			return nil, err
		}
		if list, err = dropOldWorks(ctx, s, list); err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(r git.Ref) bool { return slices.Contains(known, r.ID) })
		if err = s.Repo().CreateBundle(ctx, o.File, list, known, o.Progress); !errors.Is(err, git.ErrStale) {
			return list, err
		}
	}
	return nil, fail.New(fail.ErrStale, fail.Busy, fmt.Sprintf("other processes moved the refs first, %d times",
		store.MaxTries), "run the command again")
}

// dropOldWorks removes the refs of code that was handed over before the newest COMMIT of its branch, which
// nobody can take any more.
func dropOldWorks(ctx context.Context, s *store.Store, list []git.Ref) ([]git.Ref, error) {
	named := map[string]git.ID{}
	if !slices.ContainsFunc(list, func(r git.Ref) bool { return strings.HasPrefix(r.Name, git.WorkPrefix) }) {
		return list, nil
	}
	for _, r := range list {
		if branch, ok := git.BranchName(r.Name); ok {
			c, err := s.Repo().Commit(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			named[branch] = store.WorkOf(c)
		}
	}
	return slices.DeleteFunc(list, func(r git.Ref) bool {
		branch, ok := git.WorkBranch(r.Name)
		return ok && named[branch] != r.ID
	}), nil
}

// checkBundle lists what a bundle contains if all of it can be taken in here.
func checkBundle(ctx context.Context, s *store.Store, file string) ([]git.Ref, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read '%s': %w", file, reason(err))
	}
	if !info.Mode().IsRegular() { // git waits at a FIFO for a writer
		return nil, fail.New(fail.ErrInvalid, fail.BundleInvalid, fmt.Sprintf("'%s' is not an ordinary file", prose.OneLine(file, 200)),
			"give the file that 'git context bundle FILE' wrote")
	}
	switch filter, err := git.BundleFilter(file); {
	case err != nil:
		return nil, bundleError(file, err)
	case filter != "": // a fetch would leave a pack that says that objects may be missing here
		return nil, fail.New(fail.ErrInvalid, fail.BundleInvalid,
			fmt.Sprintf("'%s' lacks objects: it was made with the filter '%s'", prose.OneLine(file, 200), prose.OneLine(filter, 60)),
			"make it by 'git context bundle FILE'")
	}
	held, err := s.Repo().BundleRefs(ctx, file)
	if err == nil {
		err = s.Repo().VerifyBundle(ctx, file)
	}
	if err != nil {
		return nil, bundleError(file, err)
	}
	return held, nil
}

// reason drops the operation and the path, which the message has named.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func bundleError(file string, err error) error {
	var gitErr *git.Error
	if errors.As(err, &gitErr) {
		err = gitErr
	}
	return &fail.Error{Code: fail.BundleInvalid, Kind: fail.ErrInvalid, Err: err,
		Message: fmt.Sprintf("'%s' cannot be read as a bundle", prose.OneLine(file, 200)),
		Hints:   []string{"git bundle verify " + prose.OneLine(file, 200)}}
}

func bundlePeer(file string) remote.Remote {
	return remote.Remote{Name: file, Bundle: true, Tracking: git.BundleTracking()}
}

// Unbundle takes in a bundle as Sync takes in a remote: new branches get the same hashes,
// others are moved forward or merged. fail.ErrInvalid: the file is no bundle of memory, or its
// prerequisites are missing here; nothing was changed. Tracking refs of the bundle remain only where
// conflicts wait; those that a killed Unbundle left go with the next gc.
func Unbundle(ctx context.Context, s *store.Store, w store.Writer, file string, progress io.Writer) (Result, error) {
	res := newResult(file)
	held, err := checkBundle(ctx, s, file)
	if err != nil {
		return res, err
	}
	if !hasMemory(held) {
		return res, fail.New(fail.ErrInvalid, fail.BundleInvalid, fmt.Sprintf("'%s' contains no memory",
			prose.OneLine(file, 200)), "git bundle list-heads "+prose.OneLine(file, 200))
	}
	p := bundlePeer(file)
	lock, err := remote.Lock(ctx, s, p)
	if err != nil {
		return res, err
	}
	defer lock.Unlock()
	ex := newExchanger(s, Options{Writer: w, Progress: progress}, p, &res)
	ex.merge, ex.adopt = true, true
	err = errors.Join(ex.run(ctx), ex.tellRequests(ctx))
	res.sort()
	if err != nil {
		_ = lock.Unlock() // for DropBundle; the end of the process releases it in any case
		if ctx.Err() == nil {
			_, failed := expunge.DropBundle(ctx, s, w)
			err = errors.Join(err, failed)
		}
		return res, err
	}
	return res, dropBundleRefs(ctx, s, p)
}

// dropBundleRefs deletes the tracking refs of another repository.
func dropBundleRefs(ctx context.Context, s *store.Store, p remote.Remote) error {
	ses, err := s.Begin(ctx, store.Writer{}, "forget "+prose.OneLine(p.Name, 100))
	if err != nil {
		return err
	}
	defer ses.Close()
	return ses.Swap(ctx, func(ctx context.Context) error {
		list, err := s.Repo().Refs(ctx, p.Tracking.All()...)
		if err != nil {
			return err
		}
		for _, r := range list {
			ses.Refs.Delete(r.Name, r.ID)
		}
		return nil
	})
}
