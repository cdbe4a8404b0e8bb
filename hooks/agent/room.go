package agent

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxField is the size in bytes that a field of a step may have.
const MaxField = 2 << 10

// Sizes in bytes.
const (
	maxField = MaxField // of a field
	maxTurn  = 32 << 10 // of a turn
	minField = 128      // below it, a call says nothing
)

// room is what is left of a turn's size, and what the turn said.
type room struct {
	left int
	seed maphash.Seed
	said map[uint64]bool
}

func (r *room) begin() { r.left, r.said = maxTurn, map[uint64]bool{} }

// repeats reports whether a step of the turn had the same texts.
func (r *room) repeats(s Step) bool {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, text := range []string{s.Observation, s.Thought, s.Action, s.Change} {
		h.WriteString(text)
		h.WriteByte(0xff) // in no text
	}
	sum := h.Sum64()
	before := r.said[sum]
	r.said[sum] = true
	return before
}

// limit is the size that a field of a call may have. 2 KiB of the turn are kept for texts.
func (r *room) limit() int { return min(maxField, (r.left-maxField)/15) }

// fit cuts the texts of a step and takes its room; it reports whether there was any.
func (r *room) fit(s *Step, prompt string) bool {
	limit := r.limit()
	if s.Action == "" { // a prompt or a text
		limit = min(maxField, r.left)
	}
	if limit < minField {
		return false
	}
	if s.Action != "" && len(s.Observation) > limit {
		s.Observation = Choose(s.Observation, limit, WantedBy(prompt, s.Thought, s.Action))
	}
	for _, text := range []*string{&s.Observation, &s.Thought, &s.Action} {
		*text = Cut(*text, limit)
		r.left -= len(*text)
	}
	return true
}

// show adds the change of a call to its action, unless that has the text itself, as a command line has.
func (r *room) show(s *Step) {
	if s.Change == "" || strings.Contains(s.Action, "\n") {
		return
	}
	limit := min(r.limit(), maxField-len(s.Action)-1)
	if limit < minField {
		s.Change, s.File = "", ""
		return
	}
	s.Change = Shorten(s.Change, limit)
	s.Action += "\n" + s.Change
	r.left -= len(s.Change) + 1
}

// Cut shortens a text to at most limit bytes, of which the note of what is missing is a
// part. It does not cut a character in two. The note of a text that was cut before counts what
// is missing since then, too. It has no secrets, see Start.Clean.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	keep := max(0, limit-len(rest(text))) // the note of a shorter rest is not longer
	for keep > 0 && !utf8.RuneStart(text[keep]) {
		keep--
	}
	return text[:keep] + rest(text[keep:])
}

// rest is the note of a text that is missing.
func rest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return Missing(missing(text), sum[:])
}

// Missing is the note of a text of that many bytes and that hash that is missing.
func Missing(n int, sha256 []byte) string {
	return fmt.Sprintf("… %s bytes more, sha256 %.6x", thousands(n), sha256)
}

// missing is the length of a text, as it was before it was cut.
func missing(text string) int {
	const middle = " bytes more, sha256 "
	begin := strings.LastIndex(text, "… ")
	if begin < 0 {
		return len(text)
	}
	digits, hash, ok := strings.Cut(text[begin+len("… "):], middle)
	n, err := strconv.Atoi(strings.ReplaceAll(digits, ",", ""))
	if !ok || err != nil || n < 0 || len(hash) != 12 {
		return len(text)
	}
	return begin + n
}

func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Bounds of a group of reads.
const (
	maxReads     = 8
	maxReadBytes = 1 << 20 // of results that wait
)

// group is calls in a row that only read.
type group struct {
	items []*item
	bytes int
}

// add adds a call and reports whether the group is full.
func (g *group) add(i *item) bool {
	g.bytes += len(i.result)
	g.items = append(g.items, i)
	return len(g.items) == maxReads || g.bytes > maxReadBytes
}

// grouped makes one step of calls that only read. Their results share the size of one: the
// shortest are whole.
func grouped(items []*item, limit int, prompt string) Step {
	first := items[0]
	var thoughts []string
	var tokens int64
	items = slices.CompactFunc(items, func(a, b *item) bool {
		same := a.action() == b.action() && a.result == b.result && b.thought == ""
		if same {
			a.tokens += b.tokens
		}
		return same
	})
	for _, i := range items {
		if tokens += i.tokens; i.thought != "" {
			thoughts = append(thoughts, i.thought)
		}
	}
	first.tokens = tokens
	thought := strings.Join(thoughts, "\n\n")
	if len(items) == 1 {
		return first.step(tidy(first.result), thought, first.action())
	}
	var results, actions []string
	for _, i := range items {
		results, actions = append(results, tidy(i.result)), append(actions, i.action())
	}
	share(results, limit-4*len(results), WantedBy(prompt, thought, strings.Join(actions, " ")))
	return first.step(numbered(results), thought, numbered(actions))
}

// share shortens texts to limit bytes together.
func share(texts []string, limit int, wanted Wanted) {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(texts[a]) - len(texts[b]) })
	for n, i := range order {
		texts[i] = Choose(texts[i], max(0, limit/(len(order)-n)), wanted)
		limit -= len(texts[i])
	}
}

// numbered makes a list of texts; those that are empty keep their number.
func numbered(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d. %s", i+1, text)
	}
	return b.String()
}
