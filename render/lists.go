package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// TopicsText lists topics on one line each: key, day, author, whether it is pinned, in parentheses the
// files that it is about, after "stale:" those that have changed since, and behind a dash the first line
// of the text.
func TopicsText(p *Printer, list []store.Topic) {
	keys, agents := 0, 0
	for _, t := range list {
		keys = max(keys, p.column(t.Key))
		agents = max(agents, p.column(prose.Fold(t.Name(t.Agent))))
	}
	for _, t := range list {
		p.topic(t, keys, agents)
	}
}

// topic writes the line of a topic. Where a terminal has no room, the text goes first.
func (p *Printer) topic(t store.Topic, keys, agents int) {
	kept, stale := topicPaths(t)
	agent := prose.Fold(t.Name(t.Agent))
	when := pad(t.Key, keys) + " " + day(t.UpdatedAt) + " "
	text := prose.Fold(topicLine(t.Text))
	gap := ""
	if kept+stale+text != "" || t.Pinned {
		gap = pad(agent, agents) + " "
	}
	if t.Pinned {
		gap += "[pinned] "
	}
	used := cells(t.Key + when + agent + gap)
	if kept != "" {
		kept = p.fitTerminal(kept, used+cells(stale)+1)
		if stale != "" {
			kept += " "
		}
	}
	stale = p.fitTerminal(stale, used+cells(kept))
	used += cells(kept + stale)
	dash := "— "
	if kept+stale != "" {
		dash = " — "
	}
	if text = p.fitText(text, used+cells(dash)); text == "" {
		dash = ""
	}
	p.line(yellow(t.Key), dim(when), plain(agent+gap+kept), red(stale), plain(dash+text))
}

// fitText is fitTerminal for a text that is left out where less than a few words have room.
func (p *Printer) fitText(text string, used int) string {
	const least = 12
	if p.Width > 0 && p.Width-used < least {
		return ""
	}
	return p.fitTerminal(text, used)
}

// topicLine returns the first line of a text that is not blank, without the marks of a heading.
func topicLine(text string) string {
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l), "#")); l != "" {
			return l
		}
	}
	return ""
}

// topicPaths returns the files of a topic, each once: those that are unchanged, and those
// that have changed.
func topicPaths(t store.Topic) (kept, stale string) {
	fits := slices.DeleteFunc(slices.Clone(t.Paths), func(p string) bool { return slices.Contains(t.Changed, p) })
	if len(fits) > 0 {
		kept = "(" + strings.Join(fits, ", ") + ")"
	}
	if len(t.Changed) > 0 {
		stale = "stale: " + strings.Join(t.Changed, ", ")
	}
	return kept, stale
}

// TagsText lists tags on one line each: the memory commit, the tag's name, the commit's
// subject.
func TagsText(p *Printer, list []store.Tag) {
	width := 0
	for _, t := range list {
		width = max(width, p.column(t.Name))
	}
	for _, t := range list {
		name := " " + t.Name + pad(t.Name, width) + " "
		p.line(hash(t.Commit), plain(name), plain(p.fitTerminal(t.Summary, len(t.Commit.Short())+cells(name))))
	}
}

// VerifiedText lists memory commits on one line each: hash, the status of the signature,
// the signer, subject.
func VerifiedText(p *Printer, list []history.Verified) {
	status, signer := 0, 0
	for _, v := range list {
		status, signer = max(status, len(v.Status)), max(signer, p.column(signerOf(v)))
	}
	for _, v := range list {
		short, state, who := v.Commit.Short()+" ", v.Status+pad(v.Status, status)+"  ", signerOf(v)
		who += pad(who, signer) + "  "
		p.line(yellow(short), trust(v.Status, state), plain(who),
			plain(p.fitTerminal(v.Summary, cells(short+state+who))))
	}
}

// trust colours a signature's status.
func trust(status, text string) piece {
	switch status {
	case history.SignatureGood:
		return green(text)
	case history.SignatureBad, history.SignatureRevokedKey:
		return red(text)
	}
	return plain(text)
}

// signerOf returns the signer, or the key if the signer is unknown.
func signerOf(v history.Verified) string {
	switch {
	case v.Signer != nil:
		return *v.Signer
	case v.Key != "":
		return v.Key
	}
	return "-"
}

// Revision is one revision of the roadmap.
type Revision struct {
	Commit  git.ID    `json:"commit"`
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`
	Summary string    `json:"summary"`
	store.Authored
}

// RevisionsText lists revisions of the roadmap on one line each: hash, day, agent, subject.
func RevisionsText(p *Printer, list []Revision) {
	for _, r := range list {
		when, who := " "+day(r.Time)+" ", prose.Fold(r.Name(r.Agent))+": "
		p.line(hash(r.Commit), dim(when), plain(who),
			plain(p.fitTerminal(r.Summary, len(r.Commit.Short())+cells(when+who))))
	}
}

// BranchesText lists branches on one line each, like `git branch -v` and in its colours: a
// mark for the current one, name, tip, status and pending steps if unusual, and the newest
// subject, which is shortened only for a terminal. Remote branches come last.
func BranchesText(p *Printer, list []store.Branch) {
	width := 0
	for _, b := range list {
		width = max(width, p.column(branchLabel(b)))
	}
	for _, remote := range []bool{false, true} {
		for _, b := range list {
			if remote == (b.Remote != "") {
				p.branchLine(b, width)
			}
		}
	}
}

func (p *Printer) branchLine(b store.Branch, width int) {
	mark, name := "  ", branchLabel(b)
	gap, rest := pad(name, width)+" ", b.Tip.Short()+" "+shortRemarks(b)
	text := cmp.Or(b.Why, b.Summary)
	if p.Width > 0 {
		rest += p.fit(text, cells(mark+name+gap+rest))
	} else { // nothing follows the subject, so a tab in it cannot break the alignment
		rest += strings.ReplaceAll(text, "\n", " ")
	}
	var line []piece
	switch {
	case b.Current:
		mark = "* "
		line = []piece{plain(mark), green(name), plain(gap + rest)}
	case b.Status != statusActive && b.Status != "":
		line = []piece{plain(mark), dim(name + gap + rest)}
	case b.Remote != "":
		line = []piece{plain(mark), red(name), plain(gap + rest)}
	default:
		line = []piece{plain(mark + name + gap + rest)}
	}
	// The space before a missing subject stays, because scripts split at it.
	p.write(p.styled(line) + "\n")
}

func branchLabel(b store.Branch) string {
	if b.Remote == "" {
		return b.Name
	}
	return "remotes/" + b.Name
}

// shortRemarks returns "[merged, 3 pending] ", or "" for an ordinary branch.
func shortRemarks(b store.Branch) string {
	var all []string
	if b.Status != statusActive && b.Status != "" {
		all = append(all, b.Status)
	}
	if b.Pending > 0 {
		all = append(all, fmt.Sprintf("%d pending", b.Pending))
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "] "
}

// HookLine is the state of one hook, in words.
type HookLine struct {
	Name, State, Owner, Path, Reason string
	Good, Bad                        bool       // it works; it should work but does not
	Last                             *time.Time // its newest event, if known
}

// HooksText lists hooks on one line each: event, state, owner, file, the newest event, and the
// problem if there is one. If no hook has an owner, the column is left out.
func HooksText(p *Printer, list []HookLine) {
	names, states, owners := 0, 0, 0
	for _, h := range list {
		names, states, owners = max(names, cells(h.Name)), max(states, cells(h.State)), max(owners, cells(h.Owner))
	}
	for _, h := range list {
		state := plain(h.State)
		switch {
		case h.Good:
			state = green(h.State)
		case h.Bad:
			state = red(h.State)
		}
		rest := pad(h.State, states) + " "
		if owners > 0 {
			rest += h.Owner + pad(h.Owner, owners) + " "
		}
		rest += h.Path
		if h.Last != nil {
			rest += ", last event " + p.when(*h.Last)
		}
		if h.Reason != "" {
			rest += ": " + h.Reason
		}
		p.line(plain(h.Name+pad(h.Name, names)+" "), state, plain(rest))
	}
}

// longName is the maximum width of a name with which the other lines of a list align.
const longName = 48

// column returns the width that a name requires of its column. A name that is too long
// returns 0: it exceeds the column and takes no room from the other lines.
func (p *Printer) column(name string) int {
	most := longName
	if p.Width > 0 {
		most = min(most, p.Width*2/5)
	}
	if n := cells(name); n <= most {
		return n
	}
	return 0
}
