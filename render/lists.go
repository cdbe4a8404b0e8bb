package render

import (
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// TopicsText lists topics on one line each: key, day, author, in parentheses the files that
// it is about, and after "stale:" those that have changed since.
func TopicsText(p *Printer, list []refs.Topic) {
	keys, agents := 0, 0
	for _, t := range list {
		keys = max(keys, p.column(t.Key))
		agents = max(agents, p.column(prose.Fold(t.Agent)))
	}
	for _, t := range list {
		kept, stale := topicPaths(t)
		agent := prose.Fold(t.Agent)
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

// topicPaths returns the files of a topic, each once: those that are unchanged, and those
// that have changed.
func topicPaths(t refs.Topic) (kept, stale string) {
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
func TagsText(p *Printer, list []refs.Tag) {
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
func VerifiedText(p *Printer, list []refs.Verified) {
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
	case refs.SignatureGood:
		return green(text)
	case refs.SignatureBad, refs.SignatureRevokedKey:
		return red(text)
	}
	return plain(text)
}

// signerOf returns the signer, or the key if the signer is unknown.
func signerOf(v refs.Verified) string {
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

// RevisionsText lists revisions of the roadmap on one line each: hash, day, agent, subject.
func RevisionsText(p *Printer, list []Revision) {
	for _, r := range list {
		when, who := " "+day(r.Time)+" ", prose.Fold(r.Agent)+": "
		p.line(hash(r.Commit), dim(when), plain(who),
			plain(p.fitTerminal(r.Summary, len(r.Commit.Short())+cells(when+who))))
	}
}
