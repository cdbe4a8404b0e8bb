package journal

import "encoding/json"

// Without replaces the journal by a new one that begins with h and holds of what
// stands behind upto what keep returns: a line as it is, or another that ends as it
// does (see the package's comment), or none for a step that is to be forgotten. Its
// number and id are given to no other step. Lines that cannot be read are dropped, and
// so is what a crash left beside the journal: nobody can say what is in them.
//
// The lock moves to the new file's name by itself, as with Compact. One that a rename
// left with two names must not be given here.
func (j *Journal) Without(h Head, upto int64, keep func(Line) ([]byte, error)) error {
	c, err := j.Since(upto)
	if err != nil {
		return err
	}
	h.Step, h.ID = max(h.Step, j.step), max(h.ID, j.id)
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	begin, last := int64(len(data)), Entry{h.Step, h.ID}
	for _, l := range c.Lines {
		raw, err := keep(l)
		if err != nil {
			return err
		}
		if raw != nil {
			data, last = append(append(data, raw...), '\n'), Entry{l.Step, l.ID}
		}
	}
	if last != (Entry{h.Step, h.ID}) { // the last line says what was given
		mark, err := json.Marshal(Mark{Committed: h.Committed, Upto: begin, Step: h.Step, ID: h.ID})
		if err != nil {
			return err
		}
		data = append(append(data, mark...), '\n')
	}
	return j.replace(data)
}
