//go:build unix

package test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// One clone forgets, another one has gone on from the old history, and dies in the
// midst of hearing of it: what was acknowledged stands once everywhere, and what was
// forgotten nowhere, wherever the server is.
func TestExpungeAcrossClones(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  string
		early bool   // the other clone syncs before the server is clean
		point string // at which it is killed then; "" for not
	}{
		{"http-backend", true, ""},
		{"heads only", false, ""},
		{"path", true, "held-replaced"},
		{"path", true, "expunge-refs"},
	} {
		t.Run(strings.TrimSpace(c.kind+" "+c.point), func(t *testing.T) {
			t.Parallel()
			k := kindNamed(t, c.kind)
			f := k.launch(t, 2)
			ann, bob := f.agents[0], f.agents[1]
			f.leak(ann)
			bob.sync()
			bob.work(1)
			ann.ok("expunge", "--match", secret, "--yes")
			command := ann.cleaning()
			if !c.early {
				ann.clean(command)
			}
			if c.point != "" {
				bob.killedAt(c.point, "sync")
				bob.removeStaleLocks()
			}
			if c.early {
				bob.cleaning() // it is done there too, and nothing old is pushed
				bob.dropFollowed()
				bob.forgotten(secret)
				ann.clean(command)
			}
			f.settled(k)
			if !c.early {
				bob.dropFollowed()
			}
			for _, w := range []*world{ann.world, bob.world} {
				w.forgotten(secret)
			}
			ann.git("-C", f.dir, "gc", "-q", "--prune=now")
			if all := ann.git("-C", f.dir, "cat-file", "--batch-all-objects", "--batch"); strings.Contains(all, "hunter2") {
				t.Error("the server still holds it")
			}
		})
	}
}

// dropFollowed deletes what was followed and is kept for a time.
func (a *agent) dropFollowed() {
	a.t.Helper()
	a.ok("expunge", "--from", "origin", "--yes")
	if kept := a.git("for-each-ref", "refs/context/kept"); kept != "" {
		a.t.Errorf("kept: %s", kept)
	}
}

func kindNamed(t *testing.T, name string) serverKind {
	t.Helper()
	for _, k := range serverKinds {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("no server '%s'", name)
	return serverKind{}
}

// leak has an agent share work, a step with the secret among it.
func (f *fleet) leak(a *agent) {
	f.t.Helper()
	a.work(0)
	a.ok("record", "-o", secret, "-a", "log in")
	a.work(1)
	a.ok("remember", "pool", "ten\n"+secret)
	a.work(2)
	a.sync()
}

// cleaning syncs, which must be refused, and returns the command that it says.
func (a *agent) cleaning() string {
	a.t.Helper()
	var errs bytes.Buffer
	cmd := a.command(nil, a.bin, "sync")
	cmd.Stderr = &errs
	err := cmd.Run()
	_, command, found := strings.Cut(errs.String(), "hint: git push ")
	if err == nil || !found || !strings.Contains(errs.String(), "still contains what was expunged") {
		a.t.Fatalf("%s: git context sync: %v: %s", a.name, err, &errs)
	}
	command, _, _ = strings.Cut(command, "\n")
	return "git push " + command
}

// clean runs such a command.
func (a *agent) clean(command string) {
	a.t.Helper()
	if out, err := a.command(nil, "sh", "-c", command).CombinedOutput(); err != nil {
		a.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// A branch on the remote that cannot be read keeps nobody from forgetting, nor from
// sharing what can.
func TestExpungeBesideRefused(t *testing.T) {
	t.Parallel()
	k := kindNamed(t, "path")
	f := k.launch(t, 2)
	ann, bob := f.agents[0], f.agents[1]
	f.leak(ann)
	bob.sync()
	forge := "{ git ls-tree refs/context/heads/main | grep -v log.md; printf '100644 blob %s\\tlog.md\\n' $(echo forged | git hash-object -w --stdin); } | git mktree"
	ann.clean("git push -q origin $(git commit-tree -m forged -p refs/context/heads/main $(" + forge + ")):refs/context/heads/forged")
	ann.ok("fetch")
	ann.ok("expunge", "--match", secret, "--yes")
	ann.forgotten(secret)
	ann.clean(ann.cleaning())
	f.settled(k)
	bob.dropFollowed()
	ann.forgotten(secret)
	bob.forgotten(secret)

	// Nor from hiding what is written again.
	ann.ok("record", "-o", secret)
	ann.ok("commit", "-m", "Try again")
	ann.sync()
	if kept := ann.git("for-each-ref", "refs/context/kept"); kept == "" {
		t.Error("nothing was hidden")
	}
	bob.sync()
	bob.forgotten(secret)
}

// A sync that dies when it has hidden what another asks to forget has lost no notes.
func TestKilledHideLosesNoNotes(t *testing.T) {
	t.Parallel()
	f := kindNamed(t, "path").launch(t, 2)
	ann, bob := f.agents[0], f.agents[1]
	bob.ok("commit", "-m", "It was hunter2", "--score", "0.5")
	bob.ok("commit", "-m", "On top of it", "--score", "0.7")
	bob.sync()
	ann.sync()
	ann.ok("expunge", "--match", "It was hunter2", "--yes")
	ann.git("push", "-q", "origin", "refs/context/roadmap")
	bob.killedAt("expunge-refs", "sync")
	bob.removeStaleLocks()
	if kinds, _ := bob.fsck(); len(kinds) > 0 {
		t.Errorf("fsck found %v", kinds)
	}
	bob.ok("expunge", "--from", "origin", "--refuse")
	if text := string(bob.ok("log", "--json")); !strings.Contains(text, "0.5") || !strings.Contains(text, "0.7") {
		t.Errorf("the scores are not back:\n%s", text)
	}
	bob.sound()
}

// A sync that dies when it has learnt what a commit of the roadmap was replaced by, which was never here, is as good as none: the next
// one rewrites what names it.
func TestKilledLearningGoesOn(t *testing.T) {
	t.Parallel()
	f := kindNamed(t, "path").launch(t, 2)
	ann, bob := f.agents[0], f.agents[1]
	ann.ok("roadmap", "todo", "add", "Ask for "+secret)
	ann.ok("commit", "-m", "Names it")
	ann.git("push", "-q", "origin", "refs/context/heads/main")
	bob.sync()
	ann.ok("expunge", "--match", secret, "--yes")
	ann.clean(ann.cleaning())
	bob.killedAt("expunge-roadmaps", "sync")
	bob.removeStaleLocks()
	bob.sync()
	ann.sync()
	if a, b := ann.git("rev-parse", "refs/context/heads/main"), bob.git("rev-parse", "refs/context/heads/main"); a != b {
		t.Errorf("one has %s, the other one %s", a, b)
	}
	bob.sound()
}

// Nobody who may push can wipe a memory by the texts of its lines, however few they are: what was
// written here is hidden until its writer has agreed.
func TestExpungeOfOwnTextIsAsked(t *testing.T) {
	t.Parallel()
	k := kindNamed(t, "path")
	f := k.launch(t, 2)
	ann, bob := f.agents[0], f.agents[1]
	bob.ok("remember", "pool", strings.Repeat("one of many lines\n", 1000))
	bob.work(0)
	bob.sync()
	ann.sync()
	ann.ok("expunge", "--match", "one of many lines", "--yes")
	ann.clean(ann.cleaning())
	bob.sync()
	if kept := bob.git("for-each-ref", "refs/context/kept"); kept == "" {
		t.Error("nothing is kept")
	}
	bob.ok("expunge", "--from", "origin", "--refuse")
	f.settled(k)
	for _, a := range f.agents {
		if text := string(a.ok("topics", "pool")); strings.Count(text, "one of many lines") != 1000 {
			t.Errorf("%s has the topic\n%s", a.name, text)
		}
	}
}

// Tombstones that somebody drops from the roadmap on the remote are put back, and a
// bundle from before brings nothing back.
func TestExpungedStaysSo(t *testing.T) {
	t.Parallel()
	k := kindNamed(t, "path")
	f := k.launch(t, 2)
	ann, bob := f.agents[0], f.agents[1]
	f.leak(ann)
	bob.sync()
	bob.work(1)
	bundle := filepath.Join(t.TempDir(), "memory.bundle")
	bob.ok("bundle", bundle)
	ann.ok("expunge", "--match", secret, "--yes")
	ann.clean(ann.cleaning())
	ann.sync()
	tombstones := ann.git("show", "refs/context/roadmap:expunged.txt")

	drop := "git commit-tree -p refs/context/roadmap -m x $(git ls-tree refs/context/roadmap | grep -v expunged | git mktree)"
	ann.clean("git update-ref refs/context/roadmap $(" + drop + ") && git push -q origin refs/context/roadmap")
	ann.git("update-ref", "refs/context/roadmap", "refs/context/roadmap~1")
	ann.sync()
	for _, dir := range []string{ann.dir, f.dir} {
		if now := ann.git("-C", dir, "show", "refs/context/roadmap:expunged.txt"); now != tombstones {
			t.Errorf("the tombstones are\n%s\nwere\n%s", now, tombstones)
		}
	}

	var errs bytes.Buffer
	cmd := ann.command(nil, ann.bin, "unbundle", bundle)
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil || !strings.Contains(errs.String(), "contains what was expunged; delete it") {
		t.Errorf("unbundle: %v: %s", err, &errs)
	}
	ann.once("main", append(ann.steps, bob.steps...))
	ann.forgotten(secret)
	ann.sound()
	f.settled(k)
}
