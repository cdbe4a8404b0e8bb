package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/refs/prose"
)

// ProgramError is the failure of a client's program, without which its sessions cannot be read.
type ProgramError struct {
	Program, Call string
	Err           error
}

func (e *ProgramError) Error() string {
	if e.Missing() {
		return fmt.Sprintf("the sessions of %s need the program '%s', which is not in PATH", e.Program, e.Program)
	}
	text := e.Err.Error()
	if exit := (*exec.ExitError)(nil); errors.As(e.Err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		text += ": " + prose.OneLine(string(exit.Stderr), 200)
	}
	return fmt.Sprintf("'%s %s' failed: %s", e.Program, e.Call, text)
}

// Missing reports whether the program does not exist.
func (e *ProgramError) Missing() bool { return errors.Is(e.Err, exec.ErrNotFound) }

func (e *ProgramError) Unwrap() error { return e.Err }

// exports returns the sessions of OpenCode, which keeps them in a database: its program lists those of the
// worktree's project, and prints one. Sessions of subagents are not listed.
func exports(ctx context.Context, c client, p Places) (files []sessions.File, err error) {
	data := p.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(cmp.Or(p.Getenv("HOME"), p.Getenv("USERPROFILE")), ".local", "share")
	}
	if _, err := os.Stat(filepath.Join(data, c.name)); len(p.Trees) == 0 || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	list, err := printed(ctx, p.Trees[0], c.name, "session", "list", "--format", "json")
	if err != nil || len(bytes.TrimSpace(list)) == 0 { // it prints nothing for no session
		return nil, err
	}
	var all []struct {
		ID, Directory string
		Updated       int64 // milliseconds
	}
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, &ProgramError{c.name, "session list --format json", err}
	}
	for _, s := range all {
		if s.ID == "" || strings.HasPrefix(s.ID, "-") {
			continue
		}
		files = append(files, sessions.File{Client: c.name, Name: c.name + " export " + s.ID, Dir: s.Directory,
			Time: time.UnixMilli(s.Updated).UTC(), Decode: c.decode,
			Open: func(ctx context.Context) (io.ReadCloser, error) {
				text, err := printed(ctx, p.Trees[0], c.name, "export", s.ID)
				return io.NopCloser(bytes.NewReader(text)), err
			}})
	}
	return files, nil
}

// printed is what a client's program prints on standard output.
func printed(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	run := exec.CommandContext(ctx, program, args...)
	run.Dir = dir
	for _, entry := range os.Environ() { // what git gives to its hooks would be another repository's
		if !strings.HasPrefix(entry, "GIT_") {
			run.Env = append(run.Env, entry)
		}
	}
	out, err := run.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &ProgramError{program, strings.Join(args, " "), err}
	}
	return out, nil
}
