package incoming_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Whatever would be refused from a remote is found where it is here: as one problem, that
// names the object.
func TestFsckFindsWhatWouldBeRefused(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Stay"}))(t)
	roadmap := r.Git("rev-parse", git.RoadmapRef)
	for _, c := range append(inTrees(), inDocuments()...) {
		in, object := c.bring(r)
		switch {
		case len(in.Branches) > 0:
			r.Git("update-ref", git.BranchRef("hostile"), string(in.Branches[0].ID))
		case len(in.Roadmap) > 0:
			r.Git("update-ref", git.RoadmapRef, string(in.Roadmap[0].ID))
		default:
			r.Git("update-ref", git.NotesRef, string(in.Notes[0].ID))
		}
		for _, ref := range append(append(in.Branches, in.Roadmap...), in.Notes...) {
			r.Git("update-ref", "-d", ref.Name)
		}
		problems, err := fsck.Run(ctx, r.Open(), fsck.Options{})
		if len(problems) == 1 && problems[0].Kind == string(incoming.FlawAhead) { // of the whole branch
			object = "branch 'hostile'"
		}
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, object) || problems[0].Repair == "" {
			t.Errorf("%s: %v, %+v; want one that names %s", c.name, err, problems, object)
		}
		r.Git("update-ref", git.RoadmapRef, roadmap)
		r.Git("update-ref", "-d", git.BranchRef("hostile"))
		r.Git("update-ref", "-d", git.NotesRef)
	}
}

// hostileCase brings something into a repository with a small memory of its own.
// bring returns the refs to check and what the refusal must name: an object, mostly.
type hostileCase struct {
	name  string
	bring func(*memtest.Repo) (in incoming.Refs, object string)
	says  string
}

const hostileRef = git.RemotePrefix + "origin/heads/main"

// withFile is a branch whose tree holds, besides what main has, one entry at a path.
func withFile(mode, path string, object func(*memtest.Repo) string) func(*memtest.Repo) (incoming.Refs, string) {
	return func(r *memtest.Repo) (incoming.Refs, string) {
		id := object(r)
		parts := strings.Split(path, "/")
		entry := mode + " " + parts[len(parts)-1] + " " + id
		for i := len(parts) - 2; i >= 0; i-- {
			entry = "040000 " + parts[i] + " " + makeTree(r, entry)
		}
		tree := makeTree(r, append(others(r, entry), entry)...)
		return incoming.Refs{Branches: []git.Ref{fetched(r, hostileRef, tree, git.BranchRef("main"))}}, id
	}
}

// others are main's entries of other names than an entry's.
func others(r *memtest.Repo, entry string) []string {
	r.T.Helper()
	var list []string
	for line := range strings.Lines(r.Git("ls-tree", git.BranchRef("main"))) {
		meta, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		f := strings.Fields(meta)
		if name != strings.Fields(entry)[1] {
			list = append(list, f[0]+" "+name+" "+f[2])
		}
	}
	return list
}

func file(content string) func(*memtest.Repo) string {
	return func(r *memtest.Repo) string { return r.Blob(content) }
}

// onBranch, onRoadmap and onNotes bring a tree without a history.
func onBranch(tree func(*memtest.Repo) (tree, object string)) func(*memtest.Repo) (incoming.Refs, string) {
	return func(r *memtest.Repo) (incoming.Refs, string) {
		t, object := tree(r)
		return incoming.Refs{Branches: []git.Ref{fetched(r, hostileRef, t)}}, object
	}
}

func onRoadmap(tree func(*memtest.Repo) (tree, object string)) func(*memtest.Repo) (incoming.Refs, string) {
	return func(r *memtest.Repo) (incoming.Refs, string) {
		t, object := tree(r)
		return incoming.Refs{Roadmap: []git.Ref{fetched(r, git.RemoteTracking("origin").Roadmap(), t)}}, object
	}
}

func onNotes(tree func(*memtest.Repo) (tree, object string)) func(*memtest.Repo) (incoming.Refs, string) {
	return func(r *memtest.Repo) (incoming.Refs, string) {
		t, object := tree(r)
		return incoming.Refs{Notes: []git.Ref{fetched(r, git.RemoteTracking("origin").Notes(), t)}}, object
	}
}

// oneEntry is a tree with one entry just as it is given, of a blob.
func oneEntry(mode, name, content string) func(*memtest.Repo) (string, string) {
	return func(r *memtest.Repo) (string, string) {
		id := r.Blob(content)
		return storeTree(r, mode+" "+name+" "+id), id
	}
}

// secondID is another id that no entry has.
const secondID = "01JD5K0Z3V7Q3M9K2A4B5C6D7F"

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
		{"submodule", withFile("160000", "log", func(*memtest.Repo) string { return strings.Repeat("ab", 20) }), "it is a submodule"},
		{"executable", withFile("100755", "log.md", file(step(memtest.UnknownID))), "it is an executable file"},
		{"zero-padded mode", onBranch(func(r *memtest.Repo) (string, string) {
			id := storeTree(r, "0100644 log.md "+r.Blob(""))
			return id, id
		}), "'/' (OBJECT) in commit COMMIT: git's fsck refuses it: it has a zero-padded mode"},
		{"group-writable", onBranch(oneEntry("100664", "log.md", "")), "its mode is 100664"},
		{"unknown file", withFile("100644", "README.md", file("hello")), "'README.md' (OBJECT)"},
		{"unknown folder", onBranch(func(r *memtest.Repo) (string, string) {
			id := makeTree(r, "100755 pre-commit "+r.Blob("#!/bin/sh"))
			return makeTree(r, "040000 hooks "+id), id
		}), "'hooks' (OBJECT) in commit COMMIT: it is a folder that no memory branch has"},
		{"unknown file in a known folder", withFile("100644", "log/01JD/notes.md", file("")), "'log/01JD/notes.md' (OBJECT)"},
		{"deep folder", withFile("040000", "log/01JD/5K/0Z/00", func(r *memtest.Repo) string {
			return makeTree(r, "100644 "+memtest.UnknownID+".md "+r.Blob(step(memtest.UnknownID)))
		}), "'log/01JD/5K/0Z/00' (OBJECT)"},
		{"topic key", withFile("100644", "topics/API.md", file("x")), "'topics/API.md' (OBJECT)"},
		{"two names by case", withFile("100644", "LOG.md", file("")), "differs only by case from 'log.md'"},
		{"control character", onBranch(oneEntry("100644", "log\x1b[31m.md", "")), `'log\x1b[31m.md' (OBJECT)`},
		{"line feed", onBranch(oneEntry("100644", "log.md\nlog.md", "")), `'log.md\nlog.md' (OBJECT)`},
		{"bidirectional override", onBranch(oneEntry("100644", "log\u202e.md", "")), `'log\u202e.md' (OBJECT)`},
		{"not UTF-8", onBranch(oneEntry("100644", "log\xff.md", "")), `'log\xff.md' (OBJECT)`},
		{"dot dot", onBranch(oneEntry("100644", "..", "")), `'..' (OBJECT)`},
		{"slash", onBranch(oneEntry("100644", "topics/key.md", "x")), "it is no name of a file"},
		{"no name", onBranch(func(r *memtest.Repo) (string, string) {
			id := makeTree(r, "100644 key.md "+r.Blob("x"))
			return storeTree(r, "40000  "+id), id
		}), "'' (OBJECT) in commit COMMIT: it is no name of a file"},
		{"one name twice", onBranch(func(r *memtest.Repo) (string, string) {
			id := r.Blob("")
			return storeTree(r, "100644 log.md "+id, "100644 log.md "+id), id
		}), "the name occurs twice"},
		{"wrong order", onBranch(func(r *memtest.Repo) (string, string) {
			id := r.Blob("")
			return storeTree(r, "100644 log.md "+id, "100644 commit.md "+id), id
		}), "not in git's order"},
		{"empty folder", onBranch(func(r *memtest.Repo) (string, string) {
			id := storeTree(r)
			return storeTree(r, "40000 topics "+id), id
		}), "'topics/' (OBJECT) in commit COMMIT: it is empty"},
		{"broken tree", onBranch(func(r *memtest.Repo) (string, string) {
			id := r.Input([]byte("100644 log.md\x00short"), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
			return id, id
		}), "tree is malformed"},
		{"blob for a folder", onBranch(func(r *memtest.Repo) (string, string) {
			id := r.Blob("x")
			return storeTree(r, "40000 topics "+id), id
		}), "it is a blob, not a folder"},
		{"folder for a blob", onBranch(func(r *memtest.Repo) (string, string) {
			id := makeTree(r, "100644 log.md "+r.Blob(""))
			return storeTree(r, "100644 log.md "+id), id
		}), "it is a tree, not a file"},
		{"missing file", onBranch(func(r *memtest.Repo) (string, string) {
			id := strings.Repeat("ab", 20)
			return storeTree(r, "100644 log.md "+id), id
		}), "it is missing"},
		{"missing folder", onBranch(func(r *memtest.Repo) (string, string) {
			id := strings.Repeat("ab", 20)
			return storeTree(r, "40000 log "+id), id
		}), "it is missing"},
		{"id of the future", withFile("100644", "log.md", file(step(future))), "ahead of the clock"},
		{"ids that fall", withFile("100644", "log.md", file(step(secondID)+"\n"+step(memtest.UnknownID))), "follows"},
		{"segment's name", withFile("100644", doc.SegmentPath("log", memtest.UnknownID), file(step(secondID))), "not named by the id of its first entry"},
		{"empty segment", withFile("100644", doc.SegmentPath("commit", memtest.UnknownID), file("")), "not named by the id of its first entry"},
	}
}

// withTombstones is a roadmap with a file of tombstones.
func withTombstones(content string) func(*memtest.Repo) (incoming.Refs, string) {
	return onRoadmap(func(r *memtest.Repo) (string, string) {
		id := r.Blob(content)
		return makeTree(r, "100644 "+doc.ExpungedFile+" "+id, "100644 main.md "+r.Blob("# Project Roadmap\n")), id
	})
}

func inDocuments() []hostileCase {
	return []hostileCase{
		{"log.md", withFile("100644", "log.md", file("hello\n")), "it cannot be read: line 1"},
		{"milestones in log.md", withFile("100644", "log.md", file(milestone(memtest.UnknownID))), "it cannot be read: line 3"},
		{"commit.md", withFile("100644", "commit.md", file(step(memtest.UnknownID))), "it cannot be read: line 3"},
		{"log segment", withFile("100644", doc.SegmentPath("log", memtest.UnknownID), file(step(memtest.UnknownID)+"forged\n")), "it cannot be read: line"},
		{"commit segment", withFile("100644", doc.SegmentPath("commit", memtest.UnknownID), file(step(memtest.UnknownID))), "it cannot be read: line 3"},
		{"metadata", withFile("100644", "metadata.yaml", file("a: &x [*x]\n")), "it cannot be read: line 1"},
		{"topic", withFile("100644", "topics/key.md", file("---\npaths: {a: b}\n---\n")), "it cannot be read: line"},
		{"topic with NUL", withFile("100644", "topics/key.md", file("a\x00b")), "NUL"},
		{"large metadata", withFile("100644", "metadata.yaml", file("a: "+strings.Repeat("x", doc.MetadataMost-3)+"\n")), "it has 69633 bytes"},
		{"metadata without room for the totals", withFile("100644", "metadata.yaml", file("a: "+strings.Repeat("x", doc.MetadataLimit-3)+"\n")), "over the limit of 65536"},
		{"large file that is never opened", withFile("100644", "topics/key.md", func(r *memtest.Repo) string {
			id := r.Blob(strings.Repeat("\x00", 33<<20))
			cutObject(r, id, 500)
			return id
		}), "it has 34603008 bytes; at most 33619968 are allowed"},
		{"file cut short", withFile("100644", "topics/key.md", func(r *memtest.Repo) string {
			id := r.Blob(memtest.Text(100_000))
			cutObject(r, id, 200)
			return id
		}), "it cannot be read: cannot read object"},
		{"roadmap's second file", onRoadmap(func(r *memtest.Repo) (string, string) {
			id := r.Blob("x")
			return makeTree(r, "100644 main.md "+r.Blob("# Project Roadmap\n"), "100644 other.md "+id), id
		}), "'other.md' (OBJECT) in commit COMMIT: it is a file that no roadmap has"},
		{"attachment under another hash", withFile("100644", doc.NewAttachment("a.txt", []byte("other")).Path(), file("content")), "its name is the hash of another content"},
		{"large attachment", withFile("100644", doc.NewAttachment("a.txt", nil).Path(), file(strings.Repeat("x", doc.MaxAttachment+1))), "at most 1048576 are allowed"},
		{"attachment of no hash", withFile("100644", "artifacts/ab/a.txt", file("x")), "'artifacts/ab/a.txt' (OBJECT)"},
		{"tombstones on a branch", withFile("100644", doc.ExpungedFile, file("")), "that no memory branch has"},
		{"tombstones out of order", withTombstones("entry " + secondID + "\nentry " + memtest.UnknownID + "\n"), "out of order"},
		{"tombstones that are none", withTombstones("entry ../x\n"), "is no tombstone"},
		{"too many tombstones", withTombstones(strings.Repeat("x", doc.MaxExpunged+1)), "at most 1048576 are allowed"},
		{"roadmap not UTF-8", onRoadmap(oneEntry("100644", "main.md", "\xff")), "not UTF-8"},
		{"branch's tree as roadmap", onRoadmap(func(r *memtest.Repo) (string, string) {
			return r.Git("rev-parse", git.BranchRef("main")+"^{tree}"), r.Git("rev-parse", git.BranchRef("main")+":commit.md")
		}), "that no roadmap has"},
		{"roadmap's tree as branch", onBranch(func(r *memtest.Repo) (string, string) {
			return r.Git("rev-parse", git.RoadmapRef+"^{tree}"), r.Git("rev-parse", git.RoadmapRef+":main.md")
		}), "'main.md' (OBJECT)"},
		{"roadmap's commit as branch", func(r *memtest.Repo) (incoming.Refs, string) {
			ref := fetched(r, hostileRef, r.Git("rev-parse", git.RoadmapRef+"^{tree}"), git.RoadmapRef)
			return incoming.Refs{Branches: []git.Ref{ref}}, r.Git("rev-parse", git.RoadmapRef+":main.md")
		}, "'main.md' (OBJECT)"},
		{"note's name", onNotes(oneEntry("100644", "README", "x")), "'README' (OBJECT) in commit COMMIT: it is a file that no tree of notes has"},
		{"note's short name", onNotes(oneEntry("100644", strings.Repeat("a", 38), "x")), "no tree of notes"},
		{"note in upper case", onNotes(oneEntry("100644", strings.Repeat("A", 40), "x")), "no tree of notes"},
		{"fan-out of three digits", onNotes(func(r *memtest.Repo) (string, string) {
			id := makeTree(r, "100644 "+strings.Repeat("a", 37)+" "+r.Blob("x"))
			return makeTree(r, "040000 abc "+id), id
		}), "'abc' (OBJECT) in commit COMMIT: it is a folder that no tree of notes has"},
		{"a note of many lines", onNotes(oneEntry("100644", strings.Repeat("a", 40), strings.Repeat("x\n", 11_001))), "it has 11001 lines; at most 11000 are allowed"},
		{"one folder of notes twice", onNotes(func(r *memtest.Repo) (string, string) {
			blob := r.Blob("x")
			id := makeTree(r, "100644 "+strings.Repeat("a", len(blob)-4)+" "+blob)
			two := makeTree(r, "040000 aa "+id)
			return makeTree(r, "040000 aa "+two, "040000 ab "+makeTree(r, "040000 bb "+id)), id
		}), "'ab/bb/' (OBJECT) in commit COMMIT: it is the same as 'aa/aa/'"},
		{"note as a link", onNotes(oneEntry("120000", strings.Repeat("a", 40), "x")), "symbolic link"},
	}
}

// cutObject leaves only the beginning of a loose object.
func cutObject(r *memtest.Repo, id string, size int64) {
	r.T.Helper()
	path := filepath.Join(r.Dir, ".git", "objects", id[:2], id[2:])
	if err := errors.Join(os.Chmod(path, 0o600), os.Truncate(path, size)); err != nil {
		r.T.Fatal(err)
	}
}

func inTips() []hostileCase {
	tipAt := func(object func(*memtest.Repo) string) func(*memtest.Repo) (incoming.Refs, string) {
		return func(r *memtest.Repo) (incoming.Refs, string) {
			id := object(r)
			return incoming.Refs{Tags: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, id
		}
	}
	raw := func(text func(*memtest.Repo) string) func(*memtest.Repo) string {
		return func(r *memtest.Repo) string {
			return r.Input([]byte(text(r)), "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
		}
	}
	empty := func(r *memtest.Repo) string { return storeTree(r) }
	said := func(trailers string) func(*memtest.Repo) (incoming.Refs, string) { // on main, which it leaves as it is
		return tipAt(func(r *memtest.Repo) string {
			return r.Input([]byte("x\n\n"+trailers), "commit-tree", git.BranchRef("main")+"^{tree}", "-p", git.BranchRef("main"))
		})
	}
	const by = "author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n"
	return []hostileCase{
		{"tip is a tag", tipAt(func(r *memtest.Repo) string {
			r.Git("tag", "-a", "-m", "x", "t", git.BranchRef("main"))
			return r.Git("rev-parse", "t")
		}), "it names the tag OBJECT, not a commit"},
		{"tip is a blob", tipAt(file("x")), "it names the blob OBJECT, not a commit"},
		{"tip is a tree", tipAt(empty), "it names the tree OBJECT, not a commit"},
		{"tip is missing", tipAt(func(*memtest.Repo) string { return strings.Repeat("ab", 20) }), "its object OBJECT is missing"},
		{"broken commit", tipAt(raw(func(r *memtest.Repo) string { return "tree " + storeTree(r) + "\nauthor\n\nx\n" })), "OBJECT"},
		{"commit that git's fsck refuses", tipAt(raw(func(r *memtest.Repo) string {
			return "tree " + storeTree(r) + "\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +99999999\n\nx\n"
		})), "OBJECT: git's fsck refuses it: committer: bad time zone"},
		{"trailers that go on and on", said("A: b\n" + strings.Repeat(" c\n", 1001)), "its trailers have more than 1000 lines that continue others"},
		{"the same above what git ignores", said("A: b\n" + strings.Repeat(" c\n", 1001) + "\nConflicts:\n\n\tx\n\n# y"),
			"its trailers have more than 1000 lines that continue others"},
		{"too many trailers", said(strings.Repeat("A: b\n", 200_001)), "its trailers have more than 20000 lines"},
		{"missing parent", func(r *memtest.Repo) (incoming.Refs, string) {
			gone := strings.Repeat("ab", 20)
			id := r.Input([]byte("tree "+storeTree(r)+"\nparent "+gone+"\n"+by+"\nx\n"), "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, gone
		}, "its history cannot be read"},
		{"missing tree", func(r *memtest.Repo) (incoming.Refs, string) {
			gone := strings.Repeat("ab", 20)
			id := r.Input([]byte("tree "+gone+"\n"+by+"\nx\n"), "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, gone
		}, "'/' (OBJECT)"},
		{"large commit", tipAt(raw(func(r *memtest.Repo) string {
			return "tree " + storeTree(r) + "\n" + by + "\n" + strings.Repeat("x", 33<<20)
		})), "commit OBJECT: it has"},
		{"many parents", func(r *memtest.Repo) (incoming.Refs, string) {
			made := "tree " + storeTree(r) + "\n"
			for i := range 65 {
				made += "parent " + r.Git("commit-tree", storeTree(r), "-p", git.BranchRef("main"), "-m", strconv.Itoa(i)) + "\n"
			}
			id := r.Input([]byte(made+by+"\nx\n"), "hash-object", "-t", "commit", "-w", "--stdin")
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(id)}}}, id
		}, "commit OBJECT: it has 65 parents; at most 64 are allowed"},
		{"newest id of the future", tipAt(raw(func(r *memtest.Repo) string {
			return "tree " + storeTree(r) + "\n" + by + "\nx\n\nContext-Newest: 7ZZZZZZZZZZZZZZZZZZZZZZZZZ\n"
		})), "commit OBJECT: Context-Newest: the id 7ZZZZZZZZZZZZZZZZZZZZZZZZZ is of"},
		{"branch of no name", said("Context-Branch: x;touch pwn"), "commit OBJECT: Context-Branch: branch name 'x;touch pwn' may contain only"},
		{"hidden branch of no name", said("Context-Branch: $(id)\nContext-Branch: main"), "commit OBJECT: Context-Branch: branch name '$(id)'"},
		{"code of no hash", said("Code-Commit: --output=x"), "commit OBJECT: Code-Commit: '--output=x' is not a full hash"},
		{"milestone without its entry", said("Context-Id: " + memtest.UnknownID + "\nContext-Branch: main"), "in commit OBJECT: it does not end with the entry '" + memtest.UnknownID + "'"},
		{"milestone of no id", said("Context-Id: \x1b[31m"), `in commit OBJECT: it does not end with the entry '\x1b[31m'`},
		{"milestone without commit.md", tipAt(raw(func(r *memtest.Repo) string {
			return "tree " + storeTree(r) + "\n" + by + "\nx\n\nContext-Id: " + memtest.UnknownID + "\n"
		})), "commit OBJECT: Context-Id: it has no commit.md"},
		{"milestone of another's entry", func(r *memtest.Repo) (incoming.Refs, string) {
			id := r.Blob(milestone(memtest.UnknownID, secondID))
			tree := makeTree(r, append(others(r, "x commit.md x"), "100644 commit.md "+id)...)
			made := r.Git("commit-tree", tree, "-p", git.BranchRef("main"), "-m", "x\n\nContext-Id: "+memtest.UnknownID)
			return incoming.Refs{Branches: []git.Ref{{Name: hostileRef, ID: git.ID(made)}}}, made
		}, "it does not end with the entry '" + memtest.UnknownID + "'"},
		{"branch's commits as notes", func(r *memtest.Repo) (incoming.Refs, string) {
			return incoming.Refs{Notes: []git.Ref{fetched(r, git.RemoteTracking("origin").Notes(), r.Git("rev-parse", git.BranchRef("main")+"^{tree}"))}}, "commit.md"
		}, "no tree of notes"},
		{"hidden in the past", func(r *memtest.Repo) (incoming.Refs, string) {
			bad := r.Blob("x")
			first := fetched(r, hostileRef, makeTree(r, "120000 log.md "+bad), git.BranchRef("main"))
			return incoming.Refs{Branches: []git.Ref{fetched(r, hostileRef, makeTree(r, others(r, "x x")...), string(first.ID))}}, bad
		}, "it is a symbolic link"},
	}
}

// Each is refused, and the refusal says where the hostile object is.
func TestHostileMemoryStaysOut(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	for _, c := range append(append(inTrees(), inDocuments()...), inTips()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := memtest.New(t)
			memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{Goal: "Stay"}))(t)
			in, object := c.bring(r)
			before := r.Git("for-each-ref")
			err := incoming.Check(t.Context(), r.Open(), in)
			refused(t, err, in)
			for _, want := range []string{object, strings.ReplaceAll(c.says, "OBJECT", object)} {
				want, _, _ := strings.Cut(want, "COMMIT")
				if !strings.Contains(err.Error(), want) {
					t.Errorf("'%v' does not say '%s'", err, want)
				}
			}
			if after := r.Git("for-each-ref"); after != before {
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
	r := memtest.New(t)
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	for range 3 {
		memtest.OK(s.Record(t.Context(), []store.NewStep{{Action: "a"}, {Action: "b"}, {Action: "c"}}))(t)
		memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: "Three steps"}))(t)
	}
	c, in := cloneOf(r) // 9 steps, 3 milestones, 1 birth
	c.Git("config", "context.maxNewEntries", "13")
	if err := incoming.Check(t.Context(), c.Open(), in); err != nil {
		t.Errorf("13 entries: %v", err)
	}
	c.Git("config", "context.maxNewEntries", "12")
	err := incoming.Check(t.Context(), c.Open(), in)
	refused(t, err, in)
	var e *fail.Error
	if errors.As(err, &e); !strings.Contains(e.Message, "more than 12 entries") || e.Hints[0] != "git config context.maxNewEntries 120" {
		t.Errorf("%+v", e)
	}
	for _, bad := range []string{"0", "many", "1000g"} {
		c.Git("config", "context.maxNewEntries", bad)
		if err := incoming.Check(t.Context(), c.Open(), in); !errors.Is(err, fail.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A broken ref of our own is not the remote's fault.
func TestOwnDamageIsNotTheirs(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	in := incoming.Refs{Branches: []git.Ref{fetched(r, hostileRef, makeTree(r, others(r, "x x")...))}}
	path := filepath.Join(r.Dir, ".git", "refs", "context", "heads", "broken")
	if err := os.WriteFile(path, fmt.Appendln(nil, strings.Repeat("ab", 20)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := incoming.Check(t.Context(), r.Open(), in); err == nil || errors.Is(err, fail.ErrRefused) {
		t.Errorf("got %v", err)
	}
}
