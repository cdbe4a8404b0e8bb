package doc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// textPiecesByEach is TextPieces, which reads the line of each occurrence.
func textPiecesByEach(text string, find Finder) []string {
	var found pieces
	done := 0
	for _, at := range find(text) {
		if at.To < done {
			continue
		}
		begin := done
		if at.From >= done {
			begin += strings.LastIndexByte(text[done:at.From+1], '\n') + 1
		}
		end := lineEnd(text, at.To-1)
		if begin > end {
			continue
		}
		if marks, _, _ := cutPiece(text[begin:lineEnd(text, begin)]); at.From >= begin && at.To <= begin+len(marks) {
			continue
		}
		for line := range strings.SplitSeq(text[begin:end], "\n") {
			found.add(line)
		}
		done = end + 1
	}
	return found.list
}

// Occurrences of any length, which may overlap, touch the same pieces as when the line of each is read.
func TestTextPiecesOfEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"- ", "[ ] ", "> ", "\n", "\n\n", "a", "a b", " ", "1. ", "# ", "\t"}), 1, 12).Draw(t, "text"), "")
		var spans []Span
		from := 0
		for from < len(text) && rapid.IntRange(0, 8).Draw(t, "more") > 0 {
			spans = append(spans, Span{from, rapid.IntRange(from+1, min(len(text), from+6)).Draw(t, "to")})
			from += rapid.IntRange(0, 4).Draw(t, "on")
		}
		find := func(string) []Span { return spans }
		if diff := cmp.Diff(textPiecesByEach(text, find), TextPieces(text, find)); diff != "" {
			t.Fatalf("%v in %q: %s", spans, text, diff)
		}
	})
}

// Very many occurrences in the marks of one line do not each read the line.
func TestTextPiecesInMarks(t *testing.T) {
	t.Parallel()
	const mark, n = "- [ ] ", 200000
	var spans []Span
	for i := range n {
		spans = append(spans, Span{i*len(mark) + 2, i*len(mark) + 5})
	}
	text := strings.Repeat(mark, n) + "a"
	spans = append(spans, Span{len(text) - 1, len(text)})
	if got := TextPieces(text, func(string) []Span { return spans }); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("%.100q", got)
	}
}
