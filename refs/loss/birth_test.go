package loss_test

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
)

// A file that may be the birth of a branch is parsed once, not for each commit that has it.
func TestManyCommitsOfABirth(t *testing.T) {
	const commits = 60
	r := memtest.New(t)
	s := r.Open()
	ctx, main := t.Context(), git.BranchRef("main")
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	tip := memtest.OK(s.Tip(ctx, "main"))(t)
	giant := string(memtest.OK(tip.Document(ctx, doc.CommitFile))(t)) + strings.Repeat("> "+strings.Repeat("x", 78)+"\n", 50_000)
	begin := gittest.CPU(t)
	memtest.OK(doc.ParseCommits([]byte(giant)))(t)
	once := gittest.CPU(t) - begin
	blob := memtest.OK(s.Repo().WriteBlob(ctx, []byte(giant)))(t)
	message := []byte(r.Git("log", "-1", "--format=%B", main))
	at := tip.Commit().ID
	for i := range commits {
		edit := s.Repo().Edit(tip.Commit().Tree)
		r.Must(edit.Put(ctx, doc.CommitFile, blob))
		r.Must(edit.Put(ctx, "topics/t.md", memtest.OK(s.Repo().WriteBlob(ctx, []byte(memtest.Text(i))))(t)))
		at = git.ID(strings.TrimSpace(r.Input(message, "commit-tree", "-p", string(at), string(memtest.OK(edit.Write(ctx))(t)))))
	}
	r.Git("update-ref", main, string(at))
	begin = gittest.CPU(t)
	found(t, r, r.Open())
	if took := gittest.CPU(t) - begin; took > commits/2*once {
		t.Errorf("took %v, %d times as long as parsing the file", took, took/once)
	}
}
