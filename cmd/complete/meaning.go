package complete

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/peer"
)

// meaning says what placeholders stand for in the usage lines and flags that begin with
// one of the forms. Without words, shell and memory that is nothing: a text, a number, a
// new name.
type meaning struct {
	names  string   // separated by spaces
	forms  []string // nil for all
	words  []string // are offered as they are
	shell  string   // is what the shell completes by itself
	memory func(*finder, context.Context, *refs.Store) error
}

// meanings lists every meaning; the first that fits counts.
func meanings() []meaning {
	return []meaning{
		{names: "NAME", forms: []string{"--agent NAME", "--model", "--initial-branch", "branch NAME", "branch --restore",
			"tag NAME", "fetch", "roadmap section"}},
		{names: "NAME", forms: []string{"tag -d"}, memory: (*finder).tags},
		{names: "TEXT", forms: []string{"--outcome TEXT", "--with"}},
		{names: "TEXT", forms: []string{"roadmap milestone", "roadmap todo", "--done"}, memory: (*finder).items},
		{names: "TEXT", forms: []string{"roadmap answer"}, memory: (*finder).questions},
		{names: "P OLD", forms: []string{"--path", "--since"}, shell: "files"},
		{names: "A", forms: []string{"--agent A"}},
		{names: "N T X P TEXT K=V QUERY VALUE NEW ARGUMENT EVENT ID CHARS [=KEYID] [SEGMENT] PATH CODE-COMMIT COMMAND"},
		{names: "NAME OLD TARGET", memory: (*finder).branches},
		{names: "C REV ^REV A B BAD GOOD A..B A...B", memory: (*finder).commits},
		{names: "PATTERN", memory: (*finder).tags},
		{names: "KEY", memory: (*finder).topics},
		{names: "ATTACHMENT", memory: (*finder).attachments},
		{names: "REMOTE", memory: (*finder).remotes},
		{names: "FILE CMD ARG", shell: "files"},
		{names: "DIR", shell: "directories"},
		{names: "O", words: []string{"success", "failed", "abandoned"}},
		{names: "HOW", words: []string{merge.SettleOurs, merge.SettleTheirs, merge.SettleUnion}},
		{names: "WHAT", words: []string{"commits", "steps", "topics"}},
		{names: "DIALECT", words: []string{string(peer.Contexa), string(peer.Memory)}},
		{names: "AGENT", forms: []string{"hooks", "hook", "instructions"}, words: settings.Names()},
		{names: "AGENT", words: []string{"claude-code", "codex", "copilot", "cursor", "gemini", "opencode", "pi", "qwen", "aider", "swe-agent"}},
	}
}

// meaning returns what a placeholder stands for; nil where no meaning fits.
func (p place) meaning() *meaning {
	for _, m := range meanings() {
		begins := func(form string) bool { return strings.HasPrefix(p.form, form) }
		if slices.Contains(strings.Fields(m.names), p.name) && (m.forms == nil || slices.ContainsFunc(m.forms, begins)) {
			return &m
		}
	}
	return nil
}

// offer offers what may occur at a place. Placeholders of one meaning are offered once.
func (f *finder) offer(ctx context.Context, p place) (err error) {
	m := p.meaning()
	switch {
	case !isPlaceholder(p.name):
		f.add("words", "", p.name)
	case p.name == "COMMAND":
		for _, c := range f.Commands {
			f.add("commands", c.About, c.Word)
		}
	case m == nil:
		return fmt.Errorf("nothing is known of '%s' in '%s'", p.name, p.form)
	case m.memory != nil && !f.asked[m.names]:
		f.asked[m.names] = true
		if f.store == nil {
			if f.store, err = f.Open(ctx); err != nil {
				return err
			}
		}
		return m.memory(f, ctx, f.store)
	case m.shell != "":
		f.result.Shell = m.shell
	default:
		f.add("words", "", m.words...)
	}
	return nil
}
