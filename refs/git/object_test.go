package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestObjectsInEveryRepository(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{{"sha1", nil}, {"sha256", []string{"--object-format=sha256"}}, {"bare", []string{"--bare"}}} {
		t.Run(c.name, func(t *testing.T) {
			s, r := newRepo(t, c.args...)
			testObjects(t, s, r)
		})
	}
}

func testObjects(t *testing.T, s *sandbox, r *Repo) {
	ctx := t.Context()
	long := bytes.Repeat([]byte("a line of text\n"), 100_000)
	for _, data := range [][]byte{nil, {}, []byte("hi\n"), {0, 1, 2}, long, bytes.Repeat([]byte{'x'}, 8<<10)} {
		id := ok(r.WriteBlob(ctx, data))(t)
		if got := ok(r.Blob(ctx, id))(t); !bytes.Equal(got, data) {
			t.Errorf("blob of %d bytes came back with %d", len(data), len(got))
		}
		if got := s.Git("r", "cat-file", "-s", string(id)); got != fmt.Sprint(len(data)) {
			t.Errorf("git sees %s bytes of %d", got, len(data))
		}
	}
	blob := ok(r.WriteBlob(ctx, []byte("x")))(t)
	sub := ok(r.WriteTree(ctx, []TreeEntry{{ModeBlob, "f", blob}}))(t)
	entries := []TreeEntry{{ModeBlob, "a.b", blob}, {ModeTree, "a", sub}, {ModeBlob, "a-b", blob}, {ModeBlob, "ü", blob}}
	tree := ok(r.WriteTree(ctx, entries))(t)
	want := []TreeEntry{entries[2], entries[0], entries[1], entries[3]}
	if diff := cmp.Diff(want, ok(r.Tree(ctx, tree))(t)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	empty := ok(r.WriteTree(ctx, nil))(t)
	if empty != r.EmptyTree() || len(r.ZeroID()) != len(empty) {
		t.Errorf("empty tree %s, zero id %s", empty, r.ZeroID())
	}
	if got := ok(r.Tree(ctx, r.EmptyTree()))(t); len(got) != 0 {
		t.Errorf("empty tree holds %v", got)
	}
	first := commit(t, r, "one\n")
	who := Signature{"Ünï <x> Cödé,", "a@b\n", gittest.Time()}
	c := &Commit{Tree: tree, Parents: []ID{first}, Author: who, Committer: who,
		Message: "Subject\non two lines\n\nBody\n\nContext-Id: 1\nContext-Id: 2\n", Extra: []byte("gpgsig -----BEGIN\n more\n \n -----END\n")}
	id := ok(r.WriteCommit(ctx, c))(t)
	got := ok(r.Commit(ctx, id))(t)
	clean := Signature{"Ünï x Cödé", "a@b", gittest.Time()}
	c.ID, c.Author, c.Committer = id, clean, clean
	if diff := cmp.Diff(c, got, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) && a.Format("-0700") == b.Format("-0700") })); diff != "" {
		t.Errorf("commit (-want +got):\n%s", diff)
	}
	set(t, r, BranchRef("main"), id, "")
	for rev, want := range map[string]ID{"refs/context/heads/main": id, "refs/context/heads/main^": first, string(id) + "^{tree}": tree,
		"refs/context/heads/main:a.b": blob, string(id)[:12]: id, string(id): id, "refs/context/heads/main:a/f": blob} {
		if got := ok(r.Peel(ctx, rev))(t); got != want {
			t.Errorf("Peel(%s) = %s, want %s", rev, got, want)
		}
		if o := ok(r.Object(ctx, rev))(t); o.ID != want {
			t.Errorf("Object(%s) = %s, want %s", rev, o.ID, want)
		}
	}
	if out := s.Git("r", "fsck", "--strict", "--no-dangling"); strings.Contains(out, "error") {
		t.Error(out)
	}
	// Packed, the same answers.
	s.Git("r", "gc", "-q", "--prune=now")
	if got := ok(r.Commit(ctx, id))(t); got.Subject() != "Subject on two lines" {
		t.Errorf("packed commit: %+v", got)
	}
	if got := ok(r.Ref(ctx, BranchRef("main")))(t); got != id {
		t.Errorf("packed ref: %s", got)
	}
}

func TestMissingObjects(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	missing := strings.Repeat("1", 40)
	for _, rev := range []string{missing, "nope", "HEAD", "a b", "x y missing", "HEAD:f", "", "a\nb", "a\x00b", "--batch", " ", strings.Repeat("a", 10)} {
		_, err := r.Object(ctx, rev)
		wantErr(t, err, ErrNotFound, "revision")
		_, err = r.Peel(ctx, rev)
		wantErr(t, err, ErrNotFound, "revision")
	}
	id := commit(t, r, "one")
	if _, err := r.Blob(ctx, id); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "is a commit, not a blob") {
		t.Errorf("a commit read as a blob: %v", err)
	}
	if _, err := r.Commit(ctx, "HEAD"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a name where an id belongs: %v", err)
	}
	// Some two of 300 blobs share their first four digits.
	seen := map[string]bool{}
	ambiguous := ""
	for i := 0; ambiguous == "" && i < 5000; i++ {
		id := ok(r.WriteBlob(ctx, fmt.Append(nil, i)))(t)
		if seen[string(id)[:4]] {
			ambiguous = string(id)[:4]
		}
		seen[string(id)[:4]] = true
	}
	_, err := r.Object(ctx, ambiguous)
	wantErr(t, err, ErrAmbiguous, ambiguous)
	// The child still answers.
	if got := ok(r.Peel(ctx, string(id)+"^{tree}"))(t); got == "" {
		t.Error("no answer")
	}
	_ = s
}

func TestCorruptLooseObject(t *testing.T) {
	gittest.NeedSHA1(t)
	_, r := newRepo(t)
	ctx := t.Context()
	good := ok(r.WriteBlob(ctx, []byte("good")))(t)
	other := ok(r.WriteBlob(ctx, bytes.Repeat([]byte("other "), 5000)))(t)
	whole := ok(os.ReadFile(r.LoosePath(other)))(t)
	for name, content := range map[string][]byte{
		"empty": {}, "rubbish": []byte("rubbish"), "another object": whole, "cut short": whole[:len(whole)/2],
	} {
		id := good
		if name == "cut short" {
			id = other
		}
		must(t, os.Remove(r.LoosePath(id)))
		must(t, os.WriteFile(r.LoosePath(id), content, 0o444))
		_, err := r.Blob(ctx, id)
		if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), string(id)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, os.WriteFile(r.LoosePath(good)+"x", nil, 0o444))
	must(t, os.Rename(r.LoosePath(good)+"x", r.LoosePath(good)))
	if id := ok(r.WriteBlob(ctx, []byte("good")))(t); string(ok(r.Blob(ctx, id))(t)) != "good" {
		t.Error("what a power cut left empty was not written again")
	}
}

// Every object as git would have written it: mode, place, time.
func TestLooseObjectFiles(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	id := ok(r.WriteBlob(ctx, []byte("one")))(t)
	s.Write("f", "one")
	s.Write("g", "two")
	gits := ID(s.Git("r", "hash-object", "-w", s.Path("g")))
	same := func(what string) {
		t.Helper()
		ours, theirs := ok(os.Stat(r.LoosePath(id)))(t), ok(os.Stat(r.LoosePath(gits)))(t)
		if ours.Mode() != theirs.Mode() {
			t.Errorf("%s: mode %v, git's %v", what, ours.Mode(), theirs.Mode())
		}
		ourDir, theirDir := ok(os.Stat(filepath.Dir(r.LoosePath(id))))(t), ok(os.Stat(filepath.Dir(r.LoosePath(gits))))(t)
		if ourDir.Mode() != theirDir.Mode() {
			t.Errorf("%s: directory's mode %v, git's %v", what, ourDir.Mode(), theirDir.Mode())
		}
	}
	same("umask")
	if got := ID(s.Git("r", "hash-object", s.Path("f"))); got != id {
		t.Errorf("id %s, git's %s", id, got)
	}
	old := time.Now().Add(-30 * 24 * time.Hour)
	must(t, os.Chtimes(r.LoosePath(id), old, old))
	_ = ok(r.WriteBlob(ctx, []byte("one")))(t)
	if info := ok(os.Stat(r.LoosePath(id)))(t); time.Since(info.ModTime()) > time.Hour {
		t.Error("the time of an object that is there was not renewed: prune may take it")
	}
	for _, shared := range []string{"group", "all", "0640", "0660", "0600"} {
		must(t, os.RemoveAll(filepath.Dir(r.LoosePath(id))))
		must(t, os.RemoveAll(filepath.Dir(r.LoosePath(gits))))
		s.Git("r", "config", "core.sharedRepository", shared)
		again := s.open("r")
		_ = ok(again.WriteBlob(ctx, []byte("one")))(t)
		s.Git("r", "hash-object", "-w", s.Path("g"))
		same("core.sharedRepository=" + shared)
	}
	if left := ok(filepath.Glob(r.objectDir + "/*/tmp_*"))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteSettings(t *testing.T) {
	s, _ := newRepo(t)
	s.Write("home/.gitconfig", "") // what git does by itself
	for _, c := range []struct {
		config []string
		level  int
		fsync  bool
	}{
		{nil, 1, false},
		{[]string{"core.compression=5"}, 5, false},
		{[]string{"core.compression=5", "core.looseCompression=0", "core.fsync=loose-object"}, 0, true},
		{[]string{"core.compression=-1", "core.fsync=all"}, -1, true},
		{[]string{"core.fsyncObjectFiles=true"}, 1, true},
		{[]string{"core.fsyncObjectFiles=true", "core.fsync=reference"}, 1, false},
		{[]string{"core.fsync=committed"}, 1, true}, {[]string{"core.fsync=none"}, 1, false},
	} {
		env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(c.config))}
		for i, kv := range c.config {
			k, v, _ := strings.Cut(kv, "=")
			env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, k), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, v))
		}
		r := s.open("r", env...)
		got := ok(r.writeSettings(t.Context()))(t)
		if got.level != c.level || got.fsync != c.fsync {
			t.Errorf("%v: %+v", c.config, got)
		}
		id := ok(r.WriteBlob(t.Context(), fmt.Append(nil, c.config)))(t)
		if out := s.Git("r", "cat-file", "-p", string(id)); out != fmt.Sprint(c.config) {
			t.Errorf("%v: git reads %q", c.config, out)
		}
	}
	_, err := s.open("r", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.compression", "GIT_CONFIG_VALUE_0=11").WriteBlob(t.Context(), []byte("level"))
	if err == nil || !strings.Contains(err.Error(), "compression level 11") {
		t.Errorf("bad level: %v", err)
	}
}

func TestWriteTreeAndCommitRefuse(t *testing.T) {
	_, r := newRepo(t)
	ctx := t.Context()
	id := ok(r.WriteBlob(ctx, nil))(t)
	for _, entries := range [][]TreeEntry{
		{{ModeBlob, "", id}}, {{ModeBlob, "a/b", id}}, {{ModeBlob, "..", id}}, {{ModeBlob, ".GIT", id}}, {{ModeBlob, "a\x00", id}},
		{{ModeBlob, "a", "abc"}}, {{ModeBlob, "a", r.ZeroID()}}, {{ModeBlob, "a", id}, {ModeTree, "a", id}},
	} {
		if _, err := r.WriteTree(ctx, entries); err == nil {
			t.Errorf("accepted %+v", entries)
		}
	}
	for _, c := range []*Commit{{Tree: ""}, {Tree: id, Parents: []ID{"x"}}, {Tree: id, Message: "a\x00b"}, {Tree: r.ZeroID()}} {
		if _, err := r.WriteCommit(ctx, c); err == nil {
			t.Errorf("accepted %+v", c)
		}
	}
}

func TestBorrowedAndReplacedObjects(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	id := commit(t, r, "lent")
	other := commit(t, r, "other")
	set(t, r, "refs/heads/trunk", id, "")
	s.Git("", "clone", "-q", "-s", "r", "borrows")
	b := s.open("borrows")
	if got := ok(b.Commit(ctx, id))(t); got.Message != "lent" {
		t.Errorf("borrowed: %+v", got)
	}
	s.Git("", "init", "-q", "env")
	e := s.open("env", "GIT_ALTERNATE_OBJECT_DIRECTORIES="+r.objectDir, "GIT_OBJECT_DIRECTORY="+s.Path("borrows/.git/objects"))
	if got := ok(e.Commit(ctx, id))(t); got.Message != "lent" {
		t.Errorf("through the environment: %+v", got)
	}
	blob := ok(e.WriteBlob(ctx, []byte("quarantined")))(t)
	if _, err := os.Stat(b.LoosePath(blob)); err != nil {
		t.Errorf("GIT_OBJECT_DIRECTORY: %v", err)
	}
	// A replace ref would be seen by the child and not in process.
	s.Git("r", "replace", string(id), string(other))
	s.Git("r", "repack", "-adq")
	s.Git("r", "prune-packed")
	if got := ok(r.Commit(ctx, id))(t); got.Message != "lent" {
		t.Errorf("replaced: %+v", got)
	}
}

// The child is one; its users are many.
func TestObjectConcurrently(t *testing.T) {
	s, r := newRepo(t)
	id := commit(t, r, "one")
	set(t, r, BranchRef("main"), id, "")
	s.Git("r", "gc", "-q")
	r.Warm()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for j := range 50 {
				if i == 0 && j%10 == 0 {
					early, stop := context.WithCancel(ctx)
					stop()
					if _, err := r.Peel(early, BranchRef("main")); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("cancelled: %v", err)
					}
				}
				if got, err := r.Peel(ctx, BranchRef("main")); err != nil || got != id {
					t.Errorf("Peel = %s, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	must(t, r.Close())
	must(t, r.Close())
	if got := ok(r.Peel(t.Context(), BranchRef("main")))(t); got != id {
		t.Error("closed for good")
	}
}

func TestTrailers(t *testing.T) {
	for _, c := range []struct{ message, subject, body, id string }{
		{"s\n\nb\n\nContext-Id: 1\nAgent: x\n", "s", "b", "1"},
		{"s\n\nb: c\n\nContext-Id: 1\n", "s", "b: c", "1"},
		{"s\n\nContext-Id: 1\ncontext-id: 2\n", "s", "", "2"},
		{"s\n\nContext-Id: 1\nno trailer\n", "s", "Context-Id: 1\nno trailer", ""},
		{"Context-Id: 1\n", "Context-Id: 1", "", ""},
		{"s", "s", "", ""}, {"", "", "", ""}, {"\n\ns\nt\n\n\nb\n\n\nc\n", "s t", "b\n\n\nc", ""},
		{"s\n\nb\n\nContext-Id:1\n\n\n", "s", "b", "1"},
	} {
		got := &Commit{Message: c.message}
		if got.Subject() != c.subject || got.Body() != c.body || got.Trailer("Context-Id") != c.id {
			t.Errorf("%q: %q, %q, %q", c.message, got.Subject(), got.Body(), got.Trailer("Context-Id"))
		}
	}
}

func TestCommitRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9a-f]{40}`)
		name := rapid.StringMatching(`[A-Za-z][A-Za-z <>é.]{0,8}[A-Za-z]`)
		who := func() Signature {
			zone := rapid.IntRange(-14*60, 14*60).Draw(t, "zone")
			at := time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "at"), 0).In(time.FixedZone("", zone*60))
			return Signature{cleanName(name.Draw(t, "name")), name.Filter(func(s string) bool { return s == cleanName(s) }).Draw(t, "email"), at}
		}
		c := &Commit{Tree: ID(digits.Draw(t, "tree")), Author: who(), Committer: who(), Message: rapid.String().Draw(t, "message")}
		for range rapid.IntRange(0, 3).Draw(t, "parents") {
			c.Parents = append(c.Parents, ID(digits.Draw(t, "parent")))
		}
		data := c.Encode()
		got, err := ParseCommit("", data)
		if err != nil {
			t.Fatal(err)
		}
		if again := got.Encode(); !bytes.Equal(again, data) {
			t.Fatalf("%q became %q", data, again)
		}
	})
}

func TestHashObjectSHA256(t *testing.T) {
	if got, want := hashObject("blob", []byte("x"), 64), sumObject(sha256.New(), "blob", []byte("x")); got != want {
		t.Errorf("%s, %s", got, want)
	}
}
