package journal

import "errors"

// ErrNoStep means that no step is pending.
var ErrNoStep = errors.New("no pending step")

// TakeBack replaces the journal by a new one for the commit h.Committed that contains the steps
// after upto without the last, which it returns, and carries on what commits took as Compact does.
// The next step gets the number of that one, and a younger id: a number is a label, an id may be
// known already. Lines that cannot be parsed go to the ".torn" file. ErrNoStep: there is none
// after upto, and nothing was changed.
//
// As with Compact, the lock need not be moved. It fails on a journal with two names, which
// an interrupted rename leaves.
func (j *Journal) TakeBack(h Head, upto int64) (Line, error) {
	c, bad, err := j.pending(upto)
	if err != nil {
		return Line{}, err
	}
	n := len(c.Lines) - 1
	if n < 0 {
		return Line{}, ErrNoStep
	}
	last := c.Lines[n]
	h.Step, h.ID = max(h.Step, j.step), max(h.ID, j.id)
	if h.Step == last.Step {
		h.Step--
	}
	m := &Mended{Head: h, Bad: bad}
	for _, l := range c.Lines[:n] {
		m.Lines = append(m.Lines, l.Raw)
	}
	if m.past, err = j.past(h, upto); err != nil {
		return Line{}, err
	}
	return last, j.mend(m)
}

// Restore replaces the journal by a new one in which steps that the commit tip took are
// pending for the commit h.Committed, which tip follows: the given lines, each with step and
// id as its last members, and behind them the steps after upto, which neither contains. It carries
// on what commits took before, but nothing of tip.
//
// Marks for both commits let readers know what is pending whichever of them is the branch's
// tip. So the branch may move after this, and a crash between leaves nothing to mend.
func (j *Journal) Restore(h Head, tip string, lines [][]byte, upto int64) error {
	c, bad, err := j.pending(upto)
	if err != nil {
		return err
	}
	h.Step, h.ID = max(h.Step, j.step), max(h.ID, j.id)
	m := &Mended{Head: h, Lines: lines, Bad: bad, tip: tip, took: len(lines)}
	for _, l := range c.Lines {
		m.Lines = append(m.Lines, l.Raw)
	}
	whole, err := j.Since(0)
	if err != nil {
		return err
	}
	if before, ok := whole.Taken()[h.Committed]; ok && before <= upto {
		if m.past, err = whole.carried(h, before); err != nil {
			return err
		}
	}
	return j.mend(m)
}

// past is [Content.carried] of the whole journal.
func (j *Journal) past(h Head, upto int64) ([]byte, error) {
	c, err := j.Since(0)
	if err != nil {
		return nil, err
	}
	return c.carried(h, upto)
}

// pending reads the steps after upto, and the lines there that cannot be parsed.
func (j *Journal) pending(upto int64) (c *Content, bad [][]byte, err error) {
	if c, err = j.Since(upto); err != nil || len(c.Bad) == 0 {
		return c, nil, err
	}
	rest := make([]byte, j.size-max(upto, c.begin))
	if _, err := j.f.ReadAt(rest, j.size-int64(len(rest))); err != nil {
		return nil, nil, err
	}
	return c, [][]byte{rest}, nil // with the steps, as Compact keeps them: for people
}
