//go:build unix

package test

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rewriting is one way to rewrite code, and what becomes of the memory that belongs to
// it. The states list the code's commits, oldest first, each with the milestones that
// `link` finds: "b:B". The documents show this table.
type rewriting struct {
	name   string
	do     func(*rewritten)
	hooked string // with hooks, at once
	plain  string // without, at once
	mended string // without, once fsck has mended it
	healed string // with hooks, once fsck has mended it; "" where it finds nothing
}

// rewritten is a repository with the code commits a to d, each with a file and with a
// milestone of its own name that was made on it. Hooks link the milestone before, too.
type rewritten struct {
	*world
	dates int
}

func rewritings() []rewriting {
	return []rewriting{
		{"amend the message", func(w *rewritten) { w.run("commit", "--amend", "-q", "-m", "d2") },
			"b:AB c:BC d2:CD", "b:B c:C d2:", "b:B c:C d2:D", ""},
		{"amend the change", func(w *rewritten) {
			w.write("d", "more")
			w.run("commit", "--amend", "-q", "-a", "--no-edit")
		}, "b:AB c:BC d:CD", "b:B c:C d:", "b:B c:C d:D", ""},
		{"amend both", func(w *rewritten) {
			w.write("d", "more")
			w.run("commit", "--amend", "-q", "-a", "-m", "d2")
		}, "b:AB c:BC d2:CD", "b:B c:C d2:", "b:B c:C d2:", ""},
		{"rebase", func(w *rewritten) { w.run("rebase", "-q", "--force-rebase", "HEAD~3") },
			"b:AB c:BC d:CD", "b: c: d:", "b:B c:C d:D", ""},
		{"rebase -i, reorder", func(w *rewritten) { w.rebase("2{h;d};3G", "HEAD~3") },
			"b:AB d:CD c:BC", "b:B d: c:", "b:B d:D c:C", ""},
		{"rebase -i, squash", func(w *rewritten) { w.rebase("3s/^pick/squash/", "HEAD~3") },
			"b:AB c:BCD", "b:B c:", "b:B c:C", ""},
		{"rebase -i, fixup", func(w *rewritten) { w.rebase("3s/^pick/fixup/", "HEAD~3") },
			"b:AB c:BCD", "b:B c:", "b:B c:C", ""},
		{"rebase -i, drop", func(w *rewritten) { w.rebase("2d", "HEAD~3") },
			"b:AB d:CD", "b:B d:", "b:B d:D", ""},
		{"rebase --autosquash", func(w *rewritten) {
			w.write("b", "more")
			w.run("commit", "-q", "-a", "--fixup", "HEAD~2")
			w.rebase("", "--autosquash", "HEAD~4")
		}, "b:ABD c:BC d:CD", "b: c: d:", "b:B c:C d:D", ""},
		{"amend within a rebase", func(w *rewritten) {
			w.rebase("2s/^pick/edit/", "HEAD~3")
			w.write("c", "more")
			w.run("commit", "--amend", "-q", "-a", "-m", "c2")
			w.run("rebase", "--continue")
		}, "b:AB c2:BC d:CD", "b:B c2: d:", "b:B c2: d:D", ""},
		{"cherry-pick", func(w *rewritten) {
			w.run("checkout", "-q", "-b", "side", "HEAD~3")
			w.run("cherry-pick", "main~1")
		}, "c:BD", "c:", "c:", ""},
		{"am", func(w *rewritten) {
			w.run("format-patch", "-q", "-2", "-o", ".git/patches")
			w.run("reset", "-q", "--hard", "HEAD~2")
			w.run("am", "-q", ".git/patches/0001-c.patch", ".git/patches/0002-d.patch")
		}, "b:AB c: d:", "b:B c: d:", "b:B c:C d:D", "b:AB c:BC d:CD"},
		{"filter-branch", func(w *rewritten) {
			w.run("filter-branch", "-f", "--msg-filter", "sed s/$/2/", "HEAD~2..HEAD")
		}, "b:AB c2: d2:", "b:B c2: d2:", "b:B c2:C d2:D", "b:AB c2:BC d2:CD"},
		{"replace", func(w *rewritten) {
			old := w.head()
			w.run("commit", "--amend", "-q", "-m", "d2")
			w.run("replace", old, w.head())
			w.run("reset", "-q", "--hard", old)
		}, "b:AB c:BC d2:CD", "b:B c:C d2:D", "b:B c:C d2:D", ""},
		{"revert", func(w *rewritten) { w.run("revert", "--no-edit", "HEAD") },
			"b:AB c:BC d:CD Revert \"d\":D", "b:B c:C d:D Revert \"d\":", "b:B c:C d:D Revert \"d\":", ""},
		{"merge --squash", func(w *rewritten) {
			w.run("checkout", "-q", "-b", "side", "HEAD~2")
			w.run("merge", "-q", "--squash", "main")
			w.run("commit", "-q", "-m", "both")
			w.run("branch", "-q", "-D", "main")
		}, "b:AB both:BCD", "b:B both:", "b:B both:", ""},
	}
}

// What the documents say of rewriting, held against real git.
func TestRewritingsOfCode(t *testing.T) {
	t.Parallel()
	for name, hooked := range map[string]bool{"hooks": true, "no hooks": false} {
		base := newRewritten(t, hooked)
		for _, r := range rewritings() {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				w := base.copy(t)
				w.ok("commit", "-m", "D")
				r.do(w)
				now, then := r.plain, r.mended
				if hooked {
					now, then = r.hooked, cmp.Or(r.healed, r.hooked)
				}
				w.is("at once", now)
				if now != then {
					w.wrong("fsck")
				}
				w.ok("fsck", "--fix")
				w.is("once mended", then)
				w.ok("fsck")
			})
		}
	}
}

// newRewritten makes the repository without milestone D.
func newRewritten(t *testing.T, hooked bool) *rewritten {
	w := &rewritten{world: newHome(t)}
	w.env = append(w.env, "FILTER_BRANCH_SQUELCH_WARNING=1", "GIT_EDITOR=true")
	w.git("init", "-q")
	w.ok("init")
	if hooked {
		w.ok("hooks", "install", "git")
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		w.write(name, name)
		w.git("add", name)
		w.run("commit", "-q", "-m", name)
		if name != "d" {
			w.ok("commit", "-m", strings.ToUpper(name))
		}
	}
	return w
}

// copy is another repository like it.
func (w *rewritten) copy(t *testing.T) *rewritten {
	dir := filepath.Join(t.TempDir(), "code")
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	inner := *w.world
	inner.t, inner.dir = t, dir
	return &rewritten{world: &inner, dates: w.dates}
}

// run runs git in another second each time: a commit made anew is another one.
func (w *rewritten) run(args ...string) {
	w.t.Helper()
	w.runEnv(nil, args...)
}

func (w *rewritten) runEnv(env []string, args ...string) {
	w.t.Helper()
	w.dates++
	date := []string{"GIT_COMMITTER_DATE=" + date(w.dates), "GIT_AUTHOR_DATE=" + date(w.dates)}
	out, err := w.command(append(date, env...), "git", args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	if strings.Contains(string(out), "git-context: hook") {
		w.t.Errorf("git %s: %s", strings.Join(args, " "), out)
	}
}

// rebase edits the list of an interactive rebase by sed.
func (w *rewritten) rebase(script string, args ...string) {
	w.t.Helper()
	editor := "true"
	if script != "" {
		editor = "sed -i -e '" + script + "'"
	}
	w.runEnv([]string{"GIT_SEQUENCE_EDITOR=" + editor}, append([]string{"rebase", "-q", "-i"}, args...)...)
}

func (w *rewritten) head() string { return strings.TrimSpace(w.git("rev-parse", "HEAD")) }

// wrong runs git-context, which must find something wrong.
func (w *rewritten) wrong(args ...string) {
	w.t.Helper()
	var exit *exec.ExitError
	if err := w.command(nil, w.bin, args...).Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		w.t.Errorf("git-context %s: %v", strings.Join(args, " "), err)
	}
}

// is holds the state of the branch that is checked out.
func (w *rewritten) is(when, want string) {
	w.t.Helper()
	lines := strings.Split(strings.TrimSpace(w.git("log", "--reverse", "--format=%H %s")), "\n")
	first, _, _ := strings.Cut(lines[0], " ")
	known := w.milestones(first + "..HEAD")
	var list []string
	for _, line := range lines[1:] {
		id, subject, _ := strings.Cut(line, " ")
		slices.Sort(known[id])
		list = append(list, subject+":"+strings.Join(known[id], ""))
	}
	if got := strings.Join(list, " "); got != want {
		w.t.Errorf("%s: %s, want %s", when, got, want)
	}
}

// milestones are the names of those that belong to each code commit of a range.
func (w *rewritten) milestones(codes string) map[string][]string {
	w.t.Helper()
	var v struct {
		Memory []struct {
			Summary string
			Links   []struct{ Commit string }
		}
	}
	if err := json.Unmarshal(w.ok("link", codes, "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	names := map[string][]string{}
	for _, m := range v.Memory {
		for _, l := range m.Links {
			names[l.Commit] = append(names[l.Commit], m.Summary)
		}
	}
	return names
}

// date is a moment of a day, in the form of git's own.
func date(second int) string { return strconv.Itoa(1_800_000_000+second) + " +0000" }

// A rebase of ten linked commits keeps ten links.
func TestRebaseKeepsTenLinks(t *testing.T) {
	t.Parallel()
	w := newRewritten(t, true)
	for i := range 10 {
		name := "file" + strconv.Itoa(i)
		w.write(name, name)
		w.git("add", name)
		w.run("commit", "-q", "-m", name)
	}
	links := func() []string {
		return strings.Fields(w.git("log", "-10", "--notes=context", "--format=%N"))
	}
	before := links()
	if n := len(slices.DeleteFunc(slices.Clone(before), func(word string) bool { return word != "Context:" })); n != 10 {
		t.Fatalf("%d links before", n)
	}
	w.run("rebase", "-q", "--force-rebase", "HEAD~10")
	if after := links(); !slices.Equal(before, after) {
		t.Errorf("before %v, after %v", before, after)
	}
	w.ok("fsck")
}
