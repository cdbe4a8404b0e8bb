package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/cmd/complete"
	"github.com/git-context/git-context/refs"
)

// completable are all commands that completion may meet.
func completable() []*command {
	return append(every(), hidden().make(new(globals)))
}

// A new placeholder in a usage line or a flag needs a meaning, also where that is nothing.
func TestEveryPlaceholderHasAMeaning(t *testing.T) {
	t.Parallel()
	noMemory := errors.New("no memory")
	source := complete.Source{Open: func(context.Context) (*refs.Store, error) { return nil, noMemory }}
	check := func(command string, line complete.Line) {
		if _, err := complete.Find(t.Context(), line, source); err != nil && err != noMemory {
			t.Errorf("'%s': %v: cmd/complete/meaning.go", command, err)
		}
	}
	for _, c := range completable() {
		for _, f := range c.flags {
			names, value, _ := partsOf(f)
			if value == "" && kindOf(f) != kindSwitch {
				t.Errorf("'%s' does not name the value of %s", c.name, names)
			}
			if value != "" {
				check(c.name, complete.Line{Value: &complete.Flag{Names: names, Value: strings.TrimSpace(value)}})
			}
		}
		for _, usage := range c.usage {
			usage, _, _ = strings.Cut(usage, " -- ")
			var flag cli.Flag // before the word
			for word := range strings.FieldsSeq(strings.NewReplacer("[", " ", "]", " ", "(", " ", ")", " ").Replace(usage)) {
				word = strings.TrimSuffix(word, "...")
				ofFlag := flag != nil && kindOf(flag) != kindSwitch
				if flag = lookup(c.flags, strings.TrimLeft(word, "-")); word[:min(1, len(word))] != "-" {
					flag = nil
				}
				if flag == nil && !ofFlag && word != strings.ToLower(word) {
					check(c.name, complete.Line{Usage: []string{word}})
				}
			}
		}
	}
}

// completed completes a command line outside of any repository.
func completed(t *testing.T, shell string, line ...string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	env := &Env{Out: &out, Err: &errs, Dir: t.TempDir(), Environ: []string{"GIT_CEILING_DIRECTORIES=/"}, Now: time.Now}
	Run(t.Context(), env, slices.Concat([]string{"complete", shell, "--breaks", " \t\n\"'><=;|&(:@", "--"}, line))
	var words []string
	for l := range strings.Lines(out.String()) {
		word, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if word == "" {
			word = strings.TrimSuffix(l, "\n")
		}
		words = append(words, word)
	}
	return words
}

// The forms that help shows say what may stand where. Without a repository there is what
// needs none, and flags where an argument may not stand.
func TestCompleteByForms(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"roadmap ":                    "show goal milestone todo decide ask answer section log",
		"roadmap -b x todo ":          "add done undo remove",
		"roadmap todo add ":           "",
		"roadmap todo add x ":         "flags",
		"todo ":                       "add done undo remove",
		"milestone add x ":            "flags",
		"roadmap answer x --with ":    "",
		"todo done x --outcome ":      "",
		"metadata ":                   "get set unset refresh",
		"bisect start a b ":           "",
		"bisect run ":                 "\tfiles",
		"bisect run sh -":             "\tfiles",
		"bisect ":                     "start good skip bad run status log reset",
		"hooks install ":              "git claude-code codex copilot cursor gemini opencode pi qwen",
		"hooks install git ":          "git claude-code codex copilot cursor gemini opencode pi qwen",
		"hooks nonsense ":             "flags",
		"hook ":                       "claude-code codex copilot cursor gemini opencode pi qwen",
		"completion ":                 "bash zsh fish",
		"import ":                     "\tdirectories",
		"import --from ":              "claude-code codex copilot cursor gemini opencode pi qwen aider swe-agent",
		"import --from swe-agent ":    "\tfiles",
		"import --from=x a b c ":      "\tfiles",
		"import a ":                   "flags",
		"export --as=":                "--as=contexa --as=gcc-memory",
		"export -C ":                  "\tdirectories",
		"commit -F ":                  "\tfiles",
		"commit -Fx":                  "\tfiles",
		"commit --outcome ":           "success failed abandoned",
		"commit --unknown --outcome ": "success failed abandoned",
		"commit -Qx --outcome ":       "success failed abandoned",
		"commit --score x --outcome ": "success failed abandoned",
		"commit -- --outcome ":        "",
		"commit -m ":                  "",
		"commit --message --json -":   "flags",
		"merge x -Xth":                "-Xours -Xtheirs -Xunion",
		"merge --continue ":           "flags",
		"search --in ":                "commits steps topics",
		"branch -m old ":              "",
		"branch new ":                 "flags",
		"tag x y ":                    "flags",
		"switch ":                     "",
		"blame ":                      "",
		"log -- ":                     "",
		"log -- -p -- ":               "",
		"stats --days ":               "",
		"fsck --fix ":                 "--agent --session --model --json --quiet -C --help",
		"fsck --fix x ":               "--agent --session --model --json --quiet -C --help",
		"nonsense ":                   "",
		"help help ":                  "",
		"version -C a --json ":        "--quiet -C --help",
		"--at x ":                     "roadmap metadata topics topic show",
		"complete ":                   "bash zsh fish",
	} {
		got := strings.Join(completed(t, complete.Fish, strings.Split(line, " ")...), " ")
		if strings.HasSuffix(got, "--json --quiet -C --help") && want == "flags" {
			continue
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestCompleteCommands(t *testing.T) {
	t.Parallel()
	var names []string
	for _, e := range commands() {
		names = append(names, e.name)
	}
	if got := completed(t, complete.Zsh, "help", ""); !slices.Equal(got, names) {
		t.Errorf("help knows %q", got)
	}
	for _, line := range [][]string{{""}, {"-C", "x", "--json", ""}} {
		got := completed(t, complete.Zsh, line...)
		if n := len(line); n == 1 && !slices.Equal(got, append(names, "help")) || n > 1 && !slices.Equal(got, names) {
			t.Errorf("%q: %q", line, got)
		}
	}
	if got := completed(t, complete.Zsh, "-b", "x", ""); !slices.Contains(got, "commit") || slices.Contains(got, "fsck") {
		t.Errorf("-b: %q", got)
	}
	if got := completed(t, complete.Bash, "re"); !slices.Equal(got, []string{"record ", "resolve ", "remember ", "restore ", "recall ", "repos "}) {
		t.Errorf("bash: %q", got)
	}
}

func TestCompleteIsHidden(t *testing.T) {
	t.Parallel()
	if overview := helpOf(t, "help", "-a"); strings.Contains(overview, "\n    complete ") {
		t.Error("it is listed")
	}
	if help := helpOf(t, "help", "complete"); !strings.HasPrefix(help, "usage: git context complete ") {
		t.Errorf("it has no help: %s", help)
	}
}

func TestCompleteJSON(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	env := &Env{Out: &out, Err: &errs, Dir: t.TempDir(), Now: time.Now}
	if exit := Run(t.Context(), env, []string{"complete", "--json", "zsh", "--", "commit", "--outcome=s"}); exit != exitDone {
		t.Fatalf("exit %d: %s", exit, errs.String())
	}
	var got complete.Result
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := complete.Result{Candidates: []complete.Candidate{{Word: "--outcome=success", Kind: "words"}, {Word: "--outcome=failed", Kind: "words"}, {Word: "--outcome=abandoned", Kind: "words"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
