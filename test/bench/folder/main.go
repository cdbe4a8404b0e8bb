// Command folder keeps a memory in a folder of Markdown, by the method that papers on
// such memories describe: what happens is appended to a file, and whoever needs a
// part of it reads the file. It is there to be measured beside git-context, and is as
// quick as the method lets it be: it takes no lock, keeps no history and flushes
// nothing.
//
//	folder DIR fill < JSON lines          milestones, as many as there are
//	folder DIR record OBSERVATION THOUGHT ACTION
//	folder DIR commit SUMMARY CONTRIBUTION
//	folder DIR context
//	folder DIR branch NAME < JSON lines   a branch that begins with milestones
//	folder DIR merge NAME                 what it has, into main
//
// A branch is DIR/branches/NAME with log.md (steps), commit.md (milestones) and
// state (the number of the last committed step).
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "folder:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("usage: folder DIR fill|record|commit|context|branch|merge")
	}
	m := memory{dir: filepath.Join(args[0], "branches", "main")}
	switch rest := args[2:]; {
	case args[1] == "fill" && len(rest) == 0:
		return m.fill(in)
	case args[1] == "record" && len(rest) == 3:
		return m.record(step{rest[0], rest[1], rest[2]})
	case args[1] == "commit" && len(rest) == 2:
		return m.commit(rest[0], rest[1])
	case args[1] == "context" && len(rest) == 0:
		return m.context(out)
	case args[1] == "branch" && len(rest) == 1:
		return memory{dir: filepath.Join(args[0], "branches", rest[0])}.fill(in)
	case args[1] == "merge" && len(rest) == 1:
		return m.merge(memory{dir: filepath.Join(args[0], "branches", rest[0])})
	}
	return fmt.Errorf("cannot understand '%s'", strings.Join(args[1:], " "))
}

// step is one Observation, Thought and Action.
type step struct{ Observation, Thought, Action string }

func (s step) text() string {
	return stepHead + "\n**Observation**\n" + s.Observation + "\n\n**Thought**\n" + s.Thought + "\n\n**Action**\n" + s.Action + "\n\n"
}

// milestone is what fill reads, one a line.
type milestone struct {
	Steps                 []step
	Summary, Contribution string
}

// Headings, by which a file is cut into entries.
const (
	stepHead      = "### Step\n"
	milestoneHead = "## Commit\n"
)

// memory is one branch.
type memory struct{ dir string }

func (m memory) file(name string) string { return filepath.Join(m.dir, name) }

func (m memory) add(name, text string) error {
	f, err := os.OpenFile(m.file(name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// read returns a file's entries.
func (m memory) read(name, head string) ([]string, error) {
	data, err := os.ReadFile(m.file(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(string(data), head)[1:], nil
}

func (m memory) record(s step) error { return m.add("log.md", s.text()) }

// commit reads all there is: what is not committed yet, and how far the work had come.
func (m memory) commit(summary, contribution string) error {
	steps, err := m.read("log.md", stepHead)
	if err != nil {
		return err
	}
	done, err := m.committed()
	if err != nil {
		return err
	}
	if len(steps) == done {
		return errors.New("nothing to commit")
	}
	before, err := m.read("commit.md", milestoneHead)
	if err != nil {
		return err
	}
	progress := "nothing yet"
	if len(before) > 0 {
		progress = strings.TrimSpace(before[len(before)-1])
		progress = progress[strings.LastIndexByte(progress, '\n')+1:]
	}
	if err := m.add("commit.md", entry(summary, progress, contribution)); err != nil {
		return err
	}
	return m.mark(len(steps))
}

func entry(summary, progress, contribution string) string {
	return milestoneHead + summary + "\n\n**Previous Progress Summary**\n" + progress + "\n\n**This Commit's Contribution**\n" + contribution + "\n\n"
}

func (m memory) committed() (int, error) {
	data, err := os.ReadFile(m.file("state"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(data))
}

func (m memory) mark(steps int) error {
	return os.WriteFile(m.file("state"), []byte(strconv.Itoa(steps)), 0o666)
}

// context prints the newest milestone and how many there are.
func (m memory) context(out io.Writer) error {
	milestones, err := m.read("commit.md", milestoneHead)
	if err != nil {
		return err
	}
	steps, err := m.read("log.md", stepHead)
	if err != nil {
		return err
	}
	if len(milestones) == 0 {
		return errors.New("no milestone")
	}
	_, err = fmt.Fprintf(out, "%d milestones, %d steps\n\n%s", len(milestones), len(steps), milestones[len(milestones)-1])
	return err
}

// merge appends what the source has, which takes reading both: what the target has
// already must not stand there twice.
func (m memory) merge(from memory) error {
	steps := 0
	for _, f := range []struct{ name, head string }{{"log.md", stepHead}, {"commit.md", milestoneHead}} {
		ours, err := m.read(f.name, f.head)
		if err != nil {
			return err
		}
		theirs, err := from.read(f.name, f.head)
		if err != nil {
			return err
		}
		have := make(map[string]bool, len(ours))
		for _, e := range ours {
			have[e] = true
		}
		var news strings.Builder
		for _, e := range theirs {
			if !have[e] {
				news.WriteString(f.head + e)
			}
		}
		if err := m.add(f.name, news.String()); err != nil {
			return err
		}
		if f.head == stepHead {
			steps = len(ours) + strings.Count(news.String(), stepHead)
		}
	}
	return m.mark(steps)
}

// fill writes milestones one after the other, without reading.
func (m memory) fill(in io.Reader) error {
	if err := os.MkdirAll(m.dir, 0o777); err != nil {
		return err
	}
	var log, commits strings.Builder
	steps, progress := 0, "nothing yet"
	for lines := json.NewDecoder(bufio.NewReader(in)); ; {
		var ms milestone
		if err := lines.Decode(&ms); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		for _, s := range ms.Steps {
			log.WriteString(s.text())
		}
		commits.WriteString(entry(ms.Summary, progress, ms.Contribution))
		progress = ms.Contribution
		steps += len(ms.Steps)
	}
	return errors.Join(m.add("log.md", log.String()), m.add("commit.md", commits.String()), m.mark(steps))
}
