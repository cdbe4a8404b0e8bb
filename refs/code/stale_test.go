package code_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// commitFiles commits files of the code, "path=content"; "path" alone removes one.
func commitFiles(r *memtest.Repo, files ...string) git.ID {
	r.T.Helper()
	for _, f := range files {
		name, content, is := strings.Cut(f, "=")
		path := filepath.Join(r.Dir, name)
		err := os.Remove(path)
		if is {
			if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
				err = os.WriteFile(path, []byte(content), 0o666)
			}
		}
		if err != nil {
			r.T.Fatal(err)
		}
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	return git.ID(r.Git("rev-parse", "HEAD"))
}

// A milestone names the files whose paths are words of it, however they are quoted.
func TestMilestoneStaleness(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	base := commitFiles(r, "a/b.go=1", "a/c.go=1", "top.md=1", "a/d e.go=1", "a/sub/x=1")
	commitFiles(r, "a/b.go=2", "top.md", "a/new.go=1", "a/sub/x=2")
	many := strings.Repeat("x", 10) + ".go"
	for text, want := range map[string]string{
		"nothing":                               "",
		"e.g. v1.2 and so on...":                "",
		"a/c.go":                                "fresh",
		"./a/c.go, as it was":                   "fresh",
		"see a/b.go:12.":                        "a/b.go",
		"see `a/b.go:12:3`!":                    "a/b.go",
		"(a/b.go) \"top.md\" a/c.go":            "a/b.go top.md",
		"**a/b.go**; a/b.go":                    "a/b.go",
		"the folders a/ and a/sub":              "",
		"a/new.go came since":                   "",
		"/a/b.go ../a/b.go a/../../b.go":        "",
		"https://host/a/b.go":                   "",
		"a//b.go and a/./c.go":                  "a/b.go",
		"日本語 「a/b.go」 a/b.go。":                  "a/b.go",
		strings.Repeat(many+" ", 60) + "a/b.go": "a/b.go",
		numbered(60) + " a/b.go":                "",
	} {
		for _, m := range []store.Commit{{Summary: text, Code: &base}, {Summary: "x", Contribution: "x\n" + text, Code: &base}} {
			st := marked(t, s, m).Staleness
			got := strings.Join(st.Changed, " ")
			if st.Stale != nil && !*st.Stale {
				got = "fresh"
			}
			if got != want || (st.Stale == nil) != (want == "") {
				t.Errorf("%q: %q %v, want %q", text, got, st.Stale, want)
			}
		}
	}
	gone := git.ID(strings.Repeat("ab", 20))
	for name, m := range map[string]store.Commit{
		"a commit that is gone": {Summary: "a/b.go", Code: &gone},
		"no commit":             {Summary: "a/b.go"},
		"a tree":                {Summary: "a/b.go", Code: treeOf(r, base)},
	} {
		if st := marked(t, s, m).Staleness; st.Stale != nil {
			t.Errorf("%s: stale is %v", name, *st.Stale)
		}
	}
}

// marked is a milestone with its Staleness.
func marked(t *testing.T, s *refs.Store, m store.Commit) store.Commit {
	t.Helper()
	one := []store.Commit{m}
	if err := code.MarkStale(t.Context(), s, one); err != nil {
		t.Fatal(err)
	}
	return one[0]
}

// numbered is n words, each of which may be a path.
func numbered(n int) string {
	var words []string
	for i := range n {
		words = append(words, strings.Repeat("y", i+1)+".go")
	}
	return strings.Join(words, " ")
}

func treeOf(r *memtest.Repo, commit git.ID) *git.ID {
	tree := git.ID(r.Git("rev-parse", string(commit)+"^{tree}"))
	return &tree
}

// Whoever commits the code right behind its milestone, and links it, has written the
// milestone against that code.
func TestStalenessOfLinkedCode(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	commitFiles(r, "pool.go=1")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Lock pool.go; add pool_test.go"}))(t)
	stale := func() string {
		t.Helper()
		s := r.Open()
		st := marked(t, s, memtest.OK(history.Find(ctx, s, "main"))(t)).Staleness
		if st.Stale == nil || *st.Stale != (len(st.Changed) > 0) {
			t.Fatalf("%+v", st)
		}
		return strings.Join(st.Changed, " ")
	}
	made := commitFiles(r, "pool.go=2", "pool_test.go=1")
	if got := stale(); got != "pool.go" {
		t.Errorf("before it is linked: %q", got)
	}
	if err := code.Link(ctx, r.Open(), store.Writer{}, made, "main"); err != nil {
		t.Fatal(err)
	}
	if got := stale(); got != "" {
		t.Errorf("linked: %q", got)
	}
	commitFiles(r, "pool_test.go=2")
	if got := stale(); got != "pool_test.go" {
		t.Errorf("after another commit: %q", got)
	}
	commitFiles(r, "pool.go")
	if got := stale(); got != "pool.go pool_test.go" {
		t.Errorf("after a removal: %q", got)
	}
	// A milestone that names new files alone.
	memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Summary: "Add fresh.go"}))(t)
	made = commitFiles(r, "fresh.go=1")
	if err := code.Link(ctx, r.Open(), store.Writer{}, made, "main"); err != nil {
		t.Fatal(err)
	}
	if got := stale(); got != "" {
		t.Errorf("a new file: %q", got)
	}
}

// Which code is linked to a milestone is looked for once in the notes as they stand: as
// the answers of a cache, whatever became of that.
func TestLinksAreCached(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	commitFiles(r, "pool.go=1")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Lock pool.go"}))(t)
	made := commitFiles(r, "pool.go=2")
	if err := code.Link(ctx, s, store.Writer{}, made, "main"); err != nil {
		t.Fatal(err)
	}
	searched := func(stale bool) bool {
		t.Helper()
		var trace bytes.Buffer
		s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Trace: &trace}))(t)
		defer s.Close()
		if m := marked(t, s, memtest.OK(history.Find(ctx, s, "main"))(t)); m.Stale == nil || *m.Stale != stale {
			t.Errorf("%+v", m.Staleness)
		}
		return strings.Contains(trace.String(), " grep ")
	}
	cache := filepath.Join(r.Dir, ".git/context/cache/search/links")
	if searched(false) {
		t.Error("searched although HEAD's own note says it")
	}
	commitFiles(r, "other.go=1")
	if !searched(false) || searched(false) {
		t.Error("not once")
	}
	commitFiles(r, "other.go=2")
	if searched(false) {
		t.Error("searched the same notes again")
	}
	if err := os.WriteFile(cache, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if !searched(false) || searched(false) {
		t.Error("a damaged cache is not replaced")
	}
	made = commitFiles(r, "pool.go=3")
	if searched(true) {
		t.Error("searched the same notes again")
	}
	if err := code.Link(ctx, r.Open(), store.Writer{}, made, "main"); err != nil {
		t.Fatal(err)
	}
	if searched(false) {
		t.Error("searched although HEAD's own note says it")
	}
	commitFiles(r, "other.go=3")
	if !searched(false) {
		t.Error("did not search the notes that moved on")
	}
}

// Several milestones are marked at once, as each alone.
func TestMarkStaleTogether(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	bad := git.ID("main")
	list := []store.Commit{{Summary: "a.go", Code: &bad}}
	for _, text := range []string{"a.go", "nothing", "b.go", "a.go and b.go", "c.go", "later.go"} {
		made := commitFiles(r, "a.go="+text, "b.go=1", "c.go=1")
		list = append(list, store.Commit{ID: text, Summary: text, Code: &made})
	}
	made := commitFiles(r, "c.go=2", "later.go=1")
	list = append(list, store.Commit{Summary: "c.go", Code: &made})
	if err := code.MarkStale(ctx, s, list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		one := marked(t, s, c)
		if one.Stale == nil {
			got = append(got, "?")
		} else {
			got = append(got, strings.Join(c.Changed, "+"))
		}
		if !reflect.DeepEqual(one, c) {
			t.Errorf("alone %+v, together %+v", one.Staleness, c.Staleness)
		}
	}
	if want := []string{"?", "a.go", "?", "", "a.go", "c.go", "?", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A topic is held to the commit that wrote its text, whatever brought it to the branch.
func TestTopicIsDatedByItsWriter(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	commitFiles(r, "a=1", "b=1")
	remember := func(key, text string) git.ID {
		t.Helper()
		return memtest.OK(r.Open().Remember(ctx, store.TopicOptions{Key: key, Text: text, Paths: []string{"a"}}))(t).Commit
	}
	remember("kept", "one\ntwo\nthree\n")
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "exp"}))(t)
	there := remember("there", "x")
	remember("kept", "ONE\ntwo\nthree\n")
	memtest.OK(r.Open().Switch(ctx, "main"))(t)
	here := remember("here", "x")
	remember("kept", "one\ntwo\nTHREE\n")
	now := commitFiles(r, "a=2")
	merged := memtest.OK(merge.Merge(ctx, r.Open(), store.MergeOptions{Source: "exp"}))(t)
	if merged.Commit == nil {
		t.Fatalf("%+v", merged)
	}
	m := r.Open()
	topics := memtest.OK(code.Topics(ctx, m, memtest.OK(m.Tip(ctx, "main"))(t), false))(t)
	want := map[string]git.ID{"here": here, "there": there, "kept": *merged.Commit}
	for _, topic := range topics {
		one := memtest.OK(code.Topic(ctx, m, memtest.OK(m.Tip(ctx, "main"))(t), topic.Key))(t)
		if topic.Commit != want[topic.Key] || one.Commit != topic.Commit {
			t.Errorf("%s: %s and %s, want %s", topic.Key, topic.Commit, one.Commit, want[topic.Key])
		}
		if fresh := topic.Key == "kept"; topic.Stale == nil || *topic.Stale == fresh || fresh && *topic.Base != now || slices.Equal(topic.Changed, []string{"a"}) == fresh {
			t.Errorf("%s: %+v", topic.Key, topic.Staleness)
		}
	}
	if len(topics) != 3 {
		t.Errorf("%d topics", len(topics))
	}
}

// A path that no commit can hold is refused, and nothing is written.
func TestRememberChecksPaths(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	commitFiles(r, "a/b.go=1")
	for _, p := range []string{"", "/a/b.go", "../a", "a/../../b", "./a", "a/", "a//b", "a\nb", "a\x00b", "\xff"} {
		_, err := r.Open().Remember(ctx, store.TopicOptions{Key: "bad", Text: "x", Paths: []string{"a/b.go", p}})
		var failed *fail.Error
		if !errors.Is(err, fail.ErrInvalid) || !errors.As(err, &failed) || failed.Code != "topic-path" {
			t.Errorf("%q: %v", p, err)
		}
	}
	ch := memtest.OK(r.Open().Remember(ctx, store.TopicOptions{Key: "good", Text: "x", Paths: []string{"a/b.go", "a", ".", "a/c", "b\\c"}}))(t)
	if len(ch.Warnings) != 2 || !strings.Contains(ch.Warnings[0], "'a/c'") || !strings.Contains(ch.Warnings[1], "'b\\c'") {
		t.Errorf("%q", ch.Warnings)
	}
	again := r.Open()
	if topics := memtest.OK(code.Topics(ctx, again, memtest.OK(again.Tip(ctx, "main"))(t), false))(t); len(topics) != 1 || *topics[0].Stale {
		t.Errorf("%+v", topics)
	}
}
