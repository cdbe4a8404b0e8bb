package expunge_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

const secret = "hunter2 \"<&>\" \\"

// checkWarnings checks that a result warns of things.
func checkWarnings(r *memtest.Repo, res expunge.Result, want ...string) {
	r.T.Helper()
	for _, w := range want {
		if all := strings.Join(res.Warnings, "\n"); !strings.Contains(all, w) {
			r.T.Errorf("no warning of %s: %s", w, all)
		}
	}
}

// holding lists what below the git directory holds a text, raw or in an object.
func holding(r *memtest.Repo, text string) []string {
	r.T.Helper()
	var found []string
	for out := r.Git("cat-file", "--batch-all-objects", "--batch", "--unordered"); out != ""; {
		head, rest, _ := strings.Cut(out, "\n")
		n, err := strconv.Atoi(head[strings.LastIndexByte(head, ' ')+1:])
		r.Must(err)
		n = min(n, len(rest)) // white space at the end is cut
		if strings.Contains(rest[:n], text) {
			found = append(found, head)
		}
		out = strings.TrimPrefix(rest[n:], "\n")
	}
	common := r.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
	err := filepath.WalkDir(common, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			found = append(found, path)
		}
		return err
	})
	r.Must(err)
	return found
}

// writeState writes a file of local state.
func writeState(r *memtest.Repo, name, text string) string {
	r.T.Helper()
	path := filepath.Join(r.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), "context", filepath.FromSlash(name))
	r.Must(os.MkdirAll(filepath.Dir(path), 0o777))
	r.Must(os.WriteFile(path, []byte(text), 0o666))
	return path
}

// Local state that quotes the text goes, and is said to: a merge that waits, what
// crashes left of journals, the search cache.
func TestExpungeLocalState(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Work("main", "first", 0)
	r.Branch("side", "")
	r.Remember("main", "pool", "ours secret9\n")
	r.Remember("side", "pool", "theirs\n")
	if _, err := merge.Merge(ctx, s, store.MergeOptions{Source: "side"}); !errors.Is(err, fail.ErrConflict) {
		t.Fatalf("Merge: %v", err)
	}
	memtest.OK(history.BisectStart(ctx, s, "main", nil))(t)
	torn := writeState(r, "journal/main.jsonl.torn", "{\"observation\":\"half of secret9\nkept\n")
	orphan := writeState(r, "journal/old.jsonl.orphan-01JD5K0Z3V7Q3M9K2A4B5C6D7E",
		"{\"journal\":\"x\",\"committed\":\"\",\"step\":0,\"id\":\"\"}\n"+
			"{\"time\":\"2026-11-21T01:37:05Z\",\"action\":\"secret9\",\"step\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7E\"}\n"+
			"{\"time\":\"2026-11-21T01:37:05Z\",\"action\":\"kept\",\"step\":2,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7F\"}\n")
	hooks := writeState(r, "hooks.jsonl", "{\"message\":\"secret9\"}\n{\"message\":\"kept\"}\n")
	left := writeState(r, "journal/main.jsonl.new", "secret9")
	for _, dry := range []bool{true, false} {
		checkWarnings(r, r.Expunge(expunge.Options{Match: "secret9", DryRun: dry}), "merge that waited", "bisect")
	}
	for _, path := range []string{torn, orphan, hooks} {
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "kept") {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", left, err)
	}
	if found := holding(r, "secret9"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	r.Must(os.Remove(orphan)) // a journal of no branch is a problem of its own
	r.Fsck()
}

// Local state that is JSON contains a text of several lines escaped, on a line of its own.
func TestExpungeLocalLines(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Work("main", "first", 0)
	waiting := writeState(r, store.MergeDir+"/main.json", "{\n  \"note\": \"say key9\\nsecond9\"\n}\n")
	checkWarnings(r, r.Expunge(expunge.Options{Match: "key9\nsecond9"}), "merge that waited")
	if found := append(holding(r, "key9"), holding(r, "second9")...); len(found) > 0 {
		t.Errorf("still there: %q, %s", found, waiting)
	}
}

// Steps that wait keep their numbers, whatever goes; a journal that a killed rename left
// under two names is one again.
func TestExpungePending(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Work("main", "first", 0)
	for _, text := range []string{"two", "three " + secret, "four", "five " + secret} {
		memtest.OK(s.Record(ctx, []store.NewStep{{Action: text, Session: "s"}}))(t)
	}
	path := filepath.Join(r.Dir, ".git", "context", "journal", "main.jsonl")
	r.Must(os.Link(path, filepath.Join(filepath.Dir(path), "renamed.jsonl")))
	res := r.Expunge(expunge.Options{Match: secret})
	if res.Entries != 2 || res.Commits != 0 || !res.Expunged[0].Pending {
		t.Errorf("%+v", res)
	}
	if got := memtest.OK(s.Record(ctx, []store.NewStep{{Action: "six"}}))(t); got[0].Step != 6 {
		t.Errorf("the next step has the number %d", got[0].Step)
	}
	r.Commit("main", "All")
	c := r.Content("main")
	for i, want := range []string{"first", "two", "four", "six"} {
		if !strings.HasSuffix(c.Steps[i], " "+want) {
			t.Errorf("%q", c.Steps)
		}
	}
	if found := holding(r, "hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
}

// What a journal keeps of commits goes, too: steps that commits took, and what marks say, also of
// a commit that was amended since.
func TestExpungeKeptLines(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]func(id string) expunge.Options{
		"by text": func(string) expunge.Options { return expunge.Options{Match: secret} },
		"by id":   func(id string) expunge.Options { return expunge.Options{ID: id} },
	} {
		for _, amended := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", amended: ", amended), func(t *testing.T) {
				t.Parallel()
				r := memtest.New(t)
				s, ctx := r.Open(), t.Context()
				memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
				r.Work("main", "first", 0)
				memtest.OK(s.Record(ctx, []store.NewStep{{Action: "plain"}}))(t)
				res := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Second", Contribution: "It is " + secret + ".",
					Judging: store.Judgement{Outcome: "success"}}))(t)
				if amended {
					memtest.OK(s.Amend(ctx, store.CommitOptions{Summary: "Second", Contribution: "It is fine."},
						func(context.Context, *store.LastChange) error { return nil }))(t)
				}
				path := filepath.Join(r.Dir, ".git", "context", "journal", "main.jsonl")
				if data := memtest.OK(os.ReadFile(path))(t); !strings.Contains(string(data), "hunter2") {
					t.Fatalf("the journal keeps nothing: %s", data)
				}
				r.Expunge(o(res.ID))
				if data := memtest.OK(os.ReadFile(path))(t); strings.Contains(string(data), "hunter2") {
					t.Errorf("the journal is\n%s", data)
				}
				if found := holding(r, "hunter2"); len(found) > 0 {
					t.Errorf("still there: %q", found)
				}
				r.Fsck()
			})
		}
	}
}

// A dry run leaves no object, and counts what the real one then does.
func TestExpungeDryRun(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{Goal: "use " + secret}))(t)
	r.Work("main", "say "+secret, 0)
	r.Work("main", "next", 9000)
	before := r.Git("count-objects", "-v") + r.Git("for-each-ref")
	dry := r.Expunge(expunge.Options{Match: secret, DryRun: true})
	if now := r.Git("count-objects", "-v") + r.Git("for-each-ref"); now != before {
		t.Errorf("was\n%s\nis\n%s", before, now)
	}
	done := r.Expunge(expunge.Options{Match: secret})
	if dry.Commits == 0 || dry.Commits != done.Commits || dry.Notes != done.Notes || dry.Entries != done.Entries || dry.Texts != done.Texts {
		t.Errorf("dry: %+v\ndone: %+v", dry, done)
	}
}

// A bare repository, and one of SHA-256 seen from a linked worktree, forget alike.
func TestExpungeRepositories(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) *memtest.Repo{
		"bare": func(t testing.TB) *memtest.Repo { return memtest.New(t, "--bare") },
		"worktree": func(t testing.TB) *memtest.Repo {
			r := memtest.New(t, "--object-format=sha256")
			r.Git("commit", "-q", "--allow-empty", "-m", "code")
			r.Git("worktree", "add", "-q", "../linked")
			r.Dir = filepath.Join(filepath.Dir(r.Dir), "linked")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t)
			memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{Goal: "Reach it"}))(t)
			r.Work("main", "say "+secret, 0)
			r.Branch("side", "")
			r.Work("main", "next", 0)
			r.Git("gc", "-q")
			r.Expunge(expunge.Options{Match: secret})
			if found := holding(r, "hunter2"); len(found) > 0 {
				t.Errorf("still there: %q", found)
			}
			if c := r.Content("main"); len(c.Steps) != 1 || len(c.Commits) != 1 {
				t.Errorf("%+v", c)
			}
			r.Fsck()
		})
	}
}

// A text that spans lines goes wherever it stands in that form; a milestone is named in
// any way, and a birth is none.
func TestExpungeForms(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Purpose: "Go on"}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "first\nsecond"}, {Action: "first and second"}}))(t)
	r.Commit("main", "Both")
	r.Remember("main", "pool", "zero\nfirst\nsecond\nthird")
	res := r.Expunge(expunge.Options{Match: "st\nsec"})
	if c := r.Content("main"); res.Entries != 1 || len(c.Steps) != 1 || c.Topics["pool"] != "zero\n(expunged)\n(expunged)\nthird" {
		t.Errorf("%+v, %+v", res, c)
	}
	r.Commit("main", "Wrong")
	r.Commit("main", "Right")
	if res := r.Expunge(expunge.Options{ID: "main~1"}); res.Entries != 1 {
		t.Errorf("%+v", res)
	}
	if c := r.Content("main"); len(c.Commits) != 2 {
		t.Errorf("%q", c.Commits)
	}
	if text := r.Git("show", "refs/context/heads/main:commit.md"); strings.Contains(text, "Wrong") {
		t.Errorf("what quoted it is left: %s", text)
	}
	birth := strings.Fields(r.Git("log", "--format=%H", "--grep=Start branch", "refs/context/heads/main"))[0]
	if _, err := expunge.Run(ctx, s, expunge.Options{ID: birth}); err == nil {
		t.Error("a birth went")
	}
	r.Fsck()
}

// What cannot be cleaned is said: a code commit, a pack with a .keep file, a name.
func TestExpungeLeaves(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "use hunter2 here")
	r.Work("main", "use hunter2", 0)
	r.Work("main", "next", 0)
	r.Branch("hunter2", "")
	r.Git("repack", "-q", "-a", "-d")
	packs, err := filepath.Glob(filepath.Join(r.Dir, ".git", "objects", "pack", "*.pack"))
	r.Must(err)
	r.Must(os.WriteFile(strings.TrimSuffix(packs[0], "pack")+"keep", nil, 0o666))
	var half bytes.Buffer
	z := zlib.NewWriter(&half)
	_, err = z.Write([]byte("blob 99\x00use hunter2"))
	r.Must(errors.Join(err, z.Flush()))
	r.Must(os.WriteFile(filepath.Join(r.Dir, ".git", "objects", "tmp_obj_x"), half.Bytes(), 0o444))
	what := []string{"code commit", "COMMIT_EDITMSG' contains it", "logs/HEAD' contains it", "tmp_obj_x' contains it", "branch 'hunter2' contains it in its name"}
	dry := r.Expunge(expunge.Options{Match: "hunter2", DryRun: true})
	checkWarnings(r, dry, what...)
	if slices.ContainsFunc(dry.Warnings, func(w string) bool { return strings.Contains(w, "logs/refs/context") }) {
		t.Errorf("reflogs of memory do not stay: %q", dry.Warnings)
	}
	checkWarnings(r, r.Expunge(expunge.Options{Match: "hunter2"}), append(what, ".keep")...)
}

// Beside writers on all branches nothing is lost but what is meant.
func TestExpungeBesideWriters(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Work("main", "use hunter2", 0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan int)
	s := r.Open()
	go func() {
		n := 0
		for ; ctx.Err() == nil && n < 1000; n++ {
			if _, err := s.Record(t.Context(), []store.NewStep{{Action: "kept"}}); err != nil {
				t.Error(err)
			}
			if _, err := s.Commit(t.Context(), store.CommitOptions{Summary: "kept"}); err != nil {
				t.Error(err)
			}
		}
		done <- n
	}()
	res, err := expunge.Run(t.Context(), r.Open(), expunge.Options{Match: "hunter2", Yes: true})
	stop()
	n := <-done
	if err != nil || res.Entries != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	if c := r.Content("main"); len(c.Steps) != n || len(c.Commits) != n {
		t.Errorf("%d steps, %d milestones, want %d", len(c.Steps), len(c.Commits), n)
	}
	if found := holding(r, "hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	r.Fsck()
}

// Links follow to what stands in a milestone's place, and go with one that goes; what
// others wrote beside them stays.
func TestExpungeLinks(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	linked := git.ID(r.Git("rev-parse", "HEAD"))
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	gone := r.Commit("main", "use "+secret)
	kept := r.Commit("main", "Next")
	r.Git("notes", "--ref=context", "add", "-m", "by hand", string(linked))
	for _, m := range []store.CommitResult{gone, kept} {
		r.Must(code.Link(ctx, s, store.Writer{}, linked, m.ID))
	}
	res := r.Expunge(expunge.Options{Match: secret})
	now := r.Git("rev-parse", "refs/context/heads/main")
	note := r.Git("notes", "--ref=context", "show", string(linked))
	for _, want := range []string{"by hand", `"memory":"` + now + `"`, "Context: " + kept.ID} {
		if !strings.Contains(note, want) {
			t.Errorf("the note lacks %s: %s", want, note)
		}
	}
	if strings.Contains(note, gone.ID) || strings.Contains(note, string(kept.Commit)) || res.Notes != 3 {
		t.Errorf("%d notes changed: %s", res.Notes, note)
	}
	if n := strings.Fields(r.Git("notes", "--ref=context", "list")); len(n) != 2*2 {
		t.Errorf("%d notes are left, want 2", len(n)/2)
	}
}

// The command that is printed for a remote cleans it, pasted into a shell, also where the
// memory stands below its branches, and where more is forgotten before it was run; a sync
// then finds nothing to complain of.
func TestExpungeCommands(t *testing.T) {
	t.Parallel()
	hub, r := memtest.New(t, "--bare"), memtest.New(t)
	r.Git("remote", "add", "o'r$x", hub.Dir)
	r.Git("config", "context.o'r$x.mapping", "heads")
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Work("main", "use "+secret, 0)
	r.Branch("side", "")
	r.Work("side", "next token-2", 0)
	r.Work("main", "plain", 0)
	memtest.OK(share.Push(t.Context(), r.Open(), share.Options{}))(t)
	memtest.OK(share.Fetch(t.Context(), r.Open(), share.Options{}))(t)
	r.Expunge(expunge.Options{Match: secret})
	res := r.Expunge(expunge.Options{Match: "token-2"})
	if len(res.Remotes) != 1 || len(res.Remotes[0].Commands) != 2 || len(res.Remotes[0].Refs) != 3 {
		t.Fatalf("%+v", res.Remotes)
	}
	r.Git("-c", "alias.pasted=!"+res.Remotes[0].Commands[0], "pasted")
	r.Sync("")
	hub.Git("gc", "-q", "--prune=now")
	if found := slices.Concat(holding(hub, "hunter2"), holding(r, "hunter2"), holding(hub, "token-2"), holding(r, "token-2")); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	hub.Fsck()
}

// What else a milestone said that goes stays where others say it too; quotes of it go
// wherever they were cut.
func TestExpungeKeepsCommonLines(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("config", "context.summaryLimit", "400")
	s = r.Open()
	long := strings.Repeat("a long way round ", 60)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Ask", Contribution: "Tests pass.\nkey: open " + long + "sesame"}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Observation: "Tests pass."}}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Go on", Contribution: "Tests pass."}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "And on"}))(t)
	r.Expunge(expunge.Options{Match: "open " + long + "sesame"})
	if found := holding(r, "key: open a long"); len(found) > 0 {
		t.Errorf("still there: %v", found)
	}
	tip := memtest.OK(r.Open().Tip(ctx, "main"))(t)
	steps, _, err := history.Steps(ctx, r.Open(), tip, 0, 10)
	if err != nil || len(steps) != 1 || steps[0].Observation != "Tests pass." {
		t.Errorf("%v %+v", err, steps)
	}
	commits, _, err := history.Commits(ctx, r.Open(), tip, 0, 10)
	if err != nil || len(commits) != 2 || commits[1].Contribution != "Tests pass." || !strings.Contains(commits[0].Progress, "Tests pass.") {
		t.Errorf("%v %+v", err, commits)
	}
}
