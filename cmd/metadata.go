package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type metadataOptions struct {
	*globals
	author
	at    string
	isNew bool
}

// metadataResult is the segment that was read, or the change that was made.
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
			"metadata set PATH VALUE [--new]",
			"metadata unset PATH",
			"metadata refresh",
		},
		about: "Shows and edits metadata.yaml of the branch: its own facts, file_structure, env_config, " +
			"dependencies, and the segments that people and agents add. PATH consists of keys with dots " +
			"between them, and a key that contains dots is written in double quotes: interfaces.\"http.api\". " +
			"VALUE is YAML. A segment that does not exist yet needs --new. refresh detects the facts of the " +
			"code again; every edit is a memory commit of its own.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"metadata get env_config",
			"metadata set branch.purpose 'Try a plain mutex'",
			"metadata set interfaces.store '{package: store, stable: true}'",
		},
		globals: g,
		flags:   join([]cli.Flag{toggle(&o.isNew, "--new", "with set: begin a segment that does not exist yet"), atFlag(&o.at)}, o.author.flags(), g.flags()),
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
		return r, usagef("--at needs 'metadata get'")
	}
	if o.isNew && verb != "set" {
		return r, usagef("--new needs 'metadata set'")
	}
	o.offline = verb == "get"
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
		change, err = s.SetMetadata(ctx, o.writer(env), args[0], args[1], o.isNew)
	case "unset":
		change, err = s.UnsetMetadata(ctx, o.writer(env), args[0])
	case "refresh":
		change, err = s.RefreshMetadata(ctx, o.writer(env))
	}
	return metadataResult{change: &change}, err
}

// metadataVerb returns the verb and its arguments; without arguments the verb is get.
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

// segment is a part of metadata.yaml: its value for JSON, its YAML for text.
type segment struct {
	value any
	yaml  []byte
	at    *store.At // nil: now
}

// readSegment reads the segment at path, or the whole file where path is empty.
func readSegment(ctx context.Context, s *refs.Store, w render.Where, path string) (*segment, error) {
	tip, err := history.At(ctx, s, w.Branch, w.At)
	if err != nil {
		return nil, err
	}
	m, err := tip.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	value, found, err := m.Get(path)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noSegment(path, m.Keys())
	}
	yaml, _, err := m.YAML(path)
	if err != nil {
		return nil, err
	}
	return &segment{value: value, yaml: yaml, at: tip.At()}, nil
}

func noSegment(path string, keys []string) error {
	err := &fail.Error{
		Code:    fail.SegmentNotFound,
		Message: fmt.Sprintf("no segment '%s' in metadata.yaml", path),
		Kind:    fail.ErrNotFound,
		Hints:   []string{"there are: " + strings.Join(keys, ", ")},
	}
	if near := nearest(path, keys); near != "" {
		err.Hints = []string{"git context metadata get " + near}
	}
	return err
}

// print writes YAML; a comment names the moment of the past that it is of.
func (seg *segment) print(p *render.Printer) {
	if seg.at != nil {
		line(p, "# %s", render.AtLine(seg.at))
	}
	block(p, string(seg.yaml))
}
