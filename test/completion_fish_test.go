//go:build unix

package test

import (
	"fmt"
	"strings"
	"testing"
)

// fish says by itself what it would offer, each with its description.
func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	findShell(t, "fish")
	w, _ := shellWorld(t)
	lines := append(fishLines(w), typedLine{`handed `, "nothing more"})
	// Newer versions complete git's other commands by handing over what follows their
	// names, without git's options: what that adds would be the wrong repository's.
	script := `
function handed
end
complete -c handed -f -a '(__fish_git_complete_custom_command context; echo nothing more)'
`
	for i, l := range lines {
		// Where the line says where the repository is, it is not here.
		dir := w.dir
		if strings.Contains(l.typed, w.dir) {
			dir = "/"
		}
		script += fmt.Sprintf("cd %s; echo '== %d'; complete -C %s\n", dir, i, fishQuote(l.typed))
	}
	said := w.shellSays(script, "fish")
	for i, l := range lines {
		_, got, _ := strings.Cut(said, fmt.Sprintf("== %d\n", i))
		got, _, _ = strings.Cut(got, "== ")
		if got = strings.TrimSuffix(got, "\n"); got != l.want {
			t.Errorf("%s: %q, want %q", l.typed, got, l.want)
		}
	}
}

func fishLines(w *world) []typedLine {
	hash := strings.TrimSpace(w.git("rev-parse", "refs/context/tags/success/best"))[:10]
	const (
		main  = "main\tLexer\n"
		mutex = "try-mutex\tA plain mutex"
		best  = "success/best\tLexer"
	)
	return []typedLine{
		{`git context sw`, "switch\tmake another memory branch the current one"},
		{`git context switch `, main + mutex},
		{`git context switch nosuch`, ""},
		{`git context commit --outcome=`, "--outcome=success\n--outcome=failed\n--outcome=abandoned"},
		{`git context commit --outcome su`, "success"},
		{`git context roadmap todo done `, `It's $HOME "x" ` + "`y`\nFix *\nUse C:\\temp"},
		{`git context roadmap milestone done 'Read t`, "Read the RFC"},
		{`git context roadmap milestone done "Read: `, "Read: it"},
		{`git context roadmap milestone done Read\ t`, "Read the RFC"},
		{`git context commit -m 'two words' --outcome f`, "failed"},
		{`git context note `, main + mutex + "\n" + best + "\n" + hash + "\tLexer"},
		{`git context log main..tr`, "main.." + mutex},
		{`git context commit -F no`, "notes of mine.md"},
		{`git context commit --file=no`, "--file=notes of mine.md"},
		{`git context export fo`, "folder/\tDirectory"},
		{`git ctx sw`, "switch\tmake another memory branch the current one"},
		{`git -C / context switch `, ""},
		{`git -C ` + w.dir + ` context tag -d s`, best},
		{`git --git-dir=` + w.dir + `/.git context switch tr`, mutex},
		{`git-context topic `, "db-pool\tThe pool must be up"},
		{`git-context -C / switch `, ""},
		{`git-context -C ` + w.dir + ` switch tr`, mutex},
	}
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
