package doc

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

const totalsKey = "totals"

// Totals counts the entries of a branch's commit.md and log.md, segments included, so that
// no view has to read the history to count them.
type Totals struct {
	Steps, Commits int
	Origins        map[string]OriginTotals // by the branch that recorded them
}

// MaxNumber is the largest number of an entry, count and number of tokens that memory has. Counting ends there: a larger number
// would be refused by every other repository, and a teammate may write any.
const MaxNumber = 1e15

// OriginTotals counts the entries of one origin.
type OriginTotals struct{ Steps, Commits int }

const (
	// OtherOrigins is the key in Origins for all origins that are no longer counted apart.
	// No branch can have this name.
	OtherOrigins = "_others"
	// foldSize is the size in bytes above which Fold folds origins. Otherwise the metadata
	// of a branch that a thousand others were merged into would exceed its limit.
	foldSize   = MetadataLimit / 2
	fewOrigins = 100 // number of origins that fit, however long their names
)

// Fold counts all origins but keep together as OtherOrigins, if they would take up too much
// space. Merging a branch with folded origins requires reading all its entries.
func (t Totals) Fold(keep string) Totals {
	if len(t.Origins) <= fewOrigins || len(formatTotals(t)) <= foldSize {
		return t
	}
	return t.fold(keep)
}

func (t Totals) fold(keep string) Totals {
	folded := map[string]OriginTotals{}
	for origin, o := range t.Origins {
		if origin != keep {
			origin = OtherOrigins
		}
		sum := folded[origin]
		folded[origin] = OriginTotals{sum.Steps + o.Steps, sum.Commits + o.Commits}
	}
	t.Origins = folded
	return t
}

// Totals returns the segment `totals`; zero if it is absent or malformed.
func (m *Metadata) Totals() Totals {
	b := m.find(totalsKey)
	if b == nil {
		return Totals{}
	}
	if t, ok := parseTotals(b.text); ok {
		return t
	}
	n, err := b.node()
	if err != nil {
		return Totals{}
	}
	t := Totals{Steps: count(n, "steps"), Commits: count(n, "milestones")}
	if origins := lookup(n, "origins"); origins != nil && origins.Kind == yaml.MappingNode {
		t.Origins = make(map[string]OriginTotals, len(origins.Content)/2)
		for i := 0; i < len(origins.Content); i += 2 {
			o := origins.Content[i+1]
			t.Origins[origins.Content[i].Value] = OriginTotals{count(o, "steps"), count(o, "milestones")}
		}
	}
	return t
}

func count(n *yaml.Node, key string) int {
	v := lookup(n, key)
	if v == nil {
		return 0
	}
	c, _ := parseCount(v.Value)
	return int(c)
}

// SetTotals writes the segment `totals`. If the segment is in this program's own format,
// its lines are replaced without parsing anything else; if people added to it, only its
// numbers change. Counts beyond [MaxNumber] become that. It fails on negative counts and invalid names of origins.
func (m *Metadata) SetTotals(t Totals) error {
	for origin, o := range t.Origins {
		if !validOrigin(origin) && origin != OtherOrigins || o.Steps < 0 || o.Commits < 0 {
			return fmt.Errorf("totals of '%s': not a branch with two counts", clip(origin))
		}
	}
	if t.Steps < 0 || t.Commits < 0 {
		return fmt.Errorf("totals: %d steps, %d commits: a count is negative", t.Steps, t.Commits)
	}
	t = t.bounded()
	b := m.find(totalsKey)
	if b == nil {
		m.index = nil
		m.blocks = append(m.blocks, block{key: totalsKey})
		b = &m.blocks[len(m.blocks)-1]
	} else if _, ok := parseTotals(b.text); !ok {
		return m.editTotals(b, t)
	}
	m.setText(b, formatTotals(t))
	b.root = nil
	return nil
}

func (t Totals) bounded() Totals {
	if t.Highest() <= MaxNumber {
		return t
	}
	origins := make(map[string]OriginTotals, len(t.Origins))
	for origin, o := range t.Origins {
		origins[origin] = OriginTotals{min(o.Steps, MaxNumber), min(o.Commits, MaxNumber)}
	}
	return Totals{min(t.Steps, MaxNumber), min(t.Commits, MaxNumber), origins}
}

// Highest returns the largest of the counts.
func (t Totals) Highest() int {
	n := max(t.Steps, t.Commits)
	for _, o := range t.Origins {
		n = max(n, o.Steps, o.Commits)
	}
	return n
}

// formatTotals writes the segment. Origins are quoted, because a branch may be named "1.0"
// or "no".
func formatTotals(t Totals) string {
	b := []byte(totalsKey + ":\n")
	b = appendCounts(b, "  ", OriginTotals{t.Steps, t.Commits})
	if len(t.Origins) > 0 {
		b = append(b, "  origins:\n"...)
	}
	for _, origin := range slices.Sorted(maps.Keys(t.Origins)) {
		b = append(b, "    \""...)
		b = append(b, origin...)
		b = append(b, "\":\n"...)
		b = appendCounts(b, "      ", t.Origins[origin])
	}
	return string(b)
}

func appendCounts(b []byte, indent string, o OriginTotals) []byte {
	b = append(append(b, indent...), "steps: "...)
	b = append(strconv.AppendInt(b, int64(o.Steps), 10), '\n')
	b = append(append(b, indent...), "milestones: "...)
	return append(strconv.AppendInt(b, int64(o.Commits), 10), '\n')
}

// parseTotals reads what formatTotals writes; it reports false for any other text.
func parseTotals(text string) (Totals, bool) {
	var t Totals
	body := strings.TrimRight(text, "\n") + "\n"
	rest, ok := strings.CutPrefix(body, totalsKey+":\n")
	if !ok {
		return t, false
	}
	var all OriginTotals
	if all, rest, ok = cutCounts(rest, "  "); !ok {
		return t, false
	}
	t.Steps, t.Commits = all.Steps, all.Commits
	if rest, ok = strings.CutPrefix(rest, "  origins:\n"); ok {
		t.Origins = make(map[string]OriginTotals)
	}
	for rest != "" {
		line, more, _ := strings.Cut(rest, "\n")
		origin, ok1 := strings.CutPrefix(line, "    \"")
		origin, ok2 := strings.CutSuffix(origin, "\":")
		if !ok1 || !ok2 || t.Origins == nil {
			return Totals{}, false
		}
		if t.Origins[origin], rest, ok = cutCounts(more, "      "); !ok {
			return Totals{}, false
		}
	}
	return t, formatTotals(t) == body
}

func cutCounts(text, indent string) (o OriginTotals, rest string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	second, rest, ok := strings.Cut(rest, "\n")
	steps, ok1 := strings.CutPrefix(first, indent+"steps: ")
	commits, ok2 := strings.CutPrefix(second, indent+"milestones: ")
	s, ok3 := parseCount(steps)
	c, ok4 := parseCount(commits)
	return OriginTotals{int(s), int(c)}, rest, ok && ok1 && ok2 && ok3 && ok4
}

func (m *Metadata) editTotals(b *block, t Totals) error {
	n, err := b.node()
	if err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		replaceNode(n, newMap())
	}
	put(n, "steps", newInt(t.Steps))
	put(n, "milestones", newInt(t.Commits))
	origins := newMap()
	for _, origin := range slices.Sorted(maps.Keys(t.Origins)) {
		key := newString(origin)
		key.Style = yaml.DoubleQuotedStyle
		o := t.Origins[origin]
		origins.Content = append(origins.Content, key,
			newMap(newString("steps"), newInt(o.Steps), newString("milestones"), newInt(o.Commits)))
	}
	put(n, "origins", origins)
	return m.rewrite(b)
}
