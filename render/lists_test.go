package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

// lists is every list of one line each, with names and texts that are hard to align.
func lists() map[string]func(*Printer) {
	long := strings.Repeat("a subject that goes on 世界 🎉 ", 12)
	topics := []store.Topic{
		{Key: "db", Agent: "ada", UpdatedAt: now},
		{Key: "brief", Agent: "ada", UpdatedAt: now, Pinned: true, Text: "\n# What is wanted\n\n" + long},
		{Key: "long", Agent: "ada", UpdatedAt: now, Paths: []string{"a.go"}, Text: long},
		{Key: "a-longer-key", Agent: "claude-code", UpdatedAt: now, Paths: []string{"pool/pool.go", "a.go"}, Text: "One\nTwo",
			Staleness: store.Staleness{Changed: []string{"a.go"}}},
		{Key: "z", Agent: "試す", UpdatedAt: now, Paths: []string{strings.Repeat("dir/", 40) + "f.go"},
			Staleness: store.Staleness{Changed: []string{"a.go"}}},
	}
	tags := []store.Tag{{Name: "before-rewrite", Commit: id("a"), Summary: long}, {Name: "v1", Commit: id("b"), Summary: "Short"}}
	verified := []history.Verified{{Commit: id("a"), Status: history.SignatureBad, Signer: ptr("試す"), Summary: long},
		{Commit: id("b"), Status: history.SignatureGood, Signer: ptr("ada@example.com"), Summary: "Short"}, {Commit: id("c"), Status: history.SignatureMissing}}
	revisions := []Revision{{Commit: id("a"), Time: now, Agent: "ada", Summary: long}, {Commit: id("b"), Time: now.Add(-24 * time.Hour), Agent: "bob"}}
	named := []store.Branch{{Name: "試す", Tip: id("a"), Status: "active", Summary: long},
		{Name: "origin/main", Remote: "origin", Tip: id("b"), Status: "active", Summary: long}, {Name: "x", Tip: id("c"), Status: "merged", Summary: long}}
	return map[string]func(*Printer){
		"topics":    func(p *Printer) { TopicsText(p, topics) },
		"tags":      func(p *Printer) { TagsText(p, tags) },
		"verified":  func(p *Printer) { VerifiedText(p, verified) },
		"revisions": func(p *Printer) { RevisionsText(p, revisions) },
		"branches":  func(p *Printer) { BranchesText(p, named) },
		"milestones": func(p *Printer) {
			p.commitLine(milestone(1, func(string) string { return long }))
			p.commitLine(store.Commit{ID: strings.Repeat("0", 26), Hash: ptr(id("b")), Time: now, Outcome: ptr("failed"), Summary: long})
		},
	}
}

// No line of a list is wider than the terminal, and colour changes nothing else.
func TestListsFit(t *testing.T) {
	for name, list := range lists() {
		for _, width := range []int{80, 200} {
			var plain, colored bytes.Buffer
			list(&Printer{W: &plain, Width: width, Now: now})
			list(&Printer{W: &colored, Width: width, Now: now, Color: true})
			for l := range strings.Lines(plain.String()) {
				if n := cells(strings.TrimSuffix(l, "\n")); n > width {
					t.Errorf("%s: %d cells of %d: %s", name, n, width, l)
				}
			}
			if diff := cmp.Diff(plain.String(), sequences.ReplaceAllString(colored.String(), "")); diff != "" {
				t.Errorf("%s, -plain +colour:\n%s", name, diff)
			}
		}
	}
}

// A program reads whole lines, in columns too.
func TestListsWhole(t *testing.T) {
	got := show(lists()["topics"], false)
	want := "db           2026-11-21 ada\n" +
		"brief        2026-11-21 ada         [pinned] — What is wanted\n" +
		"long         2026-11-21 ada         (a.go) — " + strings.TrimSpace(strings.Repeat("a subject that goes on 世界 🎉 ", 12)) + "\n" +
		"a-longer-key 2026-11-21 claude-code (pool/pool.go) stale: a.go — One\n" +
		"z            2026-11-21 試す        (" + strings.Repeat("dir/", 40) + "f.go) stale: a.go\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got = show(lists()["verified"], false)
	if !strings.Contains(got, "bbbbbbbbbb good      ada@example.com  Short\ncccccccccc unsigned  -\n") {
		t.Errorf("%s", got)
	}
	if got := show(lists()["branches"], false); strings.Index(got, "remotes/origin/main") < strings.Index(got, "merged") {
		t.Errorf("a remote's branch stands before one that is here:\n%s", got)
	}
}

// One name that is too long takes no room from the others.
func TestListLongName(t *testing.T) {
	list := []store.Topic{{Key: "db", Agent: "ada", UpdatedAt: now}, {Key: "pool", Agent: "ada", UpdatedAt: now},
		{Key: strings.Repeat("long", 13), Agent: "ada", UpdatedAt: now}}
	want := "db   2026-11-21 ada\npool 2026-11-21 ada\n" + strings.Repeat("long", 13) + " 2026-11-21 ada\n"
	if diff := cmp.Diff(want, show(func(p *Printer) { TopicsText(p, list) }, false)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A line of hooks has a column for owners only where there are some.
func TestHooksText(t *testing.T) {
	list := []HookLine{{Name: "post-commit", State: "missing", Path: "a"}, {Name: "pre-push", State: "broken", Bad: true, Path: "b", Reason: "gone"}}
	view := func(p *Printer) { HooksText(p, list) }
	if want, got := "post-commit missing a\npre-push    broken  b: gone\n", show(view, false); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	list[0].Owner, list[0].Good = "git-context", true
	want := "post-commit \x1b[32mmissing\x1b[m git-context a\npre-push    \x1b[31mbroken\x1b[m              b: gone\n"
	if got := show(view, true); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A thousand refs are no line of a terminal.
func TestRefNames(t *testing.T) {
	refs := make([]string, 30)
	for i := range refs {
		refs[i] = git.BranchRef("b")
	}
	if got := RefNames(refs); !strings.HasSuffix(got, "b, b, and 10 more") {
		t.Error(got)
	}
	if got := RefNames(refs[:namedRefs+1]); strings.Contains(got, "more") {
		t.Errorf("one more is named as fast as counted: %s", got)
	}
}

// Colours mean what they mean in git.
func TestListColours(t *testing.T) {
	for name, want := range map[string][]string{
		"topics":     {"\x1b[33mdb\x1b[m", "\x1b[31mstale: a.go\x1b[m"},
		"tags":       {"\x1b[33maaaaaaaaaa\x1b[m"},
		"verified":   {"\x1b[31mbad ", "\x1b[32mgood ", "\x1b[munsigned "},
		"milestones": {"\x1b[32m[success 0.75] \x1b[m", "\x1b[31m[failed] \x1b[m"},
	} {
		got := show(lists()[name], true)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in:\n%q", name, w, got)
			}
		}
	}
}

func TestBranchesText(t *testing.T) {
	list := append(branches(same), store.Branch{Name: "origin/試す", Remote: "origin", Tip: id("f"), Status: "active"})
	const plain = `  try/lifo            bbbbbbbbbb Reuse the newest connection
* main                aaaaaaaaaa [3 pending] Close idle connections
  old                 dddddddddd [merged] Done
  dead                eeeeeeeeee [abandoned] No
  remotes/origin/試す ffffffffff 
`
	view := func(p *Printer) { BranchesText(p, list) }
	if diff := cmp.Diff(plain, show(view, false)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	colored := strings.NewReplacer(
		"* main  ", "* \x1b[32mmain\x1b[m  ",
		"  old                 dddddddddd [merged] Done", "  \x1b[2mold                 dddddddddd [merged] Done\x1b[m",
		"  dead                eeeeeeeeee [abandoned] No", "  \x1b[2mdead                eeeeeeeeee [abandoned] No\x1b[m",
		"remotes/origin/試す", "\x1b[31mremotes/origin/試す\x1b[m",
	).Replace(plain)
	if diff := cmp.Diff(colored, show(view, true)); diff != "" {
		t.Errorf("in colour, -want +got:\n%s", diff)
	}
}
