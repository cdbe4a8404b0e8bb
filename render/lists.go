package render

import (
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// TopicsText lists topics one a line: key, day, who wrote it, in parentheses the files
// that it speaks of, and behind "stale:" those that have changed since.
func TopicsText(p *Printer, list []store.Topic) {
	keys, agents := 0, 0
	for _, t := range list {
		keys = max(keys, p.column(t.Key))
		agents = max(agents, p.column(flat(t.Agent)))
	}
	for _, t := range list {
		kept, stale := topicPaths(t)
		agent := flat(t.Agent)
		when := pad(t.Key, keys) + " " + day(t.UpdatedAt) + " "
		gap := ""
		if kept+stale != "" {
			gap = pad(agent, agents) + " "
		}
		used := cells(t.Key + when + agent + gap)
		if kept != "" {
			kept = p.fitTerminal(kept, used+cells(stale)+1)
			if stale != "" {
				kept += " "
			}
		}
		p.line(yellow(t.Key), dim(when), plain(agent+gap+kept), red(p.fitTerminal(stale, used+cells(kept))))
	}
}

// topicPaths are the files of a topic, each once: those that still fit, and those that
// have changed.
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

// TagsText lists tags one a line: the milestone, the name, the milestone's subject.
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

// VerifiedText lists memory commits one a line: hash, what their signature is worth, who
// signed, subject.
func VerifiedText(p *Printer, list []history.Verified) {
	status, signer := 0, 0
	for _, v := range list {
		status, signer = max(status, len(v.Status)), max(signer, p.column(signerOf(v)))
	}
	for _, v := range list {
		short, state, who := v.Commit.Short()+" ", v.Status+pad(v.Status, status)+"  ", signerOf(v)
		who += pad(who, signer) + "  "
		p.line(yellow(short), trust(v.Status, state), plain(who), plain(p.fitTerminal(v.Summary, cells(short+state+who))))
	}
}

// trust gives a signature's status the colour of what it is worth.
func trust(status, text string) piece {
	switch status {
	case history.SignatureGood:
		return green(text)
	case history.SignatureBad, history.SignatureRevokedKey:
		return red(text)
	}
	return plain(text)
}

// signerOf says who signed, or at least with which key.
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
}

// RevisionsText lists revisions of the roadmap one a line: hash, day, who, subject.
func RevisionsText(p *Printer, list []Revision) {
	for _, r := range list {
		when, who := " "+day(r.Time)+" ", flat(r.Agent)+": "
		p.line(hash(r.Commit), dim(when), plain(who), plain(p.fitTerminal(r.Summary, len(r.Commit.Short())+cells(when+who))))
	}
}
