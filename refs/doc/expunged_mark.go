package doc

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/prose"
)

// FileLimit is the largest size in bytes of a document other than metadata.yaml and attachments.
const FileLimit = 32<<20 + 64<<10

// shortMark stands for a redacted piece in a document that [Redaction] would make larger than its limit.
const shortMark = prose.ShortRedaction

// shortKey is how much of its hash a redacted key has in such a document.
const shortKey = 1

// IsMark reports whether a piece of text stands for a redacted one.
func IsMark(piece string) bool { return piece == Redaction || piece == shortMark }

// HasMark reports whether a text, or a part of it, was redacted.
func HasMark(text string) bool {
	return strings.Contains(text, Redaction) || strings.Contains(text, shortMark)
}

// CountMarks returns how many pieces of a text were redacted.
func CountMarks(text []byte) int {
	return bytes.Count(text, []byte(Redaction)) + bytes.Count(text, []byte(shortMark))
}

// longMarks returns a text as it would be if its document had room.
func longMarks(text string) string { return strings.ReplaceAll(text, shortMark, Redaction) }

// withMark returns tombstones that put one mark in the place of what is redacted, and of what was.
func (e Expunged) withMark(mark string) Expunged {
	e.mark = mark
	return e
}

// WithLongMark returns tombstones that put "(expunged)" in the place of what is redacted, and of short marks.
func (e Expunged) WithLongMark() Expunged { return e.withMark(Redaction) }

// WithShortMark returns tombstones that put a mark of three bytes in the place of all that is redacted, and of "(expunged)".
func (e Expunged) WithShortMark() Expunged {
	e = e.withMark(shortMark)
	e.whole = true
	return e
}

// HasShortMark reports whether a text has a mark of three bytes in the place of a redacted piece.
func HasShortMark(text string) bool { return strings.Contains(text, shortMark) }

// marks reports whether a piece of text must read otherwise.
func (e Expunged) marks(piece string) bool {
	return e.acts(piece) || e.mark != "" && IsMark(piece)
}

// tinyMark stands for a piece that is shorter than the short mark, where nothing may grow. People write it, too: it counts as text.
const tinyMark = "_"

// markOf returns the mark for a piece.
func (e Expunged) markOf(piece string) string {
	switch {
	case e.mark != "" && (e.whole || len(piece) >= len(e.mark)):
		return e.mark
	case e.bare:
		return tinyMark
	}
	return Redaction
}

// redactKey returns the key's replacement, which contains its hash: one map cannot contain
// the key "(expunged)" twice.
func (e Expunged) redactKey(key string) string {
	_, piece, _ := cutPiece(key)
	hash := ""
	if earlier, ok := strings.CutPrefix(piece, longKey); e.HasText(piece) {
		hash = strings.TrimPrefix(textLine(piece), tombText+" ")
	} else if ok && e.mark == shortMark && len(earlier) > 64 && validHash(earlier[:64]) {
		hash = earlier
	} else {
		return key
	}
	if e.mark == shortMark && len(piece) > len(shortMark) {
		return openShort + hash[:shortKey] + ")"
	}
	return longKey + hash + ")"
}

// What a redacted key begins with.
const (
	longKey   = "(expunged "
	openShort = "(-"
)

// isExpungedKey reports whether a key is in the place of one that was expunged, see redactKey.
func isExpungedKey(key string) bool {
	return strings.HasPrefix(key, strings.TrimSuffix(longKey, " ")) || isShortKey(key)
}

func isShortKey(key string) bool {
	rest, ok := strings.CutPrefix(key, openShort)
	return ok && len(rest) > shortKey && (rest[shortKey] == ')' || rest[shortKey] == ' ') && strings.HasSuffix(rest, ")")
}

// yamlWalk returns a walk that redacts. few says that it has met a short key, which cannot become long again: the document
// had no room for it, so that what changes in it has the short mark, too.
func (e Expunged) yamlWalk() (w yamlWalk, few *bool) {
	few = new(bool)
	return yamlWalk{text: e.RedactText, bare: e.bare, look: e.hits != nil, key: func(key string) string {
		*few = *few || e.mark != shortMark && isShortKey(key)
		return e.redactKey(key)
	}}, few
}

// fitting redacts a document with "(expunged)", or with the shorter mark if that would exceed its limit: who fills a document
// with a text that is shorter than "(expunged)" must not make it impossible to expunge that text. All redacted pieces of a
// document have the same mark, also those of earlier expunges, so that it does not matter which of two came first. If even that is
// too large, as YAML that is written again can be, "_" stands for pieces that are shorter than a mark, and what still has no room is left out.
func (e Expunged) fitting(path string, data []byte) (Redacted, error) {
	r, err := e.redact(path, data)
	if err == nil && bytes.Equal(r.Data, data) {
		return r, nil
	}
	if err == nil && bytes.Contains(r.Data, []byte(shortMark)) {
		r, err = e.withMark(Redaction).redact(path, data)
	}
	fits := func() bool { return err == nil && (len(r.Data) <= FileLimit || KindOf(path) == FileArtifact) }
	if fits() {
		return r, nil
	}
	short := e.withMark(shortMark)
	if r, err = short.redact(path, data); fits() {
		return r, nil
	}
	short.bare = true
	if r, err = short.redact(path, data); err == nil && !fits() && len(r.Data) > len(data) {
		err = fmt.Errorf("%d bytes are %w of %d", len(r.Data), ErrOverLimit, FileLimit)
	}
	return r, err
}
