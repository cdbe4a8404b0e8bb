package refs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// An agent records what it does, makes a milestone of it, tries something on a
// branch and merges that.
func Example() {
	ctx := context.Background()
	dir, env, remove := repository("init", "-q")
	defer remove()
	s, err := refs.Open(ctx, store.Options{Dir: dir, Env: env})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := share.Init(ctx, s, share.InitOptions{Goal: "Make /users answer"}); err != nil {
		log.Fatal(err)
	}
	by := store.Writer{Agent: "claude-code", Session: "7f3a2c"}
	if _, err := s.Record(ctx, []store.NewStep{{Observation: "500 on /users", Action: "go test ./store", Agent: by.Agent}}); err != nil {
		log.Fatal(err)
	}
	c, err := s.Commit(ctx, store.CommitOptions{Writer: by, Summary: "The pool is not initialised"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Branch, c.Summary, c.Steps.Count)

	if _, err := s.CreateBranch(ctx, store.BranchOptions{Writer: by, Name: "lazy-pool", Purpose: "Open it on first use"}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, store.CommitOptions{Writer: by, Summary: "It opens on first use"}); err != nil {
		log.Fatal(err)
	}
	m, err := merge.Merge(ctx, s, store.MergeOptions{Writer: by, Source: "lazy-pool", Into: "main"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Merged, "into", m.Branch)
	// Output:
	// main The pool is not initialised 1
	// lazy-pool into main
}

// One Store serves many goroutines. A step that has a source is recorded once, however
// often it is handed in.
func ExampleStore_Record() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			step := store.NewStep{Action: fmt.Sprintf("go test ./pkg%d", i), Source: fmt.Sprintf("session.jsonl:%d", i)}
			for range 2 { // as after an answer that did not arrive
				if _, err := s.Record(ctx, []store.NewStep{step}); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	writers.Wait()
	tip, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	_, total, err := history.Steps(ctx, s, tip, 0, 20)
	fmt.Println(total, "steps", err)
	// Output: 8 steps <nil>
}

// What contradicts itself moves nothing, and waits until somebody decides.
func Example_merge() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	if _, err := s.CreateBranch(ctx, store.BranchOptions{Name: "queue"}); err != nil { // and switches to it
		log.Fatal(err)
	}
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "lock", Text: "A channel owns the queue"}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Switch(ctx, "main"); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "lock", Text: "One mutex around the queue"}); err != nil {
		log.Fatal(err)
	}
	res, err := merge.Merge(ctx, s, store.MergeOptions{Source: "queue"})
	if !errors.Is(err, fail.ErrConflict) {
		log.Fatal(err)
	}
	for _, c := range res.Conflicts {
		fmt.Printf("%s (%s): %q or %q\n", c.Path, c.Kind, *c.Ours, *c.Theirs)
		if _, err := merge.Resolve(ctx, s, "main", c.Path, merge.SettleTheirs, ""); err != nil {
			log.Fatal(err)
		}
	}
	res, err = share.Continue(ctx, s, store.Writer{}, "main")
	fmt.Println(res.Merged, "into", res.Branch, err)
	// Output:
	// topics/lock.md (add/add): "One mutex around the queue" or "A channel owns the queue"
	// queue into main <nil>
}

// A Tip is a moment: what it shows stays, whatever is committed meanwhile.
func ExampleStore_Tip() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	for _, summary := range []string{"Reproduce the leak", "Close what is idle"} {
		if _, err := s.Commit(ctx, store.CommitOptions{Summary: summary}); err != nil {
			log.Fatal(err)
		}
	}
	tip, err := s.Tip(ctx, "") // the current branch
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Not in that tip"}); err != nil {
		log.Fatal(err)
	}
	commits, total, err := history.Commits(ctx, s, tip, 0, 10) // newest first
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tip.Name(), "has", total)
	for _, c := range commits {
		fmt.Println("-", c.Summary)
	}
	// Output:
	// main has 2
	// - Close what is idle
	// - Reproduce the leak
}

func Example_search() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	score := 0.9
	for _, o := range []store.CommitOptions{
		{Summary: "Close idle connections", Contribution: "The pool leaked them.", Judging: store.Judgement{Score: &score, Outcome: "success"}},
		{Summary: "Center the basket", Contribution: "On small screens."},
	} {
		if _, err := s.Commit(ctx, o); err != nil {
			log.Fatal(err)
		}
	}
	found, err := search.Search(ctx, s, search.Options{Query: "leaking pool", All: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Kind, hit.Title, *hit.Noted)
	}
	// Output: commit Close idle connections 0.9
}

// Two clones of one repository meet in a true merge.
func Example_sync() {
	ctx := context.Background()
	hub, _, remove := repository("init", "-q", "--bare")
	defer remove()
	ann, removeAnn := memory("remote", "add", "origin", hub)
	defer removeAnn()
	bob, removeBob := memory("remote", "add", "origin", hub)
	defer removeBob()

	for key, s := range map[string]*refs.Store{"storage": ann, "retries": bob} {
		if _, err := s.Remember(ctx, store.TopicOptions{Key: key, Text: "As agreed"}); err != nil {
			log.Fatal(err)
		}
	}
	// The first push to a remote without memory has to be asked for.
	if _, err := share.Push(ctx, ann, share.Options{}); err != nil {
		log.Fatal(err)
	}
	if _, err := share.Sync(ctx, bob, share.Options{}); err != nil {
		log.Fatal(err)
	}
	if _, err := share.Sync(ctx, ann, share.Options{}); err != nil {
		log.Fatal(err)
	}
	tip, err := ann.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(history.TopicKeys(ctx, ann, tip))
	// Output: [retries storage] <nil>
}

// A rollback is a new commit, with the topics of an earlier one.
func Example_rollback() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	good, err := s.Commit(ctx, store.CommitOptions{Summary: "Retries work"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "retries", Text: "Never retry"}); err != nil {
		log.Fatal(err)
	}
	if _, err := code.Rollback(ctx, s, code.RollbackOptions{To: good.ID}); err != nil {
		log.Fatal(err)
	}
	tip, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(history.TopicKeys(ctx, s, tip))
	// Output: [] <nil>
}

// What must not stay is removed from all of history, and the check then finds nothing wrong.
func Example_expunge() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	if _, err := s.Record(ctx, []store.NewStep{{Action: "login with hunter2-secret"}}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Logged in"}); err != nil {
		log.Fatal(err)
	}
	if _, err := expunge.Run(ctx, s, expunge.Options{Match: "hunter2-secret"}); err != nil {
		log.Fatal(err)
	}
	tip, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	steps, _, err := history.Steps(ctx, s, tip, 0, 10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(fmt.Sprint(steps), "hunter2"))

	if _, err := maintain.Run(ctx, s, maintain.Options{}); err != nil {
		log.Fatal(err)
	}
	problems, err := fsck.Run(ctx, s, fsck.Options{})
	fmt.Println(len(problems), err)
	// Output:
	// false
	// 0 <nil>
}

// A branch becomes a .GCC folder of plain files.
func Example_export() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Retries work"}); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	res, err := folder.Export(ctx, s, folder.ExportOptions{Dir: dir})
	fmt.Println(res.Commits, err)
	// Output: 1 <nil>
}

// A program decides by the kind or the code of an error; its message is for people.
func ExampleError() {
	ctx := context.Background()
	s, remove := memory()
	defer remove()

	_, err := s.Switch(ctx, "mian")
	fmt.Println(errors.Is(err, fail.ErrNotFound))
	var e *fail.Error
	if errors.As(err, &e) {
		fmt.Printf("%s: %s\nhint: %s\n", e.Code, e.Message, e.Hints[0])
	}
	// Output:
	// true
	// branch-not-found: branch 'mian' not found
	// hint: did you mean 'main'?
}

// memory is that of a new repository, in which git ran first; remove closes it and
// deletes that.
func memory(git ...string) (s *refs.Store, remove func()) {
	ctx := context.Background()
	dir, env, removeAll := repository("init", "-q")
	if len(git) > 0 {
		run(dir, env, git...)
	}
	s, err := refs.Open(ctx, store.Options{Dir: dir, Env: env})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := share.Init(ctx, s, share.InitOptions{}); err != nil {
		log.Fatal(err)
	}
	return s, func() { s.Close(); removeAll() }
}

// repository makes an empty one, away from the settings of whoever runs this.
func repository(git ...string) (dir string, env []string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	env = []string{"HOME=" + dir, "PATH=" + gittest.Path(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com"}
	run(dir, env, git...)
	return dir, env, func() { os.RemoveAll(dir) }
}

func run(dir string, env []string, args ...string) {
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, env
	if out, err := c.CombinedOutput(); err != nil {
		log.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
