package memtest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Clocked is a Repo whose clock the test sets. Its own methods read Now; those of the Repo
// read the clock of the system.
type Clocked struct {
	*Repo
	Now time.Time
}

// NewClocked makes a repository with one code commit and with memory, at 10:00 UTC on 2026-11-01.
func NewClocked(t *testing.T) *Clocked {
	p := &Clocked{Repo: New(t), Now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
	p.CommitCode("first")
	OK(share.Init(t.Context(), p.Open(), share.InitOptions{Goal: "Remember"}))(t)
	return p
}

// Open opens the memory as a process that reads the clock of the test.
func (p *Clocked) Open(branch ...string) *refs.Store {
	p.T.Helper()
	o := store.Options{Dir: p.Dir, Env: p.Env, Now: func() time.Time { return p.Now }, Branch: strings.Join(branch, "")}
	s, err := refs.Open(p.T.Context(), o)
	p.Must(err)
	p.T.Cleanup(func() { s.Close() })
	return s
}

// Later sets the clock one minute forward.
func (p *Clocked) Later() { p.Now = p.Now.Add(time.Minute) }

// CommitCode makes an empty code commit.
func (p *Clocked) CommitCode(subject string) git.ID {
	p.T.Helper()
	date := fmt.Sprintf("%d +0000", p.Now.Unix())
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", subject)
	cmd.Dir, cmd.Env = p.Dir, append(p.Env[:len(p.Env):len(p.Env)], "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.T.Fatalf("git commit: %v\n%s", err, out)
	}
	return git.ID(p.Git("rev-parse", "HEAD"))
}

// Commit makes a memory commit on a branch, and returns its hash.
func (p *Clocked) Commit(branch, summary string) git.ID {
	p.T.Helper()
	res, err := p.Open(branch).Commit(p.T.Context(), store.CommitOptions{Branch: branch, Summary: summary})
	p.Must(err)
	return res.Commit
}

// Link adds a note to a code commit that names the memory commit made with it.
func (p *Clocked) Link(code, memory, branch, id string) {
	p.T.Helper()
	fact := map[string]any{"v": 1, "id": id, "kind": "link", "time": p.Now, "memory": memory, "branch": branch}
	line, err := json.Marshal(fact)
	p.Must(err)
	p.Git("notes", "--ref=context", "append", "-m", string(line), code)
}
