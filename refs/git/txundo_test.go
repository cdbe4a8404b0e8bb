package git

import (
	"errors"
	"strings"
	"testing"
)

// What has moved when git fails at the next ref is moved back.
func TestTxFailedHalfway(t *testing.T) {
	s, r := newRepo(t)
	one, two := commit(t, r, "one"), commit(t, r, "two")
	made, moved, gone, stuck := BranchRef("a"), BranchRef("b"), BranchRef("c"), BranchRef("stuck")
	tx := ok(r.Begin(t.Context(), TxOptions{Message: "m", Committer: Identity{"L", "l@example.com"}}))(t)
	defer tx.Close()
	tx.Update(moved, one, "")
	tx.Update(gone, one, "")
	must(t, tx.Commit(t.Context()))
	// git cannot write a reflog where a directory with another one stands, and
	// finds that out behind the point from which it does not turn back.
	s.Write("r/.git/logs/"+stuck+"/log", "")
	tx.Update(made, one, "")
	tx.Update(moved, two, one)
	tx.Delete(gone, one)
	tx.Update(stuck, one, "")
	if err := tx.Commit(t.Context()); err == nil || !strings.Contains(err.Error(), "'"+stuck+"': ") {
		t.Errorf("error = %v; want one that says why '%s' is stuck", err, stuck)
	}
	for ref, want := range map[string]ID{made: "", moved: one, gone: one, stuck: ""} {
		if got, err := r.Ref(t.Context(), ref); got != want || err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s is at '%s', not '%s': %v", ref, got, want, err)
		}
	}
	tx.Update(moved, two, one) // it goes on with another child
	must(t, tx.Commit(t.Context()))
}
