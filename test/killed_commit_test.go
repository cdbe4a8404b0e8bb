//go:build unix

package test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

const (
	mainRef    = "refs/context/heads/main"
	roadmapRef = "refs/context/roadmap"
	notesRef   = "refs/notes/context"
	workRef    = "refs/context/work/main"
)

// commitKillings make milestones, some with the code.
func commitKillings(t *testing.T) []killing {
	commit := []string{"commit", "-m", "killed"}
	with := func(more ...string) []string { return append(commit[:len(commit):len(commit)], more...) }
	asked := func(k *killed) { k.milestone("main", "killed") }
	list := []killing{
		{name: "commit", args: commit, holds: asked},
		{name: "commit and judge", args: with("--score", "0.25", "--done", "Begin"), together: []string{mainRef, roadmapRef}, holds: func(k *killed) {
			asked(k)
			k.says("[x] Begin", 1, "roadmap")
			// The score of the first may have come before the kill, or never.
			if n := strings.Count(string(k.ok("-k", "10", "--json")), `"score":0.25`); n == 0 || n > k.count("main", "killed") {
				k.t.Errorf("%d milestones have the score", n)
			}
		}},
		{name: "commit, lazy", prepare: setting("context.notes", "lazy"), args: commit, holds: asked},
		{name: "commit and compact", prepare: func(w *killWorld) { w.big("main") }, args: commit, holds: asked},
		{name: "commit attachments", prepare: attached, args: commit, holds: func(k *killed) {
			asked(k)
			k.says("kept bytes", 1, "show", "main:artifacts/kept.txt")
		}},
		{name: "undo attachments", args: []string{"undo"}, again: []int{1}, prepare: func(w *killWorld) {
			attached(w)
			local(w)
		}, holds: func(k *killed) {
			undone(k)
			k.says("kept bytes", 1, "show", "artifacts/kept.txt")
		}},
		{name: "commit nothing", prepare: func(w *killWorld) { w.ok("commit", "-m", "All") }, args: commit, holds: asked},
		{name: "commit, amended", args: with("--amend"), together: []string{mainRef, notesRef}, prepare: local, holds: func(k *killed) {
			if n := k.count("main", "Local"); n > 1 {
				k.t.Errorf("what was replaced stands %d times", n)
			}
			if n := k.count("main", "killed"); n != 1 && n != 2 {
				k.t.Errorf("it was amended to %d commits", n)
			}
			k.once("main", k.kept["main"])
			k.says(`"score":0.125`, 1, "-k", "10", "--json")
		}},
		{name: "undo", args: []string{"undo"}, again: []int{1}, prepare: local, holds: undone},
		{name: "undo, compacted", args: []string{"undo"}, again: []int{1}, prepare: func(w *killWorld) {
			w.big("main")
			local(w)
		}, holds: undone},
		{name: "undo a topic", args: []string{"undo"}, again: []int{1}, prepare: func(w *killWorld) {
			local(w)
			w.ok("remember", "pool", "none at all")
		}, holds: undone},
		{name: "rollback", args: []string{"rollback", "one"}, together: []string{mainRef, roadmapRef},
			prepare: func(w *killWorld) {
				w.ok("tag", "one", "main~3")
				w.ok("roadmap", "goal", "Another")
			}, holds: rolledBack},
	}
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Log("*** SKIPPED: a signed commit is not killed (no ssh-keygen) ***")
		return list
	}
	return append(list, killing{name: "commit, signed", args: with("-S"), prepare: signing, holds: asked})
}

// attached records a step that keeps a file.
func attached(w *killWorld) {
	w.write("kept.txt", "kept bytes\n")
	var step struct{ ID string }
	if err := json.Unmarshal(w.ok("record", "-a", "attach", "--attach", "kept.txt", "--json"), &step); err != nil || step.ID == "" {
		w.t.Fatal(err)
	}
	w.kept["main"] = append(w.kept["main"], step.ID)
}

func setting(key, value string) func(*killWorld) {
	return func(w *killWorld) { w.git("config", key, value) }
}

// signing gives the world a key.
func signing(w *killWorld) {
	key := w.beside("key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		w.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	w.git("config", "gpg.format", "ssh")
	w.git("config", "user.signingKey", key)
}

// big records more than a journal may hold once it is committed, and a segment of the log.
func (w *killWorld) big(branch string) {
	for range 3 {
		out := w.ok("-b", branch, "record", "-o", strings.Repeat("x", 25_000), "--json")
		w.kept[branch] = append(w.kept[branch], id(w.t, out))
	}
}

// local makes a commit that no remote has, and a step after it.
func local(w *killWorld) {
	w.ok("commit", "-m", "Local", "--score", "0.125")
	w.record("main", 1)
}

// undone holds that no step is lost or doubled by an undo.
func undone(k *killed) {
	k.once("main", k.kept["main"])
	if n := k.count("main", "Local"); n > 1 {
		k.t.Errorf("what was undone stands %d times", n)
	}
}

func rolledBack(k *killed) {
	k.says("one per request", 1, "topic", "pool")
	k.says("Keep every step", 1, "roadmap")
	if n := k.count("main", "Roll back to 'One'"); n != 1 {
		k.t.Errorf("it was rolled back %d times", n)
	}
}
