package doc

import (
	"bytes"
	"errors"

	"gopkg.in/yaml.v3"
)

// BytesOrLess is Bytes for metadata that must be written, as with a commit: if they exceed [MetadataLimit], it counts all
// origins but the branch's own together, and drops comments and empty lines. shrunk reports whether it did. It fails
// with [ErrOverLimit] if that is not enough for what is no total.
func (m *Metadata) BytesOrLess() (b []byte, shrunk bool, err error) {
	before, err := m.Bytes()
	if err == nil && len(before) <= MetadataLimit || err != nil && !errors.Is(err, ErrOverLimit) {
		return before, false, err
	}
	if err := m.shrink(); err != nil {
		return nil, false, err
	}
	if n := m.withoutTotals(); n > MetadataLimit {
		return nil, true, tooLarge(n)
	}
	b, err = m.Bytes()
	return b, !bytes.Equal(b, before), err
}

// HasRoom fails with [ErrOverLimit] if the metadata exceed [MetadataLimit] without comments and totals.
func (m *Metadata) HasRoom() error {
	data, err := m.Bytes()
	if err != nil || len(data) <= MetadataLimit {
		return err
	}
	other, err := ParseMetadata(data)
	if err == nil {
		_, _, err = other.BytesOrLess()
	}
	return err
}

// withoutTotals is the size of all segments but the totals.
func (m *Metadata) withoutTotals() (n int) {
	for i := range m.blocks {
		if m.blocks[i].key != totalsKey {
			n += len(m.blocks[i].lead) + len(m.blocks[i].text) + 1
		}
	}
	return n + len(m.tail)
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
