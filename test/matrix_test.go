//go:build unix

package test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-context/git-context/internal/gittest"
)

// core are the scripts that every kind of repository runs in `make test`.
var core = []string{"script/life.txtar"}

// Every script runs in every kind of repository that git has. In `make test` these
// are a few scripts; with GIT_CONTEXT_SOAK=1, all of them.
//
// What a script does not find in a kind (a bare repository has no worktree) it says
// itself:
//
//	[kind:bare] stop 'there is no worktree to commit code from'
//	[born] exec git rev-parse HEAD
func TestMatrix(t *testing.T) {
	t.Parallel()
	bin, err := faultBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if k.name == "plain" && os.Getenv("GIT_CONTEXT_SOAK") == "" {
			continue // TestScripts is that
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			p := scripts(t, k)
			p.Setup = func(env *testscript.Env) error {
				env.Vars = append(env.Vars, k.env...)
				return isolateWith(bin, env)
			}
			if k.life {
				p.Dir, p.Files = "", core[:1]
			} else if os.Getenv("GIT_CONTEXT_SOAK") == "" {
				p.Dir, p.Files = "", core
			}
			testscript.Run(t, p)
		})
	}
}

// scripts are the scripts in one kind of repository.
func scripts(t *testing.T, k kind) testscript.Params {
	prepared := ""
	if k.prepare != nil {
		prepared = filepath.Join(t.TempDir(), "prepared")
		k.prepare(t, prepared)
	}
	return testscript.Params{
		Dir:                 "script",
		Setup:               isolate,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           k.condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"clock":     clock,
			"exits":     exits,
			"interrupt": interrupt,
			"json":      jsonIs,
			"jsonenv":   jsonEnv,
			"code":      code,
			"repository": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: repository DIRECTORY")
				}
				k.repository(maker{ts, ts.Getenv("WORK"), prepared}, ts.MkAbs(args[0]))
			},
		},
	}
}

// condition says what the scripts run in: [kind:NAME], [born].
func (k kind) condition(cond string) (bool, error) {
	if cond == "born" {
		return k.born, nil
	}
	name, ok := strings.CutPrefix(cond, "kind:")
	if !ok || !slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name }) {
		return false, errors.New("no such condition")
	}
	return name == k.name || slices.ContainsFunc(gittest.Formats(), func(f string) bool { return strings.HasSuffix(f, "="+name) }), nil
}

// repository makes a repository of the kind that the script runs in. What stands in the
// directory stays there, for the script to commit.
//
//	repository DIRECTORY
//
// It sets HERE, the directory to work in; GITDIR, the git directory of this worktree;
// COMMON, that of all worktrees; STATE, what memory keeps beside git there.
func (k kind) repository(m maker, dir string) {
	aside := dir + ".aside"
	err := os.Rename(dir, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.Check(err)
	}
	here := k.make(m, dir)
	if err == nil {
		m.Check(os.CopyFS(dir, os.DirFS(aside)))
		m.Check(os.RemoveAll(aside))
	}
	m.Check(m.Exec("git", "-C", here, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"))
	dirs := strings.Split(m.ReadFile("stdout"), "\n")
	m.Setenv("HERE", here)
	m.Setenv("GITDIR", dirs[0])
	m.Setenv("COMMON", dirs[1])
	m.Setenv("STATE", filepath.Join(dirs[1], "context"))
}

// code makes a commit of the code that changes nothing, in a bare repository too.
//
//	code MESSAGE
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: code MESSAGE")
	}
	const bare = `
set -e
test "$(git rev-parse --is-bare-repository)" = true || exec git commit -q --allow-empty -m "$1"
parent=$(git rev-parse -q --verify HEAD) || parent=
tree=$(git rev-parse -q --verify HEAD^{tree} || git mktree </dev/null)
git update-ref -m "commit: $1" HEAD "$(git commit-tree ${parent:+-p $parent} -m "$1" "$tree")" "$parent"`
	ts.Check(ts.Exec("sh", "-c", bare, "code", args[0]))
}
