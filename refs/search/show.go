package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
	"github.com/oklog/ulid/v2"
)

// The maximal lengths of a step's title, in characters, and of a snippet, in bytes.
const (
	stepTitle   = 120
	snippetSize = 160
)

// text is the text of a hit.
type text struct {
	id, origin, title, body string

	rest string // what the title does not contain, for snippets
}

// show reads the texts of hits.
func (c *corpus) show(ctx context.Context, list []ranked, terms []string) ([]Hit, error) {
	texts, err := c.texts(ctx, list)
	if err != nil {
		return nil, err
	}
	current, err := c.s.Current(ctx)
	if err != nil {
		return nil, err
	}
	words := index.NewTokenizer()
	hits := make([]Hit, len(list))
	for i, r := range list {
		t, place := texts[i], c.places[r.key]
		at := preferred(place.branches, current, t.origin)
		h := Hit{Kind: kindName(r.key.Kind), ID: t.id, Commit: r.commit, Branch: cmp.Or(t.origin, at), Title: t.title,
			Snippet: words.Snippet(t.rest, terms, snippetSize), Score: math.Round(r.score*1000) / 1000,
			Outcome: r.outcome, Noted: r.noted}
		if r.commit != nil {
			made, err := c.s.Repo().Commit(ctx, *r.commit)
			if err != nil {
				return nil, err
			}
			if h.Authored, err = c.s.ByCommit(ctx, made); err != nil {
				return nil, err
			}
		}
		if h.Open, err = c.open(r, t.id, at); err != nil {
			return nil, err
		}
		hits[i] = h
	}
	return hits, nil
}

func kindName(k index.Kind) string { return []string{"commit", "step", "topic"}[k] }

// preferred selects one of several branches that contain a hit: the current one, the one
// that recorded it, the first by name.
func preferred(branches []string, current, origin string) string {
	for _, b := range []string{current, origin} {
		if slices.Contains(branches, b) {
			return b
		}
	}
	return slices.Min(branches)
}

// texts reads the entries of hits, each file once.
func (c *corpus) texts(ctx context.Context, list []ranked) ([]text, error) {
	byBlob := map[git.ID][]int{}
	texts := make([]text, len(list))
	var blobs []git.ID
	for i, r := range list {
		blob := c.places[r.key].blob
		if blob == "" {
			if err := c.pendingText(&texts[i], r); err != nil {
				return nil, err
			}
			continue
		}
		if byBlob[blob] == nil {
			blobs = append(blobs, blob)
		}
		byBlob[blob] = append(byBlob[blob], i)
	}
	isTopic := func(id git.ID) bool {
		return !slices.ContainsFunc(byBlob[id], func(i int) bool { return list[i].key.Kind != index.Topics })
	}
	err := c.readShort(ctx, blobs, isTopic, func(o git.Object) error {
		for _, i := range byBlob[o.ID] {
			r := list[i]
			if err := c.read(&texts[i], r, o.Data); err != nil {
				p := c.places[r.key]
				return fmt.Errorf("%s of branch '%s': %w", p.path, p.branches[0], err)
			}
		}
		return nil
	})
	return texts, err
}

// read finds the text of a hit in its file.
func (c *corpus) read(t *text, r ranked, data []byte) error {
	id := ulid.ULID(r.ID).String()
	switch r.key.Kind {
	case index.Topics:
		topic, err := doc.ParseTopic(data)
		key := topicName(c.places[r.key].path)
		*t = text{id: key, title: key, body: topic.Text, rest: topic.Text}
		return err
	case index.Commits:
		ms, err := doc.ParseCommits(data)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(ms, func(m doc.Commit) bool { return m.ID == id })
		if i < 0 {
			return fmt.Errorf("no entry %s", id)
		}
		*t = text{id: id, origin: ms[i].Origin, title: doc.ShortText(ms[i].Summary, store.SummarySize), body: ms[i].Contribution, rest: ms[i].Contribution}
	default:
		steps, err := doc.ParseLog(data)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(steps, func(s doc.Step) bool { return s.ID == id })
		if i < 0 {
			return fmt.Errorf("no entry %s", id)
		}
		t.step(steps[i])
	}
	return nil
}

func (c *corpus) pendingText(t *text, r ranked) error {
	steps := c.waiting[c.places[r.key].branches[0]]
	if r.Doc >= len(steps) {
		return fmt.Errorf("no pending step %d", r.Doc)
	}
	t.step(steps[r.Doc])
	return nil
}

// step fills in a step. Its title is the action, else the thought or the observation.
func (t *text) step(s doc.Step) {
	for _, part := range []*string{&s.Observation, &s.Thought, &s.Action} { // of a pending step, which is whole
		*part = doc.ShortText(*part, searchedText)
	}
	titled := s.Observation
	for _, part := range []string{s.Thought, s.Action} {
		if strings.TrimSpace(part) != "" {
			titled = part
		}
	}
	*t = text{id: s.ID, origin: s.Origin, title: firstWords(titled)}
	var parts []string
	for _, part := range []string{s.Observation, s.Thought, s.Action} {
		if part == "" {
			continue
		}
		t.body += part + "\n"
		if part == titled {
			part = strings.TrimPrefix(strings.TrimSpace(part), t.title)
		}
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	t.rest = strings.Join(parts, partsBetween)
}

// partsBetween separates observation, thought and action.
const partsBetween = " · "

// firstWords returns the first line of a text that is not empty, shortened.
func firstWords(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return prose.OneLine(line, stepTitle)
}

// open returns the command that shows a hit, on a branch that contains it. A commit that is
// absent, as in a shallow clone, is addressed by its position in the branch.
func (c *corpus) open(r ranked, id, branch string) (string, error) {
	switch {
	case r.key.Kind == index.Topics:
		return "git context topic " + id + " -b " + branch, nil
	case r.key.Kind == index.Commits && r.commit != nil:
		return "git context --commit " + id, nil
	case r.key.Kind == index.Commits:
		younger, err := c.younger(r, branch, doc.CommitFile, doc.CommitDir)
		return fmt.Sprintf("git context -b %s --limit 1 --skip %d", branch, younger), err
	}
	if err := c.journals(); err != nil {
		return "", err
	}
	waiting := len(c.waiting[branch])
	if c.places[r.key].blob == "" {
		return stepCommand(branch, waiting-r.Doc-1), nil
	}
	younger, err := c.younger(r, branch, doc.LogFile, doc.LogDir)
	return stepCommand(branch, waiting+younger), err
}

// younger counts the entries of its kind in a branch that are younger than a hit, with the
// index.
func (c *corpus) younger(r ranked, branch, live, dir string) (n int, err error) {
	i := slices.IndexFunc(c.branches, func(b branchFiles) bool { return b.branch == branch })
	for _, f := range newestFirst(c.branches[i].files, live, dir) {
		key, err := unitKey(f)
		if err != nil {
			return 0, err
		}
		if key == r.key {
			return n + c.places[key].docs - r.Doc - 1, nil
		}
		n += c.places[key].docs
	}
	return 0, fmt.Errorf("entry %s is not in branch '%s'", ulid.ULID(r.ID), branch)
}

func stepCommand(branch string, skip int) string {
	return fmt.Sprintf("git context -b %s --log --steps 1 --skip %d", branch, skip)
}

// newestFirst returns the files of a document, the live file and segments, in the order of
// CONTEXT.
func newestFirst(files []branchFile, live, dir string) []branchFile {
	var list []branchFile
	for _, f := range files {
		if f.path == live || strings.HasPrefix(f.path, dir+"/") {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b branchFile) int {
		switch {
		case a.path == live:
			return -1
		case b.path == live:
			return 1
		}
		return strings.Compare(b.path, a.path)
	})
	return list
}
