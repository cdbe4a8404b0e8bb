package git

import (
	"fmt"
	"testing"
	"time"
)

// Many names can be put into one directory, and some of them taken away and put again.
func TestEditOfManyNames(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	r := s.open("r")
	ctx := t.Context()
	a, b := ID(fmt.Sprintf("%040d", 1)), ID(fmt.Sprintf("%040d", 2))
	const many = 60_000
	begun := time.Now()
	e := r.Edit("")
	for i := range many {
		must(t, e.Put(ctx, fmt.Sprintf("topics/t%d.md", i), a))
	}
	if took := time.Since(begun); took > 10*time.Second { // 0.1 s, and half a minute if each is looked for among all
		t.Errorf("%v for %d names", took, many)
	}
	must(t, e.Put(ctx, "topics/t7.md", b))
	must(t, e.Remove(ctx, "topics/t8.md"))
	must(t, e.Put(ctx, "topics/t9.md", b))
	must(t, e.Put(ctx, "topics/new.md", b))
	for name, want := range map[string]ID{"t6": a, "t7": b, "t8": "", "t9": b, "new": b, fmt.Sprintf("t%d", many-1): a} {
		if entry, _, err := e.Entry(ctx, "topics/"+name+".md"); err != nil || entry.ID != want {
			t.Errorf("%s: %s, %v; want %s", name, entry.ID, err, want)
		}
	}
	if list := ok(e.List(ctx, "topics"))(t); len(list) != many {
		t.Errorf("%d names; want %d", len(list), many)
	}
}
