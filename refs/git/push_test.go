package git

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// hook gives the server a hook.
func (s *sandbox) hook(name, script string) {
	s.T.Helper()
	s.Write("server.git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	must(s.T, os.Chmod(s.Path("server.git/hooks", name), 0o755))
}

// A server that says no, in all the ways that git's own has.
func TestPushRejected(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	const (
		done    = PushDone
		stale   = PushStale
		refused = PushRefused
	)
	for _, c := range []struct {
		name   string
		server func(s *sandbox, first, second string)
		atomic bool
		want   []PushStatus // of main, other and a new ref
		says   []string     // in the reason of each
	}{
		{"moved here", func(s *sandbox, _, second string) {
			s.Git("r", "push", "-q", "o", second+":"+mainRef)
		}, false, []PushStatus{stale, done, done}, []string{"non-fast-forward"}},
		{"moved here, atomic", func(s *sandbox, _, second string) {
			s.Git("r", "push", "-q", "o", second+":"+mainRef)
		}, true, []PushStatus{stale, stale, stale}, []string{"non-fast-forward", "atomic push failed"}},
		{"moved elsewhere", func(s *sandbox, first, _ string) {
			s.Git("server.git", "update-ref", mainRef, s.Git("server.git", "commit-tree", "-p", first, "-m", "x", first+"^{tree}"))
		}, true, []PushStatus{stale, stale, stale}, []string{"fetch first"}},
		{"moved in the race", func(s *sandbox, _, _ string) {
			s.hook("update", `[ $1 != `+mainRef+` ] || git update-ref -d $1`)
		}, false, []PushStatus{stale, done, done}, []string{"cannot lock ref"}},
		{"moved in the race, atomic", func(s *sandbox, _, _ string) {
			s.hook("update", `[ $1 != `+mainRef+` ] || git update-ref -d $1`)
		}, true, []PushStatus{stale, stale, stale}, []string{"", "atomic transaction failed"}},
		{"made in the race", func(s *sandbox, first, _ string) {
			s.hook("update", `[ $1 != `+NotesRef+` ] || git update-ref $1 `+first)
		}, false, []PushStatus{done, done, stale}, []string{"", "", "reference already exists"}},
		{"locked", func(s *sandbox, _, _ string) {
			s.Write("server.git/"+mainRef+".lock", "")
		}, false, []PushStatus{stale, done, done}, []string{"File exists"}},
		{"locked, atomic", func(s *sandbox, _, _ string) {
			s.Write("server.git/"+mainRef+".lock", "")
		}, true, []PushStatus{stale, stale, stale}, []string{"File exists"}},
		{"a directory in the way", func(s *sandbox, first, _ string) {
			s.Git("server.git", "update-ref", NotesRef+"/x", first)
		}, false, []PushStatus{done, done, refused}, []string{"", "", "cannot create '" + NotesRef}},
		{"a directory in the way, atomic", func(s *sandbox, first, _ string) {
			s.Git("server.git", "update-ref", NotesRef+"/x", first)
		}, true, []PushStatus{refused, refused, refused}, []string{"", "", "cannot create '" + NotesRef}},
		{"hidden", func(s *sandbox, _, _ string) {
			s.Git("server.git", "config", "receive.hideRefs", NotesRef)
		}, false, []PushStatus{done, done, refused}, []string{"", "", "deny updating a hidden ref"}},
		{"pre-receive", func(s *sandbox, _, _ string) {
			s.hook("pre-receive", "echo 'it is Sunday'; echo; echo 'come again'; exit 1")
		}, false, []PushStatus{refused, refused, refused}, []string{"pre-receive hook declined: it is Sunday: : come again"}},
		{"heads and tags only", func(s *sandbox, _, _ string) {
			s.hook("pre-receive", "while read o n r; do case $r in refs/heads/*|refs/tags/*);; *) echo \"no '$r' here\"; exit 1;; esac; done")
		}, true, []PushStatus{refused, refused, refused}, []string{"no '" + mainRef + "' here"}},
		{"update", func(s *sandbox, _, _ string) {
			s.hook("update", `[ $1 != `+otherRef+` ]`)
		}, false, []PushStatus{done, refused, done}, []string{"", "hook declined to update " + otherRef}},
		{"update, atomic", func(s *sandbox, _, _ string) {
			s.hook("update", `[ $1 != `+otherRef+` ]`)
		}, true, []PushStatus{refused, refused, refused}, []string{"atomic push failure", "hook declined"}},
		{"too big", func(s *sandbox, _, _ string) {
			s.Git("server.git", "config", "receive.maxInputSize", "10")
		}, false, []PushStatus{refused, refused, refused}, []string{"unpacker error: fatal: pack exceeds maximum allowed size"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, r := newRemote(t)
			first := commit(t, r, "one")
			second, third := commit(t, r, "two", first), commit(t, r, "three", first)
			s.Git("r", "push", "-q", "o", string(first)+":"+mainRef, string(first)+":"+otherRef)
			c.server(s, string(first), string(second))
			updates := []PushUpdate{{third, mainRef}, {third, otherRef}, {third, NotesRef}}
			got := ok(r.Push(t.Context(), PushOptions{Remote: "o", Updates: updates, Atomic: c.atomic}))(t)
			for i, p := range got {
				if p.Ref != updates[i].Ref || p.Status != c.want[i] {
					t.Errorf("%d: %+v, want status %d", i, p, c.want[i])
				}
				if all := strings.Join(append([]string{p.Reason}, p.Said...), ": "); i < len(c.says) && !strings.Contains(all, c.says[i]) {
					t.Errorf("%s: %q, want %q", p.Ref, all, c.says[i])
				}
				if (p.Reason == "") != (p.Status == PushDone) || strings.Contains(p.Reason, "\n") {
					t.Errorf("%s: reason %q", p.Ref, p.Reason)
				}
				if at, _ := s.Try("server.git", "rev-parse", "-q", "--verify", p.Ref); (at == string(third)) != (p.Status == PushDone) {
					t.Errorf("%s is at %q", p.Ref, at)
				}
			}
		})
	}
}

func TestPushDeletes(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	first := commit(t, r, "one")
	second := commit(t, r, "two", first)
	s.Git("r", "push", "-q", "o", string(second)+":"+mainRef, string(second)+":"+otherRef)
	// Never forced, though nobody at the server would mind.
	if got := push(t, r, PushUpdate{first, mainRef}); got[0].Status != PushStale {
		t.Errorf("went back: %v", got)
	}
	if got := push(t, r, PushUpdate{"", otherRef}, PushUpdate{"", NotesRef}); got[0].Status != PushDone || got[1].Status != PushDone {
		t.Errorf("deleted: %v", got)
	}
	// Both settings are about refs/heads/ alone.
	const head = "refs/heads/context/main"
	s.Git("server.git", "update-ref", head, string(second))
	s.Git("server.git", "config", "receive.denyDeletes", "true")
	s.Git("server.git", "config", "receive.denyNonFastForwards", "true")
	if got := push(t, r, PushUpdate{first, head}); got[0].Status != PushStale {
		t.Errorf("went back: %v", got)
	}
	if got := push(t, r, PushUpdate{"", head}); got[0].Status != PushRefused || !strings.HasPrefix(got[0].Reason, "deletion prohibited") {
		t.Errorf("deleted: %v", got)
	}
}

// What must not be there yet is not moved, although it could be: forward, or to
// where it stands.
func TestPushWhatMustBeAbsent(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	first := commit(t, r, "one")
	second := commit(t, r, "two", first)
	s.Git("r", "push", "-q", "o", string(first)+":"+TagRef("x"))
	for _, atomic := range []bool{false, true} {
		got := ok(r.Push(t.Context(), PushOptions{Remote: "o", Atomic: atomic, Expected: map[string]ID{TagRef("x"): ""},
			Updates: []PushUpdate{{second, TagRef("x")}, {second, mainRef}}}))(t)
		if got[0].Status != PushStale || (got[1].Status == PushDone) == atomic {
			t.Errorf("atomic %v: %v", atomic, got)
		}
	}
	got := ok(r.Push(t.Context(), PushOptions{Remote: "o", Expected: map[string]ID{TagRef("y"): ""}, Updates: []PushUpdate{{second, TagRef("y")}}}))(t)
	if got[0].Status != PushDone {
		t.Errorf("it is absent: %v", got)
	}
	if at := s.Git("server.git", "rev-parse", TagRef("x")); at != string(first) {
		t.Errorf("it moved to %s", at)
	}
	if _, err := r.Push(t.Context(), PushOptions{Remote: "o", Expected: map[string]ID{"x:y": ""}, Updates: []PushUpdate{{second, TagRef("z")}}}); err == nil {
		t.Error("a name that is none was taken")
	}
}

func TestPushWithoutAtomic(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	s.Git("server.git", "config", "receive.advertiseAtomic", "false")
	id := commit(t, r, "one")
	o := PushOptions{Remote: "o", Updates: []PushUpdate{{id, mainRef}, {id, otherRef}}, Atomic: true}
	_, err := r.Push(t.Context(), o)
	wantErr(t, err, ErrNoAtomic, "remote 'o'")
	o.Updates = o.Updates[:1]
	ok(r.Push(t.Context(), o))(t)
}

// The settings of a user's own pushes have no say in ours.
func TestPushIsOurOwn(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	s.Write("r/.git/hooks/pre-push", "#!/bin/sh\nexit 1\n")
	must(t, os.Chmod(s.Path("r/.git/hooks/pre-push"), 0o755))
	id := commit(t, r, "one")
	s.Git("r", "tag", "-a", "-m", "x", "v1", string(id))
	for _, setting := range [][2]string{{"push.followTags", "true"}, {"push.pushOption", "merge=now"},
		{"remote.o.push", "refs/heads/*"}, {"push.recurseSubmodules", "only"}, {"push.default", "nothing"}} {
		s.Git("r", "config", setting[0], setting[1])
	}
	push(t, r, PushUpdate{id, mainRef})
	if refs := s.Git("server.git", "for-each-ref", "--format=%(refname)"); refs != mainRef {
		t.Errorf("the remote has %q", refs)
	}
}

func TestPushToSeveralURLs(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	s.Git("", "init", "-q", "--bare", "second.git")
	s.Git("r", "remote", "set-url", "--add", "o", s.Path("second.git"))
	s.Git("second.git", "config", "receive.hideRefs", otherRef)
	r.InvalidateConfig()
	id := commit(t, r, "one")
	got := push(t, r, PushUpdate{id, mainRef}, PushUpdate{id, otherRef})
	if got[0].Status != PushDone || got[1].Status != PushRefused {
		t.Errorf("pushed %v", got)
	}
}

func TestPushRefusesNonsense(t *testing.T) {
	t.Parallel()
	gittest.NeedSHA1(t)
	_, r := newRemote(t)
	id := commit(t, r, "one")
	for _, u := range []PushUpdate{{id, "main"}, {id, "refs/x:refs/heads/main"}, {"HEAD", mainRef}, {"+" + id[1:], mainRef},
		{id, mainRef + "*"}, {id, ""}, {id[:10], mainRef}, {id, "refs/a\nb"}} {
		if _, err := r.Push(t.Context(), PushOptions{Remote: "o", Updates: []PushUpdate{u}}); err == nil {
			t.Errorf("pushed %q", u)
		}
	}
	if got, err := r.Push(t.Context(), PushOptions{Remote: "nowhere"}); got != nil || err != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
	lost := ID(strings.Repeat("1", 40))
	got := push(t, r, PushUpdate{lost, mainRef})
	if got[0].Status != PushRefused || !strings.Contains(got[0].Reason, "bad object") {
		t.Errorf("an object that is not there: %v", got)
	}
}

// slowWriter is whoever shows progress, and goes away.
type slowWriter struct{ strings.Builder }

func (w *slowWriter) Write(p []byte) (int, error) {
	w.Builder.Write(p)
	return 0, os.ErrClosed
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	var shown strings.Builder
	ok(r.Push(t.Context(), PushOptions{Remote: "o", Updates: []PushUpdate{{id, mainRef}}, Progress: &shown}))(t)
	if !strings.Contains(shown.String(), "Writing objects: 100%") {
		t.Errorf("progress %q", &shown)
	}
	s.Git("", "init", "-q", "r2")
	r2 := s.open("r2")
	var gone slowWriter
	must(t, r2.Fetch(t.Context(), FetchOptions{Remote: s.Path("server.git"), Refspecs: FetchRefspecs("o"), Progress: &gone}))
	if gone.Len() == 0 {
		t.Error("no progress")
	}
	// Errors are kept though they were shown, and stand alone behind a meter.
	s.hook("pre-receive", "exit 1")
	got := ok(r.Push(t.Context(), PushOptions{Remote: "o", Updates: []PushUpdate{{id, otherRef}}, Progress: &shown}))(t)
	if got[0].Reason != "pre-receive hook declined" {
		t.Errorf("reason %q", got[0].Reason)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	s.Git("r", "config", "core.sshCommand", "exec sleep 60; :")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := r.LsRemote(ctx, "ssh://host.invalid/x")
	wantErr(t, err, ErrUnreachable, "deadline")
	wantErr(t, err, context.DeadlineExceeded, "")
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"refs/a/*", "refs/a/b/c", true}, {"refs/a/*", "refs/a", false}, {"refs/a*", "refs/a", true},
		{"*/x", "refs/a/x", true}, {"*/x", "refs/a/xy", false}, {"refs/a", "refs/ab", false}, {"a*b*c", "abbbc", true},
	} {
		if got := matchesAny([]string{"-", c.pattern}, c.name); got != c.want {
			t.Errorf("%s, %s: %v", c.pattern, c.name, got)
		}
	}
	if !slices.Equal([]bool{matchesAny(nil, "x"), Matches("", ""), Matches("", "x")}, []bool{true, true, false}) {
		t.Error("the empty pattern")
	}
}
