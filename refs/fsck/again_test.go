package fsck_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/refs/undo"
)

// pack makes git keep what there is.
func pack(r *memtest.Repo) {
	r.T.Helper()
	r.Git("repack", "-adq")
}

// prune deletes what git has not packed, as gc --prune=now does with what no ref leads to yet.
func prune(r *memtest.Repo) {
	r.T.Helper()
	loose, err := filepath.Glob(filepath.Join(r.Dir, ".git", "objects", "??", "*"))
	r.Must(err)
	if len(loose) == 0 {
		r.T.Fatal("nothing to lose")
	}
	for _, path := range loose {
		r.Must(os.Remove(path))
	}
}

// lose deletes one object.
func lose(r *memtest.Repo, rev string) {
	r.T.Helper()
	id := r.Git("rev-parse", rev)
	r.Must(os.Remove(filepath.Join(r.Dir, ".git", "objects", id[:2], id[2:])))
}

// mend runs fsck --fix, which must mend everything, and returns the messages of what it mended.
func mend(r *memtest.Repo) string {
	r.T.Helper()
	problems, err := fsck.Run(r.T.Context(), r.Open(), fsck.Options{Fix: true})
	r.Must(err)
	var said strings.Builder
	for _, p := range problems {
		if said.WriteString(p.Kind + " " + p.Message + "\n"); !p.Fixed {
			r.T.Errorf("not mended: %s", p.Message)
		}
	}
	r.Fsck()
	return said.String()
}

func journalOf(r *memtest.Repo) string {
	r.T.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, ".git", "context", "journal", "main.jsonl"))
	r.Must(err)
	return string(data)
}

// judged commits a step with a judgement.
func judged(r *memtest.Repo, summary string) {
	r.T.Helper()
	score := 0.25
	s, ctx := r.Open(), r.T.Context()
	_, err := s.Record(ctx, []store.NewStep{{Action: summary + ", a"}, {Action: summary + ", b", Agent: "x", Model: "m"}})
	r.Must(err)
	_, err = s.Commit(ctx, store.CommitOptions{Writer: store.Writer{Agent: "writer", Session: "s", Tokens: 7}, Summary: summary,
		Contribution: "It says <more>.\n\nAnd more.", Progress: "All of it.", Judging: store.Judgement{Score: &score,
			Outcome: "success", Tags: []store.NoteTag{{Key: "k", Value: "v"}}, Review: "Well done."}})
	r.Must(err)
}

// state is what the memory of main is, with every note.
func state(r *memtest.Repo) any {
	r.T.Helper()
	notes := map[string]string{}
	for line := range strings.Lines(r.Git("notes", "--ref=context", "list")) {
		blob, object, _ := strings.Cut(strings.TrimSpace(line), " ")
		notes[object] = r.Git("cat-file", "blob", blob)
	}
	return []any{r.Content("main"), notes, r.Git("rev-parse", git.BranchRef("main"))}
}

// Commits whose objects git deleted come back from the journal as they were, to the bit: so
// a clone that has them finds nothing new.
func TestLostCommitsComeBack(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	r := f.Clones[0]
	r.Work("main", "one", 0)
	f.Settle()
	pack(r)
	judged(r, "two")
	judged(r, "three")
	memtest.OK(r.Open().Record(t.Context(), []store.NewStep{{Action: "waits"}}))(t)
	r.Sync("")
	f.Clones[1].Sync("")
	before, others := state(r), state(f.Clones[1])
	prune(r)
	if said := mend(r); !strings.Contains(said, "tells of 2 commits since") {
		t.Errorf("mended %s", said)
	}
	if now := state(r); !reflect.DeepEqual(now, before) {
		t.Errorf("was\n%v\nis\n%v", before, now)
	}
	s := r.Open()
	tip := memtest.OK(s.Tip(t.Context(), "main"))(t)
	if p := memtest.OK(s.Pending(t.Context(), tip))(t); len(p.Lines) != 1 {
		t.Errorf("%d steps are pending, not 1", len(p.Lines))
	}
	f.Settle()
	if now := state(f.Clones[1]); !reflect.DeepEqual(now, others) {
		t.Errorf("the other clone has\n%v\nnot\n%v", now, others)
	}
}

// What only lost files said does not come back with the commits around it; who has it brings
// it, without a conflict.
func TestLostCommitsAroundATopic(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	r := f.Clones[0]
	r.Work("main", "one", 0)
	f.Settle()
	pack(r)
	judged(r, "two")
	r.Remember("main", "pool", "Eight connections.\n")
	judged(r, "three")
	r.Sync("")
	f.Clones[1].Sync("")
	before := r.Content("main")
	prune(r)
	if said := mend(r); !strings.Contains(said, "tells of 2 commits since") || !strings.Contains(said, "'Remember pool'") {
		t.Errorf("mended %s", said)
	}
	now := r.Content("main")
	if !slices.Equal(now.Commits, before.Commits) || !slices.Equal(now.Steps, before.Steps) {
		t.Errorf("was\n%v\nis\n%v", before, now)
	}
	facts := memtest.OK(r.Open().Note(t.Context(), "main"))(t).Facts
	if len(facts) != 5 {
		t.Errorf("the note of the last commit says %s", facts)
	}
	f.Settle()
	if now := r.Content("main"); !reflect.DeepEqual(now.Topics, before.Topics) || !slices.Equal(now.Commits, before.Commits) {
		t.Errorf("was\n%v\nis\n%v", before, now)
	}
}

// A journal that was replaced has the newest commits, too.
func TestLostCommitsComeBackFromAReplacedJournal(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	first := func() string {
		line, _, _ := strings.Cut(journalOf(r), "\n")
		return line
	}
	left := func() int { return journal.CompactAt - len(journalOf(r)) }
	for pack(r); left() > 0; pack(r) {
		r.Work("main", "before", min(10_000, max(1, left()-3_000))) // the step still fits, its mark may not
	}
	was := first()
	judged(r, "last")
	if first() == was {
		t.Fatal("the journal was not replaced")
	}
	before := state(r)
	prune(r)
	mend(r)
	if now := state(r); !reflect.DeepEqual(now, before) {
		t.Errorf("was\n%v\nis\n%v", before, now)
	}
	if size := len(journalOf(r)); size > 100_000 {
		t.Errorf("the journal has %d bytes", size)
	}
	r.Git("update-ref", git.BranchRef("main"), git.BranchRef("main")+"~1") // set back by hand: its steps are pending
	s := r.Open()
	tip := memtest.OK(s.Tip(t.Context(), "main"))(t)
	if p := memtest.OK(s.Pending(t.Context(), tip))(t); len(p.Lines) != 2 {
		t.Errorf("%d steps are pending, not 2", len(p.Lines))
	}
}

// Of a commit with more steps than a replaced journal carries on, the entry comes back.
func TestLostCommitOfManySteps(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	pack(r)
	s, ctx := r.Open(), t.Context()
	var steps []store.NewStep
	for range 20 {
		steps = append(steps, store.NewStep{Action: "go on", Observation: memtest.Text(10_000)})
	}
	memtest.OK(s.Record(ctx, steps))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Many"}))(t)
	prune(r)
	if said := mend(r); !strings.Contains(said, "tells of 1 commit since") || !strings.Contains(said, "lacks 20 steps") {
		t.Errorf("mended %s", said)
	}
	if c := r.Content("main"); len(c.Commits) != 2 || len(c.Steps) != 0 {
		t.Errorf("%v", c)
	}
}

// What was amended, undone or taken back before the loss is not made again.
func TestWhatWasTakenBackStaysAway(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	s, ctx := r.Open(), t.Context()
	pack(r)
	judged(r, "first version")
	memtest.OK(undo.Amend(ctx, s, store.CommitOptions{Summary: "second version"}))(t)
	judged(r, "undone")
	memtest.OK(undo.Undo(ctx, s, store.Writer{}))(t)
	memtest.OK(s.Unrecord(ctx, store.Writer{}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "without steps"}))(t)
	memtest.OK(undo.Undo(ctx, s, store.Writer{}))(t)
	judged(r, "last")
	before, tip := r.Content("main"), r.Git("rev-parse", git.BranchRef("main"))
	prune(r)
	mend(r)
	if now := r.Content("main"); !reflect.DeepEqual(now, before) || r.Git("rev-parse", git.BranchRef("main")) != tip {
		t.Errorf("was\n%v\nis\n%v", before, now)
	}
}

// A ref whose commit is here, but not all of its files, is mended like one without its commit.
func TestHollowRefs(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string][]string{
		"file of a branch":    {"refs/context/heads/main:" + doc.LogFile},
		"tree of a branch":    {"refs/context/heads/main^{tree}"},
		"tree of the notes":   {"refs/notes/context^{tree}"},
		"tree of all":         {"refs/context/heads/main^{tree}", "refs/notes/context^{tree}"},
		"commit and the file": {"refs/context/heads/main:" + doc.CommitFile, "refs/context/heads/main"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := memtest.NewCommits(t, 1)
			pack(r)
			judged(r, "two")
			judged(r, "three")
			before := state(r)
			for _, rev := range lost {
				lose(r, rev)
			}
			mend(r)
			if now := state(r); !reflect.DeepEqual(now, before) {
				t.Errorf("was\n%v\nis\n%v", before, now)
			}
		})
	}
}

// Notes of which nothing is left are written again from what commits and journals say.
func TestLostNotesWithoutAPast(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t)
	r, _ := memtest.NewCommits(t, 1)
	judged(r, "two")
	before := state(r)
	lose(r, git.NotesRef)
	r.Must(os.Remove(filepath.Join(r.Dir, ".git", "logs", filepath.FromSlash(git.NotesRef))))
	mend(r)
	if now := state(r); !reflect.DeepEqual(now, before) {
		t.Errorf("was\n%v\nis\n%v", before, now)
	}
}

// The roadmap goes back to what is whole, and the branch refers to that.
func TestHollowRoadmap(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	pack(r)
	was := r.Git("rev-parse", git.RoadmapRef)
	r.Goal("Another")
	lose(r, git.RoadmapRef+":"+doc.RoadmapFile)
	if said := mend(r); !strings.Contains(said, "1 change since") {
		t.Errorf("mended %s", said)
	}
	if now := r.Git("rev-parse", git.RoadmapRef); now != was {
		t.Errorf("the roadmap is at %s, not %s", now, was)
	}
}

// A commit whose mark a crash prevented is not known, but what was before it is. Its steps are
// pending again.
func TestLostCommitWithoutAMark(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	pack(r)
	judged(r, "two")
	judged(r, "three")
	text := strings.TrimSuffix(journalOf(r), "\n")
	text = text[:strings.LastIndexByte(text, '\n')+1]
	r.Must(os.WriteFile(filepath.Join(r.Dir, ".git", "context", "journal", "main.jsonl"), []byte(text), 0o666))
	prune(r)
	if said := mend(r); !strings.Contains(said, "does not tell of every change") {
		t.Errorf("mended %s", said)
	}
	if c := r.Content("main"); len(c.Commits) != 2 || len(c.Steps) != 4 {
		t.Errorf("%v", c)
	}
	if made := r.Commit("main", "again"); made.Steps.Count != 2 {
		t.Errorf("%d steps were pending, not 2", made.Steps.Count)
	}
	r.Fsck()
}
