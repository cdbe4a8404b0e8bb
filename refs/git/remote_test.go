package git

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

const (
	mainRef  = BranchPrefix + "main"
	otherRef = BranchPrefix + "other"
	// trackedRef is where FetchRefspecs("o") puts mainRef.
	trackedRef = RemotePrefix + "o/heads/main"
)

// newRemote makes an empty bare repository, and a clone of it with the remote
// "o", opened.
func newRemote(t *testing.T) (*sandbox, *Repo) {
	t.Helper()
	s, r := newRepo(t)
	s.Git("", "init", "-q", "--bare", "server.git")
	s.Git("r", "remote", "add", "o", s.Path("server.git"))
	r.InvalidateConfig()
	return s, r
}

// push pushes, and wants an answer.
func push(t *testing.T, r *Repo, updates ...PushUpdate) []Pushed {
	t.Helper()
	return ok(r.Push(t.Context(), PushOptions{Remote: "o", Updates: updates}))(t)
}

func TestFetchAndPush(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	first := commit(t, r, "one")
	second := commit(t, r, "two", first)
	got := push(t, r, PushUpdate{first, mainRef}, PushUpdate{first, NotesRef})
	if want := []Pushed{{Ref: mainRef}, {Ref: NotesRef}}; !reflect.DeepEqual(got, want) {
		t.Errorf("pushed %v, want %v", got, want)
	}
	if at := s.Git("server.git", "rev-parse", mainRef, NotesRef); at != string(first+"\n"+first) {
		t.Errorf("the remote has %s", at)
	}
	got = push(t, r, PushUpdate{second, mainRef}, PushUpdate{first, NotesRef})
	if want := []Pushed{{Ref: mainRef}, {Ref: NotesRef, Status: PushUpToDate}}; !reflect.DeepEqual(got, want) {
		t.Errorf("pushed %v, want %v", got, want)
	}

	s.Git("", "init", "-q", "r2")
	r2 := s.open("r2")
	o := FetchOptions{Remote: s.Path("server.git"), Refspecs: FetchRefspecs("o")}
	must(t, r2.Fetch(t.Context(), o))
	if at := ok(r2.Ref(t.Context(), trackedRef))(t); at != second {
		t.Errorf("fetched %s, want %s", at, second)
	}
	if _, err := os.Stat(s.Path("r2/.git/FETCH_HEAD")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("FETCH_HEAD: %v", err)
	}
	if got := push(t, r, PushUpdate{"", mainRef}); got[0].Status != PushDone {
		t.Errorf("deleted: %v", got)
	}
	must(t, r2.Fetch(t.Context(), o))
	ok(r2.Ref(t.Context(), trackedRef))(t)
	o.Prune = true
	must(t, r2.Fetch(t.Context(), o))
	_, err := r2.Ref(t.Context(), trackedRef)
	wantErr(t, err, ErrNotFound, "main")
}

func TestLsRemote(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	for _, ref := range []string{mainRef, otherRef, NotesRef, "refs/x/" + mainRef} {
		s.Git("r", "push", "-q", "o", string(id)+":"+ref)
	}
	s.Git("r", "tag", "-a", "-m", "x", "v1", string(id))
	s.Git("r", "push", "-q", "o", "v1")
	for _, c := range []struct {
		patterns []string
		want     []string
	}{
		{[]string{BranchPrefix + "*"}, []string{mainRef, otherRef}},
		{[]string{RoadmapRef + "*", NotesRef}, []string{NotesRef}},
		{[]string{RoadmapRef}, nil},
		{nil, []string{mainRef, otherRef, NotesRef, "refs/tags/v1", "refs/x/" + mainRef}},
	} {
		var names []string
		for _, ref := range ok(r.LsRemote(t.Context(), "o", c.patterns...))(t) {
			names = append(names, ref.Name)
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%v: %v, want %v", c.patterns, names, c.want)
		}
	}
}

func TestRemotes(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	for _, key := range []string{"remote.z.url", "remote.a.b/c.pushurl", "remote.Odd-'name'.url", "remote.nowhere.fetch",
		"remote.a b.url", "remote..a.url", "remote.a..b.url", "remote.a.lock/b.url", "remote.a@{b.url", "remote.a//b.url"} {
		s.Git("r", "config", key, "/x")
	}
	s.Git("r", "config", "remote.pushDefault", "z")
	want := []string{"Odd-'name'", "a.b/c", "z"} // the others can be no part of a ref's name
	if got := ok(r.Remotes(t.Context()))(t); !slices.Equal(got, want) {
		t.Errorf("remotes %q, want %q", got, want)
	}
}

// closedPort is an address nobody listens at.
func closedPort(t *testing.T) string {
	t.Helper()
	l := ok(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	s.Write("plain/file", "no repository")
	s.Git("r", "config", "remote.odd name.url", s.Path("nowhere"))
	s.Git("r", "config", "remote.ssh.url", "ssh://host.invalid/x")
	s.Git("r", "config", "core.sshCommand", "echo 'ssh: it is far away' >&2; exit 255; :")
	id := commit(t, r, "one")
	for _, c := range []struct{ remote, says string }{
		{"nowhere", "'nowhere' does not appear to be a git repository"},
		{"--upload-pack=touch x", "--upload-pack=touch x"},
		{"", "it has no name"},
		{"odd name", "remote 'odd name': cannot be reached"},
		{s.Path("plain"), "does not appear to be a git repository"},
		{"http://user:secret@" + closedPort(t) + "/x", "Failed to connect"},
		{"git://" + closedPort(t) + "/x", "Connection refused"},
		{"ssh", "ssh: it is far away"},
		{"foo://bar", "foo"},
		{"ext::sh -c true", "not allowed"},
	} {
		_, err1 := r.LsRemote(t.Context(), c.remote)
		err2 := r.Fetch(t.Context(), FetchOptions{Remote: c.remote, Refspecs: FetchRefspecs("o")})
		_, err3 := r.Push(t.Context(), PushOptions{Remote: c.remote, Updates: []PushUpdate{{id, mainRef}}})
		for _, err := range []error{err1, err2, err3} {
			wantErr(t, err, ErrUnreachable, c.says)
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%v tells the password", err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(r.WorkTree(), "x")); err == nil {
		t.Error("a remote's name became an option")
	}
}

func TestFetchErrors(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	push(t, r, PushUpdate{id, mainRef})
	o := FetchOptions{Remote: "o", Refspecs: []string{mainRef + ":" + trackedRef}}
	lock := s.Path("r/.git", trackedRef+".lock")
	must(t, os.MkdirAll(filepath.Dir(lock), 0o777))
	must(t, os.WriteFile(lock, nil, 0o666))
	err := r.Fetch(t.Context(), o)
	wantErr(t, err, ErrStale, "File exists")
	wantErr(t, err, ErrLocked, "")
	must(t, os.Remove(lock))
	must(t, r.Fetch(t.Context(), o))

	o.Refspecs = []string{RoadmapRef + ":" + trackedRef}
	wantErr(t, r.Fetch(t.Context(), o), ErrNotFound, RoadmapRef)
	o.Refspecs = nil
	if err := r.Fetch(t.Context(), o); err == nil {
		t.Error("fetched without a refspec")
	}
}

// The settings of a user's own fetches have no say in ours, nor do ours touch
// what is theirs.
func TestFetchIsOurOwn(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	s.Git("r", "tag", "-a", "-m", "x", "v1", string(id))
	const head = "refs/heads/context/heads/main" // where a host takes branches alone
	s.Git("r", "push", "-q", "o", "v1", string(id)+":"+head)
	s.Git("server.git", "config", "uploadpack.allowFilter", "true")
	s.Git("", "init", "-q", "r2")
	for _, setting := range [][2]string{{"remote.o.url", "file://" + s.Path("server.git")}, {"remote.o.fetch", "+refs/heads/*:refs/remotes/o/*"},
		{"remote.o.tagOpt", "--tags"}, {"fetch.prune", "true"}, {"fetch.writeCommitGraph", "true"},
		{"remote.o.promisor", "true"}, {"remote.o.partialCloneFilter", "blob:none"}, {"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "o"}} {
		s.Git("r2", "config", setting[0], setting[1])
	}
	s.Git("r2", "fetch", "-q", "--no-tags", "o", "+refs/nothing/*:refs/nothing/*")
	r2 := s.open("r2")
	must(t, r2.Fetch(t.Context(), FetchOptions{Remote: "o", Refspecs: []string{"+refs/heads/context/heads/*:" + RemotePrefix + "o/heads/*"}}))
	if refs := s.Git("r2", "for-each-ref", "--format=%(refname)"); refs != trackedRef {
		t.Errorf("fetched %q", refs)
	}
	if missing := s.Git("r2", "rev-list", "--objects", "--missing=print", trackedRef); strings.Contains(missing, "?") {
		t.Errorf("left out %s", missing)
	}
	if _, err := os.Stat(s.Path("r2/.git/objects/info/commit-graphs")); err == nil {
		t.Error("wrote a commit graph")
	}
}

func TestFetchRefusesWhatFsckRefuses(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	s.Write("bad", "tree "+s.Git("r", "rev-parse", string(id)+"^{tree}")+"\nauthor nobody\n\nx\n")
	s.Git("r", "push", "-q", "o", string(id)+":"+otherRef)
	bad := s.Git("server.git", "hash-object", "-t", "commit", "--literally", "-w", s.Path("bad"))
	s.Git("server.git", "update-ref", mainRef, bad)
	err := r.Fetch(t.Context(), FetchOptions{Remote: "o", Refspecs: FetchRefspecs("o")})
	if err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), bad) {
		t.Errorf("fetched: %v", err)
	}
	if refs := s.Git("r", "for-each-ref"); refs != "" {
		t.Errorf("refs moved: %s", refs)
	}
}
