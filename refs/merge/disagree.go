package merge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
)

// Kinds of a Statement.
const (
	StatementTopic  = "topic"
	StatementCommit = "commit"
)

// Statement is a text of one side of a merge.
type Statement struct {
	Kind string `json:"kind"` // StatementTopic or StatementCommit
	Name string `json:"name"` // the key, or the id
	Text string `json:"text"`
}

// Disagreement is a pair of texts about the same subject that say different things. No slot
// holds both, so that a merge finds no conflict.
type Disagreement struct {
	Ours       Statement `json:"ours"`
	Theirs     Statement `json:"theirs"`
	Similarity float64   `json:"similarity"` // 0 to 1
}

// Two texts may disagree from this similarity on; from the lower one, if just one of them
// says "not". They are below index.DuplicateAt because a contradiction differs in words.
const (
	disagreeAt    = 0.33
	disagreeNotAt = 0.15
)

// A merge takes a fixed time at most for the search.
const (
	mostCompared  = 24   // texts of each side, the newest commits and the first topics
	mostDisagree  = 5    // pairs
	comparedBytes = 1024 // of a text
)

// disagreements reads what both sides wrote since they parted, topics under different keys and
// contributions, and begins to compare it. The result waits for the end: the most similar pairs, best first.
func (m *operation) disagreements(ctx context.Context, target *store.Tip, u *United, bases []git.ID) (wait func() []Disagreement, err error) {
	ours, err := m.ourStatements(ctx, target, u, bases)
	if err != nil {
		return nil, err
	}
	theirs, err := m.topicStatements(ctx, u.theirTopics)
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, commitStatements(u.brought)...)
	wait = sync.OnceValue(func() []Disagreement { return compare(ours, theirs[:min(len(theirs), mostCompared)]) })
	go wait() // beside the children that write the merge
	return wait, nil
}

func compare(ours, theirs []Statement) []Disagreement {
	found := []Disagreement{}
	terms := index.NewSimilarity("", nil)
	prepared := make([]*index.Similarity, len(ours))
	for i, o := range ours {
		prepared[i] = terms.Another(o.comparable())
	}
	for _, t := range theirs {
		like := terms.Another(t.comparable())
		for i, o := range ours {
			if o.Kind == t.Kind && o.Name == t.Name || o.Text == t.Text {
				continue
			}
			x := like.Between(prepared[i])
			if x >= disagreeAt || x >= disagreeNotAt && negative(o.Text) != negative(t.Text) {
				found = append(found, Disagreement{Ours: o, Theirs: t, Similarity: x})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Disagreement) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found[:min(len(found), mostDisagree)]
}

// ourStatements is what the target wrote since the merge base.
func (m *operation) ourStatements(ctx context.Context, target *store.Tip, u *United, bases []git.ID) ([]Statement, error) {
	list, err := m.topicStatements(ctx, u.ourTopics)
	if err != nil {
		return nil, err
	}
	live, _, err := target.LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	since := ""
	for _, id := range bases {
		base, err := m.Store.Repo().Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		since = max(since, base.Trailer(store.TrailerNewest))
	}
	own := slices.DeleteFunc(live, func(c doc.Commit) bool { return c.ID <= since || c.Origin != target.Name() })
	list = append(list, commitStatements(own)...)
	return list[:min(len(list), mostCompared)], nil
}

func (m *operation) topicStatements(ctx context.Context, topics map[string]git.ID) ([]Statement, error) {
	var list []Statement
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		if len(list) == mostCompared/2 {
			break
		}
		if topics[name] == "" { // removed
			continue
		}
		data, err := m.Store.Repo().Blob(ctx, topics[name])
		if err != nil {
			return nil, err
		}
		t, err := doc.ParseTopic(data)
		if err != nil { // fsck reports it; a merge takes it as it is
			continue
		}
		list = append(list, Statement{Kind: StatementTopic, Name: strings.TrimSuffix(name, ".md"), Text: t.Text})
	}
	return list, nil
}

// commitStatements are the contributions of commits that people or agents wrote, newest first.
func commitStatements(commits []doc.Commit) []Statement {
	var list []Statement
	for _, c := range slices.Backward(commits) {
		if len(list) == mostCompared/2 {
			break
		}
		if c.Kind == "" {
			list = append(list, Statement{Kind: StatementCommit, Name: c.ID, Text: contributionOf(c)})
		}
	}
	return list
}

// contributionOf is the text of a commit: its contribution often repeats its summary.
func contributionOf(c doc.Commit) string {
	if strings.HasPrefix(c.Contribution, c.Summary) {
		return c.Contribution
	}
	return c.Summary + "\n\n" + c.Contribution
}

// comparable is the part of the text that is compared; a topic's key names its subject.
func (s Statement) comparable() string {
	text := s.Text[:min(len(s.Text), comparedBytes)]
	if s.Kind == StatementTopic {
		return strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(s.Name) + " " + text
	}
	return text
}

// negative reports whether a text denies something.
func negative(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '\'' && (r < 'a' || r > 'z')
	}), func(word string) bool {
		switch word {
		case "not", "no", "never", "without", "cannot", "fails", "breaks", "wrong":
			return true
		}
		return strings.HasSuffix(word, "n't")
	})
}
