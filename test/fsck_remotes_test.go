//go:build unix

package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// refs are the names of refs that begin with one of some prefixes, a name on a line.
func (w *world) refs(prefixes ...string) string {
	w.t.Helper()
	return w.git(append([]string{"for-each-ref", "--format=%(refname)"}, prefixes...)...)
}

// remoteRows break what is kept of remotes, and the settings that init made.
func remoteRows() []broken {
	const kept = "refs/context/remotes/"
	return []broken{
		{name: "a renamed remote", kind: "refspec-renamed", breaks: func(w *world) {
			w.git("remote", "rename", "origin", "team/up")
		}, after: func(w *world) {
			w.ok("sync")
			if left := w.refs(kept+"origin", "refs/notes/remotes/origin"); left != "" {
				w.t.Errorf("left under the old name:\n%s", left)
			}
			if now := w.refs(kept+"team/up", "refs/notes/remotes/team/up"); strings.Count(now, "\n") < 5 {
				w.t.Errorf("under the new name stand only\n%s", now)
			}
			if shared := w.read(".git/context/shared/team%2Fup"); !strings.Contains(shared, "refs/context/heads/exp/pool") {
				w.t.Errorf("the sync did not record what is shared under the new name: %q", shared)
			}
		}},
		{name: "a remote fetched to another's place", kind: "refspec-renamed", fixable: true, breaks: func(w *world) {
			w.git("config", "remote.copy.url", "../remote.git")
			w.git("config", "remote.copy.fetch", "+refs/context/heads/*:refs/context/remotes/origin/heads/*")
			w.git("config", "--add", "remote.copy.fetch", "+refs/context/roadmap*:refs/context/remotes/copy/roadmap*")
			w.git("config", "--add", "remote.copy.fetch", "+refs/notes/context*:refs/notes/remotes/copy/context*")
		}},
		{name: "a refspec that is missing", kind: "refspec-missing", fixable: true, breaks: func(w *world) {
			w.git("config", "--unset-all", "remote.origin.fetch", "refs/notes")
		}},
		{name: "refspecs that are missing", kind: "refspec-missing", fixable: true, breaks: func(w *world) {
			w.git("remote", "set-branches", "origin", "main")
		}},
		{name: "a refspec of another mapping", kind: "refspec-mapping", fixable: true, breaks: func(w *world) {
			w.git("config", "--add", "remote.origin.fetch", "+refs/heads/context/roadmap*:refs/context/remotes/origin/roadmap*")
		}},
		{name: "two sets of names", kind: "mapping-split", breaks: func(w *world) {
			w.git("update-ref", "refs/context/other/origin/heads/main", "refs/context/remotes/origin/heads/main")
			w.git("update-ref", "refs/context/other/origin/roadmap", "refs/context/remotes/origin/roadmap")
		}},
		{name: "a push of memory alone", kind: "push-memory", breaks: func(w *world) {
			w.git("config", "remote.origin.push", "refs/context/heads/*")
		}},
		{name: "a mirror of another repository", kind: "refspec-overwrites", fixable: true, breaks: func(w *world) {
			w.git("config", "--add", "remote.origin.fetch", "+refs/*:refs/*")
		}},
		{name: "memory fetched to its own place", kind: "refspec-overwrites", fixable: true, breaks: func(w *world) {
			w.git("config", "--add", "remote.origin.fetch", "refs/context/heads/*:refs/context/heads/*")
		}},
		{name: "notes fetched to their own place", kind: "refspec-overwrites", fixable: true, breaks: func(w *world) {
			w.git("config", "--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*")
		}},
		{name: "notes without a strategy", kind: "config-missing", fixable: true, breaks: func(w *world) {
			w.git("config", "--unset", "notes.context.mergeStrategy")
		}},
		{name: "a removed remote", kind: "remote-gone", fixable: true, breaks: func(w *world) {
			w.git("remote", "remove", "origin")
		}, after: func(w *world) {
			if left := w.refs(kept, "refs/notes/remotes"); left != "" {
				w.t.Errorf("left: %s", left)
			}
		}},
		{name: "a removed remote with a branch of its own", kind: "remote-gone", fixable: true, breaks: func(w *world) {
			w.ok("branch", "theirs", "--no-switch")
			w.git("update-ref", kept+"gone/heads/theirs", w.at("refs/context/heads/theirs"))
			w.git("update-ref", "-d", "refs/context/heads/theirs")
			w.remove("context/journal/theirs.jsonl")
		}, after: func(w *world) { w.ok("branch", "--restore", "theirs") }},
		{name: "a removed remote with notes of its own", kind: "remote-gone", breaks: func(w *world) {
			tree := w.at("refs/notes/context^{tree}")
			w.git("update-ref", "refs/notes/remotes/gone/context", strings.TrimSpace(w.git("commit-tree", "-m", "theirs", tree)))
		}},
	}
}

// stateRows break files of local state.
func stateRows() []broken {
	return []broken{
		{name: "merge", kind: "merge-unreadable", fixable: true, breaks: func(w *world) { w.put("context/merge/exp%2Fpool.json", "{") }},
		{name: "bisect", kind: "bisect-unreadable", fixable: true, breaks: func(w *world) { w.put("context/bisect/main-worktree/main.json", "garbage") }},
		{name: "held", kind: "held-unreadable", breaks: func(w *world) { w.put("context/held/origin", "garbage\n") }},
	}
}

// State that may not be written to is told once, with what gives it back.
func TestFsckFindsStateThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("record", "-a", "before")
	run := w.asNobody(filepath.Dir(w.dir))
	for _, name := range []string{"context", "context/journal", "context/journal/main.jsonl"} {
		path := w.gitPath(filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, info.Mode().Perm()&^0o222); err != nil {
			t.Fatal(err)
		}
		out, err := run("fsck")
		lines := slices.Collect(strings.Lines(out))
		if err == nil || len(lines) < 2 || !strings.HasPrefix(lines[0], "problem state-refused: '"+path+"'") || strings.Contains(lines[2], "problem state") {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		_, repair, _ := strings.Cut(strings.TrimSpace(lines[1]), "repair: ")
		if out, err := w.command(nil, "sh", "-c", repair).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", repair, err, out)
		}
		if out, err := run("fsck"); err != nil {
			t.Errorf("%s, once mended: %v\n%s", name, err, out)
		}
	}
}

// A file of local state that may not be read is told with what gives it back, whatever reads it.
func TestFsckFindsStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("record", "-a", "before")
	for _, name := range []string{"context/intent/main.json", "context/merge/main.json", "context/bisect/main-worktree/main.json", "context/held/origin",
		"context/hooks.jsonl", "context/gc.log", "context/heard.json", "context/expunged.txt", "context/capture/x.json"} {
		w.put(name, "{}")
	}
	run := w.asNobody(filepath.Dir(w.dir))
	for _, name := range []string{"written", "intent/main.json", "merge/main.json", "bisect/main-worktree/main.json", "held/origin", "hooks.jsonl", "gc.log",
		"heard.json", "expunged.txt", "capture/x.json", "journal/main.jsonl"} {
		path := w.gitPath(filepath.FromSlash("context/" + name))
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		out, err := run("fsck")
		_, found, _ := strings.Cut(out, "problem state-refused: '"+path+"' cannot be ")
		lines := slices.Collect(strings.Lines(found))
		if err == nil || len(lines) < 2 || strings.Contains(out, "unchecked") {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		_, repair, _ := strings.Cut(strings.TrimSpace(lines[1]), "repair: ")
		if out, err := w.command(nil, "sh", "-c", repair).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", repair, err, out)
		}
		if out, _ := run("fsck"); strings.Contains(out, "state-refused") || strings.Contains(out, "unchecked") {
			t.Errorf("%s, once mended:\n%s", name, out)
		}
	}
}

// A plain fetch of a bare clone must bring code. A mirror, and a repository on a server
// that nobody ever ran init in, lack nothing.
func TestFsckInBareRepositories(t *testing.T) {
	t.Parallel()
	p := prepare(t)
	w := p.world(t)
	w.dir = w.beside("remote.git")
	if found := w.problems(); len(found) > 0 {
		t.Errorf("in the remote: %+v", found)
	}
	w.git("clone", "-q", "--mirror", w.dir, w.beside("mirror.git"))
	w.git("clone", "-q", "--bare", w.dir, w.beside("bare.git"))
	w.dir = w.beside("mirror.git")
	if found := w.problems(); len(found) > 0 {
		t.Errorf("in a mirror: %+v", found)
	}
	w.dir = w.beside("bare.git")
	w.ok("init")
	if found := w.problems(); len(found) > 0 {
		t.Errorf("in a bare clone: %+v", found)
	}
	w.git("config", "remote.origin.fetch", "+refs/context/heads/*:refs/context/remotes/origin/heads/*")
	if found := w.problems("--fix"); len(found) != 1 || found[0].Kind != "refspec-alone" || !found[0].Fixed {
		t.Errorf("refspecs of memory alone: %+v", found)
	}
	if found := w.problems(); len(found) > 0 {
		t.Errorf("once mended: %+v", found)
	}
}
