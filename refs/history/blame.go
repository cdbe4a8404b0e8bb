package history

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
	"github.com/git-context/git-context/refs/store"
)

// TopicBlame is the authorship of each line of a topic, of metadata.yaml or of main.md.
type TopicBlame struct {
	Key    string      `json:"key"`
	Branch string      `json:"branch"` // "" for main.md, which all branches share
	Lines  []BlameLine `json:"lines"`

	Warnings []string `json:"-"`
}

// BlameLine is one line of the text, without its line feed.
type BlameLine struct {
	Line   int          `json:"line"` // from 1, without the front matter
	Text   string       `json:"text"`
	Agent  string       `json:"agent"`
	Time   time.Time    `json:"time"`
	Commit git.ID       `json:"commit"`    // the memory commit that wrote it
	Entry  *BlameCommit `json:"milestone"` // nil while no commit with an entry contains it
}

// BlameCommit is the first commit with an entry that contains a line: the one that the line
// was written for.
type BlameCommit struct {
	ID      string `json:"id"`
	Commit  git.ID `json:"commit"`
	Summary string `json:"summary"`
}

// Blame returns who wrote each line of a topic of the current branch or, if rev is not
// empty, of the branch as it was at rev. Lines that a merge brought keep their authors. If
// there is no topic of that key, metadata.yaml is that document of the branch, and main.md
// is the roadmap, whose lines have no Entry. For a topic that was forgotten, the error of
// the kind fail.ErrNotFound names when and by whom.
func Blame(ctx context.Context, s *store.Store, key, rev string) (TopicBlame, error) {
	if name, ok := strings.CutPrefix(key, doc.TopicDir+"/"); ok { // a path, which log and diff accept
		key = strings.TrimSuffix(name, ".md")
	}
	if err := store.CheckTopic(key); err != nil {
		return TopicBlame{}, err
	}
	tip, err := s.StartTip(ctx, rev)
	if err != nil {
		return TopicBlame{}, err
	}
	path := doc.TopicPath(key)
	_, ok, err := tip.Entry(ctx, path)
	switch {
	case err != nil:
		return TopicBlame{}, err
	case ok:
		return blameTopic(ctx, s, tip, key)
	case key == doc.RoadmapFile:
		return blameRoadmap(ctx, s, tip, rev)
	case key == doc.MetadataFile:
		return blameDocument(ctx, s, tip, key, key, 0)
	}
	return TopicBlame{}, noTopic(ctx, s, tip, key)
}

func blameTopic(ctx context.Context, s *store.Store, tip *store.Tip, key string) (TopicBlame, error) {
	data, err := tip.TopicBlob(ctx, key)
	if err != nil {
		return TopicBlame{}, err
	}
	t, err := doc.ParseTopic(data)
	if err != nil {
		return TopicBlame{}, fmt.Errorf("topic '%s' of branch '%s': %w", key, tip.Name(), err)
	}
	most := 0
	if len(data) > blamedSize {
		most = max(1, bytes.Count(data[:blamedSize], []byte("\n")))
	}
	b, err := blameDocument(ctx, s, tip, key, doc.TopicPath(key), most)
	if err != nil {
		return b, err
	}
	if most > 0 {
		b.Warnings = append(b.Warnings,
			fmt.Sprintf("topic '%s' has %d bytes: only the first %d lines are blamed", key, len(data), most))
	}
	front := bytes.Count(data[:len(data)-len(t.Text)], []byte("\n"))
	b.Lines = b.Lines[min(front, len(b.Lines)):]
	for i := range b.Lines {
		b.Lines[i].Line = i + 1
	}
	by, err := supersededBy(ctx, s, tip, key)
	if by != "" {
		b.Warnings = append(b.Warnings, fmt.Sprintf("topic '%s' is superseded by '%s'", key, by))
	}
	return b, err
}

// blamedSize is how many bytes of a topic's file are blamed: git takes four seconds for 30 MB.
const blamedSize = 1 << 20

// supersededBy returns the key of a topic that supersedes another; "" for none.
func supersededBy(ctx context.Context, s *store.Store, tip *store.Tip, key string) (string, error) {
	ids, err := store.TopicIDs(ctx, tip)
	if err != nil {
		return "", err
	}
	by := ""
	err = eachTopic(ctx, s, tip, ids, 0, func(name string, t doc.Topic) {
		if other := strings.TrimSuffix(name, ".md"); t.Supersedes == key && other != key {
			by = other
		}
	})
	return by, err
}

// noTopic is the error for an absent topic: that it was forgotten, by whom, and how to see
// it, or that it never existed.
func noTopic(ctx context.Context, s *store.Store, tip *store.Tip, key string) error {
	out, err := s.Repo().View(ctx, "log", "--max-count=1", "--no-renames", "--diff-filter=D",
		"--diff-merges=first-parent", "--no-patch", "--format=%H",
		"--end-of-options", string(tip.Commit().ID), "--", doc.TopicPath(key))
	if err != nil {
		return err
	}
	id := git.ID(strings.TrimSpace(string(out)))
	if id == "" {
		_, err := tip.TopicBlob(ctx, key)
		return err
	}
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return err
	}
	return fail.New(fail.ErrNotFound, fail.TopicForgotten,
		fmt.Sprintf("topic '%s' was forgotten in branch '%s' by %s at %s (%s)", key, tip.Name(),
			prose.OneLine(store.WriterOf(c), 100), c.Committer.When.UTC().Format(time.RFC3339), id.Short()),
		fmt.Sprintf("git context blame %s %s~", key, id.Short()))
}

// blameRoadmap blames main.md, as it was with the commit at rev.
func blameRoadmap(ctx context.Context, s *store.Store, tip *store.Tip, rev string) (TopicBlame, error) {
	id, err := s.RoadmapTip(ctx)
	if rev != "" {
		id, _ = store.ParseRoadmap(tip.Commit().Trailer(store.TrailerRoadmap))
	}
	if err == nil && id == "" {
		err = fail.New(fail.ErrNotFound, fail.DocumentNotFound, "there is no roadmap", "git context init")
	}
	if err != nil {
		return TopicBlame{}, err
	}
	lines, err := blameLines(ctx, s, id, doc.RoadmapFile, 0)
	return TopicBlame{Key: doc.RoadmapFile, Lines: lines}, err
}

// blameDocument blames a file of a branch, at most most lines of it (0: all), and finds the entries.
func blameDocument(ctx context.Context, s *store.Store, tip *store.Tip, key, path string, most int) (TopicBlame, error) {
	b := TopicBlame{Key: key, Branch: tip.Name()}
	var err error
	if b.Lines, err = blameLines(ctx, s, tip.Commit().ID, path, most); err != nil || len(b.Lines) == 0 {
		return b, err
	}
	first, err := firstEntries(ctx, s, tip.Commit().ID)
	if err != nil {
		return b, err
	}
	for i := range b.Lines {
		b.Lines[i].Entry = first[b.Lines[i].Commit]
	}
	return b, nil
}

func blameLines(ctx context.Context, s *store.Store, id git.ID, path string, most int) ([]BlameLine, error) {
	found, err := s.Repo().Blame(ctx, id, path, most)
	if err != nil {
		return nil, err
	}
	commits := map[git.ID]*git.Commit{}
	if err := lookThrough(ctx, s, path, most, found, commits); err != nil {
		return nil, err
	}
	lines := make([]BlameLine, len(found))
	for i, l := range found {
		c := commits[l.Commit]
		if c == nil {
			if c, err = s.Repo().Commit(ctx, l.Commit); err != nil {
				return nil, err
			}
			commits[l.Commit] = c
		}
		lines[i] = BlameLine{Line: i + 1, Text: l.Text, Agent: store.WriterOf(c), Time: c.Committer.When.UTC(),
			Commit: l.Commit}
	}
	return lines, nil
}

// lookThrough replaces a commit that brought back an older version of a file by the commits that wrote
// the lines of that version. Only rollbacks and commits that restore what another one lost bring one back: of the
// commits with an entry, rollbacks and merges alone change topics.
func lookThrough(ctx context.Context, s *store.Store, path string, most int, lines []git.BlamedLine, commits map[git.ID]*git.Commit) error {
	asked := map[git.ID][]git.BlamedLine{} // the lines of the version that a commit brought back; nil: none
	for i := 0; i < len(lines); i++ {
		l := &lines[i]
		c := commits[l.Commit]
		if c == nil {
			var err error
			if c, err = s.Repo().Commit(ctx, l.Commit); err != nil {
				return err
			}
			commits[l.Commit] = c
		}
		if c.Trailer(store.TrailerID) == "" && c.Trailer(store.TrailerRestores) == "" || len(c.Parents) != 1 {
			continue
		}
		before, known := asked[c.ID]
		if !known {
			var err error
			if before, err = broughtBack(ctx, s, c, path, most); err != nil {
				return err
			}
			asked[c.ID] = before
		}
		if l.Line <= len(before) {
			l.Commit, l.Line = before[l.Line-1].Commit, before[l.Line-1].Line
			i-- // that may be a rollback too; each step goes to an older commit
		}
	}
	return nil
}

// broughtBack blames the file of a commit at the newest older commit that has the same file; nil if there
// is none.
func broughtBack(ctx context.Context, s *store.Store, c *git.Commit, path string, most int) ([]git.BlamedLine, error) {
	file, ok, err := s.Repo().Edit(c.Tree).Entry(ctx, path)
	if err != nil || !ok {
		return nil, err
	}
	out, err := s.Repo().View(ctx, "log", "--format=%H", "--no-renames", "--diff-merges=first-parent", "--no-patch", "--find-object="+string(file.ID),
		"--end-of-options", string(c.Parents[0]), "--", path)
	if err != nil {
		return nil, err
	}
	for id := range strings.FieldsSeq(string(out)) {
		older, err := s.Repo().Commit(ctx, git.ID(id))
		if err != nil {
			return nil, err
		}
		was, ok, err := s.Repo().Edit(older.Tree).Entry(ctx, path)
		if err != nil {
			return nil, err
		}
		if ok && was.ID == file.ID {
			return s.Repo().Blame(ctx, older.ID, path, most)
		}
	}
	return nil, nil
}

// firstEntries returns, for every ancestor of a tip, the first commit with an entry that
// contains it. If several do, on branches that were merged later, it is the one with the
// smallest id. One git log answers for all, children before their parents.
func firstEntries(ctx context.Context, s *store.Store, tip git.ID) (map[git.ID]*BlameCommit, error) {
	first := map[git.ID]*BlameCommit{}
	err := s.LogIDs(ctx, []string{"--topo-order", store.EndOfOptions, string(tip)}, func(f [][]byte) error {
		commit := git.ID(f[0])
		if id := string(f[1]); id != "" { // younger ones are its descendants
			first[commit] = &BlameCommit{ID: id, Commit: commit, Summary: string(f[3])}
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
