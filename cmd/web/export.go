package web

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render/page"
)

// The limits of an exported file. The file says what it leaves out.
const (
	exportMost  = 500 // commits, steps and topics, of each
	exportBytes = 16 << 20
)

// ExportTo writes the memory of the repository into one file that needs no other: the newest commits, topics
// and steps. "-" is o.Out.
func ExportTo(ctx context.Context, o Options, file string) (err error) {
	v := &server{Options: o}
	s, err := v.open(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	q := &request{s: s, v: v}
	if err := q.frameOf(ctx, ""); err != nil {
		return err
	}
	var b bytes.Buffer
	for most := exportMost; ; most /= 2 {
		b.Reset()
		e, err := q.export(ctx, most)
		if err != nil {
			return err
		}
		if err := page.Write(&b, page.ExportPage, e); err != nil {
			return err
		}
		if b.Len() <= exportBytes || most == 0 {
			break
		}
	}
	if file == "-" {
		_, err = o.Out.Write(b.Bytes())
		return err
	}
	return cmd.WriteFile(file, b.Bytes())
}

// export reads the newest commits, steps and topics, at most so many of each.
func (q *request) export(ctx context.Context, most int) (page.Export, error) {
	e := page.Export{Home: page.Home{Frame: q.f}, Made: q.v.Now().UTC().Format("2006-01-02 15:04")}
	e.Whole, e.Title, e.Has = true, "Memory", map[git.ID]bool{}
	if err := q.now(ctx, &e.Home); err != nil {
		return e, err
	}
	d, err := q.v.drawings.read(ctx, q.s, q.f.Current)
	if err != nil {
		return e, err
	}
	rows := d.layout.Rows[:min(len(d.layout.Rows), most)]
	if left := len(d.layout.Rows) - len(rows); left > 0 {
		e.Left = append(e.Left, fmt.Sprintf("%d older commits are left out.", left))
	}
	for _, r := range rows {
		if r.Kind != history.NodeCode {
			e.Has[r.Commit] = true
		}
	}
	q.f = e.Frame
	for _, r := range rows {
		if r.Kind == history.NodeCode {
			continue
		}
		c, err := q.s.Repo().Commit(ctx, r.Commit)
		if err != nil {
			return e, err
		}
		v, err := q.entry(ctx, c)
		if err != nil {
			return e, err
		}
		e.Commits = append(e.Commits, v)
	}
	q.s.Branch = q.f.Branch
	e.Graph = page.NewGraph(e.Frame, d.layout, 0, len(rows))
	e.Left = append(e.Left, "Diffs are left out: git context web shows them.")
	return e, q.rest(ctx, &e, most)
}

// rest reads the brief, the topics and the trace.
func (q *request) rest(ctx context.Context, e *page.Export, most int) (err error) {
	if e.Brief, err = q.brief(ctx, cmd.DefaultBudget); err != nil {
		return err
	}
	tip, err := q.s.Tip(ctx, "")
	if err != nil {
		return err
	}
	if e.Topics, err = code.Topics(ctx, q.s, tip, false); err != nil {
		return err
	}
	if left := len(e.Topics) - most; left > 0 {
		e.Topics = e.Topics[:most]
		e.Left = append(e.Left, fmt.Sprintf("%d topics are left out.", left))
	}
	list, total, err := history.Steps(ctx, q.s, tip, 0, most)
	if err != nil {
		return err
	}
	if left := total - len(list); left > 0 {
		e.Left = append(e.Left, fmt.Sprintf("%d older steps of %s are left out.", left, q.f.Branch))
	}
	slices.Reverse(list)
	e.Trace = list
	return nil
}
