package git

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseBlame(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for _, c := range []struct {
		name, out string
		want      []BlamedLine
		fails     bool
	}{
		{name: "nothing"},
		{name: "a line like a header", out: a + " 1 1 2\nauthor Ada\nsummary x\nfilename f\n\t" + b + " 1 1\n" + a + " 2 2\n\t\tx\r\n",
			want: []BlamedLine{{ID(a), 1, b + " 1 1"}, {ID(a), 2, "\tx\r"}}},
		{name: "a summary like a header", out: a + " 1 1 1\nsummary " + b + "\nprevious " + b + " f\n\t\n", want: []BlamedLine{{ID(a), 1, ""}}},
		{name: "two commits", out: a + " 1 1 1\n\tx\n" + b + " 1 2 1\n\ty\n", want: []BlamedLine{{ID(a), 1, "x"}, {ID(b), 1, "y"}}},
		{name: "no commit", out: "\tx\n", fails: true},
		{name: "no number", out: a + " x 1 1\n\tx\n", fails: true},
	} {
		got, err := parseBlame(c.out, 40)
		if !slices.Equal(got, c.want) || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestMerge(t *testing.T) {
	_, r := newRepo(t)
	ctx := t.Context()
	root := commit(t, r, "root")
	a, b, lone := commit(t, r, "a", root), commit(t, r, "b", root), commit(t, r, "lone")
	cross1, cross2 := commit(t, r, "c1", a, b), commit(t, r, "c2", b, a)
	for _, c := range []struct {
		a, b ID
		want int
	}{{a, b, 1}, {a, a, 1}, {a, lone, 0}, {cross1, cross2, 2}, {root, a, 1}} {
		if got := ok(r.MergeBases(ctx, c.a, c.b))(t); len(got) != c.want {
			t.Errorf("MergeBases = %v, want %d", got, c.want)
		}
	}
	if _, err := r.MergeBases(ctx, a, ID(strings.Repeat("1", 40))); err == nil {
		t.Error("a missing commit has no bases: no error")
	}
	for _, c := range []struct {
		a, b ID
		want bool
	}{{root, a, true}, {a, root, false}, {a, a, true}, {lone, a, false}} {
		if got := ok(r.IsAncestor(ctx, c.a, c.b))(t); got != c.want {
			t.Errorf("IsAncestor = %v", got)
		}
	}
	labels := [3]string{"ours", "base", "theirs"}
	merge := func(base, ours, theirs string) (string, bool) {
		t.Helper()
		out, conflict, err := r.MergeFile(ctx, []byte(base), []byte(ours), []byte(theirs), labels)
		must(t, err)
		return string(out), conflict
	}
	if out, conflict := merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"); conflict || out != "A\nb\nC\n" {
		t.Errorf("%v: %q", conflict, out)
	}
	out, conflict := merge("a\n", "b\n", "c\n")
	if want := "<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> theirs\n"; !conflict || out != want {
		t.Errorf("%v: %q", conflict, out)
	}
	if out, conflict := merge("", "", ""); conflict || out != "" {
		t.Errorf("%v: %q", conflict, out)
	}
	if _, conflict, err := r.MergeFile(ctx, nil, []byte("\x00a"), []byte("b"), labels); err == nil || conflict {
		t.Errorf("binary: %v, %v", conflict, err)
	}
	if left := ok(filepath.Glob(r.StateDir() + "/tmp/*"))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
