package store

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Blame is who wrote each line of a topic, of metadata.yaml or of main.md.
type Blame struct {
	Key    string      `json:"key"`
	Branch string      `json:"branch"` // "" of main.md, which all branches share
	Lines  []BlameLine `json:"lines"`

	Warnings []string `json:"-"`
}

// BlameLine is one line of the text, without its line end.
type BlameLine struct {
	Line      int             `json:"line"` // from 1; front matter is not counted
	Text      string          `json:"text"`
	Agent     string          `json:"agent"`
	Time      time.Time       `json:"time"`
	Commit    git.ID          `json:"commit"`    // the memory commit that brought it
	Milestone *BlameMilestone `json:"milestone"` // nil while there is none
}

// BlameMilestone is the first milestone that a line stood in: the one that it was
// work towards.
type BlameMilestone struct {
	ID      string `json:"id"`
	Commit  git.ID `json:"commit"`
	Summary string `json:"summary"`
}

// Blame says who wrote each line of a topic of the current branch, or of the branch
// as it stood at rev, if that is not empty. What came by a merge is whose it was
// before. Where there is no topic of that key, metadata.yaml means that document of
// the branch, and main.md the roadmap, whose lines stand in no milestone.
// fail.ErrNotFound says of a topic that was forgotten when, and by whom.
func (s *Store) Blame(ctx context.Context, key, rev string) (Blame, error) {
	if name, ok := strings.CutPrefix(key, doc.TopicDir+"/"); ok { // its path, as log and diff take it
		key = strings.TrimSuffix(name, ".md")
	}
	if err := checkTopic(key); err != nil {
		return Blame{}, err
	}
	tip, err := s.startOf(ctx, rev)
	if err != nil {
		return Blame{}, err
	}
	path := doc.TopicPath(key)
	_, ok, err := tip.entry(ctx, path)
	switch {
	case err != nil:
		return Blame{}, err
	case ok:
		return s.blameTopic(ctx, tip, key)
	case key == doc.RoadmapFile:
		return s.blameRoadmap(ctx, tip, rev)
	case key == doc.MetadataFile:
		return s.blameDocument(ctx, tip, key, key)
	}
	return Blame{}, s.noTopic(ctx, tip, key)
}

func (s *Store) blameTopic(ctx context.Context, tip *Tip, key string) (Blame, error) {
	data, err := s.topicBlob(ctx, tip, key)
	if err != nil {
		return Blame{}, err
	}
	t, err := doc.ParseTopic(data)
	if err != nil {
		return Blame{}, fmt.Errorf("topic '%s' of branch '%s': %w", key, tip.branch, err)
	}
	b, err := s.blameDocument(ctx, tip, key, doc.TopicPath(key))
	if err != nil {
		return b, err
	}
	front := bytes.Count(data[:len(data)-len(t.Text)], []byte("\n"))
	b.Lines = b.Lines[min(front, len(b.Lines)):]
	for i := range b.Lines {
		b.Lines[i].Line = i + 1
	}
	by, err := s.supersededBy(ctx, tip, key)
	if by != "" {
		b.Warnings = append(b.Warnings, fmt.Sprintf("topic '%s' is superseded by '%s'", key, by))
	}
	return b, err
}

// supersededBy is the key of a topic that says it replaces another; "" for none.
func (s *Store) supersededBy(ctx context.Context, tip *Tip, key string) (string, error) {
	ids, err := topicIDs(ctx, tip)
	if err != nil {
		return "", err
	}
	for name := range ids {
		other := strings.TrimSuffix(name, ".md")
		if other == key {
			continue
		}
		t, err := s.readTopic(ctx, tip, other)
		if err != nil {
			return "", err
		}
		if t.Supersedes == key {
			return other, nil
		}
	}
	return "", nil
}

// noTopic says of a topic that is not there that it was forgotten, by whom and how
// it is still seen, or that it never was.
func (s *Store) noTopic(ctx context.Context, tip *Tip, key string) error {
	out, err := s.repo.View(ctx, "log", "--max-count=1", "--no-renames", "--diff-filter=D", "--diff-merges=first-parent", "--no-patch", "--format=%H",
		"--end-of-options", string(tip.commit.ID), "--", doc.TopicPath(key))
	if err != nil {
		return err
	}
	id := git.ID(strings.TrimSpace(string(out)))
	if id == "" {
		_, err := s.topicBlob(ctx, tip, key)
		return err
	}
	c, err := s.repo.Commit(ctx, id)
	if err != nil {
		return err
	}
	return fail.New(fail.ErrNotFound, fail.TopicForgotten, fmt.Sprintf("topic '%s' was forgotten in branch '%s' by %s at %s (%s)", key, tip.branch,
		prose.OneLine(writerOf(c), 100), c.Committer.When.UTC().Format(time.RFC3339), id.Short()),
		fmt.Sprintf("git context blame %s %s~", key, id.Short()))
}

// blameRoadmap blames main.md, as it stood with the commit at rev.
func (s *Store) blameRoadmap(ctx context.Context, tip *Tip, rev string) (Blame, error) {
	id, err := s.RoadmapTip(ctx)
	if rev != "" {
		id, _ = ParseRoadmap(tip.commit.Trailer(TrailerRoadmap))
	}
	if err == nil && id == "" {
		err = fail.New(fail.ErrNotFound, fail.DocumentNotFound, "there is no roadmap", "git context init")
	}
	if err != nil {
		return Blame{}, err
	}
	lines, err := s.blameLines(ctx, id, doc.RoadmapFile)
	return Blame{Key: doc.RoadmapFile, Lines: lines}, err
}

// blameDocument blames a file of a branch, with the milestones.
func (s *Store) blameDocument(ctx context.Context, tip *Tip, key, path string) (Blame, error) {
	b := Blame{Key: key, Branch: tip.branch}
	var err error
	if b.Lines, err = s.blameLines(ctx, tip.commit.ID, path); err != nil || len(b.Lines) == 0 {
		return b, err
	}
	first, err := s.firstMilestones(ctx, tip.commit.ID)
	if err != nil {
		return b, err
	}
	for i := range b.Lines {
		b.Lines[i].Milestone = first[b.Lines[i].Commit]
	}
	return b, nil
}

func (s *Store) blameLines(ctx context.Context, id git.ID, path string) ([]BlameLine, error) {
	found, err := s.repo.Blame(ctx, id, path)
	if err != nil {
		return nil, err
	}
	commits := map[git.ID]*git.Commit{}
	lines := make([]BlameLine, len(found))
	for i, l := range found {
		c := commits[l.Commit]
		if c == nil {
			if c, err = s.repo.Commit(ctx, l.Commit); err != nil {
				return nil, err
			}
			commits[l.Commit] = c
		}
		lines[i] = BlameLine{Line: i + 1, Text: l.Text, Agent: writerOf(c), Time: c.Committer.When.UTC(), Commit: l.Commit}
	}
	return lines, nil
}

// firstMilestones is, for every commit that a tip stands on, the first milestone
// that holds it: of several, on branches that were merged later, the one with the
// smallest id. One git log answers for all, children before their parents.
func (s *Store) firstMilestones(ctx context.Context, tip git.ID) (map[git.ID]*BlameMilestone, error) {
	first := map[git.ID]*BlameMilestone{}
	err := s.logIDs(ctx, []string{"--topo-order", endOfOptions, string(tip)}, func(f [][]byte) error {
		commit := git.ID(f[0])
		if id := string(f[1]); id != "" { // younger ones stand on it
			first[commit] = &BlameMilestone{ID: id, Commit: commit, Summary: string(f[3])}
		}
		m := first[commit]
		if m == nil {
			return nil
		}
		for parent := range bytes.FieldsSeq(f[2]) {
			if have := first[git.ID(parent)]; have == nil || m.ID < have.ID {
				first[git.ID(parent)] = m
			}
		}
		return nil
	}, "%P", "%s")
	return first, err
}
