package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

type metadataOptions struct {
	*globals
	author
	at string
}

// metadataResult is a segment that was read, or the one change that was made.
type metadataResult struct {
	segment *segment
	change  *store.Change
}

func newMetadata(g *globals) *command {
	o := &metadataOptions{globals: g}
	return &command{
		name: "metadata",
		usage: []string{
			"metadata [get PATH] [--at C]",
			"metadata set PATH VALUE",
			"metadata unset PATH",
			"metadata refresh",
		},
		about: "Shows and edits metadata.yaml of the branch: its own facts, file_structure, env_config, dependencies, and whatever segments people and agents add. PATH goes from key to key by dots, and a key that holds dots stands in double quotes: interfaces.\"http.api\". VALUE is YAML. refresh finds out again what the program itself can find; every edit is a memory commit of its own.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"metadata get env_config",
			"metadata set branch.purpose 'Try a plain mutex'",
			"metadata set interfaces.store '{package: store, stable: true}'",
		},
		globals: g,
		flags:   join([]cli.Flag{atFlag(&o.at)}, o.author.flags(), g.flags()),
		most:    3,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runMetadata(ctx, env, o, args)
			if err != nil {
				return err
			}
			if r.segment != nil {
				return o.view(ctx, env, r.segment.value, r.segment.print)
			}
			return o.printChange(env, *r.change)
		},
	}
}

func runMetadata(ctx context.Context, env *Env, o *metadataOptions, args []string) (r metadataResult, err error) {
	verb, args, err := metadataVerb(args)
	if err != nil {
		return r, err
	}
	if o.at != "" && verb != "get" {
		return r, usagef("--at goes with 'metadata get'")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	var change store.Change
	switch verb {
	case "get":
		path := ""
		if len(args) > 0 {
			path = args[0]
		}
		seg, err := readSegment(ctx, s, render.Where{Branch: o.branch, At: o.at}, path)
		return metadataResult{segment: seg}, err
	case "set":
		change, err = s.SetMetadata(ctx, o.writer(env), args[0], args[1])
	case "unset":
		change, err = s.UnsetMetadata(ctx, o.writer(env), args[0])
	case "refresh":
		change, err = s.RefreshMetadata(ctx, o.writer(env))
	}
	return metadataResult{change: &change}, err
}

// metadataVerb checks a command line of `metadata`; none at all is get.
func metadataVerb(args []string) (verb string, rest []string, err error) {
	if len(args) == 0 {
		return "get", nil, nil
	}
	verb, rest = args[0], args[1:]
	least, most := 0, 0
	switch verb {
	case "get":
		most = 1
	case "set":
		least, most = 2, 2
	case "unset":
		least, most = 1, 1
	case "refresh":
	default:
		return "", nil, unknownWord("metadata", verb, "get", "set", "unset", "refresh")
	}
	return verb, rest, countWords("metadata "+verb, rest, least, most)
}

// unknownWord is the error for a second word that a command does not know.
func unknownWord(command, word string, known ...string) error {
	err := usagef("'%s' does not know '%s'", command, word)
	if near := nearest(word, known); near != "" {
		return err.hint("did you mean '%s'?", near)
	}
	return err
}

// countWords checks how many words stand behind a second word.
func countWords(form string, words []string, least, most int) error {
	switch {
	case len(words) < least:
		return usagef("'%s' needs more words", form)
	case len(words) > most:
		return usagef("unexpected argument '%s'", words[most]).hint("a text that holds spaces goes in quotes")
	}
	return nil
}

// printChange tells of a command that made one memory commit.
func (g *globals) printChange(env *Env, c store.Change) error {
	env.warnAll(c.Warnings)
	env.replaced(c.Replaced)
	return g.show(env, c, func(p *render.Printer) {
		if c.Unchanged {
			line(p, "Nothing changed")
			return
		}
		line(p, "[%s %s] %s", c.Branch, c.Commit.Short(), c.Subject)
	})
}
