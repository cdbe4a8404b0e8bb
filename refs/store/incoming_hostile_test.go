package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// hostileCase brings something into a repository with a small memory of its own.
// bring returns the refs to check and what the refusal must name: an object, mostly.
type hostileCase struct {
	name  string
	bring func(*repo) (in incoming.Refs, object string)
	says  string
}

const hostileRef = git.RemotePrefix + "origin/heads/main"

// withFile is a branch whose tree holds, besides what main has, one entry at a path.
func withFile(mode, path string, object func(*repo) string) func(*repo) (incoming.Refs, string) {
	return func(r *repo) (incoming.Refs, string) {
		id := object(r)
		parts := strings.Split(path, "/")
		entry := mode + " " + parts[len(parts)-1] + " " + id
		for i := len(parts) - 2; i >= 0; i-- {
			entry = "040000 " + parts[i] + " " + r.mktree(entry)
		}
		tree := r.mktree(append(r.others(entry), entry)...)
		return incoming.Refs{Branches: []git.Ref{r.fetched(hostileRef, tree, git.BranchRef("main"))}}, id
	}
}

// others are main's entries of other names than an entry's.
func (r *repo) others(entry string) []string {
	r.t.Helper()
	var list []string
	for line := range strings.Lines(r.git("ls-tree", git.BranchRef("main"))) {
		meta, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		f := strings.Fields(meta)
		if name != strings.Fields(entry)[1] {
			list = append(list, f[0]+" "+name+" "+f[2])
		}
	}
	return list
}

func file(content string) func(*repo) string {
	return func(r *repo) string { return r.blob(content) }
}

// onBranch, onRoadmap and onNotes bring a tree without a history.
func onBranch(tree func(*repo) (tree, object string)) func(*repo) (incoming.Refs, string) {
	return func(r *repo) (incoming.Refs, string) {
		t, object := tree(r)
		return incoming.Refs{Branches: []git.Ref{r.fetched(hostileRef, t)}}, object
	}
}

func onRoadmap(tree func(*repo) (tree, object string)) func(*repo) (incoming.Refs, string) {
	return func(r *repo) (incoming.Refs, string) {
		t, object := tree(r)
		return incoming.Refs{Roadmap: []git.Ref{r.fetched(git.RemoteTracking("origin").Roadmap(), t)}}, object
	}
}

func onNotes(tree func(*repo) (tree, object string)) func(*repo) (incoming.Refs, string) {
	return func(r *repo) (incoming.Refs, string) {
		t, object := tree(r)
		return incoming.Refs{Notes: []git.Ref{r.fetched(git.RemoteTracking("origin").Notes(), t)}}, object
	}
}

// oneEntry is a tree with one entry just as it is given, of a blob.
func oneEntry(mode, name, content string) func(*repo) (string, string) {
	return func(r *repo) (string, string) {
		id := r.blob(content)
		return r.tree(mode + " " + name + " " + id), id
	}
}

const (
	firstID  = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"
	secondID = "01JD5K0Z3V7Q3M9K2A4B5C6D7F"
)

func step(id string) string {
	return string(doc.FormatLog([]doc.Step{{ID: id, Number: 1, Agent: "x", Origin: "main", Action: "a", Time: time.Unix(1_700_000_000, 0)}}))
}

func milestone(ids ...string) string {
	var list []doc.Commit
	for i, id := range ids {
		list = append(list, doc.Commit{ID: id, Number: i + 1, Agent: "x", Origin: "main", Summary: "s", Time: time.Unix(1_700_000_000, 0)})
	}
	return string(doc.FormatCommits(list))
}

func inTrees() []hostileCase {
	future, err := doc.NextID(time.Now().Add(25*time.Hour), "")
	if err != nil {
		panic(err)
	}
	return []hostileCase{
		{"symbolic link", withFile("120000", "log.md", file("/etc/passwd")), "'log.md' (OBJECT) in commit COMMIT: it is a symbolic link"},
		{"submodule", withFile("160000", "log", func(*repo) string { return strings.Repeat("ab", 20) }), "it is a submodule"},
		{"executable", withFile("100755", "log.md", file(step(firstID))), "it is an executable file"},
		{"group-writable", onBranch(oneEntry("100664", "log.md", "")), "its mode is 100664"},
		{"unknown file", withFile("100644", "README.md", file("hello")), "'README.md' (OBJECT)"},
		{"unknown folder", onBranch(func(r *repo) (string, string) {
			id := r.mktree("100755 pre-commit " + r.blob("#!/bin/sh"))
			return r.mktree("040000 hooks " + id), id
		}), "'hooks' (OBJECT) in commit COMMIT: it is a folder that no memory branch has"},
		{"unknown file in a known folder", withFile("100644", "log/01JD/notes.md", file("")), "'log/01JD/notes.md' (OBJECT)"},
		{"deep folder", withFile("040000", "log/01JD/5K/0Z/00", func(r *repo) string {
			return r.mktree("100644 " + firstID + ".md " + r.blob(step(firstID)))
		}), "'log/01JD/5K/0Z/00' (OBJECT)"},
		{"topic key", withFile("100644", "topics/API.md", file("x")), "'topics/API.md' (OBJECT)"},
		{"two names by case", withFile("100644", "LOG.md", file("")), "differs only by case from 'log.md'"},
		{"control character", onBranch(oneEntry("100644", "log\x1b[31m.md", "")), `'log\x1b[31m.md' (OBJECT)`},
		{"line feed", onBranch(oneEntry("100644", "log.md\nlog.md", "")), `'log.md\nlog.md' (OBJECT)`},
		{"bidirectional override", onBranch(oneEntry("100644", "log\u202e.md", "")), `'log\u202e.md' (OBJECT)`},
		{"not UTF-8", onBranch(oneEntry("100644", "log\xff.md", "")), `'log\xff.md' (OBJECT)`},
		{"dot dot", onBranch(oneEntry("100644", "..", "")), `'..' (OBJECT)`},
		{"slash", onBranch(oneEntry("100644", "topics/key.md", "x")), "it is no name of a file"},
		{"no name", onBranch(func(r *repo) (string, string) {
			id := r.mktree("100644 key.md " + r.blob("x"))
			return r.tree("40000  " + id), id
		}), "'' (OBJECT) in commit COMMIT: it is no name of a file"},
		{"one name twice", onBranch(func(r *repo) (string, string) {
			id := r.blob("")
			return r.tree("100644 log.md "+id, "100644 log.md "+id), id
		}), "the name occurs twice"},
		{"wrong order", onBranch(func(r *repo) (string, string) {
			id := r.blob("")
			return r.tree("100644 log.md "+id, "100644 commit.md "+id), id
		}), "not in git's order"},
		{"empty folder", onBranch(func(r *repo) (string, string) {
			id := r.tree()
			return r.tree("40000 topics " + id), id
		}), "'topics/' (OBJECT) in commit COMMIT: it is empty"},
		{"broken tree", onBranch(func(r *repo) (string, string) {
			id := r.input([]byte("100644 log.md\x00short"), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
			return id, id
		}), "tree is malformed"},
		{"blob for a folder", onBranch(func(r *repo) (string, string) {
			id := r.blob("x")
			return r.tree("40000 topics " + id), id
		}), "it is a blob, not a folder"},
		{"folder for a blob", onBranch(func(r *repo) (string, string) {
			id := r.mktree("100644 log.md " + r.blob(""))
			return r.tree("100644 log.md " + id), id
		}), "it is a tree, not a file"},
		{"missing file", onBranch(func(r *repo) (string, string) {
			id := strings.Repeat("ab", 20)
			return r.tree("100644 log.md " + id), id
		}), "it is missing"},
		{"missing folder", onBranch(func(r *repo) (string, string) {
			id := strings.Repeat("ab", 20)
			return r.tree("40000 log " + id), id
		}), "it is missing"},
		{"id of the future", withFile("100644", "log.md", file(step(future))), "ahead of the clock"},
		{"ids that fall", withFile("100644", "log.md", file(step(secondID)+"\n"+step(firstID))), "follows"},
		{"segment's name", withFile("100644", doc.SegmentPath("log", firstID), file(step(secondID))), "not named by the id of its first entry"},
		{"empty segment", withFile("100644", doc.SegmentPath("commit", firstID), file("")), "not named by the id of its first entry"},
	}
}

// withTombstones is a roadmap with a file of tombstones.
func withTombstones(content string) func(*repo) (incoming.Refs, string) {
	return onRoadmap(func(r *repo) (string, string) {
		id := r.blob(content)
		return r.mktree("100644 "+doc.ExpungedFile+" "+id, "100644 main.md "+r.blob("# Project Roadmap\n")), id
	})
}

func inDocuments() []hostileCase {
	return []hostileCase{
		{"log.md", withFile("100644", "log.md", file("hello\n")), "it cannot be read: line 1"},
		{"milestones in log.md", withFile("100644", "log.md", file(milestone(firstID))), "it cannot be read: line 3"},
		{"commit.md", withFile("100644", "commit.md", file(step(firstID))), "it cannot be read: line 3"},
		{"log segment", withFile("100644", doc.SegmentPath("log", firstID), file(step(firstID)+"forged\n")), "it cannot be read: line"},
		{"commit segment", withFile("100644", doc.SegmentPath("commit", firstID), file(step(firstID))), "it cannot be read: line 3"},
		{"metadata", withFile("100644", "metadata.yaml", file("a: &x [*x]\n")), "it cannot be read: line 1"},
		{"topic", withFile("100644", "topics/key.md", file("---\npaths: {a: b}\n---\n")), "it cannot be read: line"},
		{"topic with NUL", withFile("100644", "topics/key.md", file("a\x00b")), "NUL"},
		{"large metadata", withFile("100644", "metadata.yaml", file("a: "+strings.Repeat("x", doc.MetadataLimit-3)+"\n")), "it has 65537 bytes"},
		{"large file that is never opened", withFile("100644", "topics/key.md", func(r *repo) string {
			id := r.blob(strings.Repeat("\x00", 33<<20))
			r.cut(id, 500)
			return id
		}), "it has 34603008 bytes; at most 33619968 are allowed"},
		{"file cut short", withFile("100644", "topics/key.md", func(r *repo) string {
			id := r.blob(text(100_000))
			r.cut(id, 200)
			return id
		}), "it cannot be read: cannot read object"},
		{"roadmap's second file", onRoadmap(func(r *repo) (string, string) {
			id := r.blob("x")
			return r.mktree("100644 main.md "+r.blob("# Project Roadmap\n"), "100644 other.md "+id), id
		}), "'other.md' (OBJECT) in commit COMMIT: it is a file that no roadmap has"},
		{"tombstones on a branch", withFile("100644", doc.ExpungedFile, file("")), "that no memory branch has"},
		{"tombstones out of order", withTombstones("entry " + secondID + "\nentry " + firstID + "\n"), "out of order"},
		{"tombstones that are none", withTombstones("entry ../x\n"), "is no tombstone"},
		{"too many tombstones", withTombstones(strings.Repeat("x", doc.MaxExpunged+1)), "at most 1048576 are allowed"},
		{"roadmap not UTF-8", onRoadmap(oneEntry("100644", "main.md", "\xff")), "not UTF-8"},
		{"branch's tree as roadmap", onRoadmap(func(r *repo) (string, string) {
			return r.git("rev-parse", git.BranchRef("main")+"^{tree}"), r.git("rev-parse", git.BranchRef("main")+":commit.md")
		}), "that no roadmap has"},
		{"roadmap's tree as branch", onBranch(func(r *repo) (string, string) {
			return r.git("rev-parse", git.RoadmapRef+"^{tree}"), r.git("rev-parse", git.RoadmapRef+":main.md")
		}), "'main.md' (OBJECT)"},
		{"roadmap's commit as branch", func(r *repo) (incoming.Refs, string) {
			ref := r.fetched(hostileRef, r.git("rev-parse", git.RoadmapRef+"^{tree}"), git.RoadmapRef)
			return incoming.Refs{Branches: []git.Ref{ref}}, r.git("rev-parse", git.RoadmapRef+":main.md")
		}, "'main.md' (OBJECT)"},
		{"note's name", onNotes(oneEntry("100644", "README", "x")), "'README' (OBJECT) in commit COMMIT: it is a file that no tree of notes has"},
		{"note's short name", onNotes(oneEntry("100644", strings.Repeat("a", 38), "x")), "no tree of notes"},
		{"note in upper case", onNotes(oneEntry("100644", strings.Repeat("A", 40), "x")), "no tree of notes"},
		{"fan-out of three digits", onNotes(func(r *repo) (string, string) {
			id := r.mktree("100644 " + strings.Repeat("a", 37) + " " + r.blob("x"))
			return r.mktree("040000 abc " + id), id
		}), "'abc' (OBJECT) in commit COMMIT: it is a folder that no tree of notes has"},
		{"note as a link", onNotes(oneEntry("120000", strings.Repeat("a", 40), "x")), "symbolic link"},
	}
}

// cut leaves only the beginning of a loose object.
func (r *repo) cut(id string, size int64) {
	r.t.Helper()
	path := filepath.Join(r.dir, ".git", "objects", id[:2], id[2:])
	if err := errors.Join(os.Chmod(path, 0o600), os.Truncate(path, size)); err != nil {
		r.t.Fatal(err)
	}
}

func inTips() []hostileCase {
	tipAt := func(object func(*repo) string) func(*repo) (incoming.Refs, string) {
		return func(r *repo) (incoming.Refs, string) {
			id := object(r)
			return incoming.Refs{Tags: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, id
		}
	}
	raw := func(text func(*repo) string) func(*repo) string {
		return func(r *repo) string {
			return r.input([]byte(text(r)), "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
		}
	}
	empty := func(r *repo) string { return r.tree() }
	said := func(trailers string) func(*repo) (incoming.Refs, string) { // on main, which it leaves as it is
		return tipAt(func(r *repo) string {
			return r.git("commit-tree", git.BranchRef("main")+"^{tree}", "-p", git.BranchRef("main"), "-m", "x\n\n"+trailers)
		})
	}
	const by = "author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n"
	return []hostileCase{
		{"tip is a tag", tipAt(func(r *repo) string {
			r.git("tag", "-a", "-m", "x", "t", git.BranchRef("main"))
			return r.git("rev-parse", "t")
		}), "it names the tag OBJECT, not a commit"},
		{"tip is a blob", tipAt(file("x")), "it names the blob OBJECT, not a commit"},
		{"tip is a tree", tipAt(empty), "it names the tree OBJECT, not a commit"},
		{"tip is missing", tipAt(func(*repo) string { return strings.Repeat("ab", 20) }), "its object OBJECT is missing"},
		{"broken commit", tipAt(raw(func(r *repo) string { return "tree " + r.tree() + "\nauthor\n\nx\n" })), "OBJECT"},
		{"missing parent", func(r *repo) (incoming.Refs, string) {
			gone := strings.Repeat("ab", 20)
			id := r.input([]byte("tree "+r.tree()+"\nparent "+gone+"\n"+by+"\nx\n"), "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, gone
		}, "its history cannot be read"},
		{"missing tree", func(r *repo) (incoming.Refs, string) {
			gone := strings.Repeat("ab", 20)
			id := r.input([]byte("tree "+gone+"\n"+by+"\nx\n"), "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, gone
		}, "'/' (OBJECT)"},
		{"large commit", tipAt(raw(func(r *repo) string {
			return "tree " + r.tree() + "\n" + by + "\n" + strings.Repeat("x", 33<<20)
		})), "commit OBJECT: it has"},
		{"newest id of the future", tipAt(raw(func(r *repo) string {
			return "tree " + r.tree() + "\n" + by + "\nx\n\nContext-Newest: 7ZZZZZZZZZZZZZZZZZZZZZZZZZ\n"
		})), "commit OBJECT: Context-Newest: the id 7ZZZZZZZZZZZZZZZZZZZZZZZZZ is of"},
		{"branch of no name", said("Context-Branch: x;touch pwn"), "commit OBJECT: Context-Branch: branch name 'x;touch pwn' may contain only"},
		{"hidden branch of no name", said("Context-Branch: $(id)\nContext-Branch: main"), "commit OBJECT: Context-Branch: branch name '$(id)'"},
		{"code of no hash", said("Code-Commit: --output=x"), "commit OBJECT: Code-Commit: '--output=x' is not a full hash"},
		{"milestone without its entry", said("Context-Id: " + firstID + "\nContext-Branch: main"), "in commit OBJECT: it does not end with the entry '" + firstID + "'"},
		{"milestone of no id", said("Context-Id: \x1b[31m"), `in commit OBJECT: it does not end with the entry '\x1b[31m'`},
		{"milestone without commit.md", tipAt(raw(func(r *repo) string {
			return "tree " + r.tree() + "\n" + by + "\nx\n\nContext-Id: " + firstID + "\n"
		})), "commit OBJECT: Context-Id: it has no commit.md"},
		{"milestone of another's entry", func(r *repo) (incoming.Refs, string) {
			id := r.blob(milestone(firstID, secondID))
			tree := r.mktree(append(r.others("x commit.md x"), "100644 commit.md "+id)...)
			made := r.git("commit-tree", tree, "-p", git.BranchRef("main"), "-m", "x\n\nContext-Id: "+firstID)
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(made)}}}, made
		}, "it does not end with the entry '" + firstID + "'"},
		{"branch's commits as notes", func(r *repo) (incoming.Refs, string) {
			return incoming.Refs{Notes: []git.Ref{r.fetched(git.RemoteTracking("origin").Notes(), r.git("rev-parse", git.BranchRef("main")+"^{tree}"))}}, "commit.md"
		}, "no tree of notes"},
		{"hidden in the past", func(r *repo) (incoming.Refs, string) {
			bad := r.blob("x")
			first := r.fetched(hostileRef, r.mktree("120000 log.md "+bad), git.BranchRef("main"))
			return incoming.Refs{Branches: []git.Ref{r.fetched(hostileRef, r.mktree(r.others("x x")...), string(first.ID))}}, bad
		}, "it is a symbolic link"},
	}
}

// Each is refused, and the refusal says where the hostile object is.
func TestHostileMemoryStaysOut(t *testing.T) {
	t.Parallel()
	for _, c := range append(append(inTrees(), inDocuments()...), inTips()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			ok(share.Init(t.Context(), r.open(), share.InitOptions{Goal: "Stay"}))(t)
			in, object := c.bring(r)
			before := r.git("for-each-ref")
			err := incoming.Check(t.Context(), r.open(), in)
			refused(t, err, in)
			for _, want := range []string{object, strings.ReplaceAll(c.says, "OBJECT", object)} {
				want, _, _ := strings.Cut(want, "COMMIT")
				if !strings.Contains(err.Error(), want) {
					t.Errorf("'%v' does not say '%s'", err, want)
				}
			}
			if after := r.git("for-each-ref"); after != before {
				t.Errorf("refs moved: %s", after)
			}
		})
	}
}

// refused holds the form of a refusal.
func refused(t *testing.T, err error, in incoming.Refs) {
	t.Helper()
	var e *fail.Error
	if !errors.As(err, &e) || e.Code != "incoming-invalid" || !errors.Is(err, fail.ErrRefused) {
		t.Fatalf("not refused: %v", err)
	}
	name := append(append(append(in.Branches, in.Tags...), in.Roadmap...), in.Notes...)[0].Name
	if !strings.HasPrefix(e.Message, "'"+name+"' is refused: ") || !strings.Contains(e.Hints[len(e.Hints)-1], name) {
		t.Errorf("'%s', hints %q do not name '%s'", e.Message, e.Hints, name)
	}
	for _, text := range append(e.Hints, err.Error()) {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x202e || r == 0xfffd }) {
			t.Errorf("%q would reach a terminal raw", text)
		}
	}
}

// The count is of ids, and the error says how to raise it.
func TestTooManyNewEntries(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s := r.open()
	ok(share.Init(t.Context(), s, share.InitOptions{}))(t)
	for range 3 {
		ok(s.Record(t.Context(), []store.NewStep{{Action: "a"}, {Action: "b"}, {Action: "c"}}))(t)
		ok(s.Commit(t.Context(), store.CommitOptions{Summary: "Three steps"}))(t)
	}
	c, in := r.clone() // 9 steps, 3 milestones, 1 birth
	c.git("config", "context.maxNewEntries", "13")
	if err := incoming.Check(t.Context(), c.open(), in); err != nil {
		t.Errorf("13 entries: %v", err)
	}
	c.git("config", "context.maxNewEntries", "12")
	err := incoming.Check(t.Context(), c.open(), in)
	refused(t, err, in)
	var e *fail.Error
	if errors.As(err, &e); !strings.Contains(e.Message, "more than 12 entries") || e.Hints[0] != "git config context.maxNewEntries 120" {
		t.Errorf("%+v", e)
	}
	for _, bad := range []string{"0", "many", "1000g"} {
		c.git("config", "context.maxNewEntries", bad)
		if err := incoming.Check(t.Context(), c.open(), in); !errors.Is(err, fail.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A broken ref of our own is not the remote's fault.
func TestOwnDamageIsNotTheirs(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
	in := incoming.Refs{Branches: []git.Ref{r.fetched(hostileRef, r.mktree(r.others("x x")...))}}
	path := filepath.Join(r.dir, ".git", "refs", "context", "heads", "broken")
	if err := os.WriteFile(path, fmt.Appendln(nil, strings.Repeat("ab", 20)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := incoming.Check(t.Context(), r.open(), in); err == nil || errors.Is(err, fail.ErrRefused) {
		t.Errorf("got %v", err)
	}
}
