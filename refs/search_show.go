package refs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
)

// The lengths of what a hit shows, in characters and bytes.
const (
	stepTitle   = 120
	snippetSize = 160
)

// text is what a hit says.
type text struct {
	id, origin, title, body string
}

// show reads what hits say.
func (c *corpus) show(ctx context.Context, list []ranked, terms []string) ([]SearchHit, error) {
	texts, err := c.texts(ctx, list)
	if err != nil {
		return nil, err
	}
	current, err := c.s.Current(ctx)
	if err != nil {
		return nil, err
	}
	words := index.NewTokenizer()
	hits := make([]SearchHit, len(list))
	for i, r := range list {
		t, place := texts[i], c.places[r.key]
		at := preferred(place.branches, current, t.origin)
		h := SearchHit{Kind: kindName(r.key.Kind), ID: t.id, Commit: r.commit, Branch: cmp.Or(t.origin, at), Title: t.title,
			Snippet: words.Snippet(t.body, terms, snippetSize), Score: math.Round(r.score*1000) / 1000}
		switch r.key.Kind {
		case index.Commits:
			h.Open = "git context --commit " + t.id
		case index.Steps:
			if h.Open, err = c.openStep(r, at); err != nil {
				return nil, err
			}
		case index.Topics:
			h.Open = "git context topic " + t.id + " -b " + at
		}
		hits[i] = h
	}
	return hits, nil
}

func kindName(k index.Kind) string { return []string{"commit", "step", "topic"}[k] }

// preferred is the branch to look at what stands on several: the current one, the one
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
	err := c.s.repo.ReadAll(ctx, blobs, func(o git.Object) error {
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
		*t = text{id: key, title: key, body: topic.Text}
		return err
	case index.Commits:
		ms, err := doc.ParseCommits(data)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(ms, func(m doc.Milestone) bool { return m.ID == id })
		if i < 0 {
			return fmt.Errorf("no entry %s", id)
		}
		*t = text{id: id, origin: ms[i].Origin, title: ms[i].Summary, body: ms[i].Contribution}
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

// step fills in a step: what was done names it best, else what was thought or seen.
func (t *text) step(s doc.Step) {
	title := cmp.Or(firstWords(s.Action), firstWords(s.Thought), firstWords(s.Observation))
	*t = text{id: s.ID, origin: s.Origin, title: title}
	for _, part := range []string{s.Observation, s.Thought, s.Action} {
		if part != "" {
			t.body += part + "\n"
		}
	}
}

// firstWords is the first line of a text that is not empty, shortened.
func firstWords(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return oneLine(line, stepTitle)
}

// openStep is the command that shows a step: how many younger ones the branch has is
// known from the index.
func (c *corpus) openStep(r ranked, branch string) (string, error) {
	skip, passed := len(c.waiting[branch]), false
	if c.places[r.key].blob == "" {
		skip -= r.Doc + 1
		return stepCommand(branch, skip), nil
	}
	i := slices.IndexFunc(c.branches, func(b branchFiles) bool { return b.branch == branch })
	for _, f := range logFiles(c.branches[i].files) {
		key, err := unitKey(f)
		if err != nil {
			return "", err
		}
		if passed = key == r.key; passed {
			skip += c.places[key].docs - r.Doc - 1
			break
		}
		skip += c.places[key].docs
	}
	if !passed {
		return "", fmt.Errorf("step %s is not in branch '%s'", ulid.ULID(r.ID), branch)
	}
	return stepCommand(branch, skip), nil
}

func stepCommand(branch string, skip int) string {
	return fmt.Sprintf("git context -b %s --log --steps 1 --skip %d", branch, skip)
}

// logFiles are the files of the log, the newest first, as CONTEXT reads them.
func logFiles(files []branchFile) []branchFile {
	var list []branchFile
	for _, f := range files {
		if f.path == doc.LogFile || strings.HasPrefix(f.path, doc.LogDir+"/") {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b branchFile) int {
		if live := func(f branchFile) bool { return f.path == doc.LogFile }; live(a) != live(b) {
			if live(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(b.path, a.path)
	})
	return list
}
