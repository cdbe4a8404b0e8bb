//go:build unix

package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shareKillings meet another repository. Children of theirs go on when they are killed.
func shareKillings() []killing {
	list := []killing{
		{name: "fetch", args: []string{"fetch"}, holds: func(k *killed) {
			if _, there := k.refs()["refs/context/remotes/origin/heads/far"]; !there {
				k.t.Error("what the remote has was not fetched")
			}
		}},
		{name: "push", prepare: func(w *killWorld) { w.ok("commit", "-b", "side", "-m", "More") }, args: []string{"push", "origin", "side"},
			holds: func(k *killed) { k.once("side", k.kept["side"]) }},
		{name: "push --delete", args: []string{"push", "--delete", "origin", "far"}, again: []int{1}, holds: func(k *killed) {
			if left := k.git("ls-remote", "origin", "refs/context/heads/far"); left != "" {
				k.t.Errorf("it is still there: %s", left)
			}
		}},
		{name: "sync", prepare: apart, args: []string{"sync"}, holds: synchronized},
		{name: "sync in conflict", prepare: func(w *killWorld) {
			apart(w)
			w.ok("remember", "lock", "ours")
		}, args: []string{"sync"}, ends: 3, holds: func(k *killed) {
			k.ok("resolve", "lock", "--ours")
			k.ok("merge", "--continue")
			synchronized(k)
		}},
		{name: "sync, settled", prepare: func(w *killWorld) {
			apart(w)
			w.ok("remember", "lock", "ours")
			w.fails("context", "sync")
			w.ok("resolve", "lock", "--ours")
		}, args: []string{"merge", "--continue"}, again: []int{1}, holds: synchronized},
		{name: "sync that hides", prepare: askedToForget, args: []string{"sync"}, holds: func(k *killed) {
			k.ok("sync")
			k.says("asked for", 0, "--log", "--steps", "1000")
			k.ok("expunge", "--from", "origin", "--refuse")
			refused(k)
		}},
		{name: "expunge --refuse", prepare: func(w *killWorld) {
			askedToForget(w)
			w.ok("sync")
		}, args: []string{"expunge", "--from", "origin", "--refuse"}, again: []int{1}, holds: refused},
		{name: "expunge --refuse, of what the remote still has", prepare: askedAndKept,
			args: []string{"expunge", "--from", "origin", "--refuse"}, again: []int{1}, holds: refused},
		{name: "expunge --from --yes", prepare: func(w *killWorld) {
			askedToForget(w)
			w.ok("sync")
		}, args: []string{"expunge", "--from", "origin", "--yes"}, again: []int{1}, holds: func(k *killed) {
			k.says("asked for", 0, "--log", "--steps", "1000")
			if left := k.git("for-each-ref", "refs/context/kept"); left != "" {
				k.t.Errorf("left: %s", left)
			}
			k.ok("sync")
		}},
		{name: "bundle", args: []string{"bundle", "../memory.bundle"}, holds: func(k *killed) {
			k.git("bundle", "verify", "-q", k.beside("memory.bundle"))
			if left, err := filepath.Glob(k.beside("memory.bundle.*")); err != nil || len(left) > 0 {
				k.t.Errorf("left: %v, %v", left, err)
			}
		}},
		{name: "unbundle", prepare: bundled, args: []string{"unbundle", "../theirs.bundle"}, holds: func(k *killed) {
			k.once("main", slices.Concat(k.kept["main"], k.kept["theirs"]))
			k.once("far", k.kept["far"])
		}},
		{name: "init", prepare: unborn, args: []string{"init", "--goal", "Begin", "--todo", "Look", "--brief", "as short as can be"}, first: true, holds: func(k *killed) {
			k.says("Look", 1, "roadmap")
			k.says("as short as can be", 1, "topic", "brief")
			k.current("main")
		}},
		{name: "init where a remote has memory", prepare: cloned, args: []string{"init"}, first: true, holds: func(k *killed) {
			k.once("main", k.kept["main"])
			for _, key := range []string{"remote.origin.fetch", "notes.context.mergeStrategy"} {
				values := strings.Fields(k.git("config", "--get-all", key))
				if slices.Sort(values); len(values) != len(slices.Compact(slices.Clone(values))) {
					k.t.Errorf("%s is set twice: %v", key, values)
				}
			}
			k.ok("sync")
		}},
	}
	for i := range list {
		list[i].lasting = true
	}
	return list
}

// apart lets this side go on too, so that there is something to be merged: milestones,
// the roadmap and notes.
func apart(w *killWorld) {
	w.ok("commit", "-m", "Ours", "--todo", "Ours", "--score", "1")
}

// synchronized holds that a sync leaves nothing to do, and that a third one has all.
func synchronized(k *killed) {
	k.ok("sync")
	all := slices.Concat(k.kept["main"], k.kept["theirs"])
	k.once("main", all)
	cloned(k.killWorld)
	k.ok("init")
	k.once("main", all)
	k.says("Ours", 1, "roadmap")
	if n := k.count("main", "Ours"); n != 1 {
		k.t.Errorf("a milestone stands %d times", n)
	}
}

// askedToForget has another clone expunge a step of this one, on the remote too.
func askedToForget(w *killWorld) {
	there := asker(w)
	there.ok("expunge", "--match", "asked for", "--yes")
	there.git("push", "-q", "--force", "origin", "refs/context/heads/main", "refs/context/roadmap", "refs/notes/context")
}

// askedAndKept is askedToForget where the remote still has the step, below a commit that was here only for a moment.
func askedAndKept(w *killWorld) {
	there := asker(w)
	there.ok("commit", "-m", "On top of it", "--score", "0.5")
	there.ok("sync")
	there.ok("expunge", "--match", "asked for", "--yes")
	there.git("push", "-q", "origin", "refs/context/roadmap")
	w.fails("context", "sync")
}

// asker is another clone, which has a step of this one.
func asker(w *killWorld) *world {
	w.ok("record", "-a", "asked for")
	w.ok("commit", "-m", "Ours")
	w.ok("sync")
	w.git("-C", w.root, "clone", "-q", "origin.git", "asker")
	there := w.inDir(w.beside("asker"))
	there.ok("init")
	return there
}

// refused holds that what was asked for is back, also for a third clone.
func refused(k *killed) {
	k.says("asked for", 1, "--log", "--steps", "1000")
	k.ok("sync")
	cloned(k.killWorld)
	k.ok("init")
	k.says("asked for", 1, "--log", "--steps", "1000")
}

// cloned puts a new clone of the remote in the place of the repository.
func cloned(w *killWorld) {
	w.gone()
	w.kept["main"] = slices.Concat(w.kept["shared"], w.kept["theirs"])
	w.git("-C", w.root, "clone", "-q", "origin.git", w.dir)
	w.git("remote", "set-url", "origin", "../origin.git")
}

// unborn puts a new repository in its place.
func unborn(w *killWorld) {
	w.gone()
	w.git("-C", w.root, "init", "-q", "--template=", w.dir)
	w.git("commit", "-q", "--allow-empty", "-m", "code")
	w.kept = map[string][]string{}
}

func (w *killWorld) gone() {
	w.t.Helper()
	if err := os.RemoveAll(w.dir); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Mkdir(w.dir, 0o777); err != nil {
		w.t.Fatal(err)
	}
}

// bundled is what the remote has, in a file.
func bundled(w *killWorld) {
	there := w.inDir(w.beside("origin.git"))
	there.ok("bundle", "../theirs.bundle")
}
