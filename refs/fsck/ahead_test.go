package fsck_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// openAhead opens a repository's memory with a clock that is ahead.
func openAhead(r *memtest.Repo, by time.Duration, branch string) *refs.Store {
	r.T.Helper()
	o := store.Options{Dir: r.Dir, Env: r.Env, Branch: branch, Now: func() time.Time { return time.Now().Add(by) }}
	s, err := refs.Open(r.T.Context(), o)
	r.Must(err)
	r.T.Cleanup(func() { s.Close() })
	return s
}

const twoDays = 48 * time.Hour

// writeAhead writes memory of every kind with a clock that is two days ahead, on main and on a branch of it.
func writeAhead(t *testing.T, r *memtest.Repo) {
	t.Helper()
	s, ctx := openAhead(r, twoDays, "main"), t.Context()
	score := 0.5
	for i := range 40 { // more than a live file contains
		action := fmt.Sprintf("ahead %d %s", i, strings.Repeat("x", 600))
		memtest.OK(s.Record(ctx, []store.NewStep{{Action: action, Attach: []store.NewAttachment{{Name: "a.txt", Data: fmt.Appendf(nil, "%d\n", i)}}}}))(t)
		if i%8 == 7 {
			made := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprintf("Ahead %d", i), Judging: store.Judgement{Score: &score}}))(t)
			memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "See " + made.ID + "\n"}))(t)
		}
	}
	memtest.OK(s.SetMetadata(ctx, store.Writer{}, "env_config.port", "8080", true))(t)
	memtest.OK(s.SetTag(ctx, store.Writer{}, "good", "main"))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "exp", Purpose: "Try", From: "main", NoSwitch: true}))(t)
	e := openAhead(r, twoDays, "exp")
	memtest.OK(e.Record(ctx, []store.NewStep{{Action: "tried"}}))(t)
	memtest.OK(e.Commit(ctx, store.CommitOptions{Summary: "Tried"}))(t)
	now := r.Open("main") // with the right clock: ids follow those that are there
	memtest.OK(now.Record(ctx, []store.NewStep{{Action: "after"}}))(t)
	memtest.OK(now.Commit(ctx, store.CommitOptions{Summary: "After"}))(t)
	memtest.OK(now.Record(ctx, []store.NewStep{{Action: "pending"}}))(t)
}

var anyID = regexp.MustCompile(`[0-7][0-9A-HJKMNP-TV-Z]{25}`)

// shape lists what a repository has of memory, without ids and hashes.
func shape(r *memtest.Repo) string {
	r.T.Helper()
	var b strings.Builder
	for _, branch := range []string{"main", "exp"} {
		ref := git.BranchRef(branch)
		b.WriteString(r.Git("log", "--topo-order", "--format=%an %ad %cn %cd%n%B%N", "--notes=context", ref))
		for path := range strings.Lines(r.Git("ls-tree", "-r", "--name-only", ref)) {
			path = strings.TrimSpace(path)
			b.WriteString(path[:strings.IndexAny(path+"/", "/")] + "\n")
		}
		c := r.Content(branch)
		for _, list := range [][]string{c.Steps, c.Commits} {
			b.WriteString(strings.Join(list, "\n"))
		}
		fmt.Fprint(&b, c.Topics, c.Metadata, c.Plan)
	}
	text := anyID.ReplaceAllString(b.String(), "ID")
	text = regexp.MustCompile(`(?m)^Context-Journal: .*\n`).ReplaceAllString(text, "")
	return regexp.MustCompile(`\b[0-9a-f]{40}([0-9a-f]{24})?\b`).ReplaceAllString(text, "HASH")
}

func problemsOf(r *memtest.Repo, fix bool) []fsck.Problem {
	r.T.Helper()
	problems, err := fsck.Run(r.T.Context(), r.Open(), fsck.Options{Fix: fix})
	r.Must(err)
	return problems
}

// Memory that was written with a clock two days ahead gets new ids, and keeps everything else: other clones refused it.
func TestMemoryThatIsAheadOfTheClockGetsNewIds(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	a, b := f.Clones[0], f.Clones[1]
	memtest.OK(a.Open().Record(t.Context(), []store.NewStep{{Action: "sound"}}))(t)
	memtest.OK(a.Open().Commit(t.Context(), store.CommitOptions{Summary: "Sound"}))(t)
	a.Sync("")
	writeAhead(t, a)
	was, before := shape(a), a.Git("rev-parse", "refs/context/heads/main")

	_, err := share.Push(t.Context(), a.Open(), share.Options{})
	var known *fail.Error
	if !errors.As(err, &known) || known.Code != fail.OutgoingInvalid || !slices.Contains(known.Hints, fsck.FixCommand) {
		t.Fatalf("push: %v", err)
	}
	problems := problemsOf(a, false)
	objects := map[string]string{}
	for _, p := range problems {
		objects[p.Object] = p.Message
		if p.Kind != "id-ahead" || p.Repair != fsck.FixCommand {
			t.Errorf("%+v", p)
		}
	}
	if len(objects) != 3 || !strings.Contains(objects["refs/context/heads/main"], "branch 'main' has 47 entries with ids more than 24 hours ahead") {
		t.Errorf("%v", objects)
	}
	copied := (&memtest.Fleet{T: t, Hub: f.Hub, Clones: []*memtest.Repo{a}}).Copy().Clones[0]
	for _, r := range []*memtest.Repo{a, copied} {
		for _, p := range problemsOf(r, true) {
			if !p.Fixed || p.Kind != "id-ahead" {
				t.Errorf("%+v", p)
			}
		}
		r.Fsck()
		if now := shape(r); now != was {
			t.Errorf("was\n%s\nis\n%s", was, now)
		}
	}
	if heads := []string{"rev-parse", "refs/context/heads/main", "refs/context/heads/exp"}; a.Git(heads...) != copied.Git(heads...) {
		t.Errorf("two copies that are mended differ:\n%s\n%s", a.SharedRefs(), copied.SharedRefs())
	}
	if got := a.Git("rev-parse", "refs/context/heads/main@{1}"); got != before {
		t.Errorf("the old tip is not in the reflog: %s", got)
	}

	s := a.Open("main") // the step that was pending goes on, and so do ids
	made := memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: "Of now"}))(t)
	if late := time.Until(doc.IDTime(made.ID)); late > 5*time.Second {
		t.Errorf("new ids are %v ahead", late)
	}
	f.Exchange()
	b.Adopt("exp")
	f.Settle()
	if one, two := a.Content("main"), b.Content("main"); !slices.Equal(one.Steps, two.Steps) || !slices.Equal(one.Commits, two.Commits) {
		t.Errorf("a has %v\n%v\nb has %v\n%v", one.Steps, one.Commits, two.Steps, two.Commits)
	}
	if len(a.Content("main").Steps) != 43 {
		t.Errorf("%v", a.Content("main").Steps)
	}
}

// A history of which nothing is sound gets ids of an earlier time.
func TestMemoryThatBeganAheadOfTheClock(t *testing.T) {
	t.Parallel()
	hub, r := memtest.New(t, "--bare"), memtest.New(t)
	r.Git("remote", "add", "origin", hub.Dir)
	memtest.OK(share.Init(t.Context(), openAhead(r, twoDays, ""), share.InitOptions{Goal: "Begin", Todo: []string{"go on"}}))(t)
	writeAhead(t, r)
	was := shape(r)
	for _, p := range problemsOf(r, true) {
		if !p.Fixed {
			t.Errorf("%+v", p)
		}
	}
	r.Fsck()
	if now := shape(r); now != was {
		t.Errorf("was\n%s\nis\n%s", was, now)
	}
	memtest.OK(r.Open("main").Commit(t.Context(), store.CommitOptions{Summary: "All"}))(t)
	memtest.OK(share.Push(t.Context(), r.Open(), share.Options{}))(t)
	other := memtest.New(t)
	other.Git("remote", "add", "origin", hub.Dir)
	memtest.OK(share.Init(t.Context(), other.Open(), share.InitOptions{}))(t)
	f := &memtest.Fleet{T: t, Hub: hub, Clones: []*memtest.Repo{r, other}}
	other.Adopt("exp")
	f.Settle()
	if one, two := r.Content("main"), other.Content("main"); !slices.Equal(one.Steps, two.Steps) || !slices.Equal(one.Commits, two.Commits) {
		t.Errorf("one has %v\n%v\nthe other %v\n%v", one.Steps, one.Commits, two.Steps, two.Commits)
	}
}

// What a remote has stays, because other clones may have taken it: the clock here may be the one that is wrong.
func TestMemoryThatARemoteHasKeepsItsIds(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 1)
	r := f.Clones[0]
	s := openAhead(r, twoDays, "main")
	memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: "Ahead"}))(t)
	memtest.OK(share.Push(t.Context(), s, share.Options{}))(t)
	memtest.OK(r.Open().Commit(t.Context(), store.CommitOptions{Summary: "After"}))(t)
	memtest.OK(r.Open().Record(t.Context(), []store.NewStep{{Action: "pending"}}))(t)
	before := r.SharedRefs()
	for _, fix := range []bool{false, true} {
		problems := problemsOf(r, fix)
		if len(problems) != 1 || problems[0].Fixed || problems[0].Repair != "set the clock, if it is behind; else wait" {
			t.Errorf("%+v", problems)
		}
	}
	if now := r.SharedRefs(); now != before {
		t.Errorf("was\n%s\nis\n%s", before, now)
	}
	_, err := share.Push(t.Context(), r.Open(), share.Options{})
	var known *fail.Error
	if !errors.As(err, &known) || !slices.Equal(known.Hints, []string{"git context fsck"}) {
		t.Errorf("push: %v, hints %v", err, known)
	}
	if problems, err := fsck.Run(t.Context(), openAhead(r, twoDays, ""), fsck.Options{}); err != nil || len(problems) > 0 {
		t.Errorf("with the clock set: %+v, %v", problems, err)
	}
}

// Steps that are not committed have ids, too.
func TestStepsRecordedAheadOfTheClockGetNewIds(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	r := f.Clones[0]
	memtest.OK(r.Open().Record(t.Context(), []store.NewStep{{Action: "one"}}))(t)
	memtest.OK(openAhead(r, twoDays, "main").Record(t.Context(), []store.NewStep{{Action: "two"}, {Action: "three"}}))(t)
	problems := problemsOf(r, true)
	if len(problems) != 1 || !problems[0].Fixed || !strings.Contains(problems[0].Message, "the journal of branch 'main' has 2 steps with ids more than") {
		t.Errorf("%+v", problems)
	}
	memtest.OK(r.Open().Record(t.Context(), []store.NewStep{{Action: "four"}}))(t)
	memtest.OK(r.Open().Commit(t.Context(), store.CommitOptions{Summary: "All"}))(t)
	f.Settle()
	var actions []string
	for _, step := range f.Clones[1].Content("main").Steps {
		actions = append(actions, step[27:])
	}
	if want := []string{"one", "two", "three", "four"}; !slices.Equal(actions, want) {
		t.Errorf("%q, not %q", actions, want)
	}
}

// Lines of history that are ahead by different times, and were merged: each keeps its order, also among what is sound.
func TestMergedMemoryAheadOfTheClockGetsNewIds(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	r, ctx := f.Clones[0], t.Context()
	commit := func(s *refs.Store, name string) {
		t.Helper()
		memtest.OK(s.Record(ctx, []store.NewStep{{Action: "step " + name}}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: name}))(t)
	}
	branch := func(s *refs.Store, name string) {
		t.Helper()
		memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: name, Purpose: "Try", From: "main", NoSwitch: true}))(t)
	}
	commit(r.Open("main"), "one")
	branch(r.Open("main"), "exp")
	commit(openAhead(r, 3*twoDays, "exp"), "far ahead") // on what is older
	commit(r.Open("main"), "two")
	commit(openAhead(r, twoDays, "main"), "ahead") // on what is newer
	memtest.OK(merge.Merge(ctx, openAhead(r, twoDays, "main"), store.MergeOptions{Source: "exp", Summary: "Merged", Prefer: merge.SettleUnion}))(t)
	commit(r.Open("main"), "last")
	problems := problemsOf(r, true)
	for _, p := range problems {
		if !p.Fixed || p.Kind != "id-ahead" {
			t.Errorf("%+v", p)
		}
	}
	if len(problems) != 2 {
		t.Errorf("%+v", problems)
	}
	r.Fsck()
	r.Sync("")
	f.Clones[1].Adopt("exp")
	f.Settle()
	var summaries []string
	for _, m := range f.Clones[1].Content("main").Commits { // sorted by id
		summaries = append(summaries, m[27:])
	}
	at := func(name string) int { return slices.Index(summaries, name) }
	if !slices.IsSorted([]int{at("one"), at("two"), at("ahead"), at("Merged"), at("last")}) || at("far ahead") > at("Merged") || at("far ahead") < 0 {
		t.Errorf("%q", summaries)
	}
}

// A commit whose process was killed before it marked the journal is what says that its steps are not pending.
func TestStepsOfAnUnmarkedCommitAheadOfTheClock(t *testing.T) {
	t.Parallel()
	r := memtest.NewFleet(t, 1).Clones[0]
	s := openAhead(r, twoDays, "main")
	memtest.OK(s.Record(t.Context(), []store.NewStep{{Action: "one"}}))(t)
	unmarked, err := os.ReadFile(s.JournalPath("main"))
	r.Must(err)
	memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: "One"}))(t)
	r.Must(os.WriteFile(s.JournalPath("main"), unmarked, 0o666))
	memtest.OK(s.Record(t.Context(), []store.NewStep{{Action: "two"}}))(t)
	for _, p := range problemsOf(r, true) {
		if p.Kind != "id-ahead" || !p.Fixed {
			t.Errorf("%+v", p)
		}
	}
	memtest.OK(r.Open("main").Commit(t.Context(), store.CommitOptions{Summary: "Two"}))(t)
	if steps := r.Content("main").Steps; len(steps) != 2 {
		t.Errorf("%v", steps)
	}
	r.Fsck()
}

// Where memory is signed, so are the commits with new ids: other clones may demand it.
func TestMemoryAheadOfTheClockIsSignedAgain(t *testing.T) {
	t.Parallel()
	r := memtest.NewFleet(t, 1).Clones[0]
	r.TrustKey()
	r.Git("config", "context.gpgSign", "true")
	s := openAhead(r, twoDays, "main")
	for _, summary := range []string{"One", "Two"} {
		memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: summary}))(t)
	}
	old := r.Git("rev-parse", "refs/context/heads/main")
	problemsOf(r, true)
	if r.Git("rev-parse", "refs/context/heads/main") == old {
		t.Error("nothing was mended")
	}
	for _, rev := range []string{"refs/context/heads/main", "refs/context/heads/main~1", "refs/notes/context"} {
		r.Git("verify-commit", rev)
	}
	r.Fsck()
}
