package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

type rememberOptions struct {
	*globals
	author
	file       string
	paths      cli.StringSlice
	supersedes string

	pin, unpin, confirm bool
}

func newRemember(g *globals) *command {
	o := &rememberOptions{globals: g}
	own := []cli.Flag{
		named(&o.file, "-F, --file FILE", "read the text from FILE (- is standard input)"),
		texts(&o.paths, "--path P", "a file or folder that the topic is about, relative to the current directory; may be repeated"),
		named(&o.supersedes, "--supersedes KEY", "the topic that this one replaces"),
		toggle(&o.pin, "--pin", "pin the topic: it is shown before others, and in full"),
		toggle(&o.unpin, "--unpin", "remove the pin"),
		toggle(&o.confirm, "--confirm", "the topic is true of the code as it is now"),
	}
	return &command{
		name: "remember",
		usage: []string{
			"remember KEY (TEXT | -F FILE) [--path P]... [--supersedes KEY] [--pin | --unpin]",
			"remember (--pin | --unpin | --confirm) KEY",
		},
		about: "Keeps a text under a key, and replaces the text that was there. Different texts of two " +
			"agents under one key conflict when their memories merge; texts under different keys never do. " +
			"Each change is a memory commit of its own. A key is made of a-z, 0-9, dot, dash and underscore. A " +
			"pinned topic stays pinned when its text changes. --confirm keeps the text, and compares its files " +
			"with the present code commit instead of the one that it was written on.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"remember db-pool 'The pool must be up before the router' --path store/pool.go",
			"remember release-steps -F notes.md",
			"remember --confirm db-pool",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		least:   1, most: 2, needs: "a key",
		action: func(ctx context.Context, env *Env, args []string) error {
			c, err := runRemember(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.printChange(env, c)
		},
	}
}

func runRemember(ctx context.Context, env *Env, o *rememberOptions, args []string) (c store.Change, err error) {
	if err := o.check(args); err != nil {
		return c, err
	}
	var body string
	if len(args) == 2 {
		body = args[1]
	} else if o.file != "" {
		if body, err = env.readText(o.file); err != nil {
			return c, err
		}
	}
	if (len(args) == 2 || o.file != "") && strings.TrimSpace(body) == "" {
		return c, usagef("the text of topic '%s' is empty", args[0]).hint("git context forget %s", args[0])
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return c, err
	}
	defer closing(s, &err)
	switch {
	case o.confirm:
		return s.Confirm(ctx, o.writer(env), topicKey(args[0]))
	case len(args) == 1 && o.file == "":
		return s.Pin(ctx, o.writer(env), topicKey(args[0]), o.pin)
	}
	paths, err := codePaths(s, o.paths.Value())
	if err != nil {
		return c, err
	}
	return s.Remember(ctx, store.TopicOptions{
		Writer: o.writer(env), Key: topicKey(args[0]), Text: body,
		Paths: paths, Supersedes: topicKey(o.supersedes), Pin: o.pinned(),
	})
}

// check reports what cannot be given together.
func (o *rememberOptions) check(args []string) error {
	text, about := len(args) == 2 || o.file != "", len(o.paths.Value()) > 0 || o.supersedes != ""
	switch {
	case len(args) == 2 && o.file != "":
		return usagef("TEXT and -F cannot be used together")
	case o.pin && o.unpin:
		return usagef("--pin and --unpin cannot be used together")
	case o.confirm && (text || about || o.pin || o.unpin):
		return usagef("--confirm takes only a key: the text stays as it is").
			hint("git context remember --confirm %s", args[0])
	case !text && about:
		return usagef("--path and --supersedes belong to a text: give a TEXT, or -F FILE")
	case !text && !o.pin && !o.unpin && !o.confirm:
		return usagef("topic '%s' needs a text", args[0]).
			hint("give a TEXT, or -F FILE")
	}
	return nil
}

// pinned returns what --pin and --unpin say; nil for neither.
func (o *rememberOptions) pinned() *bool {
	if !o.pin && !o.unpin {
		return nil
	}
	return &o.pin
}

// codePaths returns paths relative to the repository, each once; names are relative to the
// directory of the command.
func codePaths(s *refs.Store, names []string) (paths []string, err error) {
	for _, name := range names {
		if name == "" {
			return nil, usagef("a path is empty").hint("--path FILE, or leave it out")
		}
		p, ok := s.Repo().Inside(name)
		if !ok {
			return nil, outside(s.Repo(), name)
		}
		if !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// outside is the error for a path outside of the repository, as git words it.
func outside(repo *git.Repo, name string) error {
	e := &fail.Error{Kind: fail.ErrInvalid, Code: fail.PathOutside, Message: "'" + name + "' is outside of the repository"}
	if top := repo.WorkTree(); top != "" {
		e.Message += " at '" + top + "'"
		e.Hints = []string{"git ls-files"}
	} else {
		e.Hints = []string{"git ls-tree -r --name-only HEAD"}
	}
	return e
}

type forgetOptions struct {
	*globals
	author
}

func newForget(g *globals) *command {
	o := &forgetOptions{globals: g}
	return &command{
		name:  "forget",
		usage: []string{"forget KEY"},
		about: "Drops a topic from the branch, in a memory commit of its own. History keeps its text.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"forget db-pool",
		},
		globals: g,
		flags:   join(o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "a topic's key",
		action: func(ctx context.Context, env *Env, args []string) error {
			c, err := runForget(ctx, env, o, topicKey(args[0]))
			if err != nil {
				return err
			}
			return o.printChange(env, c)
		},
	}
}

func runForget(ctx context.Context, env *Env, o *forgetOptions, key string) (c store.Change, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return c, err
	}
	defer closing(s, &err)
	return s.Forget(ctx, o.writer(env), key)
}
