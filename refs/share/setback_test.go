package share_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// refusals plays random work on clones of one hub, as replicas does. Besides, somebody pushes refs that are refused, on top of what is
// there and of what teammates have pushed. The clones of these teammates are gone.
type refusals struct {
	*replicas
	first string   // a commit
	notes []string // that must be in its note
	gone  []string // beginnings of tombstones
}

// lastPush works in a clone of its own, and returns the commit of a ref that it pushed last. The clone is gone then.
func (h *refusals) lastPush(t *rapid.T, ref, branch string) string {
	r := h.Join(share.InitOptions{})
	h.Clones = h.Clones[:len(h.Clones)-1]
	if branch != "" && branch != "main" {
		r.Adopt(branch)
	}
	for range rapid.IntRange(1, 2).Draw(t, "times") {
		switch what := h.next("last"); {
		case ref == "refs/notes/context":
			_, err := r.Open().AddNote(t.Context(), store.NoteOptions{Rev: h.first, Judgement: store.Judgement{Review: what}})
			r.Must(err)
			h.notes = append(h.notes, what)
		case branch == "" && rapid.Bool().Draw(t, "expunge"):
			r.Remember("main", "of-last", what+" is secret")
			r.Expunge(expunge.Options{Match: what + " is secret"})
			for line := range strings.Lines(r.Git("show", ref+":expunged.txt")) {
				h.gone = append(h.gone, strings.Join(strings.Fields(line)[:2], " "))
			}
		case branch == "":
			r.Plan(func(m *doc.Roadmap) error { m.AddTodo(what); return nil })
			h.items[what] = false
		case rapid.Bool().Draw(t, "topic"):
			r.Remember(branch, "shared-of-last", h.next("text"))
			r.Remember(branch, strings.ReplaceAll(what, " ", "-"), what)
			put(h.topics, branch, strings.ReplaceAll(what, " ", "-"), what)
		default:
			r.Work(branch, what, 0)
			r.Set(branch, `own."`+what+`"`, what)
			put(h.keys, branch, what, what)
			h.hub.learn(branch, entrySet{what: true})
		}
	}
	h.Hub.Git("fetch", "-q", r.Dir, ref)
	return r.Git("rev-parse", ref)
}

// refused pushes a commit that is refused, or from which memory has to be restored, on top of commits of a ref that are valid.
func (h *refusals) refused(t *rapid.T) {
	branches := []string{"main", "", "notes"}
	if h.hub["exp"] != nil && len(h.with("exp")) > 0 {
		branches = append(branches, "exp")
	}
	branch := rapid.SampledFrom(branches).Draw(t, "of")
	ref := "refs/context/heads/" + branch
	kinds := []string{"link", "ours", "empty"}
	switch branch {
	case "":
		ref, kinds = "refs/context/roadmap", append(kinds, "far", "asks")
	case "notes":
		ref, branch, kinds = "refs/notes/context", "", []string{"link", "empty", "ours"}
	}
	there := strings.TrimSpace(h.Hub.Git("for-each-ref", "--format=%(objectname)", ref))
	tips := []string{}
	if there != "" {
		tips = append(tips, there)
	}
	for range rapid.IntRange(0, 2).Draw(t, "teammates") {
		tips = append(tips, h.lastPush(t, ref, branch))
	}
	if len(tips) == 0 {
		t.Skip("no notes yet")
	}
	tips = rapid.Permutation(tips).Draw(t, "parents")
	on, message := tips[0], ""
	for line := range strings.Lines(h.Hub.Git("log", "-1", "--format=%B", tips[0])) {
		if !strings.HasPrefix(line, store.TrailerRemoves) && !strings.HasPrefix(line, store.TrailerRestores) { // a record is believed
			message += line
		}
	}
	for len(tips) > 0 {
		args := []string{"-p", on}
		for n := rapid.IntRange(0, len(tips)).Draw(t, "joined"); n > 0; n-- {
			if tips[0] != on {
				args = append(args, "-p", tips[0])
			}
			tips = tips[1:]
		}
		root := strings.Fields(h.Hub.Git("rev-list", "--max-parents=0", on))[0]
		for range rapid.SampledFrom([]int{0, 0, 1, 8}).Draw(t, "old") {
			args = append(args, "-p", h.Hub.Git("commit-tree", "-m", h.next("old"), "-p", root, root+"^{tree}"))
		}
		on = h.Hub.Git(append(append([]string{"commit-tree", "-m", message}, args...), h.badTree(on, rapid.SampledFrom(kinds).Draw(t, "kind")))...)
	}
	h.Hub.Git("update-ref", ref, on)
	t.Logf("%s is now\n%s", ref, h.Hub.Git("log", "--graph", "--format=%h %s", on))
	h.mend(t, branch)
}

// with lists the clones that have a branch; of "", all.
func (h *refusals) with(branch string) (list []int) {
	for i := range h.Clones {
		if branch == "" || h.have[i][branch] != nil {
			list = append(list, i)
		}
	}
	return list
}

// badTree is the tree of a commit with something in it that is refused.
func (h *refusals) badTree(of, kind string) string {
	entry := ""
	switch kind {
	case "empty":
		return h.Hub.Input(nil, "mktree")
	case "ours":
		return h.Hub.Git("rev-parse", of+"^{tree}")
	case "link":
		name := strings.Fields(h.Hub.Git("ls-tree", "--name-only", of))
		entry = "120000 blob " + h.Hub.Blob("/etc/passwd") + "\t" + append(name, "main.md")[0]
	case "far":
		entry = "100644 blob " + h.Hub.Blob(fmt.Sprintf("text %064d 999\n", 1)) + "\texpunged.txt"
	case "asks":
		entry = "100644 blob " + h.Hub.Blob(fmt.Sprintf("text %064d\n", 1)) + "\texpunged.txt"
	}
	lines := strings.Split(h.Hub.Git("ls-tree", of), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" || strings.HasSuffix(l, entry[strings.Index(entry, "\t"):]) })
	return h.Hub.Input([]byte(strings.Join(append(lines, entry), "\n")+"\n"), "mktree")
}

// mend syncs one clone that has a branch, and runs the commands that this prints, until nothing is refused.
func (h *refusals) mend(t *rapid.T, branch string) {
	i := rapid.SampledFrom(h.with(branch)).Draw(t, "mends")
	r := h.Clones[i]
	var said error
	for range 8 {
		_, err := share.Sync(t.Context(), r.Open(), share.Options{Prefer: merge.SettleUnion})
		if err == nil {
			h.syncClone(t, i, merge.SettleUnion)
			return
		}
		said = err
		t.Logf("clone %d: %v\n%s", i, err, strings.Join(hints(err), "\n"))
		for _, hint := range hints(err) {
			if strings.HasPrefix(hint, "git push ") {
				cmd := exec.Command("sh", "-ec", hint)
				cmd.Dir, cmd.Env = r.Dir, r.Env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", hint, err, out)
				}
			}
		}
	}
	t.Fatalf("clone %d: %v\n%s", i, said, strings.Join(hints(said), "\n"))
}

// hints are those of all failures in err.
func hints(err error) (list []string) {
	if e, ok := err.(*fail.Error); ok {
		list = append(list, e.Hints...)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return append(list, hints(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = append(list, hints(err)...)
		}
	}
	return list
}

func (h *refusals) finish(t *rapid.T) {
	h.replicas.finish(t)
	for i, r := range h.Clones {
		note := ""
		if len(h.notes) > 0 {
			note = r.Git("notes", "--ref=context", "show", h.first)
		}
		for _, line := range h.gone {
			if !strings.Contains(r.Git("show", "refs/context/roadmap:expunged.txt"), line) {
				t.Errorf("clone %d: the tombstone '%s' is lost", i, line)
			}
		}
		for _, text := range h.notes {
			if !strings.Contains(note, text) {
				t.Errorf("clone %d: the note '%s' is lost", i, text)
			}
		}
	}
}

// Whatever is refused on top of what others have pushed, the commands that sync prints bring all that is valid to all clones, also what is
// in no clone any more.
func TestSetBackLosesNothing(t *testing.T) {
	t.Parallel()
	memtest.Check(t, 3, func(tb testing.TB, rt *rapid.T) {
		h := &refusals{replicas: newReplicas(tb, rt)}
		h.first = h.Clones[0].CommitHash("main", "First")
		h.have[0]["main"]["First"] = true
		for i := range h.Clones {
			h.syncClone(rt, i, "")
		}
		rt.Repeat(map[string]func(*rapid.T){"record": h.record, "remember": h.remember, "set": h.set, "plan": h.plan, "branch": h.branch,
			"sync": h.sync, "refused": h.refused, "refused again": h.refused})
		h.finish(rt)
	})
}
