package complete

import (
	"slices"
	"strings"
)

// place is where the word may occur: an argument of a usage line, or a flag's value.
type place struct {
	form string // the usage line, or --flag VALUE
	name string // a word to type as it is, or a placeholder in capitals
}

func isPlaceholder(name string) bool { return strings.ToLower(name) != name }

// places returns what the word may be, by the usage lines that show most of the given flags.
func (l *Line) places() []place {
	var found []place
	most := 0
	for _, usage := range l.Usage {
		arguments, known := l.arguments(usage)
		if known > most {
			found, most = nil, known
		}
		if known < most || len(arguments) <= len(l.Args) {
			continue
		}
		matches := true
		for i, arg := range l.Args {
			matches = matches && (slices.Contains(arguments[i], arg) || slices.ContainsFunc(arguments[i], isPlaceholder))
		}
		for _, name := range arguments[len(l.Args)] {
			if matches {
				found = append(found, place{usage, name})
			}
		}
	}
	return found
}

// arguments reads the arguments of a usage line, such as `tag NAME [C]`, the names of each,
// and counts the given flags that the line shows. Arguments in brackets count as present.
// Those behind flags are for command lines with one of these flags: `branch (-d | -D) NAME`.
// Behind ` -- ` and a lone `...` nothing is read.
func (l *Line) arguments(usage string) (list [][]string, known int) {
	usage, _, _ = strings.Cut(usage, " -- ")
	words := strings.Fields(strings.NewReplacer("[", "", "]", "", "(", "", ")", "").Replace(usage))
	shown, repeated := 0, false
	for i := 0; i < len(words) && words[i] != "..."; i++ {
		name, more := strings.CutSuffix(words[i], "...")
		flag := slices.IndexFunc(l.Flags, func(f Flag) bool { return slices.Contains(f.Names, name) })
		switch {
		case name == "|":
		case flag >= 0:
			shown++
			if slices.Contains(l.Given, l.Flags[flag].Names[0]) {
				known++
			}
			if v := l.Flags[flag].Value; v != "" && v[0] != '[' {
				i++
			}
		case shown > 0 && known == 0:
		case i > 0 && words[i-1] == "|":
			list[len(list)-1], repeated = append(list[len(list)-1], name), more
		default:
			list, repeated = append(list, []string{name}), more
		}
	}
	for repeated && len(list) <= len(l.Args) {
		list = append(list, list[len(list)-1])
	}
	return list, known
}
