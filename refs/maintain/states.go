package maintain

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// states drops local state of branches and worktrees that are gone, and files that were not
// written completely.
func (gc *collector) states(ctx context.Context) error {
	branches, err := gc.branchFiles(ctx, ".json")
	if err != nil {
		return err
	}
	return errors.Join(gc.merges(ctx, branches), gc.bisects(ctx, branches), gc.worktrees(store.PreviousDir, ""), gc.worktrees(code.SquashDir, ".json"), gc.intents(ctx), gc.tempFiles(), gc.locks(ctx))
}

// stateFiles lists the files of a folder of local state; none if it is absent.
func (gc *collector) stateFiles(dir string) ([]fs.DirEntry, error) {
	files, err := os.ReadDir(gc.s.StatePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

// merges drops merges and syncs that wait on branches that are gone. If the file's name is
// shortened, its content names the branch.
func (gc *collector) merges(ctx context.Context, branches map[string]string) error {
	files, err := gc.stateFiles(store.MergeDir)
	if err != nil {
		return err
	}
	for _, f := range files {
		var h struct{ Target string }
		if _, has := branches[f.Name()]; has || !gc.reads(store.MergeDir, f, &h) ||
			store.MergeStateName(h.Target) != path.Join(store.MergeDir, f.Name()) {
			continue
		}
		err := gc.unlessMade(ctx, store.BranchLock(h.Target), h.Target, func() error {
			return gc.dropState(Drop{Kind: DropMerge, Name: h.Target}, store.MergeStateName(h.Target))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reads decodes a JSON file of local state, and reports whether it could; fsck reports
// unreadable ones.
func (gc *collector) reads(dir string, f fs.DirEntry, into any) bool {
	data, err := git.ReadStateFile(gc.s.StatePath(path.Join(dir, f.Name())))
	return err == nil && filepath.Ext(f.Name()) == ".json" && json.Unmarshal(data, into) == nil
}

// unlessMade calls do with a lock, if the lock is free and the branch does not exist.
func (gc *collector) unlessMade(ctx context.Context, lockName, branch string, do func() error) error {
	lock, free, err := gc.s.Repo().TryLock(lockName)
	if err != nil || !free {
		return err
	}
	if _, err = gc.s.Repo().Ref(ctx, git.BranchRef(branch)); errors.Is(err, git.ErrNotFound) {
		err = do()
	}
	return errors.Join(err, lock.Unlock())
}

// dropState removes a file of local state.
func (gc *collector) dropState(d Drop, name string) error {
	file := gc.s.StatePath(name)
	info, err := os.Stat(file)
	if err == nil {
		err = gc.remove(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		gc.drop(d, info.Size())
	}
	return err
}

// bisects drops bisects of worktrees that were removed, and of branches that are gone.
func (gc *collector) bisects(ctx context.Context, branches map[string]string) error {
	worktrees, err := gc.stateFiles(store.BisectDir)
	if err != nil {
		return err
	}
	for _, w := range worktrees {
		id, linked := strings.CutPrefix(w.Name(), store.WorktreePrefix)
		gone := linked && !gc.s.Repo().HasWorktree(path.Join("worktrees", id))
		files, err := gc.stateFiles(path.Join(store.BisectDir, w.Name()))
		if err != nil {
			return err
		}
		for _, f := range files {
			if _, has := branches[f.Name()]; filepath.Ext(f.Name()) != ".json" || has && !gone {
				continue
			}
			if err := gc.dropBisect(ctx, path.Join(store.BisectDir, w.Name(), f.Name()), gone); err != nil {
				return err
			}
		}
		if gone {
			// It fails if the folder contains files of others.
			_ = gc.remove(gc.s.StatePath(path.Join(store.BisectDir, w.Name())))
		}
	}
	return nil
}

// worktrees drops the files of a folder that belong to worktrees which were removed. A name with a '~' may
// be a shortened one.
func (gc *collector) worktrees(dir, suffix string) error {
	files, err := gc.stateFiles(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		id, linked := strings.CutPrefix(strings.TrimSuffix(f.Name(), suffix), store.WorktreePrefix)
		if !linked || strings.Contains(id, "~") || gc.s.Repo().HasWorktree(path.Join("worktrees", id)) {
			continue
		}
		if err := gc.dropState(Drop{Kind: DropTree, Name: id}, path.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// dropBisect drops a bisect, unless it is in use or its branch was created again.
func (gc *collector) dropBisect(ctx context.Context, name string, gone bool) error {
	lock, free, err := gc.s.Repo().TryLock(name)
	if err != nil || !free {
		return err
	}
	branches, err := gc.branchFiles(ctx, ".json")
	if _, has := branches[path.Base(name)]; err == nil && (gone || !has) {
		branch := strings.ReplaceAll(strings.TrimSuffix(path.Base(name), ".json"), "%2F", "/")
		err = gc.dropState(Drop{Kind: DropBisect, Name: branch}, name)
	}
	return errors.Join(err, lock.Unlock())
}

// intents settles interrupted commands whose worktree or branch is gone, and that nothing
// else can finish; what they had done is reported. The others wait for the next command
// that changes their branch.
func (gc *collector) intents(ctx context.Context) error {
	files, err := gc.stateFiles(store.IntentDir)
	if err != nil {
		return err
	}
	for _, f := range files {
		var in code.Intent
		if !gc.reads(store.IntentDir, f, &in) || code.IntentFile(in.Branch) != path.Join(store.IntentDir, f.Name()) ||
			store.CheckBranchName(in.Branch) != nil {
			continue
		}
		_, err := gc.s.Repo().Ref(ctx, git.BranchRef(in.Branch))
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return err
		}
		if err == nil && gc.s.Repo().HasWorktree(in.Worktree) {
			continue
		}
		lock, free, err := gc.s.Repo().TryLock(store.BranchLock(in.Branch))
		if err != nil {
			return err
		}
		if !free { // it is in use
			continue
		}
		if err := lock.Unlock(); err != nil {
			return err
		}
		if err := gc.settle(ctx, in.Branch, f.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (gc *collector) settle(ctx context.Context, branch, file string) error {
	if gc.o.DryRun {
		gc.drop(Drop{Kind: DropIntent, Name: branch}, 0)
		return nil
	}
	tx, err := gc.s.Begin(ctx, gc.o.Writer, "gc", branch)
	if err != nil {
		return err
	}
	if _, err := os.Stat(gc.s.StatePath(path.Join(store.IntentDir, file))); errors.Is(err, fs.ErrNotExist) {
		gc.drop(Drop{Kind: DropIntent, Name: branch}, 0)
	}
	return tx.Close()
}

// tempFiles drops files of local state that were not written completely, and those that fsck set aside.
func (gc *collector) tempFiles() error {
	return filepath.WalkDir(gc.s.Repo().StateDir(), func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process has removed it
		}
		age := tempAge
		if store.IsAside(d.Name()) {
			age = tornAge
		}
		if err != nil || d.IsDir() || age == tempAge && !git.IsTemp(d.Name()) {
			return err
		}
		info, err := d.Info()
		if err == nil && gc.now.Sub(info.ModTime()) > age {
			if err = gc.remove(file); err == nil {
				gc.drop(Drop{Kind: DropTemp, Name: d.Name()}, info.Size())
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// locks removes the lock files of branches that are gone. They are empty, and created again
// on demand; agents that create a branch for each task would leave thousands.
func (gc *collector) locks(ctx context.Context) error {
	if gc.o.DryRun {
		return nil
	}
	names, err := gc.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	used := make([]string, len(names))
	for i, name := range names {
		used[i] = store.BranchLock(name)
	}
	return gc.s.Repo().ForgetLocks(store.JournalLock(""), used, gc.now.Add(-tempAge))
}
