package expunge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
)

// A branch of the remote that is not here is looked at once, and again when it stands
// elsewhere.
func TestExpungeLooksOnce(t *testing.T) {
	t.Parallel()
	hub := memtest.New(t, "--bare")
	clone := func() *memtest.Repo {
		r := memtest.New(t)
		r.Git("remote", "add", "origin", hub.Dir)
		return r
	}
	ann, dan := clone(), clone()
	memtest.OK(share.Init(t.Context(), ann.Open(), share.InitOptions{}))(t)
	for _, name := range []string{"one", "two", "three", "use hunter2", "four"} {
		ann.Work("main", name, 0)
	}
	old := ann.Git("rev-parse", "refs/context/heads/main")
	hub.Git("fetch", "-q", ann.Dir, "+refs/context/heads/main:refs/mine")
	ann.Expunge(expunge.Options{Match: "hunter2"})
	ann.Branch("side", "")
	ann.Work("side", "six", 0)
	memtest.OK(share.Push(t.Context(), ann.Open(), share.Options{}))(t)
	memtest.OK(share.Init(t.Context(), dan.Open(), share.InitOptions{}))(t)
	dan.Sync("")
	known := func() string {
		data, err := os.ReadFile(filepath.Join(dan.Dir, ".git", "context", "clean", "origin"))
		dan.Must(err)
		return string(data)
	}
	line := "clean refs/context/heads/side " + ann.Git("rev-parse", "refs/context/heads/side") + "\n"
	if now := known(); !strings.Contains(now, "\n"+line) {
		t.Errorf("%q is known, not %q", now, line)
	}
	hub.Git("update-ref", "refs/context/heads/side", old)
	if _, err := share.Sync(t.Context(), dan.Open(), share.Options{}); !errors.Is(err, fail.ErrRefused) || !strings.Contains(err.Error(), "'side'") {
		t.Errorf("error = %v", err)
	}
	if strings.Contains(known(), "/side ") {
		t.Errorf("old history is known to be clean: %s", known())
	}
	if found := holding(dan, "hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
}

// What is remembered of refused branches is what was written, for a day and by the same rules, and never more than a
// small file.
func TestRefusedIsRemembered(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("remote", "add", "origin", r.Dir)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	s := r.Open()
	p := memtest.OK(remote.Find(t.Context(), s, "origin"))(t)
	read := func() expunge.CleanState {
		return memtest.OK(expunge.ReadCleanState(t.Context(), r.Open(), p, doc.Expunged{}))(t)
	}
	write := func(refused map[string]expunge.RefusedRef) {
		known := read()
		known.Refused = refused
		r.Must(expunge.WriteCleanState(s, p, known, nil, &remote.RefSet{}))
	}
	id, now := git.ID(strings.Repeat("a", 40)), s.Clock().Truncate(time.Second)
	one := map[string]expunge.RefusedRef{"refs/context/heads/x": {ID: id, At: now, Why: "'x' is refused:\n\ta \"word\""}}
	write(one)
	if got := read().Refused; !reflect.DeepEqual(got, one) {
		t.Errorf("read %v, written %v", got, one)
	}
	r.Git("config", "context.maxNewEntries", "7")
	if got := read().Refused; len(got) > 0 {
		t.Errorf("by other rules: %v", got)
	}
	for _, far := range []time.Duration{-25 * time.Hour, 25 * time.Hour} {
		write(map[string]expunge.RefusedRef{"refs/context/heads/x": {ID: id, At: now.Add(far), Why: "why"}})
		if got := read().Refused; len(got) > 0 {
			t.Errorf("%v from now: %v", far, got)
		}
	}
	many := map[string]expunge.RefusedRef{}
	for i := range 5000 {
		many[fmt.Sprintf("refs/context/heads/%d", i)] = expunge.RefusedRef{ID: id, At: now, Why: strings.Repeat("w", 500)}
	}
	write(many)
	info := memtest.OK(os.Stat(s.StatePath(expunge.CleanStateName(p))))(t)
	if got := len(read().Refused); got < 500 || got > 1000 || info.Size() > 1<<20 {
		t.Errorf("%d refs in %d bytes", got, info.Size())
	}
}

// A clone of a remote that has the memory among its branches has them twice, as git's
// own and as ours; neither holds what was forgotten.
func TestExpungeMappedClone(t *testing.T) {
	t.Parallel()
	hub := memtest.New(t, "--bare")
	clone := func() *memtest.Repo {
		r := memtest.New(t)
		r.Git("remote", "add", "origin", hub.Dir)
		r.Git("config", "context.origin.mapping", "heads")
		return r
	}
	ann, dan := clone(), clone()
	memtest.OK(share.Init(t.Context(), ann.Open(), share.InitOptions{}))(t)
	for _, name := range []string{"one", "two", "use hunter2", "four"} {
		ann.Work("main", name, 0)
	}
	memtest.OK(share.Push(t.Context(), ann.Open(), share.Options{}))(t)
	ann.Expunge(expunge.Options{Match: "hunter2"})
	if _, err := share.Sync(t.Context(), ann.Open(), share.Options{}); !errors.Is(err, fail.ErrRefused) {
		t.Fatalf("Sync: %v", err) // the roadmap is there now
	}
	dan.Git("fetch", "-q")
	dan.Git("fetch", "-q")
	memtest.OK(share.Init(t.Context(), dan.Open(), share.InitOptions{}))(t)
	if _, err := share.Sync(t.Context(), dan.Open(), share.Options{}); !errors.Is(err, fail.ErrRefused) {
		t.Errorf("Sync: %v", err)
	}
	if found := holding(dan, "hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	dan.Fsck()
}
