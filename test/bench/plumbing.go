package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// plumbingScript is a COMMIT as one writes it by hand: two blobs, a tree, a commit,
// and the ref moved from where it was. With whole files each is the former one and
// what is new, as a folder of Markdown would be kept in git; else a commit
// holds what is new alone, and history the rest.
const plumbingScript = `set -e
ref=refs/plumbing/main
old=$(git rev-parse "$ref")
add() {
	if [ "$1" = "plumbing, whole files" ]; then
		git cat-file blob "$old:$2" | cat - "$3" | git hash-object -w --stdin
	else
		git hash-object -w "$3"
	fi
}
log=$(add "$1" log.md steps.md)
commit=$(add "$1" commit.md milestone.md)
tree=$(printf '100644 blob %s\tcommit.md\n100644 blob %s\tlog.md\n' "$commit" "$log" | git mktree)
new=$(git commit-tree -p "$old" -m "$2" "$tree")
git update-ref -m commit "$ref" "$new" "$old"
`

// The two ways of the script, as the tables call them.
const (
	plumbingNew   = "plumbing, new text"
	plumbingWhole = "plumbing, whole files"
)

// wholeAtMost is how many milestones of whole files are written one by one: what they
// take grows with the square of their number. Of more, only the last is made.
const wholeAtMost = 100

// plumbing is a repository whose memory is written by the script.
type plumbing struct {
	*repo
	way    string
	script string
}

func (b *bench) newPlumbing(home, way string) (*plumbing, error) {
	r, err := b.homed(filepath.Join(home, strings.ReplaceAll(way, " ", "-")))
	if err != nil {
		return nil, err
	}
	p := &plumbing{repo: r, way: way, script: filepath.Join(b.dir, "plumbing.sh")}
	return p, errors.Join(r.git("init", "-q", "-b", "trunk"), os.WriteFile(p.script, []byte(plumbingScript), 0o666))
}

// every reports whether each of so many milestones gets a commit of its own.
func (p *plumbing) every(milestones int) bool {
	return p.way == plumbingNew || milestones <= wholeAtMost
}

// fill makes the objects that the script would make, loose ones as it leaves them, in
// two processes.
func (p *plumbing) fill(list []milestone) error {
	imported := *p.repo
	imported.dir = p.dir + "-imported"
	if err := os.MkdirAll(imported.dir, 0o777); err != nil {
		return err
	}
	if err := cmp.Or(imported.git("init", "-q", "--bare"), imported.importAll(p.way, p.every(len(list)), list)); err != nil {
		return err
	}
	packs, err := filepath.Glob(filepath.Join(imported.dir, "objects", "pack", "*.pack"))
	if err != nil {
		return err
	}
	for _, name := range packs {
		if err := p.unpack(name); err != nil {
			return err
		}
	}
	tip, err := imported.command("git", "rev-parse", "refs/plumbing/main").Output()
	if err != nil {
		return err
	}
	return cmp.Or(p.git("update-ref", "refs/plumbing/main", strings.TrimSpace(string(tip))), os.RemoveAll(imported.dir))
}

// importAll commits milestones, or the last state of them alone.
func (r *repo) importAll(way string, every bool, list []milestone) error {
	cmd := r.command("git", "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriter(in)
	var log, commit string
	for i, m := range list {
		newLog, newCommit := m.markdown()
		if way == plumbingWhole {
			log, commit = log+newLog, commit+newCommit
		} else {
			log, commit = newLog, newCommit
		}
		if every || i == len(list)-1 {
			writeImported(w, i, m.Summary, log, commit)
		}
	}
	return errors.Join(w.Flush(), in.Close(), cmd.Wait())
}

func writeImported(w io.Writer, i int, summary, log, commit string) {
	fmt.Fprintf(w, "commit refs/plumbing/main\ncommitter B <b@example.com> %d +0000\ndata %d\n%s\n", 1_700_000_000+i, len(summary), summary)
	fmt.Fprintf(w, "M 100644 inline log.md\ndata %d\n%s\nM 100644 inline commit.md\ndata %d\n%s\n", len(log), log, len(commit), commit)
}

func (p *plumbing) unpack(pack string) error {
	f, err := os.Open(pack)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := p.command("git", "unpack-objects", "-q")
	cmd.Stdin = f
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git unpack-objects: %w\n%s", err, out)
	}
	return nil
}

// prepare lays out what the script is to commit.
func (p *plumbing) prepare(m milestone) error {
	log, commit := m.markdown()
	return errors.Join(os.WriteFile(filepath.Join(p.dir, "steps.md"), []byte(log), 0o666),
		os.WriteFile(filepath.Join(p.dir, "milestone.md"), []byte(commit), 0o666))
}

func (p *plumbing) commit() (time.Duration, error) {
	return p.time(p.dir, "sh", p.script, p.way, "Ten steps")
}
