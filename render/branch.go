package render

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// NewBranch reads CONTEXT of one branch, with at most limit of its commits after the newest
// skip. It returns fail.ErrNotFound if the branch does not exist. If whole is false, the texts of large documents
// are only what BranchText may show of them.
func NewBranch(ctx context.Context, s *refs.Store, w Where, skip, limit int, whole bool) (history.BranchContext, error) {
	tip, err := w.tip(ctx, s)
	if err != nil {
		return history.BranchContext{}, err
	}
	v, err := history.CutBranch(ctx, s, tip, skip, limit, cutUnless(whole))
	v.Limit, v.Commits = limit, withTags(v.Commits)
	if err == nil && v.At == nil {
		err = code.MarkStale(ctx, s, v.Commits)
	}
	return v, err
}

// BranchText shows CONTEXT of one branch: `git context --branch NAME`.
func BranchText(p *Printer, v history.BranchContext) {
	b := v.Branch
	p.line(bold("# Branch "), green(b.Name), plain(" at "), hash(b.Tip))
	p.blank()
	p.pastAttributes(v.At)
	p.attribute("status", plain(b.Status))
	if b.CreatedFrom != nil {
		p.attribute("from", plain(*b.CreatedFrom))
	}
	if b.CreatedAt != nil {
		p.attribute("created", plain(p.when(*b.CreatedAt)))
	}
	p.attribute("updated", plain(p.when(b.UpdatedAt)))
	p.attribute("commits", plain(strconv.Itoa(v.Total)))
	if b.Pending > 0 {
		p.attribute("pending", plain(prose.Count(b.Pending, "step")))
	}
	p.section("Purpose", v.Purpose)
	p.section("Progress", v.Progress)
	if len(v.Commits) > 0 {
		title := fmt.Sprintf("Commits %d-%d of %d, newest first", v.Skip+1, v.Skip+len(v.Commits), v.Total)
		p.heading("## ", title)
	}
	for _, c := range v.Commits {
		p.commitLine(c)
	}
	p.pages(page{
		self: "--branch " + b.Name + atFlag(v.At), unit: "--limit", size: v.Limit,
		skip: v.Skip, shown: len(v.Commits), older: v.Skip+len(v.Commits) < v.Total,
	})
}

// wideList is the minimum width, in cells, of a terminal whose lines have room for a
// subject after everything that identifies a commit.
const wideList = 100

// commitLine shows a commit on one line: hash, id, time, the content of its note, whether the
// code that it names has changed since, and its subject. On a narrow terminal, only the
// hash and the day precede the subject, because people read the subject.
func (p *Printer) commitLine(c store.Commit) {
	short := strings.Repeat("-", 10) // a shallow clone does not contain it
	if c.Hash != nil {
		short = c.Hash.Short()
	}
	var judged []string
	if c.Outcome != nil {
		judged = append(judged, *c.Outcome)
	}
	if c.Score != nil {
		judged = append(judged, score(*c.Score))
	}
	if c.Stale != nil && *c.Stale {
		judged = append(judged, "stale")
	}
	note := ""
	if len(judged) > 0 {
		note = "[" + prose.Fold(strings.Join(judged, " ")) + "] "
	}
	rest := fmt.Sprintf(" %s %s ", c.ID, stamp(c.Time))
	if p.Width > 0 && p.Width < wideList {
		rest = " " + day(c.Time) + " "
	}
	p.line(yellow(short), plain(rest), outcomeColor(c.Outcome, note),
		plain(p.fit(foreign(c.Authored)+c.Summary, cells(short+rest+note))))
}

// page is the part of a list that a view shows.
type page struct {
	self  string // the view's own flags
	unit  string // the flag for the number of entries
	size  int    // the requested number of entries; 0: as many as are shown
	skip  int
	shown int
	older bool // whether older entries exist
}

// pages ends a view that does not show everything with the commands for the entries before
// and after.
func (p *Printer) pages(v page) {
	size := v.size
	if size == 0 {
		size = v.shown
	}
	if size == 0 || !v.older && v.skip == 0 {
		return
	}
	p.blank()
	if v.older {
		p.command("older", "%s %s %d --skip %d", v.self, v.unit, size, v.skip+v.shown)
	}
	if v.shown == 0 { // after the end: only the first page certainly has entries
		p.command("newer", "%s %s %d", v.self, v.unit, size)
	} else if newer := max(0, v.skip-size); newer > 0 {
		p.command("newer", "%s %s %d --skip %d", v.self, v.unit, size, newer)
	} else if v.skip > 0 {
		p.command("newer", "%s %s %d", v.self, v.unit, size)
	}
}
