package merge

import (
	"bytes"
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// mostMergedLines is how many lines one merge gives to git, of the base and both sides. git needs up to 5 µs for each, and
// anybody can push topics of a million short lines, which packed are a few kB.
const mostMergedLines = 500_000

// lineBudget is what is left of them. All clones spend it in the same order, so that they make the same merge.
type lineBudget struct{ left int }

func newLineBudget() *lineBudget { return &lineBudget{mostMergedLines} }

// spend reports whether there is room for some texts. Those that are too long leave the room to others.
func (b *lineBudget) spend(texts ...[]byte) bool {
	lines := len(texts)
	for _, text := range texts {
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines > b.left {
		return false
	}
	b.left -= lines
	return true
}

// textMerge merges texts by lines through git. Where there is no room for that, they conflict.
func textMerge(ctx context.Context, tx *store.Transaction, room *lineBudget) doc.TextMerge {
	return func(base, ours, theirs []byte) ([]byte, bool, error) {
		if !room.spend(base, ours, theirs) {
			return nil, true, nil
		}
		return tx.Store.Repo().MergeFile(ctx, base, ours, theirs, [3]string{"base", "ours", "theirs"})
	}
}

// unionLines keeps the lines of both texts, through git where there is room.
func unionLines(ctx context.Context, s *store.Store, base, ours, theirs string, room *lineBudget) (string, error) {
	b, o, t := fullLines(base), fullLines(ours), fullLines(theirs)
	if !room.spend(b, o, t) {
		return joined(string(o), string(t)), nil
	}
	if sameLines(ours, theirs) {
		return min(ours, theirs), nil
	}
	data, err := s.Repo().UnionFile(ctx, b, o, t)
	return string(data), err
}

// joined is what ours and theirs have between the lines with which both begin and end, one after the other. Of two texts that have the
// same lines in another order, as two clones make them, it takes one, see sameLines.
func joined(ours, theirs string) string {
	seed := maphash.MakeSeed()
	sum := func(text string) (n uint64) {
		for line := range strings.Lines(text) {
			n += maphash.String(seed, line)
		}
		return n
	}
	if len(ours) == len(theirs) && sum(ours) == sum(theirs) {
		return min(ours, theirs)
	}
	first := sharedLines(ours, theirs)
	ours, theirs, head := ours[first:], theirs[first:], ours[:first]
	last := sharedEnd(ours, theirs)
	return head + ours[:len(ours)-last] + theirs
}

// sharedLines is how many bytes of whole lines two texts begin with.
func sharedLines(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// sharedEnd is how many bytes of whole lines two texts end with.
func sharedEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	if n == len(a) || n == len(b) { // a whole line may begin there
		if whole := func(s string) bool { return n == len(s) || s[len(s)-n-1] == '\n' }; whole(a) && whole(b) {
			return n
		}
	}
	cut := strings.IndexByte(a[len(a)-n:], '\n')
	if cut < 0 {
		return 0
	}
	return n - cut - 1
}

// sameLines reports whether two texts have the same lines, as two unions of one conflict have that clones made in different orders. To
// unite these once more would end nothing: each clone would make another order of them.
func sameLines(a, b string) bool {
	set := func(text string) []string { return slices.Compact(slices.Sorted(strings.SplitSeq(text, "\n"))) }
	return slices.Equal(set(a), set(b))
}

// fullLines ends a text's last line, so that no other text is joined to it.
func fullLines(text string) []byte {
	if text == "" || strings.HasSuffix(text, "\n") {
		return []byte(text)
	}
	return []byte(text + "\n")
}
