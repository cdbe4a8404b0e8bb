//go:build unix

package test

import (
	"fmt"
	"slices"
	"strings"
)

// String is a command as a shell takes it.
func (c modelCommand) String() string {
	name := "git context "
	if c.git {
		name = "git "
	}
	words := make([]string, len(c.args))
	for i, arg := range c.args {
		words[i] = shellWord(arg)
	}
	return c.place.dir + ": " + name + strings.Join(words, " ")
}

// name is the word that says which command it is.
func (c modelCommand) name() string {
	i := 0
	for i+2 < len(c.args) && c.args[i] == "-b" {
		i += 2
	}
	return c.args[i]
}

func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=#:") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// script is what was played as a script that can be pasted into an empty folder. Ids are
// those of the day: each is kept in a variable by the command that answers with it.
func (g *game) script() string {
	var b strings.Builder
	b.WriteString(scriptHead)
	vars := map[string]string{}
	for _, round := range g.played {
		for _, p := range round {
			line := strings.TrimPrefix(p.String(), p.place.dir+": ")
			for id, name := range vars {
				line = strings.ReplaceAll(line, id, `"$`+name+`"`)
			}
			if p.stdin != "" || p.reads() {
				line = "printf %s " + shellWord(p.stdin) + " | " + line
			}
			if p.edit != "" {
				line = "echo " + shellWord(strings.TrimSpace(p.edit)) + " >" + codeFile + "; " + line
			}
			line = fmt.Sprintf("at %s %d; %s", p.place.dir, p.at, line)
			if id, err := p.answer.idOrNone(); err == nil && id != "" && len(round) == 1 && vars[id] == "" {
				vars[id] = fmt.Sprint("M", len(vars)+1)
				line = fmt.Sprintf(`%s=$(%s | sed 's/.*"id":"\([^"]*\)".*/\1/')`, vars[id], line)
				line = "at " + p.place.dir + fmt.Sprintf(" %d; ", p.at) + line
			}
			if len(round) > 1 {
				line = "(" + line + ") &"
			}
			b.WriteString(line + "\n")
		}
		if len(round) > 1 {
			b.WriteString("wait\n")
		}
	}
	return b.String()
}

// reads reports whether a command reads its standard input.
func (c modelCommand) reads() bool {
	return slices.Contains(c.args, "-F") || slices.Contains(c.args, "--stdin")
}

// idOrNone is the id of an answer that has one.
func (a *answer) idOrNone() (string, error) {
	if a == nil || a.exit != exitDone || strings.Count(a.out, "\n") > 1 {
		return "", nil
	}
	return a.id()
}

const scriptHead = `# in an empty folder
top=$PWD; now=$(date +%s)
at() { cd "$top/$1"; export GIT_CONTEXT_AGENT=$1 GIT_COMMITTER_DATE="@$((now + $2)) +0000" GIT_AUTHOR_DATE="@$((now + $2)) +0000"; }
git init -q --bare hub.git; git clone -q hub.git ann; cd ann
echo code >pool.go; git add .; git commit -qm code; git push -q origin HEAD; git context init --goal ship
git context metadata set interfaces.always here; git context branch exp --no-switch; git context push
git worktree add -q -b second ../ann2; (cd ../ann2; git context switch main); cd ..
for c in bob cat; do git clone -q hub.git $c; (cd $c; git context init; git context fetch; git context switch exp; git context switch main); done
for f in one two; do echo '{"trajectory":[{"action":"'$f'.traj 0"},{"action":"'$f'.traj 1"}]}' >$f.traj; done
`
