package render

// HookLine is the state of one hook, in words.
type HookLine struct {
	Name, State, Owner, Path, Reason string
	Good, Bad                        bool // it works; it should work but does not
}

// HooksText lists hooks on one line each: event, state, owner, file, and the problem if
// there is one. If no hook has an owner, the column is left out.
func HooksText(p *Printer, list []HookLine) {
	names, states, owners := 0, 0, 0
	for _, h := range list {
		names, states, owners = max(names, cells(h.Name)), max(states, cells(h.State)), max(owners, cells(h.Owner))
	}
	for _, h := range list {
		state := plain(h.State)
		switch {
		case h.Good:
			state = green(h.State)
		case h.Bad:
			state = red(h.State)
		}
		rest := pad(h.State, states) + " "
		if owners > 0 {
			rest += h.Owner + pad(h.Owner, owners) + " "
		}
		rest += h.Path
		if h.Reason != "" {
			rest += ": " + h.Reason
		}
		p.line(plain(h.Name+pad(h.Name, names)+" "), state, plain(rest))
	}
}
