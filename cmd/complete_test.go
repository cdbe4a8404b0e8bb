package cmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// completable are all commands that completion may meet.
func completable() []*command {
	return append(every(), hidden().make(new(globals)), helpCommand())
}

// Whoever adds a command or a flag says what its arguments may be, and nothing is said
// of what no command has.
func TestEveryArgumentHasAMeaning(t *testing.T) {
	met := map[string]bool{}
	meet := func(form, name string) {
		if _, ok := offerFor(form, name); !ok {
			t.Errorf("nobody said what %s may be in '%s': meaningsOfForms, meaningsOfNames", name, form)
		}
		met[form] = true
		if !slices.ContainsFunc(meaningsOfForms(), func(m meaning) bool { return m.shown == form }) {
			met[name] = true
		}
	}
	for _, c := range completable() {
		for _, f := range c.flags {
			if _, name := placeOf(f); name != "" {
				meet(formIn(f), name)
			} else if kindOf(f) != kindSwitch {
				t.Errorf("'%s' does not name the value of %s", c.name, formIn(f))
			}
		}
		for _, usage := range c.usage {
			f := form{usage: usage, typed: &typed{command: c}}
			for tok := f.token(); tok != ""; tok = f.token() {
				if f.flag(tok) == nil && strings.ToLower(tok) != tok {
					meet(strings.TrimSpace(usage[:f.next]), tok)
				}
			}
		}
	}
	for _, m := range slices.Concat(meaningsOfForms(), meaningsOfNames()) {
		if !met[m.shown] {
			t.Errorf("no command has '%s'", m.shown)
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
		"roadmap ":                    "show goal milestone todo decide ask section log",
		"roadmap -b x todo ":          "add done undo remove",
		"roadmap todo add ":           "",
		"roadmap todo add x ":         "flags",
		"metadata ":                   "get set unset refresh",
		"bisect start a b ":           "",
		"bisect run ":                 "\tfiles",
		"bisect run sh -":             "\tfiles",
		"bisect ":                     "start good skip bad run status log reset",
		"hooks install ":              "git",
		"hooks install git ":          "flags",
		"hooks nonsense ":             "flags",
		"hook ":                       "post-checkout post-commit post-rewrite pre-push",
		"completion ":                 "bash zsh fish",
		"import ":                     "\tdirectories",
		"import --from ":              "swe-agent",
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
		"blame ":                      "metadata.yaml main.md",
		"log -- ":                     "commit.md commit log.md log metadata.yaml topics",
		"log -- -p -- ":               "commit.md commit log.md log metadata.yaml topics",
		"stats --days ":               "",
		"fsck --fix ":                 "--agent --session --model --branch --json -C --help",
		"fsck --fix x ":               "--agent --session --model --branch --json -C --help",
		"nonsense ":                   "",
		"help help ":                  "",
		"version -C a -b x --json ":   "-C --help",
		"--at x ":                     "roadmap metadata topics topic",
		"complete ":                   "bash zsh fish",
	} {
		got := strings.Join(completed(t, shellFish, strings.Split(line, " ")...), " ")
		if strings.HasSuffix(got, " --json -C --help") && want == "flags" {
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
	if got := completed(t, shellZsh, "help", ""); !slices.Equal(got, names) {
		t.Errorf("help knows %q", got)
	}
	for _, line := range [][]string{{""}, {"-b", "x", ""}, {"-C", "x", "--json", ""}} {
		got := completed(t, shellZsh, line...)
		if n := len(line); n == 1 && !slices.Equal(got, append(names, "help")) || n > 1 && !slices.Equal(got, names) {
			t.Errorf("%q: %q", line, got)
		}
	}
	if got := completed(t, shellBash, "re"); !slices.Equal(got, []string{"record ", "resolve ", "remember ", "recall "}) {
		t.Errorf("bash: %q", got)
	}
}

func TestCompleteIsHidden(t *testing.T) {
	t.Parallel()
	if overview := helpOf(t, "help"); strings.Contains(overview, "\n    complete ") {
		t.Error("it is listed")
	}
	if help := helpOf(t, "complete", "-h"); help != helpOf(t, "help", "complete") || !strings.HasPrefix(help, "usage: git context complete ") {
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
	var got completion
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := completion{Candidates: []candidate{{"--outcome=success", "", "words"}, {"--outcome=failed", "", "words"}, {"--outcome=abandoned", "", "words"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What memory says comes from elsewhere: a name that would not be shown as it is, or
// that ends a line, is not offered.
func TestOffersAreSafe(t *testing.T) {
	t.Parallel()
	o := offers{seen: map[string]bool{}}
	o.add("words", "a\tb\x1b[31m\nc", "fine", "fine", "", "two\nlines", "tab\there", "esc\x1b[2J", "turned\u202e", "\xff")
	if diff := cmp.Diff([]candidate{{"fine", "a b^[[31m c", "words"}}, o.list); diff != "" {
		t.Error(diff)
	}
}

func TestBashWords(t *testing.T) {
	t.Parallel()
	const breaks = " \t\n\"'><=;|&(:"
	for _, test := range []struct{ typed, candidate, want string }{
		{"", "main", "main "},
		{"ma", "main", "main "},
		{"ma", "topic", ""},
		{"--branch=ma", "--branch=main", "main "},
		{"a:b", "a:bc:d", "bc:d "},
		{"", "Read it's $HOME", `Read\ it\'s\ \$HOME `},
		{`Read\ i`, "Read it", `Read\ it `},
		{"'Read i", "Read it's", `Read it'\''s`},
		{`"Read: i`, `Read: it "x" $y`, `Read: it \"x\" \$y`},
		{`"a b"c`, "a bcd", `a\ bcd `},
		{`--done="Fix `, "--done=Fix *", "Fix *"},
		{`a\`, `a\b`, `a\\b `},
		{"", "~x", `\~x `},
		{"main..", "main..try", "main..try "},
		{"", "größe", "größe "},
	} {
		got, ok := readBashWord(test.typed, breaks).complete(test.candidate)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, want %q", test.typed, got, test.want)
		}
	}
	for _, test := range []struct{ words, want []string }{
		{[]string{"--branch", "=", "ma"}, []string{"--branch=ma"}},
		{[]string{"--branch", "="}, []string{"--branch="}},
		{[]string{"a", ":", "b", "c"}, []string{"a:b", "c"}},
		{[]string{"-m", "a=b", ""}, []string{"-m", "a=b", ""}},
	} {
		if got := joinBroken(test.words, breaks); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.words, got)
		}
	}
}

// However much of a text is typed, and in whatever quotes, what bash puts on the line
// reads as that text.
func TestBashWordsReadAgain(t *testing.T) {
	t.Parallel()
	const breaks = " \t\n\"'><=;|&(:"
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[a-zA-Z0-9 '\"$`\\\\*?:=~#!é/.@-]{1,20}").Draw(t, "text")
		n := rapid.IntRange(0, len(text)).Draw(t, "typed")
		var typed string
		switch rapid.SampledFrom([]string{"", "'", `"`}).Draw(t, "quote") {
		case "'":
			typed = "'" + strings.ReplaceAll(text[:n], "'", `'\''`)
		case `"`:
			typed = `"` + escapeAt(text[:n], func(_ int, c byte) bool { return strings.IndexByte("\\\"$`", c) >= 0 })
		default:
			typed = escapeAt(text[:n], func(_ int, c byte) bool { return c < 0x80 && c != ':' && c != '=' })
		}
		w := readBashWord(typed, breaks)
		if w.text != text[:n] {
			t.Fatalf("%s reads as %q", typed, w.text)
		}
		got, ok := w.complete(text)
		if !ok {
			t.Fatalf("%s does not begin %q", typed, text)
		}
		if w.quote == 0 {
			got = strings.TrimSuffix(got, " ")
		} else {
			got = string(w.quote) + got
		}
		if again := readBashWord(got, ""); again.text != text[w.keep:] {
			t.Fatalf("%s reads as %q, want %q", got, again.text, text[w.keep:])
		}
	})
}
