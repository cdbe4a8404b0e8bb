//go:build unix

package gogit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// sameAsPackages compares with what the Go packages return.
func (r *reader) sameAsPackages(w *world) {
	r.t.Helper()
	s, err := refs.Open(r.t.Context(), store.Options{Dir: w.dir, ReadOnly: true})
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			r.t.Error(err)
		}
	}()
	for name, b := range r.branches {
		r.branchAsPackages(s, name, b)
	}
	_, roadmap, err := s.Roadmap(r.t.Context(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.same("main.md", string(roadmap), string(r.roadmap))
	for hash, note := range r.notes {
		want, err := notes.Read(r.t.Context(), s.Repo(), git.ID(hash))
		if err != nil {
			r.t.Fatal(err)
		}
		r.same("note of "+hash, string(want), string(note))
		var lines []string
		for _, f := range r.facts(hash) {
			lines = append(lines, f.line)
		}
		var parsed []string
		for _, f := range notes.Parse(want) {
			parsed = append(parsed, string(f.Raw))
		}
		r.same("lines of the note of "+hash, parsed, lines)
	}
	for hash, c := range r.commits {
		want, err := s.Repo().Commit(r.t.Context(), git.ID(hash.String()))
		if err != nil {
			r.t.Fatal(err)
		}
		var parents []git.ID
		for _, p := range c.ParentHashes {
			parents = append(parents, git.ID(p.String()))
		}
		r.same("parents of "+hash.String(), want.Parents, parents)
		r.same("message of "+hash.String(), want.Message, c.Message)
		r.same("people of "+hash.String(), people(want.Author.Name, want.Author.When.Unix(), want.Committer.Email),
			people(c.Author.Name, c.Author.When.Unix(), c.Committer.Email))
		for key, value := range trailers(c.Message) {
			r.same("trailer "+key+" of "+hash.String(), want.Trailer(key), value)
		}
	}
}

func people(author string, when int64, email string) string { return fmt.Sprint(author, when, email) }

func (r *reader) branchAsPackages(s *refs.Store, name string, b *branch) {
	r.t.Helper()
	tip, err := s.Tip(r.t.Context(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	r.same(name+": tip", string(tip.Commit().ID), b.tip.Hash.String())
	for path, content := range b.files {
		want, err := tip.Document(r.t.Context(), path)
		if err != nil {
			r.t.Fatal(err)
		}
		if path == doc.LogFile || path == doc.CommitFile { // all of its segments, too
			continue
		}
		r.same(name+": "+path, string(want), string(content))
	}
	steps, total, err := history.Steps(r.t.Context(), s, tip, 0, len(b.steps)+1)
	if err != nil {
		r.t.Fatal(err)
	}
	var want, got []string
	for _, x := range steps {
		want = append(want, strings.Join([]string{x.ID, x.Model, fmt.Sprint(x.Tokens), x.Source}, "|"))
	}
	for _, x := range b.steps {
		a := x.Attributes
		if a["tokens"] == "" {
			a["tokens"] = "0"
		}
		got = append(got, strings.Join([]string{x.ID, a["model"], a["tokens"], a["source"]}, "|"))
	}
	r.same(name+": steps of the Store", want, got)
	r.same(name+": number of steps", total, len(b.steps))
	commits, total, err := history.Commits(r.t.Context(), s, tip, 0, len(b.commits)+1)
	if err != nil {
		r.t.Fatal(err)
	}
	want, got = nil, nil
	for _, x := range slices.Backward(commits) {
		want = append(want, strings.Join([]string{x.ID, string(*x.Hash), x.Kind, x.Goal}, "|"))
	}
	for _, x := range b.commits {
		goal := ""
		if quotes := x.Texts["Branch Purpose"]; len(quotes) == 2 {
			goal = quotes[0]
		}
		got = append(got, strings.Join([]string{x.ID, b.made[x.ID].Hash.String(), x.Attributes["kind"], goal}, "|"))
	}
	r.same(name+": commits of the Store", want, got)
	r.same(name+": number of commits", total, len(b.commits))
}
