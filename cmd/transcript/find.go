package transcript

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/hooks/zst"
)

// Places say where All looks.
type Places struct {
	Getenv func(string) string
	Trees  []string // the worktrees of the repository, the current one first
}

// Findable returns the names of the agents whose transcripts All finds.
func Findable() (names []string) {
	for _, c := range clients() {
		if c.place != "" || c.all != nil {
			names = append(names, c.name)
		}
	}
	return names
}

// All returns the transcripts that a client keeps in the user's directories, of whatever repository
// they are, if only the transcripts say that. A client that is not installed has none. The error is a
// *ProgramError where the client's program is needed and fails, or does not exist.
func All(ctx context.Context, name string, p Places) (files []sessions.File, err error) {
	for _, c := range clients() {
		if c.name != name {
			continue
		}
		if c.all != nil {
			return c.all(ctx, c, p)
		}
		for _, dir := range c.dirs(p) {
			if err := c.walk(dir, p, &files); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// dirs are the directories in which a client may keep transcripts, each once.
func (c client) dirs(p Places) (dirs []string) {
	own, ok := settings.Find(c.name)
	dir := own.Dir(settings.Place{Getenv: p.Getenv})
	if !ok || dir == "" || c.place == "" {
		return nil
	}
	homes := []string{dir}
	if config := settings.ConfigDir(settings.Place{Getenv: p.Getenv}); c.name == claudecode.Name && p.Getenv("CLAUDE_CONFIG_DIR") == "" && config != "" {
		homes = append(homes, filepath.Join(config, "claude")) // some releases keep them there
	}
	for _, home := range homes {
		for place := range strings.SplitSeq(c.place, ":") {
			dir := filepath.Join(home, place)
			if real, err := filepath.EvalSymlinks(dir); err == nil && !slices.Contains(dirs, real) {
				dirs = append(dirs, real)
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				dirs = append(dirs, dir) // walk returns the error
			}
		}
	}
	return dirs
}

// walk adds the transcripts below a directory.
func (c client) walk(dir string, p Places, files *[]sessions.File) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(strings.TrimSuffix(path, zst.Suffix), ".jsonl") {
			return err
		}
		f := fileOf(c, path)
		below, err := filepath.Rel(dir, path)
		if err == nil && (c.at == nil || c.at(&f, strings.Split(filepath.ToSlash(below), "/"), p)) {
			*files = append(*files, f)
		}
		return err
	})
}

// stem is the name of a file without its extension.
func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// cursorFile completes a file of Cursor by its place, PROJECT/agent-transcripts/SESSION.jsonl or
// PROJECT/agent-transcripts/SESSION/SESSION.jsonl, where PROJECT is the path of the worktree with "-" for
// each separator: the file does not name it. It reports whether the file is a transcript of one of the
// worktrees. That of a subagent is in a folder "subagents".
func cursorFile(f *sessions.File, below []string, p Places) bool {
	if len(below) < 3 || below[1] != "agent-transcripts" {
		return false
	}
	at := slices.IndexFunc(p.Trees, func(tree string) bool { return dashed(tree) == dashed(below[0]) })
	if at < 0 {
		return false
	}
	f.Dir, f.Hooked = p.Trees[at], true
	if len(below) > 4 && below[3] == "subagents" {
		f.Session = below[2] + "/" + f.Session
	}
	return true
}

// dashed is a path with "-" for all that is neither a letter nor a digit.
func dashed(path string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f {
			return r
		}
		return '-'
	}, path), "-")
}

// geminiFile completes a file of Gemini CLI by its place, PROJECT/chats/SESSION.jsonl, or
// PROJECT/chats/PARENT/SESSION.jsonl of a subagent. PROJECT is the hash of the directory, or a name whose
// folder has the directory in a file; otherwise the transcript says it, if it says it at all.
func geminiFile(f *sessions.File, below []string, p Places) bool {
	if len(below) < 3 || below[1] != "chats" {
		return false
	}
	project := filepath.Dir(filepath.Dir(f.Path))
	if len(below) > 3 {
		project = filepath.Dir(project)
		f.Session = below[2] + "/" + stem(below[3])
	}
	for _, tree := range p.Trees {
		if fmt.Sprintf("%x", sha256.Sum256([]byte(tree))) == below[0] {
			f.Dir = tree
		}
	}
	if root, err := os.ReadFile(filepath.Join(project, ".project_root")); err == nil {
		f.Dir = strings.TrimSpace(string(root))
	}
	return true
}

// histories returns the chat histories of aider, which are in the worktrees: each is one session.
func histories(_ context.Context, c client, p Places) (files []sessions.File, err error) {
	name := cmp.Or(p.Getenv("AIDER_CHAT_HISTORY_FILE"), ".aider.chat.history.md")
	for _, tree := range p.Trees {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(tree, name)
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err != nil {
			return nil, err
		}
		f := fileOf(c, path)
		f.Dir = tree
		if files = append(files, f); path == name { // the same for all
			break
		}
	}
	return files, nil
}
