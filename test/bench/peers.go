package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/store"
)

// rival is one way to do what the first of a contest does.
type rival struct {
	name   string
	before func(i int) error // unmeasured
	run    func(i int) (time.Duration, error)
}

// contest is one operation and who is compared in it, ours first.
type contest struct {
	name   string
	rivals []rival
}

// mergeMilestones is how many the branch has that is merged.
const mergeMilestones = 10

// peers measures every contest in a field. Each round runs every rival once.
func (f *field) peers() error {
	time.Sleep(configSettles) // of the copy with lazy notes
	for _, c := range f.contests() {
		took := map[string][]time.Duration{}
		for i := range f.b.runs + 2 {
			for _, r := range c.rivals {
				if r.before == nil {
					continue
				}
				if err := r.before(i); err != nil {
					return fmt.Errorf("%s: %s: %w", c.name, r.name, err)
				}
			}
			for _, r := range c.rivals {
				d, err := r.run(i)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", c.name, r.name, err)
				}
				if i >= 2 { // the first two warm the caches
					took[r.name] = append(took[r.name], d)
				}
			}
		}
		for name, list := range took {
			f.medians[c.name+name] = median(list)
		}
	}
	return nil
}

func (f *field) contests() []contest {
	m := f.words.milestone()
	s := m.Steps[0]
	return []contest{
		{"one step", []rival{
			f.oursAs("git context record", f.ours, nil, "record", "-o", s.Observation, "-t", s.Thought, "-a", s.Action),
			f.inFolderAs(nil, "record", s.Observation, s.Thought, s.Action),
		}},
		{"a commit of ten steps", f.commits(m)},
		{"the newest commit and what there is", []rival{
			f.oursAs("git context", f.ours, nil),
			f.gitAs("`git log -1`", nil, "log", "-1"),
			f.inFolderAs(nil, "context"),
		}},
		{"a merge of 100 steps", f.merges()},
	}
}

func (f *field) commits(m milestone) []rival {
	list := []rival{
		f.oursAs("git context commit", f.ours, f.recordTen(f.ours), "commit", "-m", m.Summary, "-m", m.Contribution),
		f.oursAs("git context commit, notes lazy", f.lazy, f.recordTen(f.lazy), "commit", "-m", m.Summary, "-m", m.Contribution),
	}
	for _, p := range f.plain {
		list = append(list, rival{name: p.way,
			before: func(int) error { return p.prepare(f.words.milestone()) },
			run:    func(int) (time.Duration, error) { return p.commit() }})
	}
	return append(list,
		f.gitAs("`git commit --allow-empty`", nil, "commit", "-q", "--allow-empty", "-m", m.Summary),
		f.gitAs("`git commit` of a file", f.edit, "commit", "-q", "-m", m.Summary, "file"),
		f.inFolderAs(func(int) error { return f.recordInFolder(m.Steps) }, "commit", m.Summary, m.Contribution),
	)
}

func (f *field) recordTen(r *repo) func(int) error {
	return func(int) error { return r.pending("", f.words.milestone().Steps) }
}

func (f *field) recordInFolder(steps []store.NewStep) error {
	for _, s := range steps {
		if err := f.inFolder(nil, "record", s.Observation, s.Thought, s.Action); err != nil {
			return err
		}
	}
	return nil
}

func (f *field) merges() []rival {
	branch := func(i int) string { return fmt.Sprintf("try/%d", i) }
	ours := rival{name: "git context merge",
		before: func(i int) error { return f.branchOurs(branch(i)) },
		run: func(i int) (time.Duration, error) {
			return f.ours.time(f.ours.dir, f.b.bin, "merge", branch(i), "--into", "main")
		}}
	git := rival{name: "`git merge --no-ff`",
		before: func(i int) error { return f.branchCode(branch(i)) },
		run: func(i int) (time.Duration, error) {
			return f.code.time(f.code.dir, "git", "merge", "-q", "--no-ff", "-m", "x", branch(i))
		}}
	folder := rival{name: diskFolder,
		before: func(i int) error { return f.inFolder(f.some(mergeMilestones), "branch", branch(i)) },
		run: func(i int) (time.Duration, error) {
			return f.folder.time(f.folder.dir, f.b.folder, ".", "merge", branch(i))
		}}
	return []rival{ours, git, folder}
}

func (f *field) some(n int) []milestone {
	list := make([]milestone, n)
	for i := range list {
		list[i] = f.words.milestone()
	}
	return list
}

func (f *field) branchOurs(name string) error {
	if err := f.ours.git("context", "branch", name, "--no-switch", "--from", "main", "--purpose", "Try"); err != nil {
		return err
	}
	return f.ours.commitAll(name, f.some(mergeMilestones))
}

// branchCode makes a code branch that is ahead by one commit of the same tree.
func (f *field) branchCode(name string) error {
	out, err := f.code.command("git", "commit-tree", "-p", "HEAD", "-m", name, "HEAD^{tree}").Output()
	if err != nil {
		return fmt.Errorf("git commit-tree: %w", err)
	}
	return f.code.git("branch", name, strings.TrimSpace(string(out)))
}

func (f *field) oursAs(name string, r *repo, before func(int) error, args ...string) rival {
	return rival{name, before, func(int) (time.Duration, error) { return r.time(r.dir, f.b.bin, args...) }}
}

func (f *field) gitAs(name string, before func(int) error, args ...string) rival {
	return rival{name, before, func(int) (time.Duration, error) { return f.code.time(f.code.dir, "git", args...) }}
}

func (f *field) inFolderAs(before func(int) error, args ...string) rival {
	args = append([]string{"."}, args...)
	return rival{diskFolder, before, func(int) (time.Duration, error) { return f.folder.time(f.folder.dir, f.b.folder, args...) }}
}

// printPeers writes the table as Markdown.
func printPeers(w io.Writer, fields []*field, runs int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe same work in other ways: medians of %d rounds in which each runs once, and how many times ours that is.\n\n| |", runs)
	for _, f := range fields {
		fmt.Fprintf(&b, " %d steps |", f.steps())
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(fields)) + "\n")
	for _, c := range fields[0].contests() {
		fmt.Fprintf(&b, "| **%s** |%s\n", c.name, strings.Repeat(" |", len(fields)))
		for i, r := range c.rivals {
			fmt.Fprintf(&b, "| %s |", r.name)
			for _, f := range fields {
				ours, took := f.medians[c.name+c.rivals[0].name], f.medians[c.name+r.name]
				if i == 0 {
					fmt.Fprintf(&b, " %.1f ms |", took.Seconds()*1000)
				} else {
					fmt.Fprintf(&b, " %.1f ms, %.2f× |", took.Seconds()*1000, float64(took)/float64(ours))
				}
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
