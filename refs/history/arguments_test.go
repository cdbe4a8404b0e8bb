package history

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

func TestLogArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		want  Arguments
	}{
		{"", Arguments{}},
		{"--oneline --until=yesterday -p", Arguments{Select: []string{"--until=yesterday"}, Show: []string{"--oneline", "-p"}, Layout: LayoutLine, Looks: true}},
		{"--until yesterday -S pool topics/", Arguments{Select: []string{"--until=yesterday", "-Spool"}, Show: []string{"-Spool"}, Paths: []string{"topics/"}, Content: true}},
		{"-Spool -G=x -U5", Arguments{Select: []string{"-Spool", "-G=x"}, Show: []string{"-Spool", "-G=x", "-U5"}, Looks: true, Content: true}},
		{"--pretty=fuller", Arguments{Show: []string{"--pretty=fuller"}, Looks: true}},
		{"--format=%h", Arguments{Show: []string{"--format=%h"}, Layout: LayoutOwn, Looks: true}},
		{"--reverse --merges", Arguments{Select: []string{"--merges"}, Reverse: true}},
		{"--stat -- -odd --output=x", Arguments{Show: []string{"--stat"}, Paths: []string{"-odd", "--output=x"}, Looks: true}},
		{"--grep --output=x", Arguments{Select: []string{"--grep=--output=x"}}},
	} {
		got, err := LogArguments(strings.Fields(c.words))
		if err != nil {
			t.Errorf("%s: %v", c.words, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.words, diff)
		}
	}
}

// What git could do harm with, what would bring in commits that are no memory, and
// what is not known, in every way of writing it that git takes.
func TestArgumentsRefused(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"--output=x", "--output", "--outp=x", "--ext-diff", "--ext", "--textconv", "--no-index", "-O", "-Ofile", "--stdin", "--show-signature", "--format=%h %G?", "--pretty=format:%GS",
		"--all", "--branches", "--tags", "--remotes", "--glob=refs/heads/*", "--reflog", "-g", "--walk-reflogs", "--not", "--exclude=x",
		"--no-walk", "--indexed-objects", "--alternate-refs", "--bisect", "--merge", "-n", "-n3", "-3", "--max-count=3", "--skip=1", "--graph",
		"--color=always", "--color-words", "--word-diff=color", "--notes=x", "--no-notes", "-z", "--encoding=x", "--line-prefix=x",
		"--output-indicator-new=x", "--relative", "--submodule", "-l", "--help", "-", "---",
	} {
		for _, read := range []func([]string) (Arguments, error){LogArguments, DiffArguments} {
			var said *fail.Error
			_, err := read([]string{"--stat", word, "x"})
			if !errors.As(err, &said) || !errors.Is(err, fail.ErrRefused) || len(said.Hints) == 0 {
				t.Errorf("%s: %v", word, err)
			}
		}
	}
	if _, err := DiffArguments([]string{"--since=yesterday"}); !errors.Is(err, fail.ErrRefused) {
		t.Errorf("an option of log in diff: %v", err)
	}
	if _, err := LogArguments([]string{"--grep"}); !errors.Is(err, fail.ErrInvalid) {
		t.Errorf("no value: %v", err)
	}
}

func TestSplitRange(t *testing.T) {
	t.Parallel()
	for word, want := range map[string][3]string{
		"main":      {"main", "", ""},
		"a..b":      {"a", "..", "b"},
		"a...b":     {"a", "...", "b"},
		"..b":       {"", "..", "b"},
		"a..":       {"a", "..", ""},
		"v1.2..x.y": {"v1.2", "..", "x.y"},
	} {
		a, dots, b := SplitRange(word)
		if got := [3]string{a, dots, b}; got != want {
			t.Errorf("%s: %q", word, got)
		}
	}
}

// Fields arrive in whatever pieces a pipe makes of them.
func TestRecords(t *testing.T) {
	t.Parallel()
	const in = "a\x00\x00b\nc\x00d\x00e\x00f\x00"
	for size := 1; size <= len(in); size++ {
		var got []string
		r := &store.Records{Fields: 3, Each: func(f [][]byte) error {
			for _, field := range f {
				got = append(got, string(field))
			}
			return nil
		}}
		for at := 0; at < len(in); at += size {
			if _, err := r.Write([]byte(in[at:min(at+size, len(in))])); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]string{"a", "", "b\nc", "d", "e", "f"}, got); diff != "" || len(r.Rest) > 0 {
			t.Errorf("pieces of %d: %s, left %q", size, diff, r.Rest)
		}
	}
}
