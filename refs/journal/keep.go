package journal

import (
	"cmp"
	"slices"
)

// KeepBytes limits how much of what commits took is carried on by a journal that replaces
// another one, and how much a mark says of a commit. Git may lose objects that it has not packed;
// this much of the newest commits can be made again from the journal.
const KeepBytes = 64 << 10

// fit leaves out what is too long to be carried on.
func (m *Mark) fit() {
	if len(m.Commit)+len(m.Entry)+len(m.Note) > KeepBytes {
		m.Said = Said{}
	}
}

// item is a line or a mark of a journal.
type item struct {
	end  int64
	line *Line // nil for a mark
	mark *Mark
}

// items lists lines and valid marks in the order of the file.
func (c *Content) items() []item {
	var list []item
	for i := range c.Lines {
		list = append(list, item{end: c.Lines[i].End, line: &c.Lines[i]})
	}
	for _, r := range c.marks {
		if m, ok := r.parse(); ok {
			list = append(list, item{end: r.start + int64(len(r.line)), mark: &m})
		}
	}
	slices.SortFunc(list, func(a, b item) int { return cmp.Compare(a.end, b.end) })
	return list
}

// carried begins the journal that replaces c: its first line, and the newest lines and marks that
// commits took up to upto. The first line names the commit that took what is left out. Where
// nothing is carried on, it is h.
func (c *Content) carried(h Head, upto int64) ([]byte, error) {
	list := c.items()
	cut, at := c.First(), -1
	for i := 0; !cut.keeps(upto); i++ {
		if i == len(list) {
			return jsonLine(h)
		}
		if list[i].mark != nil {
			cut, at = *list[i].mark, i
		}
	}
	data, err := jsonLine(Head{Journal: h.Journal, Committed: cut.Committed, Step: cut.Step, ID: cut.ID})
	if err != nil {
		return nil, err
	}
	moved := map[int64]int64{c.begin: int64(len(data))} // the end of each line: where it is now
	var last Entry                                      // of the lines so far: what was pending then, a mark knew, too
	for i, it := range list {
		switch {
		case it.line != nil && it.end > cut.Upto && it.end <= upto:
			data = append(append(data, it.line.Raw...), '\n')
			last = Entry{it.line.Step, it.line.ID}
		case it.mark != nil && i > at && it.mark.Upto <= upto:
			m := *it.mark
			to, ok := moved[m.Upto]
			if !ok { // an offset within a line
				break
			}
			m.Upto, m.Step, m.ID = to, last.Step, last.ID
			line, err := jsonLine(m)
			if err != nil {
				return nil, err
			}
			data = append(data, line...)
		}
		moved[it.end] = int64(len(data))
	}
	return data, nil
}

// keeps reports whether all that commits took since the mark may be carried on.
func (m Mark) keeps(upto int64) bool { return m.Upto <= upto && upto-m.Upto <= KeepBytes }
