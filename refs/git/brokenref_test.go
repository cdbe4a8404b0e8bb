package git

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A ref that git can neither read, move nor delete is listed, and given a value again.
func TestBrokenRefs(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	ctx := t.Context()
	id := ID(strings.TrimSpace(s.Git("r", "commit-tree", "-m", "x", strings.TrimSpace(s.Git("r", "write-tree")))))
	const name = "refs/context/heads/a"
	for _, ref := range []string{name, "refs/heads/other", "refs/context/heads/b"} {
		s.Git("r", "update-ref", "--create-reflog", ref, string(id))
	}
	dir := filepath.Join(r.CommonDir(), "refs")
	for file, text := range map[string]string{"context/heads/a": "", "heads/other": "x", "context/heads/a (copy)": string(id) + "\n"} {
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
	}
	l := ok(r.ListRefs(ctx, "refs/context"))(t)
	if len(l.Refs) != 1 || !slices.Equal(l.Broken, []string{name}) || !slices.Equal(l.Misfit, []string{"refs/context/heads/a (copy)"}) {
		t.Errorf("listed: %+v", l)
	}
	if _, err := r.Refs(ctx, "refs/context"); !errors.Is(err, ErrBroken) {
		t.Errorf("Refs: %v", err)
	}
	if past := ok(r.RefPast(name))(t); !slices.Equal(past, []ID{id}) {
		t.Errorf("it was %v", past)
	}
	must(t, os.WriteFile(filepath.Join(dir, "context/heads/a.lock"), nil, 0o666))
	if err := r.ReplaceBroken(name, id); !errors.Is(err, ErrStale) {
		t.Errorf("while it is locked: %v", err)
	}
	must(t, os.Remove(filepath.Join(dir, "context/heads/a.lock")))
	must(t, r.ReplaceBroken(name, id))
	if got := ok(r.Ref(ctx, name))(t); got != id {
		t.Errorf("it is at %s", got)
	}
	if err := r.ReplaceBroken(name, id); !errors.Is(err, ErrStale) {
		t.Errorf("one that is sound: %v", err)
	}
	must(t, r.ReplaceBroken("refs/heads/other", ""))
	if _, err := r.Ref(ctx, "refs/heads/other"); !errors.Is(err, ErrNotFound) {
		t.Errorf("one that was removed: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.lock")); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A reflog is freed of objects that are not here, and else kept.
func TestDropLostMoves(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	const name, lost = "refs/context/heads/a", "1234567890123456789012345678901234567890"
	var ids []string
	for _, m := range []string{"one", "two", "three"} {
		ids = append(ids, strings.TrimSpace(s.Git("r", "commit-tree", "-m", m, strings.TrimSpace(s.Git("r", "write-tree")))))
		s.Git("r", "update-ref", "--create-reflog", name, ids[len(ids)-1])
	}
	log := filepath.Join(r.CommonDir(), "logs", name)
	data := ok(os.ReadFile(log))(t)
	must(t, os.WriteFile(log, []byte(strings.ReplaceAll(string(data), ids[1], lost)), 0o666))
	must(t, r.DropLostMoves(t.Context(), name))
	if past := ok(r.RefPast(name))(t); !slices.Equal(past, []ID{ID(ids[2]), ID(ids[0])}) {
		t.Errorf("left are %v", past)
	}
	if data := ok(os.ReadFile(log))(t); strings.Contains(string(data), lost) {
		t.Errorf("the reflog:\n%s", data)
	}
}
