package expunge

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Unanswered lists the requests that wait for an answer, oldest first. Without requests it costs one stat.
func Unanswered(ctx context.Context, s *store.Store) ([]Request, error) {
	list, err := Waiting(ctx, s)
	return slices.DeleteFunc(list, func(r Request) bool { return !r.Waits() }), err
}

// Asker is the name of the remote, or the file of the bundle, that a request comes from: what --from names.
func (r *Request) Asker() string { return remote.NameOf(r.Remote) }

// Askers returns who asks, without repetition, first first if it is among them.
func Askers(list []Request, first string) []string {
	var names []string
	for _, r := range list {
		if name := r.Asker(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if i := slices.Index(names, first); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, first)
	}
	return names
}

// ShowCommand returns the command that lists what a remote asks to forget.
func ShowCommand(name string) string {
	return "git context expunge --from " + prose.ShellWord(remote.NameOf(name)) + " --dry-run"
}

// AnswerCommands are the commands that list what some remotes ask to forget, and answer it.
func AnswerCommands(askers []string) []string {
	var commands []string
	for _, name := range askers {
		from := "git context expunge --from " + prose.ShellWord(remote.NameOf(name))
		commands = append(commands, ShowCommand(name), from+" --yes", from+" --refuse")
	}
	return commands
}
