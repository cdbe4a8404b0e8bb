//go:build unix

package test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// branchKillings make, move and merge branches.
func branchKillings() []killing {
	return []killing{
		{name: "branch", args: []string{"branch", "exp", "--purpose", "Try"}, again: []int{1}, holds: func(k *killed) {
			k.ok("switch", "exp")
			k.next()
			k.is("Try", "metadata", "get", "branch.purpose")
		}},
		{name: "branch -d", args: []string{"branch", "-d", "done"}, again: []int{1}, together: []string{"refs/context/heads/done", "refs/context/deleted/done-"},
			holds: func(k *killed) { k.deleted("done") }},
		{name: "branch -D", args: []string{"branch", "-D", "side", "--yes"}, again: []int{1}, holds: func(k *killed) { k.deleted("side") }},
		{name: "branch -m", prepare: occupied, args: []string{"branch", "-m", "side", "other"}, again: []int{1},
			together: []string{"refs/context/heads/side", "refs/context/heads/other"}, holds: renamed},
		{name: "branch --restore", args: []string{"branch", "--restore", "gone"}, again: []int{1},
			together: []string{"refs/context/heads/gone", "refs/context/deleted/gone-"}, holds: func(k *killed) { k.once("gone", k.kept["gone"]) }},
		{name: "switch", args: []string{"switch", "side"}, holds: func(k *killed) { k.current("side") }},
		{name: "switch to what a remote has", prepare: func(w *killWorld) { w.ok("fetch") }, args: []string{"switch", "far"}, holds: func(k *killed) {
			k.current("far")
			k.next()
		}},
		{name: "tag", args: []string{"tag", "new"}, again: []int{1}, holds: func(k *killed) { k.says(" new ", 1, "tag") }},
		{name: "tag -d", args: []string{"tag", "-d", "good"}, again: []int{1}, holds: func(k *killed) { k.says(" good ", 0, "tag") }},
		{name: "merge", args: []string{"merge", "side"}, together: []string{mainRef, "refs/context/heads/side", roadmapRef}, holds: func(k *killed) {
			k.merged("side")
			k.is("merged", "metadata", "get", "branch.status", "-b", "side")
		}},
		{name: "merge --abandon", args: []string{"merge", "side", "--abandon", "-m", "Too slow"}, again: []int{1}, holds: func(k *killed) {
			k.once("side", k.kept["side"])
			k.is("abandoned", "metadata", "get", "branch.status", "-b", "side")
			k.says("abandoned: Too slow", 1, "roadmap")
		}},
		{name: "merge in conflict", args: []string{"merge", "clash"}, ends: 3, holds: func(k *killed) { k.ok("merge", "--abort") }},
		{name: "resolve", prepare: inConflict, args: []string{"resolve", "pool", "--theirs"}, holds: func(k *killed) {
			k.says(`"resolved":true`, 1, "merge", "--status", "--json")
			k.ok("merge", "--continue")
			k.merged("clash")
		}},
		{name: "merge --continue", prepare: resolved, args: []string{"merge", "--continue"}, again: []int{1},
			together: []string{mainRef, "refs/context/heads/clash", roadmapRef}, holds: func(k *killed) {
				k.merged("clash")
				k.is("global", "topic", "pool")
			}},
		{name: "merge --abort", prepare: inConflict, args: []string{"merge", "--abort"}, again: []int{1}, holds: func(k *killed) {
			k.fails("context", "merge", "--status")
		}},
		{name: "bisect start", args: []string{"bisect", "start"}, again: []int{1}, holds: func(k *killed) { k.ok("bisect", "reset") }},
		{name: "bisect good", prepare: bisecting, args: []string{"bisect", "good", "one"}, again: []int{1},
			holds: func(k *killed) { k.says(`"good":["`, 1, "bisect", "--json") }},
		{name: "bisect reset", prepare: bisecting, args: []string{"bisect", "reset"}, again: []int{1},
			holds: func(k *killed) { k.fails("context", "bisect") }},
	}
}

// leavingKillings merge the current branch, after which its target is current.
func leavingKillings() []killing {
	return []killing{
		{name: "merge of the current branch", prepare: onSide, args: []string{"merge", "side", "--into", "main"},
			together: []string{mainRef, "refs/context/heads/side", roadmapRef}, holds: func(k *killed) {
				k.merged("side")
				k.current("main")
				k.is("merged", "metadata", "get", "branch.status", "-b", "side")
			}},
		{name: "merge --abandon of the current branch", prepare: onSide, args: []string{"merge", "side", "--abandon", "--into", "main"}, again: []int{1},
			holds: func(k *killed) {
				k.current("main")
				k.is("abandoned", "metadata", "get", "branch.status", "-b", "side")
			}},
	}
}

// deleted holds that a branch is gone, once, and that all of it comes back.
func (k *killed) deleted(branch string) {
	k.t.Helper()
	n := 0
	refs := k.refs()
	for ref := range refs {
		if strings.HasPrefix(ref, "refs/context/deleted/"+branch+"-") {
			n++
		}
	}
	if _, there := refs["refs/context/heads/"+branch]; there || n != 1 {
		k.t.Errorf("'%s' is there: %v; it was deleted %d times", branch, there, n)
	}
	k.ok("branch", "--restore", branch)
	k.once(branch, k.kept[branch])
}

// current holds that a branch is the current one.
func (k *killed) current(branch string) {
	k.t.Helper()
	if got := k.refs()["CONTEXT_HEAD"]; got != "ref: refs/context/heads/"+branch {
		k.t.Errorf("CONTEXT_HEAD is '%s', want %s", got, branch)
	}
	k.once(branch, k.kept[branch])
}

// merged holds that a branch was merged into main once, with all of its steps.
func (k *killed) merged(branch string) {
	k.t.Helper()
	if n := k.count("main", "Merge branch '"+branch+"'"); n != 1 {
		k.t.Errorf("'%s' was merged %d times", branch, n)
	}
	k.once("main", slices.Concat(k.kept["main"], k.kept[branch]))
}

// conflict runs a merge that ends in a conflict.
func (w *killWorld) conflict(args ...string) {
	w.t.Helper()
	w.fails(append([]string{"context", "merge"}, args...)...)
}

func onSide(w *killWorld) { w.ok("switch", "side") }

func inConflict(w *killWorld) { w.conflict("clash") }

func resolved(w *killWorld) {
	w.conflict("clash")
	w.ok("resolve", "pool", "--theirs")
}

func bisecting(w *killWorld) {
	w.ok("tag", "one", "main~3")
	w.ok("bisect", "start")
	w.ok("bisect", "bad")
}

// occupied has all of what may follow side to another name: a worktree that stands on
// it, steps that are pending, a merge that waits and is half resolved, and a bisect.
func occupied(w *killWorld) {
	w.git("worktree", "add", "-q", "--detach", w.beside("linked"))
	linked := w.inDir(w.beside("linked"))
	linked.ok("switch", "side")
	linked.ok("remember", "pool", "two")
	w.conflict("clash", "--into", "side")
	w.ok("resolve", "pool", "--theirs", "-b", "side")
	w.ok("bisect", "start", "-b", "side")
}

// renamed holds that all of that did.
func renamed(k *killed) {
	linked := &killed{killWorld: &killWorld{world: k.inDir(k.beside("linked")), kept: maps.Clone(k.kept)}, c: k.c}
	linked.kept["other"] = k.kept["side"]
	if k.command(nil, k.bin, "topics", "-b", "side").Run() == nil {
		k.t.Error("the branch has two names")
	}
	linked.ok("switch", "other") // as a worktree is told that was left behind
	linked.next()
	linked.says(`"resolved":true`, 1, "merge", "--status", "--json")
	k.ok("bisect", "-b", "other")
	var step struct{ Step int }
	if err := json.Unmarshal(k.ok("-b", "other", "record", "-a", "last", "--json"), &step); err != nil || step.Step != len(linked.kept["other"])+1 {
		k.t.Errorf("the next step has the number %d, %v; %d stand", step.Step, err, len(linked.kept["other"]))
	}
}
