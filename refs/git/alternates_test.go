package git

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// What may stand in borrowed objects is not absent while these are away.
func TestBorrowedIsNotAbsent(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	id := commit(t, r, "one")
	must(t, move(t, r, "refs/heads/trunk", id, ""))
	s.Git("", "clone", "-q", "--shared", "--bare", "r", "c")
	must(t, os.Rename(s.Path("r"), s.Path("away")))
	c := s.open("c")
	away := func(what string, err error) {
		t.Helper()
		if err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), s.Path("r")) {
			t.Errorf("%s: error = %v", what, err)
		}
	}
	_, err := c.Commit(t.Context(), id)
	away("Commit", err)
	_, err = c.Infos(t.Context(), []ID{id})
	away("Infos", err)
	away("ReadAll", c.ReadAll(t.Context(), []ID{id}, func(Object) error { return nil }))

	must(t, os.Rename(s.Path("away"), s.Path("r")))
	c = s.open("c")
	_ = ok(c.Commit(t.Context(), id))(t)
	none := ID(strings.Repeat("1", 40))
	if infos := ok(c.Infos(t.Context(), []ID{none}))(t); infos[0].Type != "" {
		t.Errorf("there is no such object: %v", infos)
	}
	_, err = c.Commit(t.Context(), none)
	wantErr(t, err, ErrNotFound, "")
}
