package cmd

import (
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// parseRoadmap reads the arguments of `roadmap`; nil for show and log, which change nothing.
func parseRoadmap(env *Env, o *roadmapOptions, args []string) (*revision, error) {
	verb, rest := "show", []string(nil)
	if len(args) > 0 {
		verb, rest = args[0], clean(env, args[1:])
	}
	if err := o.checkFlags(verb, rest); err != nil {
		return nil, err
	}
	switch verb {
	case "show", "log":
		return nil, countWords("roadmap "+verb, rest, 0, 0)
	case "milestone", "todo":
		return parseItem(env, o, verb, rest)
	case "section":
		return parseSection(env, o, rest)
	case "goal", "decide", "ask", "answer":
		return parseText(env, o, verb, rest)
	}
	switch verb {
	case "add", "done", "undo", "remove":
		return nil, usagef("'%s' needs to know the list", verb).
			hint("git context roadmap todo %s TEXT", verb).hint("git context roadmap milestone %s TEXT", verb)
	}
	return nil, unknownWord("roadmap", verb, "show", "goal", "milestone", "todo", "decide", "ask", "answer", "section", "log")
}

// checkFlags refuses a flag that the verb does not act on.
func (o *roadmapOptions) checkFlags(verb string, rest []string) error {
	list := verb == "milestone" || verb == "todo"
	switch {
	case o.file != "" && verb != "section":
		return usagef("-F needs 'roadmap section'")
	case o.with != "" && verb != "answer":
		return usagef("--with needs 'roadmap answer'")
	case o.outcome != "" && !(list && first(rest) == "done"):
		return usagef("--outcome needs 'done': it says what became of an item").hint("git context roadmap todo done TEXT --outcome TEXT")
	case o.tell && !(verb == "todo" && first(rest) == "add"):
		return usagef("--tell needs 'roadmap todo add'")
	}
	return nil
}

// parseText reads a verb with one text.
func parseText(env *Env, o *roadmapOptions, verb string, rest []string) (*revision, error) {
	if err := countWords("roadmap "+verb, rest, 1, 1); err != nil {
		return nil, err
	}
	if verb != "goal" && strings.TrimSpace(rest[0]) == "" {
		return nil, usagef("'roadmap %s' needs a text", verb)
	}
	if verb == "answer" && strings.TrimSpace(o.with) == "" {
		return nil, usagef("'roadmap answer' needs --with TEXT")
	}
	answer := clean(env, []string{o.with})[0]
	return &revision{doc.RevisionSubject(verb, rest[0]), func(m *doc.Roadmap) error {
		switch verb {
		case "goal":
			m.SetGoal(rest[0])
		case "decide":
			m.AddDecision(rest[0])
		case "ask":
			m.AddQuestion(rest[0])
		case "answer":
			return m.AnswerQuestion(rest[0], answer)
		}
		return nil
	}}, nil
}

// clean replaces the bytes that no document may contain. The methods that edit a roadmap
// do not do it.
func clean(env *Env, texts []string) []string {
	clean := make([]string, len(texts))
	changed := false
	for i, t := range texts {
		var replaced bool
		clean[i], replaced = doc.Clean(t)
		changed = changed || replaced
	}
	env.replaced(changed)
	return clean
}

// parseItem reads (add|done|undo|remove) TEXT for a milestone or a to-do.
func parseItem(env *Env, o *roadmapOptions, list string, rest []string) (*revision, error) {
	if len(rest) < 2 {
		return nil, usagef("'roadmap %s' needs a subcommand and a text", list).
			hint("git context roadmap %s add|done|undo|remove TEXT", list)
	}
	if err := countWords("roadmap "+list, rest, 2, 2); err != nil {
		return nil, err
	}
	what, item := rest[0], rest[1]
	if strings.TrimSpace(item) == "" {
		return nil, usagef("'roadmap %s %s' needs a text", list, what)
	}
	todo := list == "todo"
	var edit func(*doc.Roadmap) error
	switch what {
	case "add":
		if o.tell && !strings.HasPrefix(item, doc.TellPrefix) {
			item = doc.TellPrefix + item
		}
		edit = func(m *doc.Roadmap) error { addItem(m, todo, item); return nil }
	case "done":
		outcome := clean(env, []string{o.outcome})[0]
		edit = func(m *doc.Roadmap) error { return finishItem(m, todo, item, outcome) }
	case "undo":
		edit = func(m *doc.Roadmap) error { return reopenItem(m, todo, item) }
	case "remove":
		edit = func(m *doc.Roadmap) error { return removeItem(m, todo, item) }
	default:
		return nil, unknownWord("roadmap "+list, what, "add", "done", "undo", "remove")
	}
	return &revision{doc.RevisionSubject(list+" "+what, item), edit}, nil
}

func addItem(m *doc.Roadmap, todo bool, item string) {
	if todo {
		m.AddTodo(item)
	} else {
		m.AddMilestone(item)
	}
}

func finishItem(m *doc.Roadmap, todo bool, item, outcome string) error {
	if todo {
		return m.FinishTodo(item, outcome)
	}
	return m.FinishMilestone(item, outcome)
}

func reopenItem(m *doc.Roadmap, todo bool, item string) error {
	if todo {
		return m.MarkTodo(item, false)
	}
	return m.MarkMilestone(item, false)
}

func removeItem(m *doc.Roadmap, todo bool, item string) error {
	if todo {
		return m.RemoveTodo(item)
	}
	return m.RemoveMilestone(item)
}

// parseSection reads NAME -F FILE.
func parseSection(env *Env, o *roadmapOptions, rest []string) (*revision, error) {
	if err := countWords("roadmap section", rest, 1, 1); err != nil {
		return nil, err
	}
	if o.file == "" {
		return nil, usagef("'roadmap section' needs -F FILE")
	}
	if err := checkSection(rest[0]); err != nil {
		return nil, err
	}
	body, err := env.readText(o.file)
	if err != nil {
		return nil, err
	}
	body = clean(env, []string{body})[0]
	return &revision{doc.RevisionSubject("section", rest[0]), func(m *doc.Roadmap) error {
		m.SetSection(rest[0], body)
		return nil
	}}, nil
}

// checkSection refuses names that are empty, and sections that have a verb of their own:
// their content would be lost.
func checkSection(name string) error {
	for section, words := range map[string]string{
		doc.SectionGoal: "goal", doc.SectionMilestones: "milestone", doc.SectionTodo: "todo",
		doc.SectionDecisions: "decide", doc.SectionQuestions: "ask", doc.SectionOutcomes: "",
	} {
		if !doc.SameSection(section, name) {
			continue
		}
		err := usagef("section '%s' is one of git-context's own", section)
		if words != "" {
			return err.hint("git context roadmap %s", words)
		}
		return err.hint("git context merge writes it")
	}
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\r\n") {
		return usagef("a section needs a name on one line")
	}
	return nil
}
