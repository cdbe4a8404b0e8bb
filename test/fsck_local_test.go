//go:build unix

package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// localRows are the ways in which local state and refs can break.
func localRows() []broken {
	return slices.Concat([]broken{
		{name: "intent", kind: "intent-unreadable", fixable: true, breaks: func(w *world) { w.put("context/intent/main.json", "{") }},
		{name: "expunge", kind: "expunge-unreadable", breaks: func(w *world) { w.put("context/expunge.json", "{") }},
		{name: "request", kind: "request-unreadable", breaks: func(w *world) {
			w.git("update-ref", "refs/context/kept/01JD5K0Z3V7Q3M9K2A4B5C6D7E", "refs/context/heads/main")
			w.put("context/asked", "")
			if brief := w.ok(); !strings.Contains(string(brief), "what remotes ask to forget cannot be read") {
				w.t.Errorf("the brief is\n%s", brief)
			}
		}},
	}, refRows(), headRows(), journalRows(), lockRows(), remoteRows(), stateRows())
}

// noID is the name of an object that no repository has.
func (w *world) noID() string { return strings.Repeat("1234", len(w.at("HEAD"))/4) }

// at is what a ref names.
func (w *world) at(ref string) string { return strings.TrimSpace(w.git("rev-parse", ref)) }

// remove takes a file or folder below the git directory away.
func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(w.gitPath(name)); err != nil {
		w.t.Fatal(err)
	}
}

// refRows break refs.
func refRows() []broken {
	return []broken{
		{name: "empty branch", kind: "ref-broken", fixable: true, breaks: func(w *world) { w.put("refs/context/heads/main", "") }},
		{name: "garbage branch", kind: "ref-broken", fixable: true, breaks: func(w *world) { w.put("refs/context/heads/exp/pool", "garbage\n") }},
		{name: "zero roadmap", kind: "ref-broken", fixable: true, breaks: func(w *world) {
			w.put("refs/context/roadmap", strings.Repeat("0", len(w.at("HEAD")))+"\n")
		}},
		{name: "empty notes", kind: "ref-broken", fixable: true, breaks: func(w *world) { w.put("refs/notes/context", "") }},
		{name: "empty deleted branch", kind: "ref-broken", fixable: true, breaks: func(w *world) {
			deleted := strings.TrimSpace(w.git("for-each-ref", "--format=%(refname)", "refs/context/deleted"))
			w.put(deleted, "")
		}},
		{name: "empty tag", kind: "ref-broken", fixable: true, breaks: func(w *world) { w.put("refs/context/tags/best", "") }},
		{name: "empty tracking ref", kind: "ref-broken", fixable: true, breaks: func(w *world) {
			w.put("refs/context/remotes/origin/heads/main", "")
		}},
		{name: "empty branch without a reflog", kind: "ref-broken", fixable: true, breaks: func(w *world) {
			w.put("refs/context/heads/exp/pool", "")
			w.remove("logs/refs/context/heads/exp")
		}},
		{name: "branch without its commit", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.put("refs/context/heads/main", w.noID()+"\n")
		}},
		{name: "branch at a blob", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.put("refs/context/heads/main", w.at("HEAD:file")+"\n")
		}},
		{name: "tag without its commit", kind: "ref-lost", breaks: func(w *world) {
			w.put("refs/context/tags/worst", w.noID()+"\n")
		}},
		{name: "tracking ref without its commit", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.put("refs/context/remotes/origin/heads/main", w.noID()+"\n")
		}},
		{name: "handed over code without its commit", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.git("update-ref", "--create-reflog", "refs/context/work/main", "HEAD") // an older one must not come back
			w.put("refs/context/work/main", w.noID()+"\n")
		}},
		{name: "handed over code at a blob", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.put("refs/context/work/main", w.at("HEAD:file")+"\n")
		}},
		{name: "empty handed over code", kind: "ref-broken", fixable: true, breaks: func(w *world) { w.put("refs/context/work/main", "") }},
		{name: "handed over code of no branch", kind: "work-left", fixable: true, breaks: func(w *world) {
			w.git("update-ref", "refs/context/work/nobody", "HEAD")
		}},
		{name: "handed over code that is none", kind: "work-invalid", fixable: true, breaks: func(w *world) {
			w.git("update-ref", "refs/context/work/main", "HEAD")
		}},
		{name: "branch of a bad name", kind: "ref-name", breaks: func(w *world) {
			w.git("update-ref", "refs/context/tags/-best", w.at("refs/context/tags/best"))
		}},
		{name: "branches that differ by case", kind: "ref-name", breaks: func(w *world) {
			w.git("update-ref", "--create-reflog", "refs/context/tags/Best", w.at("refs/context/tags/best"))
		}},
		{name: "a copy of a ref's file", kind: "ref-name", breaks: func(w *world) {
			w.put("refs/context/heads/main (copy)", w.at("refs/context/heads/main")+"\n")
		}},
		{name: "no roadmap", kind: "roadmap-missing", fixable: true, breaks: func(w *world) {
			w.git("update-ref", "-d", "refs/context/roadmap")
		}},
	}
}

// headRows break the CONTEXT_HEAD of a worktree.
func headRows() []broken {
	return []broken{
		{name: "head at no branch", kind: "head-dangling", fixable: true, breaks: func(w *world) {
			w.git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/none")
		}},
		{name: "head at a renamed branch", kind: "head-dangling", fixable: true, breaks: func(w *world) {
			w.ok("branch", "one", "--no-switch")
			w.ok("branch", "-m", "one", "two")
			w.ok("branch", "-m", "two", "three")
			w.git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/one")
		}},
		{name: "head of a worktree at no branch", kind: "head-dangling", fixable: true, breaks: func(w *world) {
			w.inDir(w.beside("linked")).git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/none")
		}},
		{name: "detached head", kind: "head-detached", fixable: true, breaks: func(w *world) {
			w.put("worktrees/linked/CONTEXT_HEAD", w.at("refs/context/heads/exp/pool")+"\n")
		}},
		{name: "head at the code", kind: "head-invalid", fixable: true, breaks: func(w *world) {
			w.git("symbolic-ref", "CONTEXT_HEAD", "refs/heads/main")
		}},
		{name: "empty head", kind: "head-invalid", fixable: true, breaks: func(w *world) { w.put("CONTEXT_HEAD", "") }},
		{name: "garbled head", kind: "head-invalid", fixable: true, breaks: func(w *world) { w.put("CONTEXT_HEAD", "garbage\n") }},
		{name: "empty head of a worktree", kind: "head-invalid", fixable: true, breaks: func(w *world) {
			w.put("worktrees/linked/CONTEXT_HEAD", "")
		}, after: func(w *world) {
			if now := w.read(".git/worktrees/linked/CONTEXT_HEAD"); now != "ref: refs/context/heads/main\n" {
				w.t.Errorf("it is %q now", now)
			}
		}},
	}
}

// journalOf is the text of a branch's journal.
func (w *world) journalOf(file string) string {
	return w.read(filepath.Join(".git", "context", "journal", file))
}

// journalRows break what was recorded and is not committed.
func journalRows() []broken {
	const journal = "context/journal/main.jsonl"
	edit := func(change func(lines []string) []string) func(w *world) {
		return func(w *world) {
			lines := strings.SplitAfter(w.journalOf("main.jsonl"), "\n")
			w.put(journal, strings.Join(change(lines[:len(lines)-1]), ""))
		}
	}
	return []broken{
		{name: "garbage among steps", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string {
			return slices.Insert(l, len(l)-1, "garbage\n")
		})},
		{name: "garbage behind steps", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string {
			return append(l, "garbage\n")
		})},
		{name: "a step that cannot be read", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string {
			return append(l, `{"observation":7,"step":99,"id":"01JD5K0Z3V7Q3M9K2A4B5C6D7E"}`+"\n")
		})},
		{name: "garbage first", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string {
			return append([]string{"garbage\n"}, l[1:]...)
		})},
		{name: "no first line", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string { return l[1:] })},
		{name: "a mark of nowhere", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string {
			return append(l, `{"committed":"`+strings.Repeat("1234", 10)+`","upto":7,"step":99,"id":"01ZZ5K0Z3V7Q3M9K2A4B5C6D7E"}`+"\n")
		})},
		{name: "steps out of order", kind: "journal-damaged", fixable: true, breaks: edit(func(l []string) []string {
			n := len(l)
			l[n-1], l[n-2] = l[n-2], l[n-1]
			return append(l, l[n-1])
		})},
		{name: "a journal of long ago", kind: "journal-committed", fixable: true, breaks: func(w *world) {
			old := w.journalOf("main.jsonl")
			w.ok("commit", "-m", "Committed")
			// As in a copy of the repository, whose journal was made anew since.
			w.put(journal, strings.Replace(old, `{"journal":"01`, `{"journal":"00`, 1))
		}},
		{name: "a branch that is gone", kind: "journal-lost", breaks: func(w *world) {
			w.inDir(w.beside("linked")).git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/main")
			w.git("update-ref", "-d", "refs/context/heads/exp/pool")
		}},
		{name: "a current branch that is gone", kind: "journal-lost", breaks: func(w *world) {
			w.git("update-ref", "-d", "refs/context/heads/exp/pool")
		}},
		{name: "a branch that another one replaced", kind: "journal-lost", breaks: func(w *world) {
			w.ok("branch", "one", "--no-switch")
			w.ok("record", "-b", "one", "-a", "pending")
			w.git("update-ref", "-d", "refs/context/heads/one")
			w.ok("branch", "one", "--no-switch")
		}, after: func(w *world) {
			if steps := w.steps("one-2"); len(steps) != 1 {
				w.t.Errorf("brought back: %+v", steps)
			}
		}},
		{name: "a rename that was killed", kind: "journal-renamed", fixable: true, breaks: func(w *world) {
			w.ok("branch", "one", "--no-switch")
			w.ok("record", "-b", "one", "-a", "pending")
			w.killedAt("after-refs", "branch", "-m", "one", "two")
		}},
	}
}

// lockRows leave a lock as a killed process does.
func lockRows() []broken {
	var rows []broken
	for _, of := range []string{"refs/context/heads/exp/pool", "refs/context/roadmap", "refs/notes/context", "packed-refs",
		"CONTEXT_HEAD", "worktrees/linked/CONTEXT_HEAD", "refs/context/remotes/origin/heads/main", "logs/refs/context/heads/main",
		"logs/refs/notes/context", "logs/CONTEXT_HEAD", "worktrees/linked/logs/CONTEXT_HEAD"} {
		rows = append(rows, broken{name: "lock of " + of, kind: "lock-left", fixable: true, breaks: func(w *world) {
			w.put(of+".lock", "")
			w.age(of+".lock", 11*time.Minute)
		}})
	}
	return rows
}

// age makes a file below the git directory look older.
func (w *world) age(name string, by time.Duration) {
	w.t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(w.gitPath(filepath.FromSlash(name)), then, then); err != nil {
		w.t.Fatal(err)
	}
}
