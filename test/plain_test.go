//go:build unix

package test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Who knows nothing of memory works on as before: fetch, pull, push and clone do
// what they did, whether the remote has memory or not, and before and after one
// runs `git context init`. None of them pushes memory.
func TestPlainGitKeepsWorking(t *testing.T) {
	t.Parallel()
	for _, k := range serverKinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			for _, remembers := range []bool{false, true} {
				name := "no memory on the remote"
				if remembers {
					if !k.takesMemory() {
						continue // it can have none under names of its own
					}
					name = "memory on the remote"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					plainGit(t, k, remembers)
				})
			}
		})
	}
}

func plainGit(t *testing.T, k serverKind, remembers bool) {
	s := k.serve(t)
	if remembers {
		w := s.clone(t)
		w.ok("init", "--goal", "Be there first")
		w.ok("commit", "-m", "First")
		w.git("push", "-q", "origin", "refs/context/*:refs/context/*", "refs/notes/context")
	}
	w := s.clone(t)
	before := s.refs(w, "refs/context", "refs/notes")
	if (before != "") != remembers {
		t.Fatalf("memory on the server: %q", before)
	}
	if refs := w.git("for-each-ref", "refs/context", "refs/notes"); refs != "" {
		t.Errorf("a plain clone has memory:\n%s", refs)
	}
	w.reads(s)
	w.writes(k, s)
	w.ok("init")
	w.reads(s)
	w.ok("commit", "-m", "Mine")
	w.writes(k, s)
	w.clones(s, remembers)
	if after := s.refs(w, "refs/context", "refs/notes"); after != before {
		t.Errorf("plain pushes have changed memory on the server:\n%s\nbefore:\n%s", after, before)
	}
	if remembers {
		w.tracks(s)
	}
}

// reads fetches in every usual way, with something to fetch each time.
func (w *world) reads(s *server) {
	w.t.Helper()
	for _, args := range [][]string{
		{"fetch"}, {"fetch", "--prune"}, {"fetch", "--all"}, {"remote", "update"}, {"fetch", "origin", "main"},
		{"pull"}, {"pull", "--rebase"}, {"pull", "--rebase", "--prune"},
	} {
		want := s.news(w)
		w.git(args...)
		if got := strings.TrimSpace(w.git("rev-parse", "origin/main")); got != want {
			w.t.Errorf("git %s: origin/main is %s, not %s", strings.Join(args, " "), got, want)
		}
		if got := strings.TrimSpace(w.git("rev-parse", "HEAD")); args[0] == "pull" && got != want {
			w.t.Errorf("git %s: HEAD is %s, not %s", strings.Join(args, " "), got, want)
		}
	}
}

// writes pushes in every usual way, with something to push each time.
func (w *world) writes(k serverKind, s *server) {
	w.t.Helper()
	if k.takes == "none" {
		w.git("commit", "-q", "--allow-empty", "-m", "refused")
		w.fails("push")
		w.git("reset", "-q", "--hard", "origin/main")
		return
	}
	for _, args := range [][]string{{"push"}, {"push", "--all"}, {"push", "--follow-tags"}, {"push", "origin", "HEAD"}} {
		w.git("commit", "-q", "--allow-empty", "-m", strings.Join(args, " "))
		w.git(args...)
		if got, want := w.git("-C", s.dir, "rev-parse", "refs/heads/main"), w.git("rev-parse", "HEAD"); got != want {
			w.t.Errorf("git %s: main is %s, not %s", strings.Join(args, " "), got, want)
		}
	}
}

// clones makes the clones that see other refs than a plain one.
func (w *world) clones(s *server, remembers bool) {
	w.t.Helper()
	shallow, mirror := filepath.Join(w.t.TempDir(), "shallow"), filepath.Join(w.t.TempDir(), "mirror")
	w.git("clone", "-q", "--depth", "1", s.url, shallow)
	if refs := w.git("-C", shallow, "for-each-ref", "refs/context", "refs/notes"); refs != "" {
		w.t.Errorf("a shallow clone has memory:\n%s", refs)
	}
	w.git("clone", "-q", "--mirror", s.url, mirror)
	if refs := w.git("-C", mirror, "for-each-ref", "refs/context", "refs/notes"); (refs != "") != remembers {
		w.t.Errorf("memory in a mirror: %q", refs)
	}
}

// tracks holds that a plain fetch, pruning or not, brings what memory the remote
// has to where it is tracked.
func (w *world) tracks(s *server) {
	w.t.Helper()
	for from, to := range map[string]string{
		"refs/context/heads/main": "refs/context/remotes/origin/heads/main",
		"refs/context/roadmap":    "refs/context/remotes/origin/roadmap",
		"refs/notes/context":      "refs/notes/remotes/origin/context",
	} {
		if got, want := w.git("rev-parse", to), w.git("-C", s.dir, "rev-parse", from); got != want {
			w.t.Errorf("%s is %s, not %s", to, got, want)
		}
	}
}
