package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/prose"
)

// BytesPerToken converts a budget of tokens, as models count text, into bytes.
const BytesPerToken = 4

// Budget says what a brief of limited size contains.
type Budget struct {
	Tokens int   `json:"tokens"` // the limit; 0 for none
	Bytes  int   `json:"bytes"`  // of the text
	Cut    []Cut `json:"cut"`    // the texts that the limit shortens or leaves out
}

// Cut is a text that a brief shortens or leaves out.
type Cut struct {
	What    string `json:"what"`    // the section, and the topic's key or the like
	Missing int    `json:"missing"` // bytes
	Command string `json:"command"` // prints the whole text
}

// part is a section of a brief: a heading, and entries in the order of their importance.
type part struct {
	title   string
	entries []entry
	hidden  int    // how many more entries there are, behind those
	command string // prints the whole section
	weight  int    // of its share of the limit, relative to the other parts
	most    int    // per cent of the limit that it takes before others have what they need; 0: all
	last    bool   // if not all entries have room, the last ones are shown in place of the first
}

// entry is a text of a part. Its first line is written after a bullet, the others are indented:
// nothing in a text can begin a section.
type entry struct {
	label   string // before the text, on the same line
	text    string
	after   string // behind the text, even if that is cut
	command string // prints the whole text; "" for the part's own
}

// Sizes in bytes.
const (
	leastEntry = 240 // what is smaller is shown whole or left out, as the mark of a cut takes 60
	leastFirst = 120 // but of the first entry of a part, at least so much is shown
	leastPart  = 200 // a part that has less room is left out
	longLabel  = 120
)

const (
	bullet = "- "
	indent = "  "
)

// write formats the entry with a text, whole or cut.
func (e entry) write(text string) string {
	var b strings.Builder
	b.WriteString(bullet + clip(oneLine(e.label), longLabel))
	for i, line := range strings.Split(trimText(Safe(text)), "\n") {
		if line = strings.TrimRight(line, " \t\r"); i > 0 && line != "" {
			line = indent + line
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String()+oneLine(e.after), " ") + "\n"
}

// trimText drops the empty lines around a text, and the spaces at its end.
func trimText(text string) string {
	return strings.TrimLeft(strings.TrimRight(text, " \t\r\n"), "\n")
}

// size returns how many bytes the entry takes. It may stop counting above limit.
func (e entry) size(limit int) int {
	if limit > 0 && len(e.text) > 2*limit {
		return len(e.text)
	}
	return len(e.write(e.text))
}

// cut returns the entry in at most limit bytes, and how many bytes of its text are missing. A
// text that is cut ends in their number and the command that prints it.
func (e entry) cut(limit int, command string) (string, int) {
	if e.size(limit) <= limit {
		return e.write(e.text), 0
	}
	if e.command != "" {
		command = e.command
	}
	for room := limit; ; {
		kept := clip(e.text, room)
		missing := len(e.text) - len(kept)
		text := e.write(fmt.Sprintf("%s … [%s more: %s]", kept, prose.Count(missing, "byte"), command))
		if len(text) <= limit {
			return text, missing
		}
		if kept == "" { // not even the command has room
			return "", missing
		}
		room = len(kept) - (len(text) - limit)
	}
}

// head returns the heading of a part.
func (x part) head() string { return "\n## " + clip(oneLine(x.title), longLabel) + "\n\n" }

// rest returns the line that counts the entries that are left out.
func (x part) rest(n int) string { return fmt.Sprintf("%s%d more: %s\n", bullet, n, x.command) }

// size returns how many bytes the whole part takes. It may stop counting above limit.
func (x part) size(limit int) int {
	n := len(x.head())
	for _, e := range x.entries {
		n += e.size(limit)
	}
	if x.hidden > 0 {
		n += len(x.rest(x.hidden))
	}
	return n
}

// missing is the part as something that is left out.
func (x part) missing() Cut {
	n := 0
	for _, e := range x.entries {
		n += len(e.text)
	}
	return Cut{What: x.title, Missing: n, Command: x.command}
}

// fit returns the part in at most limit bytes, and what it cut. If not every entry has room
// for a beginning, it leaves some out.
func (x part) fit(limit int) (string, []Cut) {
	sizes := make([]int, len(x.entries))
	for i, e := range x.entries {
		sizes[i] = e.size(limit)
	}
	room := limit - len(x.head())
	shown, left := x.divide(sizes, room)
	end := ""
	if n := len(left.entries) + x.hidden; n > 0 {
		end = x.rest(n)
		room -= len(end)
	}
	var b strings.Builder
	var cuts []Cut
	b.WriteString(x.head())
	for i, share := range shares(sizes[shown.from:shown.to], nil, room) {
		e := x.entries[shown.from+i]
		text, missing := e.cut(share, x.command)
		if b.WriteString(text); missing > 0 {
			what := strings.TrimRight(x.title+": "+e.label, ": ")
			cuts = append(cuts, Cut{What: what, Missing: missing, Command: cmp.Or(e.command, x.command)})
		}
	}
	if b.WriteString(end); end != "" {
		cuts = append(cuts, left.missing())
	}
	return b.String(), cuts
}

// entrySpan is the entries from one to before another.
type entrySpan struct{ from, to int }

// divide returns which entries are shown, and what is left out.
func (x part) divide(sizes []int, room int) (shown entrySpan, left part) {
	left = part{title: x.title, hidden: x.hidden, command: x.command}
	if x.last {
		n := x.fitting(newestFirst(sizes), room)
		shown = entrySpan{len(sizes) - n, len(sizes)}
		left.entries = x.entries[:shown.from]
	} else {
		shown = entrySpan{0, x.fitting(sizes, room)}
		left.entries = x.entries[shown.to:]
	}
	return shown, left
}

// fitting returns how many entries have room, beside the line that counts the others: small ones
// whole, of large ones a beginning.
func (x part) fitting(sizes []int, room int) int {
	used, shown := 0, 0
	rest := len(x.rest(len(sizes) + x.hidden))
	for i, size := range sizes {
		used += min(size, leastEntry)
		if used+rest <= room {
			shown = i + 1
		}
	}
	switch {
	case x.hidden == 0 && used <= room:
		return len(sizes)
	case shown == 0 && len(sizes) > 0 && room >= leastFirst+rest:
		return 1
	}
	return shown
}

// compose writes a head and parts in at most limit bytes, 0 for no limit, and returns what it
// left out. Room that a part does not use goes to those behind it.
func compose(head string, parts []part, limit int) (string, []Cut) {
	parts = slices.DeleteFunc(parts, func(x part) bool { return len(x.entries) == 0 })
	sizes := make([]int, len(parts))
	for i, x := range parts {
		sizes[i] = x.size(limit)
	}
	rooms := sizes
	if limit > 0 {
		rooms = partShares(parts, sizes, max(0, limit-len(head)), limit)
	}
	var b strings.Builder
	cuts := []Cut{}
	b.WriteString(head)
	spare := 0
	for i, x := range parts {
		room := min(rooms[i]+spare, sizes[i])
		spare += rooms[i] - room
		if room < min(leastPart, sizes[i]) {
			cuts, spare = append(cuts, x.missing()), spare+room
			continue
		}
		text, cut := x.fit(room)
		b.WriteString(text)
		cuts, spare = append(cuts, cut...), spare+room-len(text)
	}
	return b.String(), cuts
}

// partShares divides room among parts. Each gets a beginning, those of the largest weight first;
// then each a share of the rest by its weight. A part with a limit of its own gets more than that
// only if it is left over.
func partShares(parts []part, sizes []int, room, limit int) []int {
	got, wanted, weights := make([]int, len(parts)), make([]int, len(parts)), make([]int, len(parts))
	order := make([]int, len(parts))
	for i := range parts {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return parts[b].weight - parts[a].weight })
	for _, i := range order {
		got[i] = min(sizes[i], leastPart, room)
		if got[i] < min(sizes[i], leastPart) {
			got[i] = 0
		}
		room -= got[i]
	}
	for i, x := range parts {
		weights[i], wanted[i] = x.weight, sizes[i]-got[i]
		if x.most > 0 {
			wanted[i] = max(0, min(wanted[i], limit*x.most/100-got[i]))
		}
	}
	for i, n := range shares(wanted, weights, room) {
		got[i] += n
		room -= n
	}
	for i := range got {
		more := min(room, sizes[i]-got[i])
		got[i] += more
		room -= more
	}
	return got
}

// clip returns at most n bytes of a text, up to the end of a word where one is near.
func clip(text string, n int) string {
	if n >= len(text) {
		return text
	}
	if n <= 0 {
		return ""
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	const near = 24
	if at := strings.LastIndexAny(text[:n], " \n\t"); at > 0 && n-at < near {
		n = at
	}
	return strings.TrimRight(text[:n], " \n\t")
}

// shares divides total among texts of these sizes: each gets its size if a fair share has room
// for it, and what the small ones leave is divided among the large ones. A share is
// proportional to the weight; without weights all are equal.
func shares(sizes, weights []int, total int) []int {
	got, order, sum := make([]int, len(sizes)), make([]int, len(sizes)), 0
	if weights == nil {
		weights = slices.Repeat([]int{1}, len(sizes))
	}
	for i := range sizes {
		order[i] = i
		sum += weights[i]
	}
	// What needs the least for its weight is served first.
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a]*weights[b] - sizes[b]*weights[a] })
	for _, i := range order {
		got[i] = max(0, min(sizes[i], total*weights[i]/max(sum, 1)))
		total -= got[i]
		sum -= weights[i]
	}
	return got
}
