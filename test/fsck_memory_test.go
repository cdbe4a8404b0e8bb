//go:build unix

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

const (
	mainTip = "refs/context/heads/main"
	pool    = "refs/context/heads/exp/pool"
)

// memoryRows are the ways in which what memory holds can break.
func memoryRows() []broken {
	return slices.Concat(objectRows(), documentRows(), entryRows(), trailerRows(), noteRows())
}

// objectRows break what git keeps.
func objectRows() []broken {
	lose := func(rev string) func(*world) {
		return func(w *world) {
			w.unpacks()
			w.removes(w.loose(rev))
		}
	}
	loseNew := func(rev string) func(*world) { // what no remote has
		return func(w *world) {
			w.ok("commit", "-m", "Not shared")
			lose(rev)(w)
		}
	}
	return []broken{
		{name: "missing document", kind: "object-missing", breaks: lose(mainTip + "~1:log.md")},
		{name: "missing commit", kind: "object-missing", breaks: lose(mainTip + "~2")},
		{name: "missing tree of a branch", kind: "ref-lost", fixable: true, breaks: loseNew(mainTip + "^{tree}")},
		{name: "missing document of a branch", kind: "ref-lost", fixable: true, breaks: loseNew(mainTip + ":commit.md")},
		{name: "missing tree of the notes", kind: "ref-lost", fixable: true, breaks: loseNew("refs/notes/context^{tree}")},
		{name: "damaged document", kind: "object-damaged", breaks: func(w *world) {
			w.unpacks()
			w.overwrites(w.loose(mainTip+"~1:commit.md"), "no object")
		}},
	}
}

// documentRows put on top of main what no memory may hold.
func documentRows() []broken {
	puts := func(mode, path, text string) func(*world) {
		return func(w *world) { w.puts(mode, path, text, w.message(mainTip)) }
	}
	ahead := "7ZZZZZZZZZ" + strings.Repeat("0", 16)
	return []broken{
		{name: "document that no one can read", kind: "document-invalid", breaks: puts("100644", "log.md", "hello\n")},
		{name: "file of another tool", kind: "tree-invalid", breaks: puts("100644", "README.md", "hello\n")},
		{name: "misnamed segment", kind: "segment-misnamed", breaks: puts("100644", doc.SegmentPath("log", ahead), oneStep(1, someID))},
		{name: "ids that fall", kind: "entry-disordered", breaks: func(w *world) {
			log := w.git("show", mainTip+":log.md")
			w.puts("100644", "log.md", log+"\n"+oneStep(1, someID), w.message(mainTip))
		}},
	}
}

const someID = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"

func oneStep(number int, id string) string {
	return fmt.Sprintf("== Branch main ==\n\n### Step %d · 2024-11-21T01:37:05Z · x · %s\n\n**Action**\n\n> go on\n", number, id)
}

// entryRows break what stands in documents that can be read.
func entryRows() []broken {
	changed := func(w *world) {
		log := w.git("show", mainTip+":log.md")
		w.puts("100644", "log.md", strings.Replace(log, "main saw 0", "main saw nothing", 1), w.message(mainTip))
	}
	return []broken{
		{name: "one id with two contents", kind: "entry-differs", byHand: func(w *world) { w.git("update-ref", "-d", "refs/context/tags/odd") }, breaks: func(w *world) {
			before, message := strings.TrimSpace(w.git("rev-parse", mainTip)), w.message(mainTip)
			changed(w)
			odd := strings.TrimSpace(w.git("commit-tree", mainTip+"^{tree}", "-m", message)) // of no parent
			w.git("update-ref", mainTip, before)
			w.git("update-ref", "refs/context/tags/odd", odd)
		}},
		{name: "an entry that was changed", kind: "memory-lost", fixable: true, breaks: changed},
		{name: "an emptied branch", kind: "memory-lost", fixable: true, breaks: func(w *world) {
			first := strings.TrimSpace(w.git("rev-list", "--max-parents=0", mainTip))
			w.git("update-ref", mainTip,
				strings.TrimSpace(w.git("commit-tree", first+"^{tree}", "-p", mainTip, "-m", w.message(first))))
		}},
		{name: "an emptied roadmap", kind: "memory-lost", fixable: true, breaks: func(w *world) {
			empty := w.input("", nil, "hash-object", "-w", "-t", "tree", "--stdin")
			w.git("update-ref", "refs/context/roadmap",
				strings.TrimSpace(w.git("commit-tree", empty, "-p", "refs/context/roadmap", "-m", "Tidy")))
		}},
		{name: "emptied notes", kind: "memory-lost", fixable: true, breaks: func(w *world) {
			w.ok("note", "main", "--score", "0.5")
			text := w.git("notes", "--ref", "context", "show", mainTip)
			w.git("notes", "--ref", "context", "add", "-f", "-m", text[:strings.Index(text, "\n")], mainTip)
		}},
		{name: "one entry in two files", kind: "entry-twice", fixable: true, breaks: func(w *world) {
			log := w.git("show", mainTip+":log.md")
			w.puts("100644", doc.SegmentPath("log", w.firstID(log)), log, w.message(mainTip))
		}},
		{name: "totals that count otherwise", kind: "totals-wrong", fixable: true, breaks: func(w *world) {
			meta := regexp.MustCompile(`(?m)^  steps: \d+$`).ReplaceAllString(w.git("show", mainTip+":metadata.yaml"), "  steps: 77")
			w.puts("100644", "metadata.yaml", meta, w.message(mainTip))
		}},
		{name: "another branch's name", kind: "branch-misnamed", fixable: true, breaks: func(w *world) {
			w.git("update-ref", "refs/context/heads/copy", mainTip)
		}},
		{name: "numbers that fall", kind: "numbers-disordered", byHand: func(w *world) { w.git("update-ref", mainTip, mainTip+"~2") }, breaks: func(w *world) {
			id, err := doc.NextID(time.Now(), w.trailer(mainTip, "Context-Newest"))
			if err != nil {
				w.t.Fatal(err)
			}
			w.puts("100644", "log.md", w.git("show", mainTip+":log.md")+"\n"+oneStep(1, id), w.message(mainTip))
			w.fsck("--fix") // counts it
		}},
	}
}

// trailerRows break what the messages of memory commits say.
func trailerRows() []broken {
	says := func(line string) func(*world) {
		return func(w *world) {
			key, _, _ := strings.Cut(line, ":")
			message := regexp.MustCompile("(?m)^"+key+": .*\n").ReplaceAllString(w.message(mainTip), "")
			w.puts("100644", "topics/pool.md", "It holds more\n", message+line+"\n")
		}
	}
	return []broken{
		{name: "code commit that is no hash", kind: "trailer-wrong", breaks: says("Code-Commit: main")},
		{name: "milestone that stands nowhere", kind: "milestone-unlisted", breaks: says("Context-Id: " + someID)},
		{name: "steps that a milestone does not cover", kind: "trailer-wrong",
			byHand: func(w *world) { w.git("update-ref", pool, "before") }, breaks: func(w *world) {
				w.git("tag", "before", pool)
				message := strings.Replace(w.git("show", "-s", "--format=%B", pool), "\nContext-Steps: 1", "\nContext-Steps: 8", 1)
				w.git("update-ref", pool, w.trimmed("commit-tree", "-p", pool+"~1", "-m", strings.TrimSpace(message), pool+"^{tree}"))
			}},
		{name: "status that is another", kind: "trailers-stale", fixable: true, breaks: says("Context-Status: merged")},
		{name: "commit that was made by hand", kind: "trailers-missing", fixable: true, breaks: func(w *world) {
			w.puts("100644", "topics/pool.md", "It holds more\n", "by hand\n")
		}},
	}
}

// noteRows break the notes.
func noteRows() []broken {
	const ref = git.NotesRef
	return []broken{
		{name: "file among the notes", kind: "tree-invalid", byHand: func(w *world) { w.git("update-ref", ref, ref+"~1") }, breaks: func(w *world) {
			w.on(ref, "100644", "README", "hello\n", "by hand\n")
		}},
		{name: "two notes of one commit", kind: "note-twice", fixable: true, breaks: func(w *world) {
			w.on(ref, "100644", w.trimmed("rev-parse", mainTip), "somebody's\n", "by hand\n")
		}},
		{name: "line cut short", kind: "note-damaged", byHand: func(w *world) {
			w.git("notes", "--ref=context", "add", "-f", "-m", w.git("show", ref+"~1:"+w.notePath(mainTip)), mainTip)
		}, breaks: func(w *world) {
			w.git("notes", "--ref=context", "append", "-m", `{"v":1,"id":"`+someID+`","kind":"sc`, mainTip)
		}},
		{name: "note that contradicts", kind: "note-wrong", fixable: true, breaks: func(w *world) {
			note := strings.Replace(w.git("notes", "--ref=context", "show", mainTip), `"branch":"main"`, `"branch":"other"`, 1)
			w.git("notes", "--ref=context", "add", "-f", "-m", note, mainTip)
		}},
		{name: "note that went", kind: "note-missing", fixable: true, breaks: func(w *world) {
			w.ok("commit", "-b", "exp/pool", "-m", "Its note goes")
			w.ok("commit", "-b", "exp/pool", "-m", "Its note stays")
			w.git("notes", "--ref=context", "remove", "refs/context/heads/exp/pool~1")
		}},
		{name: "notes that git notes overwrote", kind: "notes-lost", fixable: true, breaks: func(w *world) {
			before := w.trimmed("rev-parse", ref)
			w.ok("note", "main", "--score", "0.9", "--review", "a good one")
			w.git("update-ref", ref, before)
			w.git("notes", "--ref=context", "append", "-m", "somebody's", "HEAD")
		}},
		{name: "link that went", kind: "link-lost", fixable: true, breaks: func(w *world) {
			w.write("file", "other text")
			w.ok("commit", "--code", "-a", "-m", "Its link goes")
			w.git("notes", "--ref=context", "remove", "HEAD")
		}},
	}
}

// puts makes a commit on top of main that differs in one file.
func (w *world) puts(mode, path, text, message string) {
	w.t.Helper()
	w.on(mainTip, mode, path, text, message)
}

// on makes a commit on top of a ref that differs in one file, with git's own plumbing.
func (w *world) on(ref, mode, path, text, message string) {
	w.t.Helper()
	blob := w.input(text, nil, "hash-object", "-w", "--stdin")
	index := []string{"GIT_INDEX_FILE=" + w.gitPath("index-by-hand")}
	w.input("", index, "read-tree", ref)
	w.input("", index, "update-index", "--add", "--cacheinfo", mode+","+blob+","+path)
	tree := w.input("", index, "write-tree")
	w.removes(w.gitPath("index-by-hand"))
	w.git("update-ref", ref, w.input(message, nil, "commit-tree", "-p", ref, "-F", "-", tree))
}

// input runs git with an input and some settings, and returns what it says, trimmed.
func (w *world) input(text string, env []string, args ...string) string {
	w.t.Helper()
	cmd := w.command(env, "git", args...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) trimmed(args ...string) string {
	w.t.Helper()
	return strings.TrimSpace(w.git(args...))
}

// message is the message of a memory commit, as one that is no milestone has it.
func (w *world) message(rev string) string {
	w.t.Helper()
	text := w.git("show", "-s", "--format=%B", rev)
	text = strings.TrimSpace(text) + "\n"
	if !strings.Contains(text, "\nContext-Id: ") {
		return text
	}
	subject, _, _ := strings.Cut(text, "\n")
	text = regexp.MustCompile(`(?m)^Context-(Id|Steps|Link): .*\n`).ReplaceAllString(text, "")
	return strings.Replace(text, "\nContext-Commits: ", "\nContext-Last: "+subject+"\nContext-Commits: ", 1)
}

// notePath is where the note of a commit stands.
func (w *world) notePath(rev string) string {
	w.t.Helper()
	id := w.trimmed("rev-parse", rev)
	return id[:2] + "/" + id[2:]
}

// trailer is a trailer's value.
func (w *world) trailer(rev, key string) string {
	w.t.Helper()
	return w.trimmed("show", "-s", "--format=%(trailers:key="+key+",valueonly)", rev)
}

// unpacks puts every object into a file of its own.
func (w *world) unpacks() {
	w.t.Helper()
	away := w.t.TempDir()
	if err := os.Rename(w.gitPath("objects", "pack"), filepath.Join(away, "pack")); err != nil {
		w.t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(away, "pack", "*.pack"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, pack := range packs {
		data, err := os.ReadFile(pack)
		if err != nil {
			w.t.Fatal(err)
		}
		w.input(string(data), nil, "unpack-objects", "-q")
	}
}

// loose is the file of an object that stands in one of its own.
func (w *world) loose(rev string) string {
	w.t.Helper()
	id := w.trimmed("rev-parse", rev)
	return w.gitPath("objects", id[:2], id[2:])
}

func (w *world) removes(path string) {
	w.t.Helper()
	if err := os.Remove(path); err != nil {
		w.t.Fatal(err)
	}
}

// overwrites puts other bytes into a file of git's.
func (w *world) overwrites(path, text string) {
	w.t.Helper()
	w.removes(path)
	if err := os.WriteFile(path, []byte(text), 0o444); err != nil {
		w.t.Fatal(err)
	}
}

// firstID is the id of the first entry of a log.md.
func (w *world) firstID(log string) string {
	w.t.Helper()
	heads, err := doc.EntryHeads(doc.LogFile, []byte(log))
	if err != nil || len(heads) == 0 {
		w.t.Fatalf("no entries in %q: %v", log, err)
	}
	return heads[0].ID
}
