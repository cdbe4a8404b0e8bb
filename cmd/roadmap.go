package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type roadmapOptions struct {
	*globals
	author
	file, at      string
	with, outcome string
	tell          bool
}

// roadmapResult is the roadmap, or its history.
type roadmapResult struct {
	view   store.RoadmapView
	main   []byte // main.md; nil after a revision
	left   int    // number of items that main does not contain
	reason string // what a revision did; "" if it changed nothing
	log    *roadmapLog
}

func newRoadmap(g *globals) *command {
	o := &roadmapOptions{globals: g}
	own := []cli.Flag{
		named(&o.file, "-F, --file FILE", "read the section's text from FILE (- is standard input)"),
		named(&o.with, "--with TEXT", "the answer to the question"),
		named(&o.outcome, "--outcome TEXT", "what became of the item that is done"),
		toggle(&o.tell, "--tell", "the to-do is to tell the user TEXT"),
		atFlag(&o.at),
	}
	return &command{
		name: "roadmap",
		usage: []string{
			"roadmap [show] [--at C]",
			"roadmap goal TEXT",
			"roadmap milestone (add | done | undo | remove) TEXT [--outcome TEXT]",
			"roadmap todo (add | done | undo | remove) TEXT [--outcome TEXT] [--tell]",
			"roadmap decide TEXT",
			"roadmap ask TEXT",
			"roadmap answer TEXT --with TEXT",
			"roadmap section NAME -F FILE",
			"roadmap log",
		},
		about: "Shows or revises main.md, the roadmap that all branches share: the goal, the milestones and " +
			"to-dos, decisions, open questions, and sections that people add. An item is named by its text or " +
			"an unambiguous start of it. An answer turns an open question into a decision. The outcome of an " +
			"item that is done is kept below it. Each revision is a commit; log lists them. 'git context todo' " +
			"is short for 'git context roadmap todo'; so are goal, milestone, decide, ask and answer.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"roadmap milestone add 'Lexer'",
			"roadmap milestone done Lex --outcome 'All of the RFC but comments'",
			"roadmap answer 'Which lock' --with 'One mutex around the queue'",
			"roadmap decide 'No generated code'",
		},
		extra:   "quote a text that contains spaces; --tell takes no text of its own",
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    3,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runRoadmap(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.printRoadmap(ctx, env, r)
		},
	}
}

func runRoadmap(ctx context.Context, env *Env, o *roadmapOptions, args []string) (r roadmapResult, err error) {
	revise, err := parseRoadmap(env, o, args)
	if err != nil {
		return r, err
	}
	if o.at != "" && len(args) > 0 && args[0] != "show" {
		return r, usagef("--at needs 'roadmap show'")
	}
	o.offline = revise == nil
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	switch {
	case revise != nil:
		return revise.apply(ctx, s, o.writer(env))
	case len(args) > 0 && args[0] == "log":
		r.log, err = readRoadmapLog(ctx, s)
		return r, err
	}
	var tip *store.Tip
	if o.at != "" {
		if tip, err = history.At(ctx, s, o.branch, o.at); err != nil {
			return r, err
		}
	}
	if o.json {
		r.view, r.main, err = s.Roadmap(ctx, tip)
		return r, err
	}
	var e doc.Excerpt
	r.view, e, err = s.RoadmapExcerpt(ctx, tip)
	r.main, r.left = e.Text, e.Left.Total()
	return r, err
}

func (o *roadmapOptions) printRoadmap(ctx context.Context, env *Env, r roadmapResult) error {
	switch {
	case r.log != nil:
		return o.view(ctx, env, r.log, func(p *render.Printer) { render.RevisionsText(p, r.log.Commits) })
	case r.main != nil:
		return o.view(ctx, env, r.view, func(p *render.Printer) {
			render.AtComment(p, r.view.At)
			render.MarkdownText(p, string(r.main))
			if r.left > 0 {
				line(p, "[%d more items, see --json]", r.left)
			}
		})
	}
	return o.show(env, r.view, func(p *render.Printer) {
		if r.reason == "" {
			line(p, "Nothing changed")
			return
		}
		line(p, "[roadmap %s] %s", r.view.Commit.Short(), r.reason)
	})
}

// revision is one change of the roadmap, with the subject of its commit.
type revision struct {
	reason string
	edit   func(*doc.Roadmap) error
}

// apply makes the revision. EditRoadmap calls the edit again where another writer was
// faster; the last call counts.
func (v *revision) apply(ctx context.Context, s *refs.Store, w store.Writer) (r roadmapResult, err error) {
	if _, err := s.Clean(ctx, &v.reason); err != nil {
		return r, err
	}
	r.view, err = s.EditRoadmap(ctx, w, v.reason, func(m *doc.Roadmap) error {
		before := m.Bytes()
		err := v.edit(m)
		r.reason = v.reason
		if bytes.Equal(before, m.Bytes()) {
			r.reason = ""
		}
		return err
	})
	return r, err
}

// roadmapLog is the history of main.md, newest first.
type roadmapLog struct {
	Commits []render.Revision `json:"commits"`
}

// readRoadmapLog reads the history by one git log.
func readRoadmapLog(ctx context.Context, s *refs.Store) (*roadmapLog, error) {
	if _, err := s.Repo().Ref(ctx, git.RoadmapRef); errors.Is(err, git.ErrNotFound) {
		return nil, fail.ErrNoMemory
	} else if err != nil {
		return nil, err
	}
	out, err := s.Repo().View(ctx, "log", "--first-parent",
		"--format=%H%x00%ct%x00%(trailers:key=Agent,valueonly,separator=)%x00%an%x00%ae%x00%s",
		"--end-of-options", git.RoadmapRef, "--")
	if err != nil {
		return nil, err
	}
	log := &roadmapLog{Commits: []render.Revision{}}
	for l := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSuffix(l, "\n"), "\x00", 6)
		if len(fields) < 6 {
			return nil, fmt.Errorf("git log said '%s'", l)
		}
		seconds, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log gave the time '%s'", fields[1])
		}
		by, err := s.By(ctx, fields[3], fields[4])
		if err != nil {
			return nil, err
		}
		log.Commits = append(log.Commits, render.Revision{
			Commit: git.ID(fields[0]), Time: time.Unix(seconds, 0).UTC(), Agent: fields[2], Summary: fields[5], Authored: by,
		})
	}
	return log, nil
}
