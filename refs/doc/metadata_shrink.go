package doc

import (
	"errors"

	"gopkg.in/yaml.v3"
)

// BytesOrLess is Bytes for metadata that must be written, as with a commit: if they exceed [MetadataLimit], it counts all
// origins but the branch's own together, and drops comments and empty lines. shrunk reports whether it did. It fails
// with [ErrOverLimit] if that is not enough.
func (m *Metadata) BytesOrLess() (b []byte, shrunk bool, err error) {
	if b, err = m.Bytes(); !errors.Is(err, ErrOverLimit) {
		return b, false, err
	}
	if err := m.shrink(); err != nil {
		return nil, false, err
	}
	b, err = m.Bytes()
	return b, true, err
}

func (m *Metadata) shrink() error {
	if t := m.Totals(); len(t.Origins) > 0 {
		if err := m.SetTotals(t.fold(m.Branch().Name)); err != nil {
			return err
		}
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		if _, err := b.node(); err != nil {
			return err
		}
		dropComments(b.root)
		text, err := encodeNode(b.root)
		if err != nil {
			return err
		}
		b.lead, b.text = "", text
	}
	m.tail, m.edited = "", true
	return nil
}

func dropComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range n.Content {
		dropComments(c)
	}
}
