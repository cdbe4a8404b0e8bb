package expunge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// inMessage reports whether a commit message contains the text.
func (f *finder) inMessage(c *git.Commit) bool {
	subject, body, trailers := c.Parts()
	found := f.match.holds(subject + body)
	f.eachValue(trailers, func(value string) { found = found || f.match.holds(value) })
	return found
}

// matches reports whether any text of a file contains the text. Headings and tags contain
// names, which stay.
func (f *finder) matches(path string, data []byte) bool {
	if path == doc.ExpungedFile { // hashes and ids, never the text
		return false
	}
	var texts []string
	var err error
	switch doc.KindOf(path) {
	case doc.FileLog:
		var steps []doc.Step
		steps, err = doc.ParseLog(data)
		for _, s := range steps {
			texts = append(texts, s.Observation, s.Thought, s.Action, s.Session, s.Model, s.Source, doc.ExtraValues(s.Extra))
		}
	case doc.FileCommits:
		var commits []doc.Commit
		commits, err = doc.ParseCommits(data)
		for _, m := range commits {
			texts = append(texts, ownWords(&m), m.Goal, m.Purpose, m.Progress, m.Session, m.Model,
				m.Source, doc.ExtraValues(m.Extra))
		}
	case doc.FileUnknown:
		if path != doc.RoadmapFile {
			return f.match.raw(data)
		}
		fallthrough
	default:
		pieces, err := f.match.inFile(path, data)
		return err != nil || len(pieces) > 0
	}
	return err != nil || slices.ContainsFunc(texts, f.match.holds)
}

// check verifies that new history no longer contains the text. It runs before refs move.
func (f *finder) check(ctx context.Context, op *Operation, tips []git.ID) error {
	if f.match.none() {
		return nil
	}
	now, err := list(ctx, op.Store, tips, nil, func(git.NamedObject) {})
	if err != nil {
		return err
	}
	var fresh []git.ID
	for _, id := range slices.Concat(now.files, now.commits) {
		for _, path := range now.paths[id] {
			contains, known := f.matching[dirKey{placeKind(path), id}]
			if contains {
				return f.stillContains(git.NamedObject{ID: id, Path: path})
			}
			if !known {
				fresh = append(fresh, id)
				break
			}
		}
	}
	left := 0
	defer func() { f.warnLeft(op, left) }()
	return ReadObjects(ctx, op.Store, fresh, func(o git.Object) error {
		if c, err := git.ParseCommit(o.ID, o.Data); o.Type == "commit" && err == nil && f.inHeaders(c) {
			left++
		}
		for _, path := range now.paths[o.ID] {
			if contains, err := f.contains(path, o); err != nil {
				return err
			} else if contains {
				return f.stillContains(git.NamedObject{ID: o.ID, Path: path})
			}
		}
		return nil
	})
}

// warnLeft warns of new commits that have the text in a header, or in a trailer that programs read. These stay, and are not searched for
// what may be a part of their hashes and numbers.
func (f *finder) warnLeft(op *Operation, left int) {
	if left > 0 && strings.Trim(f.match.text, "0123456789abcdef-") != "" {
		op.warn("%s in headers or trailers that programs read, which history keeps", prose.Count(left, "commit")+containIt(left))
	}
}

func containIt(n int) string {
	if n == 1 {
		return " contains it"
	}
	return " contain it"
}

// inHeaders reports whether a commit has the text in what is kept of it, apart from known names.
func (f *finder) inHeaders(c *git.Commit) bool {
	_, _, trailers := c.Parts()
	text := string(c.Unsigned()) + trailers
	return f.match.in(text) && f.match.in(f.withoutNames().Replace(text))
}

// contains reports whether a commit or a file contains the text.
func (f *finder) contains(path string, o git.Object) (bool, error) {
	switch o.Type {
	case "blob":
		return f.matches(path, o.Data), nil
	case "commit":
		c, err := git.ParseCommit(o.ID, o.Data)
		return err == nil && f.inMessage(c), err
	}
	return false, nil
}

func (f *finder) stillContains(o git.NamedObject) error {
	where := "a memory commit's message"
	if o.Path != "" {
		where = "'" + git.Shown(o.Path) + "'"
	}
	return fail.New(fail.ErrRefused, fail.ExpungeIncomplete,
		fmt.Sprintf("%s would still contain the text (%s); nothing was changed", where, o.ID.Short()),
		"git cat-file -p "+string(o.ID))
}
