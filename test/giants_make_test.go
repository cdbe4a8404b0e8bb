package test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// giant is a memory of extreme size, which other programs, hostile pushers or versions before the limits of
// the commands may have stored: n things, or one of size bytes.
type giant struct {
	kind    giantKind
	n, size int
}

// giantKind names what of a memory is extreme.
type giantKind string

const (
	giantStep     giantKind = "step"     // a step with an observation of size bytes
	giantSummary  giantKind = "summary"  // a commit whose summary and contribution have size bytes each
	giantTexts    giantKind = "texts"    // n commits with a contribution and a step of size bytes each, of which few are different
	giantTopics   giantKind = "topics"   // n topics of size bytes each
	giantBranches giantKind = "branches" // n branches
	giantToDos    giantKind = "to-dos"   // n to-dos of the roadmap
)

// make makes the memory of a repository a giant, with one git fast-import. env is the environment of git.
func (g giant) make(dir string, env []string) error {
	m := giantMaker{dir: dir, env: env}
	trailers, err := m.git(nil, "log", "-1", "--format=%(trailers)", giantMain)
	if err != nil {
		return err
	}
	m.trailers = strings.TrimSpace(trailers)
	write := map[giantKind]func(*bufio.Writer, giant){giantStep: m.step, giantSummary: m.summary, giantTexts: m.texts,
		giantTopics: m.topics, giantBranches: m.branches, giantToDos: m.todos}[g.kind]
	in, out := io.Pipe()
	go func() {
		w := bufio.NewWriterSize(out, 1<<20)
		write(w, g)
		_ = out.CloseWithError(w.Flush()) // never fails; git reports a stream that ends early
	}()
	_, err = m.git(in, "-c", "core.bigFileThreshold=512m", "fast-import",
		"--quiet", "--depth=0", "--done", "--date-format=raw-permissive")
	_ = in.Close()
	if err != nil {
		return err
	}
	if g.kind == giantBranches { // a ref in each of so many files measures the file system
		_, err = m.git(nil, "pack-refs", "--all")
	}
	return err
}

const (
	giantMain    = "refs/context/heads/main"
	giantRoadmap = "refs/context/roadmap"

	giantWhen = "2026-11-20T12:00:00Z" // of every entry
	giantUnix = 1795176000
)

type giantMaker struct {
	dir      string
	env      []string
	trailers string
}

func (m *giantMaker) git(in io.Reader, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.dir, m.env, in, &out, &errs
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("git %s: %w", strings.Join(args, " "), err), errors.New(errs.String()))
	}
	return out.String(), nil
}

// commit begins a commit of a ref, on top of from; files follow it.
func (m *giantMaker) commit(w *bufio.Writer, ref, from, subject string, more ...string) {
	trailers := strings.Split(m.trailers, "\n")
	for _, line := range more { // in place of the tip's
		key, _, _ := strings.Cut(line, ":")
		trailers = slices.DeleteFunc(trailers, func(have string) bool { return strings.HasPrefix(have, key+":") })
	}
	message := subject + "\n\n" + strings.Join(append(more, trailers...), "\n") + "\n"
	fmt.Fprintf(w, "commit %s\ncommitter giant <giant@example.com> %d +0000\ndata %d\n%s\nfrom %s^0\n",
		ref, giantUnix, len(message), message, from)
}

// giantFile writes a file whose content has size bytes.
func giantFile(w *bufio.Writer, path string, size int, content func(io.Writer)) {
	fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n", path, size)
	content(w)
	w.WriteByte('\n')
}

// giantDocument writes a file of a head, a quoted text of size bytes and a tail.
func giantDocument(w *bufio.Writer, path, head string, seed, size int) {
	var b bytes.Buffer
	b.WriteString(head)
	giantText(&b, seed, size, "> ")
	giantFile(w, path, b.Len(), func(w io.Writer) { _, _ = w.Write(b.Bytes()) })
}

// giantText writes at least size bytes in lines of words, most of which occur once, each line behind prefix.
func giantText(w io.Writer, seed, size int, prefix string) {
	x := uint64(seed)*0x9E3779B97F4A7C15 + 1
	for n := 0; n < size; {
		x = x*6364136223846793005 + 1442695040888963407
		wrote, _ := fmt.Fprintf(w, "%scase %x of module%d failed with error %d\n", prefix, x>>20, x>>58, x>>34)
		n += wrote - len(prefix)
	}
}

// giantID returns the id of the n-th entry that a giant makes.
func giantID(n int) string { return fmt.Sprintf("01KAGNTG00%016d", n) }

func (m *giantMaker) step(w *bufio.Writer, g giant) {
	m.commit(w, giantMain, giantMain, "Take a step",
		"Context-Id: "+giantID(2), "Context-Newest: "+giantID(2), "Context-Commits: 2")
	giantDocument(w, "log.md", giantStepHead(giantID(1)), 1, g.size)
	giantDocument(w, "commit.md", giantEntry(giantID(2), "Take a step"), 1, 100)
	fmt.Fprintln(w, "done")
}

func (m *giantMaker) summary(w *bufio.Writer, g giant) {
	var text bytes.Buffer
	giantText(&text, 1, g.size, "")
	line := strings.ReplaceAll(strings.TrimSpace(text.String()), "\n", " ")
	m.commit(w, giantMain, giantMain, line+"\n\n"+text.String(),
		"Context-Id: "+giantID(1), "Context-Newest: "+giantID(1), "Context-Commits: 2")
	giantDocument(w, "commit.md", giantEntry(giantID(1), line), 1, g.size)
	fmt.Fprintln(w, "done")
}

func (m *giantMaker) texts(w *bufio.Writer, g giant) {
	m.commit(w, giantMain, giantMain, "Write at length", "Context-Id: "+giantID(2*g.n), "Context-Newest: "+giantID(2*g.n),
		fmt.Sprintf("Context-Commits: %d", g.n+1))
	for n := range g.n {
		text := strings.Repeat(string(rune('a'+n%26)), g.size) + "\n"
		entry, step := giantEntry(giantID(2*n+2), "Write at length"), giantStepHead(giantID(2*n+1))
		files := []string{doc.SegmentPath(doc.CommitDir, giantID(2*n+2)), doc.SegmentPath(doc.LogDir, giantID(2*n+1))}
		if n == g.n-1 {
			files = []string{doc.CommitFile, doc.LogFile}
		}
		for i, head := range []string{entry, step} {
			giantFile(w, files[i], len(head)+2+len(text), func(w io.Writer) { _, _ = io.WriteString(w, head+"> "+text) })
		}
	}
	fmt.Fprintln(w, "done")
}

// giantStepHead returns a log.md with a step, up to the text of its observation.
func giantStepHead(id string) string {
	return fmt.Sprintf("== Branch main ==\n\n### Step 100 · %s · giant · %s\n\n**Observation**\n\n", giantWhen, id)
}

// giantEntry returns an entry of commit.md up to the text of its contribution.
func giantEntry(id, summary string) string {
	return fmt.Sprintf("== Branch main ==\n\n## Commit 1 · %s · giant · %s\n\n%s\n\n**Branch Purpose**\n\n> giants\n\n"+
		"**This Commit's Contribution**\n\n", giantWhen, id, summary)
}

func (m *giantMaker) topics(w *bufio.Writer, g giant) {
	m.commit(w, giantMain, giantMain, "Remember topics")
	for n := range g.n {
		var b bytes.Buffer
		giantText(&b, n, g.size, "")
		giantFile(w, fmt.Sprintf("topics/giant-%06d.md", n), b.Len(), func(w io.Writer) { _, _ = w.Write(b.Bytes()) })
	}
	fmt.Fprintln(w, "done")
}

func (m *giantMaker) branches(w *bufio.Writer, g giant) {
	for n := range g.n {
		name := fmt.Sprintf("giant-%06d", n)
		m.commit(w, "refs/context/heads/"+name, giantMain, "Work on "+name, "Context-Branch: "+name)
	}
	fmt.Fprintln(w, "done")
}

func (m *giantMaker) todos(w *bufio.Writer, g giant) {
	m.commit(w, giantRoadmap, giantRoadmap, "Revise the roadmap")
	var b bytes.Buffer
	b.WriteString("# Project Roadmap\n\n## Goal\n\ngiants\n\n## Milestones\n\n## To-Do\n\n")
	for n := range g.n {
		fmt.Fprintf(&b, "- [ ] look at case %d\n", n)
	}
	b.WriteString("\n## Decisions\n\n## Open Questions\n\n## Branch Outcomes\n")
	giantFile(w, "main.md", b.Len(), func(w io.Writer) { _, _ = w.Write(b.Bytes()) })
	fmt.Fprintln(w, "done")
}
