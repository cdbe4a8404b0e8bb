package git

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckBranchName(t *testing.T) {
	for _, name := range []string{"main", "a", "9", "feature/x", "a-b_c.d", "head", "a/-x", "x.locked", strings.Repeat("n", 200)} {
		if err := CheckBranchName(name); err != nil {
			t.Errorf("CheckBranchName(%q) = %v", name, err)
		}
	}
	for name, why := range map[string]string{
		"": "empty", "HEAD": "reserved", "CONTEXT_HEAD": "reserved", "-x": "begin with", "--upload-pack=x": "begin with",
		"../../x": "begin with", "a..b": "'..'", "a/../b": "'..'", "a/./b": "begins with '.'", "a/.b": "begins with '.'",
		".a": "begin with", "x.lock": ".lock", "x.lock/y": ".lock", "x.LOCK": ".lock", "a//b": "empty part", "a/": "empty part",
		"/a": "begin with", "a.": "end in '.'", "a@{b": "only letters", "@": "begin with", "a b": "only letters",
		"a\nb": "only letters", "a\x00b": "only letters", "a\\b": "only letters", "$(id)": "begin with",
		"é": "begin with", "a\u202eb": "only letters", strings.Repeat("n", 201): "longer than 200",
	} {
		err := CheckBranchName(name)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("CheckBranchName(%q) = %v; want %q", name, err, why)
			continue
		}
		if s := err.Error(); strings.ContainsAny(s, "\n\x00\u202e") {
			t.Errorf("CheckBranchName(%q): the message is not fit to be printed: %q", name, s)
		}
	}
}

// What we accept, git accepts as a branch.
func TestCheckBranchNameStricterThanGit(t *testing.T) {
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[A-Za-z0-9.][A-Za-z0-9._/@-]{0,9}(\.lock)?`).Draw(t, "name")
		if CheckBranchName(name) != nil || tried > 40 {
			return
		}
		tried++
		if out, err := exec.Command("git", "check-ref-format", "--branch", name).CombinedOutput(); err != nil {
			t.Fatalf("git refuses %q: %s", name, out)
		}
	})
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		BranchRef("a/b"):          "refs/context/heads/a/b",
		TagRef("t"):               "refs/context/tags/t",
		DeletedRef("a/b", "01JD"): "refs/context/deleted/a/b-01JD",
		RemoteTracking("origin").Of(BranchRef("a")):  "refs/context/remotes/origin/heads/a",
		RemoteTracking("origin").Of(TagRef("v1")):    "refs/context/remotes/origin/tags/v1",
		RemoteTracking("origin").Of(RoadmapRef):      "refs/context/remotes/origin/roadmap",
		RemoteTracking("origin").Of(NotesRef):        "refs/notes/remotes/origin/context",
		RemoteTracking("origin").Branches():          "refs/context/remotes/origin/heads/",
		BundleTracking().Of(BranchRef("a")):          "refs/context/bundle/heads/a",
		BundleTracking().Notes():                     "refs/notes/bundle/context",
		NameOn(BranchRef("a"), false):                "refs/context/heads/a",
		NameOn(BranchRef("a"), true):                 "refs/heads/context/heads/a",
		NameOn(NotesRef, true):                       "refs/heads/context/notes",
		NameHere("refs/heads/context/heads/a", true): BranchRef("a"),
		NameHere("refs/heads/context/notes", true):   NotesRef,
		NameHere("refs/heads/context/notes", false):  "refs/heads/context/notes",
		strings.Join(FetchRefspecs("o"), " "): "+refs/context/heads/*:refs/context/remotes/o/heads/* " +
			"+refs/context/roadmap*:refs/context/remotes/o/roadmap* +refs/notes/context*:refs/notes/remotes/o/context*",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if name, ok := BranchName("refs/context/heads/a/b"); !ok || name != "a/b" {
		t.Errorf("BranchName = %q, %v", name, ok)
	}
	if _, ok := BranchName("refs/heads/a"); ok {
		t.Error("a code branch is no memory branch")
	}
}

func TestGoneTracking(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string][2]string{
		"refs/context/remotes/origin/roadmap":        {"origin", "roadmap"},
		"refs/context/remotes/my/fork/roadmap":       {"my/fork", "roadmap"},
		"refs/context/remotes/origin/heads/roadmap":  {"origin", "heads/roadmap"},
		"refs/context/remotes/origin/tags/a/heads/b": {"origin", "tags/a/heads/b"},
		"refs/context/remotes/origin/work/roadmap":   {"origin", "work/roadmap"},
		"refs/context/remotes/origin/other":          {},
		"refs/context/roadmap":                       {},
	} {
		if remote, rest := GoneTracking(ref); remote != want[0] || rest != want[1] {
			t.Errorf("%s: '%s' and '%s'", ref, remote, rest)
		}
	}
}
