package history

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
)

// Arguments are git options that follow `--` on the command line of log and diff. Only
// options that are known to select or to display are accepted: others of git's write files,
// run programs, or add commits that are not memory.
type Arguments struct {
	Select  []string // which commits (log)
	Show    []string // how each commit is displayed, or which part of a difference
	Paths   []string // of the memory tree
	Reverse bool     // oldest first
	Content bool     // selects the commits that changed a text (-S, -G)
	Layout  Layout   // of a commit, as Show asks for
	Looks   bool     // Show changes how text looks
}

// between reports whether memory commits without an entry in commit.md are selected too:
// topics change in commits of their own.
func (a Arguments) between() bool { return a.Content || len(a.Paths) > 0 }

// Layout is the form of a commit in a log.
type Layout int

// The layouts of git's formats.
const (
	LayoutBlock Layout = iota // medium, which is the default, short, full, fuller: a header, the message indented
	LayoutLine                // oneline
	LayoutOwn                 // a format of the caller
)

// use is the purpose of an option.
type use int

const (
	useUnknown use = iota
	useSelect      // which commits
	useShow        // how they are displayed
	useBoth        // which commits, and which part of them
)

// LogArguments parses the words that follow `--` on the command line of log. The words
// after a second `--` are all paths. It returns an error of the kind fail.ErrRefused for an
// option that is not accepted, and fail.ErrInvalid for one that lacks its value.
func LogArguments(words []string) (Arguments, error) { return readArguments("log", words) }

// DiffArguments parses the words that follow `--` on the command line of diff, as
// LogArguments does.
func DiffArguments(words []string) (Arguments, error) { return readArguments("diff", words) }

func readArguments(command string, words []string) (a Arguments, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			a.Paths = append(a.Paths, words[i+1:]...)
			break
		}
		if !strings.HasPrefix(word, "-") {
			a.Paths = append(a.Paths, word)
			continue
		}
		name, what, apart := knownArgument(command, word)
		if what == useUnknown || word == "--word-diff=color" { // is in colour regardless of color.ui
			return a, refuseArgument(command, name)
		}
		if apart && word == name { // its value is the next word
			if i++; i == len(words) {
				return a, fail.New(fail.ErrInvalid, fail.ArgumentInvalid, fmt.Sprintf("git's '%s' needs a value", name))
			}
			if strings.HasPrefix(name, "--") {
				word += "="
			}
			word += words[i]
		}
		if name, _, ok := strings.Cut(word, "="); ok && (name == "--format" || name == "--pretty") &&
			strings.Contains(word, "%G") {
			return a, fail.New(fail.ErrRefused, fail.ArgumentRefused,
				fmt.Sprintf("git's '%s' is refused here: %%G runs a program", name), "git context verify")
		}
		a.add(name, word, what)
	}
	return a, nil
}

// add stores one option.
func (a *Arguments) add(name, word string, what use) {
	switch {
	case name == "--reverse": // git would apply it before the filter that reads its output
		a.Reverse = true
		return
	case name == "-S" || name == "-G":
		a.Content = true
	case name == "--oneline":
		a.Layout = LayoutLine
	case name == "--pretty" || name == "--format":
		_, format, _ := strings.Cut(word, "=")
		a.Layout = layoutOf(format)
	}
	if what == useSelect || what == useBoth {
		a.Select = append(a.Select, word)
	}
	a.Looks = a.Looks || what == useShow
	if what != useSelect {
		a.Show = append(a.Show, word)
	}
}

func layoutOf(format string) Layout {
	switch format {
	case "", "short", "medium", "full", "fuller":
		return LayoutBlock
	case "oneline":
		return LayoutLine
	}
	return LayoutOwn
}

// knownArgument finds an option by its name, which ends before "=" or, for a single letter,
// before its value. apart reports whether the value may be the next word.
func knownArgument(command, word string) (name string, what use, apart bool) {
	name, _, _ = strings.Cut(word, "=")
	if !strings.HasPrefix(word, "--") && len(word) > 2 && strings.Contains("SGUMCnO", word[1:2]) {
		name = word[:2]
	}
	if what, apart = differenceArgument(name); what != useUnknown || command == "diff" {
		return name, what, apart
	}
	what, apart = logArgument(name)
	return name, what, apart
}

// differenceArgument finds the options that log and diff share.
func differenceArgument(name string) (what use, apart bool) {
	switch name {
	case "-S", "-G", "--diff-filter":
		return useBoth, true
	case "--pickaxe-all", "--pickaxe-regex":
		return useBoth, false
	case "-p", "-u", "--patch", "--stat", "--numstat", "--shortstat", "--compact-summary", "--dirstat", "--summary",
		"--name-only", "--name-status", "--raw", "--patch-with-stat", "--patch-with-raw", "-U", "--unified",
		"--word-diff", "--word-diff-regex", "-W", "--function-context",
		"-s", "--no-patch", "--minimal", "--patience", "--histogram", "--anchored", "--diff-algorithm", "--full-index",
		"--abbrev", "--no-abbrev", "-M", "--find-renames", "-C", "--find-copies", "--no-renames", "--find-copies-harder",
		"-D", "--irreversible-delete", "-R", "-a", "--text", "-b", "--ignore-space-change", "-w", "--ignore-all-space",
		"--ignore-space-at-eol", "--ignore-blank-lines", "--inter-hunk-context", "--no-prefix", "--src-prefix",
		"--dst-prefix", "--default-prefix", "--indent-heuristic", "--no-indent-heuristic", "--color-moved",
		"--no-color-moved",
		"--no-color", "--ws-error-highlight", "--stat-width", "--stat-name-width", "--stat-count", "--no-ext-diff",
		"--no-textconv":
		return useShow, false
	}
	return useUnknown, false
}

// logArgument finds the options of log alone.
func logArgument(name string) (what use, apart bool) {
	switch name {
	case "--since", "--after", "--until", "--before", "--author", "--committer", "--grep":
		return useSelect, true
	case "--all-match", "--invert-grep", "-i", "--regexp-ignore-case", "-E", "--extended-regexp", "-F", "--fixed-strings",
		"-P", "--perl-regexp", "--basic-regexp", "--merges", "--no-merges", "--min-parents", "--max-parents",
		"--no-min-parents", "--no-max-parents", "--ancestry-path", "--date-order", "--topo-order",
		"--author-date-order", "--full-history", "--simplify-merges", "--sparse", "--dense", "--reverse":
		return useSelect, false
	case "--first-parent", "-m", "-c", "--cc", "--diff-merges", "--no-diff-merges", "--full-diff":
		return useBoth, false
	case "--date":
		return useShow, true
	case "--oneline", "--pretty", "--format", "--relative-date", "--abbrev-commit", "--no-abbrev-commit", "--parents",
		"--decorate", "--no-decorate", "--expand-tabs", "--no-expand-tabs", "--use-mailmap", "--mailmap", "--no-mailmap":
		return useShow, false
	}
	return useUnknown, false
}

// refuseArgument returns the error for an option that is not accepted, with the reason and
// a replacement.
func refuseArgument(command, name string) error {
	why, hint := "only options that show memory are accepted", "git context help "+command
	switch name {
	case "--output":
		why, hint = "it writes a file", "git context "+command+" ... > FILE"
	case "--ext-diff", "--textconv", "--show-signature":
		why = "it runs a program"
	case "--no-index", "-O", "--stdin":
		why = "it reads outside of memory"
	case "--all", "--branches", "--tags", "--remotes", "--glob", "--reflog", "-g", "--walk-reflogs":
		why, hint = "it may list commits outside of memory", "git context log --all"
	case "-n", "--max-count", "--skip":
		why, hint = "it would count what is not shown", "git context log -n N"
	case "--graph":
		why, hint = "it is an option of git context log itself", "git context log --graph"
	case "--color", "--color-words", "--word-diff":
		why, hint = "colour follows color.ui, as in every view", "git -c color.ui=never context "+command
	}
	return fail.New(fail.ErrRefused, fail.ArgumentRefused,
		fmt.Sprintf("git's '%s' is refused here: %s", prose.OneLine(name, 60), why), hint)
}
