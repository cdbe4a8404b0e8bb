package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

// shown is a commit in full, with what it changed.
type shown struct {
	render.Commit
	Files       []history.FileDiff `json:"files"`
	Attachments []doc.Attachment   `json:"attachments"`
}

func newShow(g *globals) *command {
	g.offline = true
	at := ""
	return &command{
		name:  "show",
		usage: []string{"show [C | KEY | ATTACHMENT] [--at C]"},
		about: "Shows a commit in full, with the files of memory that it changed, as git show --stat does: the " +
			"commit C, or the newest one of the branch or tag C; without an argument the newest one of the current " +
			"branch. A word that names no commit is the key of a topic. ATTACHMENT is artifacts/NAME, of the " +
			"branch, or C:artifacts/NAME; NAME may be the start of its hash. The bytes of the file are written out.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"show",
			"show success/best",
			"show db-pool",
			"show artifacts/blank.png >blank.png",
		},
		globals: g,
		flags:   join([]cli.Flag{atFlag(&at)}, g.flags()),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) (err error) {
			s, err := g.open(ctx, env)
			if err != nil {
				return err
			}
			defer closing(s, &err)
			name := first(args)
			if name == "" {
				if name, err = currentOr(ctx, s, g.branch); err != nil {
					return err
				}
			}
			if rev, attached, ok := splitArtifact(name); ok {
				return g.showAttachment(ctx, env, s, at, rev, attached)
			}
			c, err := s.NewestCommitAt(ctx, name)
			if errors.Is(err, fail.ErrNotFound) {
				return g.showTopic(ctx, env, s, at, name, err)
			}
			if err != nil {
				return err
			}
			return g.showCommit(ctx, env, s, render.Where{Branch: g.branch, At: at}, c)
		},
	}
}

// currentOr returns a branch, or the current one for "".
func currentOr(ctx context.Context, s *refs.Store, branch string) (string, error) {
	if branch != "" {
		return branch, nil
	}
	return s.Current(ctx)
}

// showTopic shows a topic; where there is none either, the error is that of the commit.
func (g *globals) showTopic(ctx context.Context, env *Env, s *refs.Store, at, key string, noCommit error) error {
	if store.CheckTopic(topicKey(key)) != nil {
		return noCommit
	}
	tip, err := history.At(ctx, s, g.branch, at)
	if err != nil {
		return err
	}
	t, err := readTopic(ctx, s, tip, key)
	if errors.Is(err, fail.ErrNotFound) {
		return noCommit
	}
	if err != nil {
		return err
	}
	return g.view(ctx, env, t, func(p *render.Printer) { block(p, t.Text) })
}

// before returns the first parent of a commit; of a first commit, one with an empty tree.
func before(ctx context.Context, s *refs.Store, c *git.Commit) (*git.Commit, error) {
	if len(c.Parents) == 0 {
		return &git.Commit{ID: s.Repo().EmptyTree(), Tree: s.Repo().EmptyTree()}, nil
	}
	return s.Repo().Commit(ctx, c.Parents[0])
}

func (g *globals) showCommit(ctx context.Context, env *Env, s *refs.Store, w render.Where, c *git.Commit) error {
	v, err := render.NewCommit(ctx, s, w, string(c.ID))
	if err != nil {
		return err
	}
	from, err := before(ctx, s, c)
	if err != nil {
		return err
	}
	attached, err := history.NewAttachments(ctx, s, from, c)
	if err != nil {
		return err
	}
	if g.json {
		d, err := history.Diff(ctx, s, from, c, history.Arguments{})
		if err != nil {
			return err
		}
		return showJSON(env, shown{v, d.Files, attached})
	}
	screen := env.screen(ctx, colorUI)
	return env.stream(screen.pager, func(to io.Writer) error {
		p := &render.Printer{W: to, Color: screen.color, Width: env.Term.Width, Now: env.Now(), Self: self}
		v.Text(p)
		line(p, "")
		for _, a := range attached {
			line(p, "Attachment %s: %s show %s:%s/%s", attachmentLine(a), self, c.ID.Short(), doc.ArtifactDir, a.Name)
		}
		return render.WriteGitStat(ctx, s, to, from, c, screen.color)
	})
}
