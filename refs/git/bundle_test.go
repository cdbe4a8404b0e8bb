package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBundle(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	first := commit(t, r, "one")
	second := commit(t, r, "two", first)
	set(t, r, mainRef, second, r.ZeroID())
	set(t, r, otherRef, first, r.ZeroID())
	set(t, r, NotesRef, first, r.ZeroID())
	refs := []Ref{{mainRef, second}, {otherRef, first}}
	full, more := s.Path("full 'one'.bundle"), s.Path("-more.bundle")
	must(t, r.CreateBundle(t.Context(), full, refs, nil, nil))
	if got := ok(r.BundleRefs(t.Context(), full))(t); !slices.Equal(got, refs) {
		t.Errorf("%v, want %v", got, refs)
	}
	var shown strings.Builder
	must(t, r.CreateBundle(t.Context(), more, refs, []ID{first}, &shown))
	if got := ok(r.BundleRefs(t.Context(), more))(t); !slices.Equal(got, refs[:1]) {
		t.Errorf("%v, want %v", got, refs[:1])
	}
	if shown.Len() == 0 {
		t.Error("no progress")
	}

	s.Git("", "init", "-q", "r2")
	r2 := s.open("r2")
	fetch := func(file string) error {
		return r2.Fetch(t.Context(), FetchOptions{Remote: file, Refspecs: FetchRefspecs("o")})
	}
	err := r2.VerifyBundle(t.Context(), more)
	if err == nil || !strings.Contains(err.Error(), "prerequisite commits: "+string(first)) {
		t.Errorf("verified: %v", err)
	}
	if err := fetch(more); err == nil || errors.Is(err, ErrUnreachable) {
		t.Errorf("fetched: %v", err)
	}
	must(t, r2.VerifyBundle(t.Context(), full))
	must(t, fetch(full))
	must(t, r2.VerifyBundle(t.Context(), more))
	must(t, fetch(more))
	if got := ok(r2.LsRemote(t.Context(), full, BranchPrefix+"*"))(t); !slices.Equal(got, refs) && !slices.Equal(got, []Ref{refs[1], refs[0]}) {
		t.Errorf("listed %v", got)
	}
	if at := ok(r2.Ref(t.Context(), trackedRef))(t); at != second {
		t.Errorf("fetched %s", at)
	}
}

func TestBundleIsExact(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	first := commit(t, r, "one")
	second := commit(t, r, "two", first)
	set(t, r, mainRef, second, r.ZeroID())
	s.Write("x.bundle", "what was there")
	for _, c := range []struct {
		refs []Ref
		not  []ID
		want error
		says string
	}{
		{[]Ref{{mainRef, first}}, nil, ErrStale, mainRef},
		{[]Ref{{mainRef, second}}, []ID{second}, ErrEmptyBundle, "x.bundle"},
		{nil, nil, ErrEmptyBundle, "x.bundle"},
		{[]Ref{{mainRef, second}, {otherRef, second}}, nil, nil, "bad revision '" + otherRef},
		{[]Ref{{"--all", second}}, nil, nil, "no ref name"},
	} {
		err := r.CreateBundle(t.Context(), s.Path("x.bundle"), c.refs, c.not, nil)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.refs, err)
		}
	}
	// git would leave it out without a word.
	s.Git("r", "update-ref", "refs/heads/"+otherRef, string(first))
	set(t, r, otherRef, second, r.ZeroID())
	for _, refs := range [][]Ref{{{mainRef, second}, {otherRef, second}}, {{otherRef, second}}} {
		err := r.CreateBundle(t.Context(), s.Path("x.bundle"), refs, nil, nil)
		if err == nil || !strings.Contains(err.Error(), "left out ref '"+otherRef) {
			t.Errorf("an ambiguous name: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, r.CreateBundle(ctx, s.Path("x.bundle"), []Ref{{mainRef, second}}, nil, nil), context.Canceled, "")
	left, _ := filepath.Glob(s.Path("*bundle*"))
	hidden, _ := filepath.Glob(s.Path(".git-context*"))
	content := ok(os.ReadFile(s.Path("x.bundle")))(t)
	if len(left) != 1 || hidden != nil || string(content) != "what was there" {
		t.Errorf("left %v, %v; %q", left, hidden, content)
	}
}

func TestBadBundles(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	s.Write("junk", "no bundle\n")
	s.Write("names", "# v2 git bundle\n"+strings.Repeat("1", 40)+" refs/../x\n\n")
	for _, c := range []struct {
		file string
		want error
		says string
	}{
		{s.Path("none"), fs.ErrNotExist, "cannot read bundle"},
		{"junk", nil, "not an absolute path"},
		{"-junk", nil, "not an absolute path"},
		{s.Path("junk"), nil, "does not look like a v2 or v3 bundle file"},
		{s.Path("names"), nil, "refs/../x"},
	} {
		_, err := r.BundleRefs(t.Context(), c.file)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.file, err)
		}
	}
	if err := r.CreateBundle(t.Context(), "x", []Ref{{mainRef, r.ZeroID()}}, nil, nil); err == nil {
		t.Error("wrote a relative path")
	}
}

// Only a file is replaced: a device, a directory or a dead link stays what it is.
func TestBundleReplacesFilesAlone(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	first := commit(t, r, "one")
	set(t, r, mainRef, first, r.ZeroID())
	refs := []Ref{{mainRef, first}}
	for name, make := range map[string]func(path string) error{
		"directory": func(path string) error { return os.Mkdir(path, 0o777) },
		"dead link": func(path string) error { return os.Symlink("nowhere", path) },
	} {
		path := filepath.Join(t.TempDir(), "b")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CreateBundle(t.Context(), path, refs, nil, nil); err == nil {
			t.Errorf("%s: replaced", name)
		}
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s: is now %v (%v)", name, after, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o666), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	if err := r.CreateBundle(t.Context(), link, refs, nil, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v (%v)", info, err)
	}
}
