package loss_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A commit of many parents that lacks something of each does not cost a process of git for each pair of them. What
// one of them removed with a record stays removed.
func TestManyParents(t *testing.T) {
	const (
		parents = 80 // 3,160 pairs
		// A search asks git for 256 pairs, and for the other pairs of the topic at which it reaches that number.
		most = 256 + parents + 10 // processes of git
	)
	r := memtest.New(t)
	s := r.Open()
	ctx := t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Todo: []string{"one", "two"}}))(t)
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "Five"}))(t)
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "cache", Text: "None"}))(t)
	for _, of := range []struct{ ref, file, add, lost string }{
		{git.RoadmapRef, "main.md", "\n## Notes %d\n\n- note %d\n", fmt.Sprintf("%d items of the roadmap", parents-1)},
		{git.BranchRef("main"), "topics/t%[1]d.md", "text %d%d\n", fmt.Sprintf("topic 't1', topic 't10', topic 't11', %d other topics", parents-4)},
	} {
		base := strings.TrimSpace(r.Git("rev-parse", of.ref))
		message := r.Git("log", "-1", "--format=%B", base)
		args := []string{"commit-tree", strings.TrimSpace(r.Git("rev-parse", base+"^{tree}"))}
		news := map[git.ID]*incoming.Commit{}
		commit := func(id git.ID, parents ...git.ID) {
			news[id] = &incoming.Commit{ID: id, Parents: parents, Tree: git.ID(strings.TrimSpace(r.Git("rev-parse", string(id)+"^{tree}")))}
		}
		var made []git.ID
		for i := range parents {
			path := of.file
			if strings.Contains(path, "%") {
				path = fmt.Sprintf(path, i)
			}
			text := fmt.Sprintf(of.add, i, i)
			if of.ref == git.RoadmapRef {
				text = strings.TrimRight(r.Git("show", base+":main.md"), "\n") + "\n" + text
			}
			tree := memtest.OK(s.Repo().Commit(ctx, git.ID(base)))(t).Tree
			edit := s.Repo().Edit(tree)
			r.Must(edit.Put(ctx, path, memtest.OK(s.Repo().WriteBlob(ctx, []byte(text)))(t)))
			in := memtest.OK(edit.Write(ctx))(t)
			id := git.ID(strings.TrimSpace(r.Input([]byte(message), "commit-tree", "-p", base, string(in))))
			commit(id, git.ID(base))
			if i == 0 { // it takes its own part away again, with a record
				was := id
				said := message + "\nContext-Removes: " + path + "\n"
				id = git.ID(strings.TrimSpace(r.Input([]byte(said), "commit-tree", "-p", string(was), string(tree))))
				commit(id, was)
				args = append(args, "-p", string(was))
				made = append(made, was)
			}
			args = append(args, "-p", string(id))
			made = append(made, id)
		}
		tip := git.ID(strings.TrimSpace(r.Input([]byte(message), args...)))
		commit(tip, made...)
		r.Git("update-ref", of.ref, string(tip))

		var trace strings.Builder
		s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Trace: &trace}))(t)
		what := ""
		if of.ref == git.RoadmapRef {
			what = memtest.OK(loss.OfRoadmap(ctx, s, loss.Range{Tip: tip, News: news, Judge: true}))(t).What()
		} else {
			what = memtest.OK(loss.OfBranch(ctx, s, loss.Range{Tip: tip, News: news, Branch: "main", Judge: true}))(t).What()
		}
		var refused error // without a judgement
		if of.ref == git.RoadmapRef {
			_, refused = memtest.OK(loss.OfRoadmap(ctx, s, loss.Range{Tip: tip, News: news}))(t).Restore(ctx, nil, tip)
		} else {
			_, refused = memtest.OK(loss.OfBranch(ctx, s, loss.Range{Tip: tip, News: news, Branch: "main"}))(t).Restore(ctx, nil, nil)
		}
		memtest.ErrorCode(t, refused, fail.MergeUnclear)
		r.Must(s.Close())
		if what != of.lost {
			t.Errorf("%s: lost %s; want %s", of.ref, what, of.lost)
		}
		if n := strings.Count(trace.String(), "\n"); n > most {
			t.Errorf("%s: %d processes of git for %d parents; want at most %d", of.ref, n, parents, most)
		}
	}
}
