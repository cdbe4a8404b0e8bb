package doc

import (
	"bytes"
	"fmt"
)

// EntryText is what people wrote in an entry, as it stands in the file: quoted, and
// not yet unescaped. It is for what looks words up and needs no more. Blocks is only lent.
type EntryText struct {
	ID      string
	Summary []byte   // a milestone's
	Blocks  [][]byte // a step's texts, a milestone's contribution
}

// EntryTexts hands the entries of LogFile, CommitFile or a segment of either to each, in
// the order of the document; number counts all of them, from 0. Birth entries are no
// milestones and left out, and so are purposes and progress summaries, which repeat what
// stands elsewhere. It reads headings and looks for quotes: what else breaks the format
// is passed over, and a long history costs a tenth of what ParseLog takes.
func EntryTexts(file string, data []byte, each func(number int, e EntryText) error) error {
	heading := []byte("\n" + headingOf(file))
	next := bytes.Index(data, heading)
	blocks := make([][]byte, 0, 3)
	for number := 0; next >= 0; number++ {
		entry := data[next+1:]
		if next = bytes.Index(entry, heading); next >= 0 {
			data, entry = entry, entry[:next+1]
		}
		head, rest := cutLine(entry)
		text := EntryText{ID: string(head[bytes.LastIndexByte(head, ' ')+1:]), Blocks: blocks}
		if !ValidID(text.ID) {
			return fmt.Errorf("'%s' is no heading of an entry", clip(string(head)))
		}
		rest = skipAttributes(rest)
		if rest == nil {
			continue
		}
		if file == CommitFile {
			rest = text.contribution(rest)
		}
		text.quotes(rest)
		if err := each(number, text); err != nil {
			return fmt.Errorf("entry %s: %w", text.ID, err)
		}
	}
	return nil
}

// skipAttributes is what stands behind the attributes, nil for a birth entry.
func skipAttributes(rest []byte) []byte {
	for bytes.HasPrefix(rest, []byte("- ")) {
		var line []byte
		line, rest = cutLine(rest)
		if string(line) == "- kind: "+KindBirth {
			return nil
		}
	}
	return rest
}

// cutLine cuts the first line off; rest is never nil.
func cutLine(text []byte) (line, rest []byte) {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return text[:end], text[end+1:]
	}
	return text, []byte{}
}

// contribution takes the summary and goes to where the contribution begins.
func (t *EntryText) contribution(rest []byte) []byte {
	label := []byte("**" + contributionLabel + "**\n")
	at := bytes.Index(rest, append([]byte("\n"), label...))
	if line, ok := bytes.CutPrefix(rest, []byte("\n")); ok && len(line) > 0 && bytes.IndexByte([]byte("*#=\n"), line[0]) < 0 {
		t.Summary, _ = cutLine(line)
	}
	if at < 0 {
		return nil
	}
	return rest[at+1:]
}

// quotes takes the block quotes.
func (t *EntryText) quotes(rest []byte) {
	for len(rest) > 0 {
		start := bytes.Index(rest, []byte("\n>"))
		if start < 0 {
			return
		}
		rest = rest[start+1:]
		end := bytes.Index(rest, []byte("\n\n"))
		if end < 0 {
			end = len(rest)
		}
		t.Blocks = append(t.Blocks, bytes.TrimSuffix(rest[:end], []byte("\n")))
		rest = rest[end:]
	}
}
