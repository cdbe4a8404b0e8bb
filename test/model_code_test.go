//go:build unix

package test

import (
	"fmt"
	"slices"
	"strings"
)

// codeFile is the one file of the code.
const codeFile = "pool.go"

// code changes the code and commits it: with git alone, or together with memory.
func (k player) code() modelCommand {
	subject := fmt.Sprint("code ", k.n)
	if k.op.b%2 == 0 {
		c := k.command(func(m *model, a *answer) error {
			m.coded(k.place, subject)
			return a.is(exitDone)
		}, "commit", "-qam", subject)
		c.git, c.edit = true, subject+"\n"
		return c
	}
	c := k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, "")
		var v struct {
			ID    string
			Code  *string
			Steps struct{ Count int }
		}
		if err := a.said(&v); err != nil {
			return err
		}
		if v.Code == nil {
			return fmt.Errorf("no code was committed")
		}
		c := r.next(b)
		if n := r.drain(b, c); n != v.Steps.Count {
			return fmt.Errorf("%d steps were committed, not %d", v.Steps.Count, n)
		}
		c.milestone(&modelMark{id: v.ID, summary: subject, origin: b})
		r.heads[b] = c
		m.coded(k.place, subject)
		return a.is(exitDone)
	}, "commit", "--code", "-a", "-m", subject, "--json")
	c.edit = subject + "\n"
	return c
}

// coded notes a commit of the code, which every worktree has a branch of its own for.
func (m *model) coded(p modelPlace, subject string) {
	m.code[p.dir] = append(slices.Clip(m.code[p.dir]), subject)
}

// codeOf holds that the code's branches, index and files are what the user made them.
func (g *game) codeOf(p modelPlace) error {
	want := append([]string{"code"}, g.m.code[p.dir]...)
	slices.Reverse(want)
	for _, look := range []struct {
		want string
		args []string
	}{
		{"", []string{"status", "--porcelain"}},
		{strings.Join(want, "\n") + "\n", []string{"log", "--format=%s"}},
		{modelCodeRefs(p), []string{"for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/stash", "refs/bisect"}},
	} {
		out, err := g.w.git(p.dir, "", look.args...)
		if err == nil && out != look.want {
			err = fmt.Errorf("git %s says %q, not %q", strings.Join(look.args, " "), out, look.want)
		}
		if err != nil {
			return fmt.Errorf("the code in %s: %w", p.dir, err)
		}
	}
	return nil
}

// modelCodeRefs are the refs of the code in a clone: nothing makes another one.
func modelCodeRefs(p modelPlace) string {
	if p.repo == 0 {
		return "refs/heads/main\nrefs/heads/second\n"
	}
	return "refs/heads/main\n"
}
