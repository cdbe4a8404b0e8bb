package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-context/git-context/cmd/transcript"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type recordOptions struct {
	*globals
	author
	observation, thought, action string
	time                         string
	attach                       cli.StringSlice
	stdin, undo                  bool
}

func newRecord(g *globals) *command {
	o := &recordOptions{globals: g}
	own := []cli.Flag{
		text(&o.observation, "-o, --observation TEXT", "what was seen"),
		text(&o.thought, "-t, --thought TEXT", "what was concluded"),
		text(&o.action, "-a, --action TEXT", "what was done"),
		texts(&o.attach, "--attach FILE", "a file of at most 1 MiB to keep with the step; repeatable"),
		named(&o.time, "--time T", "when, as 2026-11-21T01:37:05Z or @SECONDS (now)"),
		toggle(&o.stdin, "--stdin", "read steps as JSON lines from standard input"),
		toggle(&o.undo, "--undo", "take back the last pending step of the branch, of any agent"),
		o.meter(),
	}
	return &command{
		name: "record",
		usage: []string{
			"record [-o TEXT] [-t TEXT] [-a TEXT] [--attach FILE]... [--time T]",
			"record --stdin",
			"record --undo",
		},
		about: "Appends one Observation-Thought-Action step, with at least one of the three, to the " +
			"branch's trace. The step is safe once the command has answered; the next commit takes it into " +
			"git, with the files that --attach names. With --stdin, each line is an object with any of observation, " +
			"thought, action, time, agent, session, model, tokens, id, and is answered by a line " +
			"{\"id\",\"step\",\"branch\"} as soon as it is safe; an id that was recorded before in its session is " +
			"answered, but not recorded again. --undo takes back the last step that is pending on the branch; one " +
			"that a commit contains stays.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"record -o '500 on /users' -t 'the pool is not ready' -a 'go test ./store'",
			"record -o 'the screen is blank' --attach blank.png",
			"record --stdin --session 7f3a2c <steps.jsonl",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		extra:   "did you mean -o '%s'?",
		action: func(ctx context.Context, env *Env, _ []string) error {
			if o.undo {
				return unrecord(ctx, env, o)
			}
			if o.stdin {
				return recordLines(ctx, env, o)
			}
			r, err := runRecord(ctx, env, o)
			if err != nil {
				return err
			}
			env.replaced(r.Replaced)
			return o.show(env, r, func(p *render.Printer) {
				line(p, "[%s] step %d, id %s", r.Branch, r.Step, r.ID)
				for _, a := range r.Attachments {
					line(p, "attached %s", attachmentLine(a))
				}
			})
		},
	}
}

func runRecord(ctx context.Context, env *Env, o *recordOptions) (r store.Recorded, err error) {
	if o.observation == "" && o.thought == "" && o.action == "" {
		return r, usagef("nothing to record").
			hint("give at least one of -o OBSERVATION, -t THOUGHT and -a ACTION")
	}
	at, ok := transcript.ParseTime(o.time)
	if !ok {
		return r, usagef("'%s' is not a time", o.time).hint("write it as 2026-11-21T01:37:05Z or @1795225025")
	}
	files, err := readAttachments(env, o.attach.Value())
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	w := o.writer(env)
	steps, err := s.Record(ctx, []store.NewStep{{
		Observation: o.observation, Thought: o.thought, Action: o.action,
		Time: at, Agent: w.Agent, Session: w.Session, Model: w.Model, Tokens: w.Tokens, Attach: files,
	}})
	if err != nil {
		return r, err
	}
	return steps[0], nil
}

// text reports whether the command line has anything of a step.
func (o *recordOptions) text() bool {
	return o.observation != "" || o.thought != "" || o.action != "" || len(o.attach.Value()) > 0
}

// unrecord takes back the last pending step.
func unrecord(ctx context.Context, env *Env, o *recordOptions) (err error) {
	if o.stdin || o.text() || o.time != "" || o.tokens != 0 {
		return usagef("--undo takes no step").hint(self + " record --undo")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	r, err := s.Unrecord(ctx, o.writer(env))
	if err != nil {
		return err
	}
	return o.show(env, r, func(p *render.Printer) { line(p, "[%s] took back step %d, id %s", r.Branch, r.Step, r.ID) })
}

// recordLines records each line of standard input and answers it once it is safe. It stops
// at the first line that it cannot read: the lines before are recorded and answered.
func recordLines(ctx context.Context, env *Env, o *recordOptions) (err error) {
	if o.text() || o.time != "" {
		return usagef("--stdin cannot be used with -o, -t, -a, --attach or --time")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	lines := transcript.Lines(ctx, env.In)
	for n := 1; ; n++ {
		data, err := lines()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return atLine(n, err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if err := recordLine(ctx, env, s, o, data); err != nil {
			return atLine(n, err)
		}
	}
}

func atLine(n int, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("line %d: %w", n, err)
}

func recordLine(ctx context.Context, env *Env, s *refs.Store, o *recordOptions, data []byte) error {
	step, lossy, err := transcript.Parse(data, o.writer(env))
	if err != nil {
		return err
	}
	done, err := s.Record(ctx, []store.NewStep{step})
	if err != nil {
		return err
	}
	env.replaced(done[0].Replaced || lossy)
	var b bytes.Buffer
	if err := render.WriteJSON(&b, done[0]); err != nil {
		return fmt.Errorf("cannot encode the answer: %w", err)
	}
	return env.write(b.String())
}
