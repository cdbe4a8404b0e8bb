package journal

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
	m := &Mended{Head: h}
	m.Head.Step, m.Head.ID = max(h.Step, j.step), max(h.ID, j.id)
	for _, l := range c.Lines {
		raw, err := keep(l)
		if err != nil {
			return err
		}
		if raw != nil {
			m.Lines = append(m.Lines, raw)
		}
	}
	return j.mend(m)
}
