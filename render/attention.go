package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Notice is something that has to be dealt with, and the command for it.
type Notice struct {
	Kind    string `json:"kind"` // one of the Notice constants
	Text    string `json:"text"`
	Command string `json:"command"` // "" for none
}

// The kinds of notices.
const (
	NoticeConflict    = "conflict"    // a merge waits for its conflicts to be resolved
	NoticeInterrupted = "interrupted" // a command was killed, or a bisect goes on
	NoticeBehind      = "behind"      // a remote has newer work of the branch
	NoticeUnshared    = "unshared"    // a remote has memory, and not this branch
	NoticeRoadmap     = "roadmap"     // a remote has the roadmap, and it is not here
	NoticeWork        = "work"        // uncommitted code was handed over with the newest commit
	NoticeForget      = "forget"      // a remote asks to forget what was written here
	NoticeTell        = "tell"        // a to-do: the user is to be told of something
)

// noticeReader reads notices of one kind. It asks no remote: it compares the refs that the last
// fetch left.
type noticeReader func(context.Context, *refs.Store, *store.Tip) ([]Notice, error)

// notices reads what has to be dealt with on a branch, by several readers.
func notices(ctx context.Context, s *refs.Store, tip *store.Tip, readers ...noticeReader) ([]Notice, error) {
	list := []Notice{}
	for _, read := range readers {
		found, err := read(ctx, s, tip)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func waitingMerge(_ context.Context, s *refs.Store, tip *store.Tip) ([]Notice, error) {
	n, err := WaitingMerge(s, tip.Name())
	if err != nil || n == nil {
		return nil, err
	}
	return []Notice{*n}, nil
}

// WaitingMerge returns the notice of the merge that waits on a branch; nil if none does.
func WaitingMerge(s *refs.Store, branch string) (*Notice, error) {
	h, err := s.ReadMerge(branch)
	if err != nil || h == nil {
		return nil, err
	}
	return &Notice{NoticeConflict, fmt.Sprintf("a merge into '%s' waits: %s open", branch, prose.Count(openConflicts(h), "conflict")),
		"git context merge --status"}, nil
}

// roadmapLeftOut reports that a remote has the roadmap of this memory, and that it is not here.
func roadmapLeftOut(ctx context.Context, s *refs.Store, _ *store.Tip) ([]Notice, error) {
	at, err := s.RoadmapTip(ctx)
	if err != nil || at != "" {
		return nil, err
	}
	err = s.NoRoadmap(ctx)
	var left *fail.Error
	switch {
	case errors.Is(err, store.ErrRoadmapElsewhere) && errors.As(err, &left):
		return []Notice{{NoticeRoadmap, left.Message, left.Hints[len(left.Hints)-1]}}, nil
	case errors.Is(err, fail.ErrNoMemory):
		return nil, nil
	}
	return nil, err
}

// forgetting reports what remotes ask to forget, and nobody has answered.
func forgetting(ctx context.Context, s *refs.Store, _ *store.Tip) ([]Notice, error) {
	requests, err := expunge.Waiting(ctx, s)
	if err != nil { // no reason to show nothing else
		return []Notice{
			{NoticeForget, "what remotes ask to forget cannot be read: " + err.Error(), "git context fsck"},
		}, ctx.Err()
	}
	asked := map[string]doc.Expunged{}
	for _, r := range requests {
		if r.Waits() {
			asked[r.Asker()] = asked[r.Asker()].Union(r.Asked)
		}
	}
	var list []Notice
	for _, remote := range slices.Sorted(maps.Keys(asked)) {
		list = append(list, Notice{NoticeForget,
			fmt.Sprintf("%s asks to forget %s; hidden and kept here until the user answers",
				remote, expunge.AskedText(asked[remote])),
			expunge.ShowCommand(remote)})
	}
	return list, nil
}

// followed reports what remotes have expunged of what others wrote, as long as it can be brought back.
func followed(ctx context.Context, s *refs.Store, _ *store.Tip) ([]Notice, error) {
	requests, err := expunge.Waiting(ctx, s)
	if err != nil { // forgetting says so
		return nil, ctx.Err()
	}
	asked, until := map[string]doc.Expunged{}, map[string]time.Time{}
	for _, r := range requests {
		if r.Waits() {
			continue
		}
		if asked[r.Asker()] = asked[r.Asker()].Union(r.Asked); until[r.Asker()].IsZero() {
			until[r.Asker()] = r.Until // the oldest comes first
		}
	}
	var list []Notice
	for _, remote := range slices.Sorted(maps.Keys(asked)) {
		list = append(list, Notice{NoticeForget,
			fmt.Sprintf("%s has expunged %s; hidden here too, and deleted from %s on", remote,
				expunge.AskedText(asked[remote]), until[remote].UTC().Format(time.DateOnly)),
			expunge.ShowCommand(remote)})
	}
	return list, nil
}

// handedOver offers the uncommitted code that was handed over with the newest commit.
func handedOver(wait time.Duration) noticeReader {
	return func(ctx context.Context, s *refs.Store, tip *store.Tip) ([]Notice, error) {
		w, err := code.OfferedWork(ctx, s, tip, wait)
		if w == nil || err != nil {
			return nil, err
		}
		c, err := s.Repo().Commit(ctx, w.Commit)
		if err != nil {
			return nil, err
		}
		who, err := s.ByCommit(ctx, c)
		if err != nil {
			return nil, err
		}
		by := ""
		if who.IsForeign() {
			by = ", by " + clip(prose.Fold(who.Name("")), longLabel)
		}
		return []Notice{{NoticeWork,
			"uncommitted code of the last session" + by + ": " + prose.Count(w.Files, "file"), "git context switch --take-changes"}}, nil
	}
}

func openConflicts(h *store.WaitingMerge) int {
	open := 0
	for _, c := range h.Conflicts {
		if !c.Resolved {
			open++
		}
	}
	return open
}

func interrupted(_ context.Context, s *refs.Store, tip *store.Tip) ([]Notice, error) {
	var list []Notice
	for _, left := range []struct{ file, text, command string }{
		{history.BisectFile(s, tip.Name()), "a bisect of " + tip.Name() + " is in progress", "git context bisect reset"},
		{code.IntentFile(tip.Name()), "a command that changes code and memory was interrupted; the next command that writes finishes it",
			"git context fsck"},
	} {
		_, err := os.Lstat(s.StatePath(left.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, Notice{NoticeInterrupted, left.text, left.command})
	}
	return list, nil
}

// remoteWork compares the branch with the tracking refs of each remote that has memory.
func remoteWork(ctx context.Context, s *refs.Store, tip *store.Tip) ([]Notice, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	var list []Notice
	for _, remote := range cfg.Subsections("remote") {
		if !git.IsRemoteName(remote) {
			continue
		}
		tracking := git.RemoteTracking(remote)
		theirs, err := s.Repo().Ref(ctx, tracking.Of(git.BranchRef(tip.Name())))
		switch {
		case errors.Is(err, git.ErrNotFound):
			if _, err = s.Repo().Ref(ctx, tracking.Roadmap()); err == nil {
				list = append(list, Notice{NoticeUnshared, fmt.Sprintf("%s was never shared with %s, which has memory", tip.Name(), remote),
					"git context sync " + prose.ShellWord(remote)})
			} else if errors.Is(err, git.ErrNotFound) {
				err = nil
			}
		case err == nil && theirs != tip.Commit().ID:
			var old bool
			if old, err = s.Repo().IsAncestor(ctx, theirs, tip.Commit().ID); err == nil && !old {
				list = append(list, Notice{NoticeBehind, fmt.Sprintf("%s has newer work of '%s'", remote, tip.Name()),
					"git context sync " + prose.ShellWord(remote)})
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
