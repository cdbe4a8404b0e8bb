package journal

// Without replaces the journal by a new one that begins with h and contains the steps after
// upto as keep returns them: the same line, another line with the same end (see the package
// comment), or nil for a step to expunge, whose number and id are not given to other steps.
// Lines that cannot be parsed and the ".torn" file are dropped, because their content is
// unknown.
//
// As with Compact, the lock need not be moved. It fails on a journal with two names, which
// an interrupted rename leaves.
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
