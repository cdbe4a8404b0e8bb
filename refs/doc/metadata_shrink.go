package doc

import (
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"
)

// metadataGrowth is how much of [MetadataLimit] is kept for the totals: a metadata.yaml that others filled could otherwise
// not be merged by who has commits of his own.
const metadataGrowth = 4 << 10

// BytesOrLess is Bytes for metadata that must be written, as with a commit: if they leave no room, see [Metadata.HasRoom], it
// counts all origins but the branch's own together, and drops comments and empty lines. shrunk reports whether it did. It
// fails with [ErrOverLimit] if that is not enough.
func (m *Metadata) BytesOrLess() (b []byte, shrunk bool, err error) {
	b, err = m.Bytes()
	if err == nil && len(b) <= MetadataLimit-metadataGrowth || err != nil && !errors.Is(err, ErrOverLimit) {
		return b, false, err
	}
	if err := m.shrink(); err != nil {
		return nil, false, err
	}
	if n := m.withoutTotals(); n > MetadataLimit-metadataGrowth {
		return nil, true, fmt.Errorf("%d bytes beside the totals, %w of %d", n, ErrOverLimit, MetadataLimit-metadataGrowth)
	}
	b, err = m.Bytes()
	return b, true, err
}

// HasRoom fails with [ErrOverLimit] if the metadata, without comments and totals, take up more than 60 KiB: the totals have
// the last 4 KiB of [MetadataLimit], because they grow with each commit.
func (m *Metadata) HasRoom() error {
	data, err := m.Bytes()
	if err != nil || len(data) <= MetadataLimit-metadataGrowth {
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
