package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// limit is how much of a text counts, in bytes.
const limit = 6000

// memory is a folder below testdata:
//
//	session.jsonl  {"args": [...], "stdin": TEXT} for each call of git-context that writes;
//	               in place of it captured.jsonl, a transcript as Claude Code writes it, of an
//	               agent that made no such call
//	files          the files of the code that the calls name, and those that are uncommitted at
//	               the end: "PATH LINES [uncommitted|new]"; their content does not matter
//	facts          one on each line: a sentence, and the texts that tell it, behind " | ". All of
//	               them must be there, in any case; "a / b" is one of two
//	note           the hand-off note
//	transcript     the end of what the agent saw on its terminal
type memory struct {
	name             string
	calls            []call
	turns            []string // of a captured transcript; the last may have no end
	files            []file
	facts            []fact
	note, transcript string
}

type call struct {
	Args  []string `json:"args"`
	Stdin *string  `json:"stdin"`
	Edit  bool     `json:"edit"` // the uncommitted edits of the code begin here
}

type file struct {
	path  string
	lines int
	state string
}

type fact struct {
	text  string
	tells [][]string // all of these, each in one of its forms
}

// told is a text that a successor may get.
type told struct{ name, text string }

func readMemories(dir string) ([]*memory, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []*memory
	for _, e := range entries {
		m, err := readMemory(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		list = append(list, m)
	}
	return list, nil
}

func readMemory(dir string) (*memory, error) {
	m := &memory{name: filepath.Base(dir)}
	text := map[string]string{}
	names := []string{"session.jsonl", "files", "facts", "note", "transcript"}
	if _, err := os.Stat(filepath.Join(dir, "captured.jsonl")); err == nil {
		names = []string{"captured.jsonl", "files", "facts", "note"}
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		text[name] = string(data)
	}
	if captured := text["captured.jsonl"]; captured != "" {
		text["transcript"] = captured
		m.turns = turnsOf(captured)
	}
	m.note, m.transcript = text["note"], text["transcript"]
	for line := range strings.Lines(text["session.jsonl"]) {
		var c call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return nil, err
		}
		m.calls = append(m.calls, c)
	}
	for line := range strings.Lines(text["files"]) {
		var f file
		if _, err := fmt.Sscan(line+" committed", &f.path, &f.lines, &f.state); err != nil {
			return nil, fmt.Errorf("files: %w", err)
		}
		m.files = append(m.files, f)
	}
	for line := range strings.Lines(text["facts"]) {
		words := strings.Split(strings.TrimSpace(line), " | ")
		f := fact{text: words[0]}
		for _, word := range words[1:] {
			f.tells = append(f.tells, strings.Split(strings.ToLower(word), " / "))
		}
		if len(f.tells) == 0 {
			return nil, fmt.Errorf("facts: nothing tells '%s'", words[0])
		}
		m.facts = append(m.facts, f)
	}
	return m, nil
}

// missing lists the facts that a text does not tell.
func (m *memory) missing(text string) []fact {
	text = strings.ToLower(text)
	return slices.DeleteFunc(slices.Clone(m.facts), func(f fact) bool {
		for _, forms := range f.tells {
			if !slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) }) {
				return false
			}
		}
		return true
	})
}

// play makes the memory in a new repository, and returns the texts that are compared: the
// brief first.
func (m *memory) play(ctx context.Context, bin, dir string) ([]told, error) {
	r := repository{ctx: ctx, bin: bin, dir: dir}
	if err := r.begin(m.files); err != nil {
		return nil, err
	}
	if m.turns != nil {
		if err := r.capture(m); err != nil {
			return nil, err
		}
	}
	for _, c := range m.calls {
		if c.Edit {
			if err := r.edit(m.files); err != nil {
				return nil, err
			}
			continue
		}
		stdin := ""
		if c.Stdin != nil {
			stdin = *c.Stdin
		}
		if _, err := r.run(stdin, bin, c.Args...); err != nil {
			return nil, err
		}
	}
	brief, err := r.run("", bin)
	if err != nil {
		return nil, err
	}
	newest, err := r.run("", bin, "--json")
	if err != nil {
		return nil, err
	}
	var v struct {
		Commits []struct{ Summary, Contribution string }
	}
	if err := json.Unmarshal([]byte(newest), &v); err != nil {
		return nil, err
	}
	summary := ""
	if len(v.Commits) > 0 {
		summary = v.Commits[0].Summary + "\n" + v.Commits[0].Contribution
	}
	return []told{{"the brief", head(brief)}, {"the note", head(m.note)}, {"the newest commit", head(summary)}, {"the transcript", tail(m.transcript)}}, nil
}

func head(text string) string { return text[:min(len(text), limit)] }

func tail(text string) string { return text[max(0, len(text)-limit):] }

// repository is where a memory is made again.
type repository struct {
	ctx      context.Context
	bin, dir string
}

// begin makes the repository with the code as it was.
func (r repository) begin(files []file) error {
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	if _, err := r.run("", "git", "init", "-q", "-b", "main"); err != nil {
		return err
	}
	for _, f := range files {
		if f.state == "new" {
			continue
		}
		if err := r.write(f, "committed\n"); err != nil {
			return err
		}
	}
	if _, err := r.run("", "git", "add", "."); err != nil {
		return err
	}
	_, err := r.run("", "git", "commit", "-q", "--allow-empty", "-m", "The code as it was")
	return err
}

// edit makes the edits that are not committed.
func (r repository) edit(files []file) error {
	for _, f := range files {
		if f.state == "committed" {
			continue
		}
		if err := r.write(f, "edited\n"); err != nil {
			return err
		}
	}
	return nil
}

func (r repository) write(f file, line string) error {
	path := filepath.Join(r.dir, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Repeat(line, f.lines)), 0o666)
}

// run runs a program in the repository, with settings of its own.
func (r repository) run(stdin, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(r.ctx, program, args...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(stdin)
	cmd.Env = []string{"HOME=" + r.dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Agent", "GIT_AUTHOR_EMAIL=agent@example.com",
		"GIT_COMMITTER_NAME=Agent", "GIT_COMMITTER_EMAIL=agent@example.com", "TMPDIR=" + os.TempDir(), "GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0", "GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}
