package memtest

import (
	"fmt"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// NewCommits makes a repository with memory and n memory commits on main, m0 and so on, and
// returns their hashes.
func NewCommits(t *testing.T, n int) (*Repo, []string) {
	t.Helper()
	r := New(t)
	OK(share.Init(t.Context(), r.Open(), share.InitOptions{Goal: "g"}))(t)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = string(r.Commit("main", fmt.Sprint("m", i)).Commit)
	}
	return r, ids
}

// Teach remembers a topic as an agent, with paths of two files.
func (r *Repo) Teach(branch, agent, key, text string) store.Change {
	r.T.Helper()
	ch, err := r.Open(branch).Remember(r.T.Context(), store.TopicOptions{Writer: store.Writer{Agent: agent},
		Key: key, Text: text, Paths: []string{"a.go", "b.go"}})
	r.Must(err)
	return ch
}

// Commit makes a memory commit on a branch, of the steps that are pending there.
func (r *Repo) Commit(branch, summary string) store.CommitResult {
	r.T.Helper()
	res, err := r.Open(branch).Commit(r.T.Context(), store.CommitOptions{Summary: summary})
	r.Must(err)
	return res
}

// Expunge expunges what the options say.
func (r *Repo) Expunge(o expunge.Options) expunge.Result {
	r.T.Helper()
	res, err := expunge.Run(r.T.Context(), r.Open(), o)
	r.Must(err)
	return res
}

// Switch makes a branch the current one.
func (r *Repo) Switch(name string) {
	r.T.Helper()
	_, err := r.Open().Switch(r.T.Context(), name)
	r.Must(err)
}

// Work records a step with an observation of size bytes, and commits it.
func (r *Repo) Work(branch, name string, size int) {
	r.T.Helper()
	_, err := r.Open(branch).Record(r.T.Context(), []store.NewStep{{Action: name, Observation: Text(size)}})
	r.Must(err)
	_, err = r.Open().Commit(r.T.Context(), store.CommitOptions{Branch: branch, Summary: name})
	r.Must(err)
}

// Remember writes a topic.
func (r *Repo) Remember(branch, key, text string) {
	r.T.Helper()
	_, err := r.Open(branch).Remember(r.T.Context(), store.TopicOptions{Key: key, Text: text})
	r.Must(err)
}

// Set sets a key of the metadata of a branch.
func (r *Repo) Set(branch, path, value string) {
	r.T.Helper()
	_, err := r.Open(branch).SetMetadata(r.T.Context(), store.Writer{}, path, value, true)
	r.Must(err)
}

// Branch creates a branch without switching to it.
func (r *Repo) Branch(name, from string) {
	r.T.Helper()
	o := store.BranchOptions{Name: name, Purpose: "Try", From: from, NoSwitch: true}
	_, err := r.Open().CreateBranch(r.T.Context(), o)
	r.Must(err)
}

// Merge merges a branch into another one.
func (r *Repo) Merge(from, into string) merge.Result {
	r.T.Helper()
	o := store.MergeOptions{Source: from, Into: into, Summary: "Merge " + from}
	res, err := merge.Merge(r.T.Context(), r.Open(), o)
	r.Must(err)
	return res
}

// Plan edits the roadmap.
func (r *Repo) Plan(edit func(*doc.Roadmap) error) {
	r.T.Helper()
	_, err := r.Open().EditRoadmap(r.T.Context(), store.Writer{}, "plan", edit)
	r.Must(err)
}

// Goal sets the goal of the roadmap.
func (r *Repo) Goal(text string) {
	r.T.Helper()
	r.Plan(func(m *doc.Roadmap) error { m.SetGoal(text); return nil })
}

// CommitHash is Commit for tests that need the hash alone.
func (r *Repo) CommitHash(branch, summary string) string {
	r.T.Helper()
	return string(r.Commit(branch, summary).Commit)
}

// Tag sets a memory tag; an empty rev is the newest commit of the current branch.
func (r *Repo) Tag(name, rev string) store.Change {
	r.T.Helper()
	ch, err := r.Open().SetTag(r.T.Context(), store.Writer{}, name, rev)
	r.Must(err)
	return ch
}
