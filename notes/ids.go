package notes

// IDs gives ids to new facts of one note, so that each is in force at once, whatever the clock says and whatever ids the note has.
type IDs struct {
	have  []Fact
	over  map[placed]bool // what have names in Over; nil: not looked for yet
	after string
	newID func(after string) (string, error)
}

// NewIDs returns the IDs of a note with the facts have. All ids become larger than after, too, which may be "". newID makes an id that
// is larger than another one; "" is for no bound.
func NewIDs(have []Fact, after string, newID func(after string) (string, error)) *IDs {
	n := &IDs{have: have, newID: newID}
	for _, f := range have {
		n.after = max(n.after, f.ID)
	}
	if validID(after) {
		n.after = max(n.after, after)
	}
	return n
}

// Give sets the id of a fact. No valid id follows the largest one that there is, which anybody can write into a note: then it is of the
// present, and Over names the facts that the new one replaces though their ids are larger.
func (n *IDs) Give(f *Fact) error {
	id, err := n.newID(n.after)
	if err == nil && !validID(id) {
		id, err = n.newID("")
	}
	if err != nil {
		return err
	}
	f.ID, f.Over, n.after = id, nil, id
	if n.over == nil {
		n.over = named(n.have) // a million names have room in a note
	}
	added := map[string]bool{}
	for _, h := range n.have {
		if h.ID > id && place(h) == place(*f) && !n.over[placed{place(h), h.ID}] && !added[h.ID] {
			added[h.ID] = true
			f.Over = append(f.Over, h.ID)
		}
	}
	return nil
}

// A slot is what one fact is in force of: facts of one kind, of tags those with one key.
type slot struct{ kind, key string }

func place(f Fact) slot { return slot{f.Kind, f.Key} }

// placed is the id of a fact in its slot.
type placed struct {
	slot
	id string
}

// named returns what the facts name in Over.
func named(facts []Fact) map[placed]bool {
	over := map[placed]bool{}
	for _, f := range facts {
		for _, id := range f.Over {
			over[placed{place(f), id}] = true
		}
	}
	return over
}

// namedFirst moves the facts that another one replaces by name before all others. Otherwise their order stays.
func namedFirst(facts []Fact) []Fact {
	over := named(facts)
	if len(over) == 0 {
		return facts
	}
	var first, rest []Fact
	for _, f := range facts {
		if over[placed{place(f), f.ID}] {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	return append(first, rest...)
}
