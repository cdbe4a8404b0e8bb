package refs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs"
)

// Names that history holds are told each time, all of them, also when nothing else holds
// the text and no ref is called so any more.
func TestExpungeNames(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(s.Init(ctx, refs.InitOptions{}))(t)
	r.branch("tok-999-br", "")
	m := r.milestone(t, "tok-999-br", "One")
	ok(s.SetTag(ctx, refs.Writer{}, "tok-999-tag", m.ID))(t)
	r.remember("main", "tok-999-key", "text\n")
	told := func(list []string, want ...string) {
		t.Helper()
		all := strings.Join(list, "\n")
		for _, w := range want {
			if !strings.Contains(all, w) {
				t.Errorf("'%s' is not told: %s", w, all)
			}
		}
	}
	names := []string{"branch 'tok-999-br'", "topic 'tok-999-key'"}
	told(r.expunge(refs.ExpungeOptions{Match: "tok-999"}).Warnings, append(names, "tag 'tok-999-tag'", "history keeps it, renamed and deleted too")...)
	ok(s.RenameBranch(ctx, "tok-999-br", "fine"))(t)
	told(r.expunge(refs.ExpungeOptions{Match: "tok-999"}).Warnings, names...)
	_, err := r.open().Expunge(ctx, refs.ExpungeOptions{Match: "tok-999"})
	var e *refs.Error
	if !errors.As(err, &e) || e.Code != "expunge-names" || !errors.Is(err, refs.ErrRefused) {
		t.Fatal(err)
	}
	told([]string{e.Message}, append(names, "history keeps names", "tag 'tok-999-tag'")...)
	told(e.Hints, "git context tag -d tok-999-tag", "renaming and deleting do not take a name out of history")
}
