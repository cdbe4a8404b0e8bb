package history

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

const (
	// mostFront is how many bytes of front matter in other forms than commands write a view parses as YAML. A megabyte takes 0.1 s, and
	// the topics that one push brings have room for forty. The smallest come first.
	mostFront = 1 << 20
	// mostListed is how many paths the topics of a list name. The topics that one push brings have room for millions, which took a
	// gigabyte and, compared with the code, ten seconds.
	mostListed = 20_000
)

// EachTopicStart reads many topics, given by their blobs, in an order of its own: the front matter, and size bytes of the text. plain
// reads those that need no YAML, as [doc.PlainTopic] does. Front matter beyond mostFront is not read. err is that of [doc.ParseTopic].
func EachTopicStart(ctx context.Context, s *store.Store, ids []git.ID, size int, plain func([]byte) (doc.Topic, bool),
	each func(id git.ID, t doc.Topic, err error) error) error {
	type front struct {
		id   git.ID
		size int
		t    doc.Topic // without it
	}
	var others []front
	err := readStarts(ctx, s, ids, topicStart(size), func(start git.Start) error {
		t, ok := plain(start.Text())
		t.Text = shortTopicText(t.Text, size)
		if !ok {
			others = append(others, front{start.ID, doc.FrontSize(start.Data), t})
			return nil
		}
		return each(start.ID, t, nil)
	})
	if err != nil || len(others) == 0 {
		return err
	}
	slices.SortFunc(others, func(a, b front) int { return cmp.Or(a.size-b.size, cmp.Compare(a.id, b.id)) })
	var parsed []git.ID
	total := 0
	for _, o := range others {
		if total += o.size; total > mostFront {
			if err := each(o.id, o.t, nil); err != nil {
				return err
			}
			continue
		}
		parsed = append(parsed, o.id)
	}
	return readStarts(ctx, s, parsed, topicStart(size), func(start git.Start) error {
		t, err := doc.ParseTopic(start.Text())
		t.Text = shortTopicText(t.Text, size)
		return each(start.ID, t, err)
	})
}

// readStarts is [git.Repo.ReadStarts], without a child for few.
func readStarts(ctx context.Context, s *store.Store, ids []git.ID, size int, each func(git.Start) error) error {
	if len(ids) > fewTopics {
		return s.Repo().ReadStarts(ctx, ids, size, each)
	}
	for _, id := range ids {
		start, err := s.Repo().BlobStart(ctx, id, size)
		if err == nil {
			err = each(start)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fewTopics is how many topics are read one by one: a git process that reads many takes longer
// to start.
const fewTopics = 30

// topicStart is how many bytes of a topic's file have its front matter and size bytes of its text.
func topicStart(size int) int { return size + doc.TopicHead }

// shortTopicText copies at most size bytes of a text: a list must not hold the whole file.
func shortTopicText(text string, size int) string {
	if len(text) > size {
		text = doc.ShortText(text, size)
	}
	return strings.Clone(text)
}

// topicList is a list of topics of which those with most paths have none, so that all have mostListed at most.
type topicList struct {
	topics []listedTopic
	limit  int // of one topic; it only falls
	total  int
}

type listedTopic struct {
	name string // of its file
	t    doc.Topic
}

func (l *topicList) add(name string, t doc.Topic) {
	l.topics = append(l.topics, listedTopic{name, t})
	l.total += len(t.Paths)
	if l.limit == 0 {
		l.limit = mostListed
	}
	if len(t.Paths) > l.limit {
		l.drop(&l.topics[len(l.topics)-1])
	}
	for l.total > mostListed {
		l.limit /= 2
		for i := range l.topics {
			if x := &l.topics[i]; len(x.t.Paths) > l.limit {
				l.drop(x)
			}
		}
	}
}

func (l *topicList) drop(x *listedTopic) {
	l.total -= len(x.t.Paths)
	x.t.Paths, x.t.Edited = nil, nil
}
