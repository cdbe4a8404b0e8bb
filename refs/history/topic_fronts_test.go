package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// putTopics writes topics as another program may, given as keys and files.
func putTopics(p *memtest.Clocked, topics map[string]string) {
	p.T.Helper()
	tip := p.Git("rev-parse", git.BranchRef("main"))
	message := p.Git("log", "-1", "--format=%B", tip)
	var in strings.Builder
	fmt.Fprintf(&in, "commit %s\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\nfrom %s\n", git.BranchRef("main"), p.Now.Unix(), len(message), message, tip)
	for key, text := range topics {
		fmt.Fprintf(&in, "M 100644 inline topics/%s.md\ndata %d\n%s\n", key, len(text), text)
	}
	p.Input([]byte(in.String()), "fast-import", "--quiet")
}

// listTopics returns the topics as list and brief do.
func listTopics(t *testing.T, p *memtest.Clocked) [][]store.Topic {
	ctx, s := t.Context(), p.Open()
	tip := memtest.OK(s.Tip(ctx, "main"))(t)
	brief, _, err := history.ReadTopics(ctx, s, tip, 1000, 1<<10, func() ([]history.RecentCommit, error) { return nil, nil })
	p.Must(err)
	return [][]store.Topic{memtest.OK(history.Topics(ctx, s, tip, false))(t), brief}
}

// What a list of topics reads is bounded: YAML by its size, paths by their number. Those with few keep theirs.
func TestTopicsWithManyPaths(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"  - d/a-path-%d-%d\n", "- a_path_of_some_length_%d_%d\n"} {
		p := memtest.NewClocked(t)
		topics := map[string]string{
			"few":  "---\npaths:\n  - a/b\n  - \"c d\"\n---\nx",
			"hand": "---\npaths: [a, b]\npinned: true\nsupersedes: old\n---\nx",
			"old":  "x",
		}
		for i := range 60 {
			var front strings.Builder
			for n := range 1900 {
				fmt.Fprintf(&front, form, i, n)
			}
			topics[fmt.Sprintf("many-%02d", i)] = "---\npinned: true\npaths:\n" + front.String() + "---\nthe text"
		}
		putTopics(p, topics)
		for _, list := range listTopics(t, p) {
			paths := map[string][]string{}
			total, read := 0, 0
			for _, topic := range list {
				paths[topic.Key] = topic.Paths
				total += len(topic.Paths)
				if strings.HasPrefix(topic.Key, "many") && topic.Text != "the text" {
					t.Errorf("%s has the text %q", topic.Key, topic.Text)
				}
				if topic.Pinned {
					read++
				}
				if topic.Key == "hand" && !topic.Pinned {
					t.Error("a small topic is not pinned")
				}
			}
			if yaml := strings.HasPrefix(form, "-"); len(list) != 62 || total > 20_000 || yaml && read > 30 || !yaml && read != 61 {
				t.Errorf("%d topics, want 62: %d paths, %d were read", len(list), total, read)
			}
			if !slices.Equal(paths["few"], []string{"a/b", "c d"}) || !slices.Equal(paths["hand"], []string{"a", "b"}) {
				t.Errorf("the small topics have paths %q and %q", paths["few"], paths["hand"])
			}
		}
		s := p.Open()
		one := memtest.OK(history.Topic(t.Context(), s, memtest.OK(s.Tip(t.Context(), "main"))(t), "many-07"))(t)
		if len(one.Paths) != 1900 {
			t.Errorf("one topic has %d paths, want all", len(one.Paths))
		}
	}
}

// Topics of one file count each.
func TestTopicsOfOneFile(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	text := "---\npaths:\n" + strings.Repeat("  - d/e\n", 1900) + "---\nx"
	topics := map[string]string{}
	for i := range 20 {
		topics[fmt.Sprintf("same-%02d", i)] = text
	}
	putTopics(p, topics)
	total := 0
	for _, topic := range listTopics(t, p)[0] {
		total += len(topic.Paths)
	}
	if total > 20_000 {
		t.Errorf("the list has %d paths", total)
	}
}
