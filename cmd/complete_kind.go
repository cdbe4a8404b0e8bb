package cmd

import (
	"context"
	"slices"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/peer"
)

// offer adds what an argument or a flag's value may be to what is offered.
type offer func(*offers, context.Context) error

// meaning says what may stand where help shows a name.
type meaning struct {
	shown string
	offer offer
}

// offerFor says what may stand for a name: of an argument, where form is the usage up to
// there, or of a flag's value, where it is the flag by its longest name. False: nobody
// said what it means, which a test finds.
func offerFor(form, name string) (offer, bool) {
	for _, m := range meaningsOfForms() {
		if m.shown == form {
			return m.offer, true
		}
	}
	for _, m := range meaningsOfNames() {
		if m.shown == name {
			return m.offer, true
		}
	}
	return nil, false
}

// meaningsOfForms is where a name means something else than elsewhere.
func meaningsOfForms() []meaning {
	return slices.Concat(meanings(nothing, "--agent NAME", "--model NAME", "--initial-branch NAME", "branch NAME", "tag NAME",
		"fetch [REMOTE] [NAME"), // what only the remote knows
		meanings((*offers).deleted, "branch --restore NAME"),
		meanings((*offers).tags, "tag -d NAME"),
		meanings((*offers).onRemote, "push --delete REMOTE NAME"),
		meanings((*offers).switchable, "switch NAME"),
		meanings((*offers).sections, "roadmap section NAME"),
		meanings((*offers).items, "roadmap (milestone | todo) (add | done | undo | remove) TEXT"),
		meanings((*offers).open, "--done TEXT"),
		meanings((*offers).conflicts, "resolve PATH"),
		meanings((*offers).segments, "metadata [get PATH", "metadata set PATH", "metadata unset PATH"),
		meanings((*offers).blamed, "blame KEY"),
		meanings((*offers).codeRange, "link [CODE-COMMIT | A..B", "link [CODE-COMMIT | A..B | A...B"),
		meanings((*offers).moment, "--at C"),
		meanings((*offers).agents, "--agent A"),
		meanings((*offers).ids, "--id ID"),
		meanings((*offers).files, "--since OLD", "--path P"))
}

// meaningsOfNames is what a name means everywhere else.
func meaningsOfNames() []meaning {
	return slices.Concat(meanings(nothing, "N", "T", "X", "P", "TEXT", "K=V", "QUERY", "VALUE", "NEW",
		"ARGUMENT", "GIT-OPTION", "[=KEYID]", "ID", "CHARS", "WORD"),
		meanings((*offers).branches, "NAME", "OLD", "TARGET"),
		meanings((*offers).revision, "C", "REV", "^REV", "MILESTONE", "A", "B", "BAD", "GOOD"),
		meanings((*offers).revisionRange, "A..B", "A...B"),
		meanings((*offers).code, "CODE-COMMIT"),
		meanings((*offers).topics, "KEY"),
		meanings((*offers).tags, "PATTERN"),
		meanings((*offers).remotes, "REMOTE"),
		meanings((*offers).segments, "[SEGMENT]"),
		meanings((*offers).documents, "PATH"),
		meanings((*offers).files, "FILE", "CMD", "ARG"),
		meanings((*offers).directories, "DIR"),
		meanings((*offers).commands, "COMMAND"),
		meanings(oneOf("success", "failed", "abandoned"), "O"),
		meanings(oneOf(merge.SettleOurs, merge.SettleTheirs, merge.SettleUnion), "HOW"),
		meanings(oneOf("commits", "steps", "topics"), "WHAT"),
		meanings(oneOf(string(peer.Contexa), string(peer.Memory)), "DIALECT"),
		meanings(oneOf(fromSWEAgent), "AGENT"),
		meanings(oneOf(hooks.Events()...), "EVENT"))
}

func meanings(o offer, shown ...string) []meaning {
	list := make([]meaning, len(shown))
	for i, s := range shown {
		list[i] = meaning{s, o}
	}
	return list
}

// nothing is what people make up: texts, numbers, new names.
func nothing(*offers, context.Context) error { return nil }

// oneOf is a word of which there are only so many.
func oneOf(words ...string) offer {
	return func(o *offers, _ context.Context) error {
		o.add("words", "", words...)
		return nil
	}
}
