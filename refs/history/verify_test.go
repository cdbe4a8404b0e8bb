package history_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.TrustKey()
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	_, err := history.Verify(ctx, s, "")
	memtest.ErrorSays(t, err, "milestone-not-found", "no commit yet")
	sign := store.Writer{Sign: store.Signing{Mode: store.SignAlways}}
	one := memtest.OK(s.Commit(ctx, store.CommitOptions{Writer: sign, Summary: "one"}))(t)
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "k", Text: "v"}))(t)
	got := memtest.OK(history.Verify(ctx, s, ""))(t) // the newest milestone, not the topic above it
	if len(got) != 1 || got[0].Commit != one.Commit || got[0].Status != history.SignatureGood || got[0].Signer == nil || *got[0].Signer != "ada@example.com" {
		t.Errorf("Verify = %+v", got)
	}
	two := memtest.OK(s.Commit(ctx, store.CommitOptions{Writer: sign, Summary: "two"}))(t)
	for _, test := range []struct{ rev, statuses, code, text string }{
		{"main", "good", "", ""},
		{one.ID, "good", "", ""},
		{"main~2..main~2", "", "", ""},
		{"main~1..main", "good", "", ""},
		{"main~1..", "good", "", ""},
		{"main~1", "unsigned", "not-verified", "is not signed"},
		{"main~3..main", "good unsigned good", "not-verified", "' is not signed"},
		{"..main", "", "", ""},
		{"refs/context/roadmap", "unsigned", "not-verified", "is not signed"},
		{"main~4..main", "", "milestone-not-found", "main~4"},
		{"nope", "", "milestone-not-found", "nope"},
		{"main...main", "", "", ""},
		{"main...main~3", "good unsigned good", "not-verified", "' is not signed"},
	} {
		list, err := history.Verify(ctx, r.Open(), test.rev)
		var statuses []string
		for _, v := range list {
			statuses = append(statuses, v.Status)
		}
		if strings.Join(statuses, " ") != test.statuses {
			t.Errorf("%s: %v, want %s", test.rev, statuses, test.statuses)
		}
		if test.code != "" {
			memtest.ErrorSays(t, err, test.code, test.text)
		} else if err != nil {
			t.Errorf("%s: %v", test.rev, err)
		}
	}

	signers := r.Git("config", "gpg.ssh.allowedSignersFile")
	r.Git("config", "--unset", "gpg.ssh.allowedSignersFile")
	_, err = history.Verify(ctx, r.Open(), "")
	memtest.ErrorSays(t, err, "not-verified", "cannot be checked: gpg.ssh.allowedSignersFile")
	r.Git("config", "gpg.ssh.allowedSignersFile", signers)
	r.Must(os.WriteFile(signers, nil, 0o666))
	list, err := history.Verify(ctx, r.Open(), "")
	memtest.ErrorSays(t, err, "not-verified", "by an unknown key, SHA256:")
	if len(list) != 1 || list[0].Status != history.SignatureUnknown || list[0].Signer != nil || list[0].Commit != two.Commit {
		t.Errorf("of an unknown signer: %+v", list)
	}
}

// Ranges are those of log and diff, from either side and from both.
func TestVerifyRanges(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 2)
	ctx := t.Context()
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "exp", From: m[0], NoSwitch: true}))(t)
	exp := string(r.Commit("exp", "tried").Commit)
	for rev, want := range map[string][]string{
		m[0] + ".." + m[1]:     {m[1]},
		"exp..main":            {m[1]},
		"exp..":                {m[1]},
		"exp~1...exp":          {exp},
		m[0] + "...main":       {m[1]},
		"..." + m[0]:           {m[1]},
		m[1] + "..." + m[1]:    {},
		"main..." + exp + "~2": {m[1]},
	} {
		list, err := history.Verify(ctx, r.Open(), rev)
		var got []string
		for _, v := range list {
			got = append(got, string(v.Commit))
		}
		if len(want) > 0 {
			memtest.ErrorCode(t, err, "not-verified")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rev, got, want)
		}
	}
	if both, _ := history.Verify(ctx, r.Open(), "exp...main"); len(both) != 3 { // the birth of exp is one
		t.Errorf("both sides: %+v", both)
	}
	_, err := history.Verify(ctx, r.Open(), "main...nope")
	if said := memtest.ErrorCode(t, err, "milestone-not-found"); said.Message != "no commit 'nope' in memory" {
		t.Errorf("said %q", said.Message)
	}
}
