package render

// HookLine is how one hook stands, in words.
type HookLine struct {
	Name, State, Owner, Path, Reason string
	Good, Bad                        bool // it runs; it ought to, and does not
}

// HooksText lists hooks one a line: event, state, whose it is, file, and what is wrong
// with it. There is no column for owners where there are none.
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
