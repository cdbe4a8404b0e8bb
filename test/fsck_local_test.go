package test

import (
	"os"
	"slices"
	"strings"
)

// localRows are the ways in which local state and refs can break.
func localRows() []broken {
	return slices.Concat([]broken{
		{name: "intent", kind: "intent-unreadable", breaks: func(w *world) { w.put("context/intent/main.json", "{") }},
		{name: "expunge", kind: "expunge-unreadable", breaks: func(w *world) { w.put("context/expunge.json", "{") }},
	}, refRows())
}

// noID is the name of an object that no repository has.
const noID = "1234567890123456789012345678901234567890"

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
			w.put("refs/context/roadmap", strings.Repeat("0", 40)+"\n")
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
			w.put("refs/context/heads/main", noID+"\n")
		}},
		{name: "branch at a blob", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.put("refs/context/heads/main", w.at("HEAD:file")+"\n")
		}},
		{name: "tag without its commit", kind: "ref-lost", breaks: func(w *world) {
			w.put("refs/context/tags/worst", noID+"\n")
		}},
		{name: "tracking ref without its commit", kind: "ref-lost", fixable: true, breaks: func(w *world) {
			w.put("refs/context/remotes/origin/heads/main", noID+"\n")
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
