package transcript

import (
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// editOf is what an action of SWE-agent's own commands writes, in one of the forms that they had:
//
//	edit 3:5                       the lines up to end_of_edit
//	edit 'old' 'new'               also with names, such as --search and --replace
//	insert 'text' 7, append 'text'
//	str_replace_editor COMMAND PATH --file_text 'text', --old_str 'old' --new_str 'new'
func editOf(line string) (e agent.Edit) {
	words := agent.Words(line)
	if len(words) < 2 {
		return e
	}
	switch words[0] {
	case "edit":
		if _, text, ok := strings.Cut(line, "\n"); ok && strings.Trim(words[1], "0123456789:") == "" {
			text, _, _ = strings.Cut(text, "\nend_of_edit")
			return agent.Edit{New: text}
		}
		e.Old, e.New = option(words, "--search", 1), option(words, "--replace", 2)
	case "insert", "append":
		e.New = option(words, "--text", 1)
	case "str_replace_editor", "str_replace_based_edit_tool", "edit_anthropic":
		e.Old, e.New = option(words, "--old_str", 0), option(words, "--new_str", 0)+option(words, "--file_text", 0)
	}
	return e
}

// option is the word after an option; without that, and if at is not zero, the word at that position.
func option(words []string, name string, at int) string {
	for i, word := range words {
		if word == name && i+1 < len(words) {
			return words[i+1]
		}
	}
	if at > 0 && at < len(words) && !strings.HasPrefix(words[at], "--") {
		return words[at]
	}
	return ""
}

// rejected reports whether an editor of SWE-agent says that it changed nothing.
func rejected(result string) bool {
	for _, begin := range []string{"Your proposed edit has introduced", "No replacement was performed",
		"No edit was performed", "Text not found", "Error", "ERROR"} {
		if strings.HasPrefix(result, begin) {
			return true
		}
	}
	return false
}
