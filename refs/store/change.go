package store

import (
	"context"
	"strconv"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// change is one memory commit in the making.
type Draft struct {
	branch  string
	Tree    *git.Edit
	Meta    *doc.Metadata
	Parents []git.ID

	Subject, Body string
	Entry         *doc.Commit // nil for a memory commit that is no milestone
	Last          string      // the newest milestone's summary before; "" at a birth
	Newest        string      // the largest entry id in the documents
	took          journalMark // what it drained; zero: what the parent's trailer says
	Parent        *git.Commit // the branch's tip before; nil for a first commit
	Code          git.ID      // the code HEAD; "" while it is unborn
	Roadmap       git.ID      // the roadmap as it stands with this commit
	Warnings      []string    // what could not be found out, and stops nothing
	RoadmapAge    int         // milestones since the roadmap was revised
}

// put writes a document into a change's tree.
func (ses *Transaction) Put(ctx context.Context, tree *git.Edit, path string, data []byte) error {
	id, err := ses.Store.repo.WriteBlob(ctx, data)
	if err != nil {
		return err
	}
	return tree.Put(ctx, path, id)
}

// putGrowth writes a live file and the segments that it was cut into.
func (ses *Transaction) PutGrowth(ctx context.Context, tree *git.Edit, live string, g doc.Growth) error {
	for _, f := range append(g.Sealed, doc.File{Path: live, Data: g.Live}) {
		if err := ses.Put(ctx, tree, f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// write stores a change and queues the move of its branch. old is the branch's
// value that the change stands on.
func (ses *Transaction) Write(ctx context.Context, c *Draft, old git.ID) (*git.Commit, error) {
	commit, err := ses.WriteObjects(ctx, c)
	if err == nil {
		ses.Refs.Update(git.BranchRef(c.branch), commit.ID, old)
	}
	return commit, err
}

// store writes a change's metadata, tree and commit.
func (ses *Transaction) WriteObjects(ctx context.Context, c *Draft) (*git.Commit, error) {
	if totals := c.Meta.Totals(); len(totals.Origins) > 0 {
		if folded := totals.Fold(c.branch); len(folded.Origins) < len(totals.Origins) {
			if err := c.Meta.SetTotals(folded); err != nil {
				return nil, err
			}
		}
	}
	meta, err := c.Meta.Bytes()
	if err != nil {
		return nil, err
	}
	if err := ses.Put(ctx, c.Tree, doc.MetadataFile, meta); err != nil {
		return nil, err
	}
	tree, err := c.Tree.Write(ctx)
	if err != nil {
		return nil, err
	}
	commit := &git.Commit{
		Tree: tree, Parents: c.Parents, Author: ses.Signature, Committer: ses.Signature,
		Message: message(c.Subject, c.Body, ses.trailers(c)),
	}
	return ses.storeCommit(ctx, commit)
}

// trailers is the block that ends the message of a change.
func (ses *Transaction) trailers(c *Draft) string {
	facts, totals := c.Meta.Branch(), c.Meta.Totals()
	var t trailerBlock
	if m := c.Entry; m != nil {
		t.add(TrailerID, m.ID)
	}
	t.add(TrailerBranch, c.branch)
	if m := c.Entry; m != nil {
		t.add(TrailerSteps, FormatSteps(StepRange(m.Steps)))
	}
	if c.Entry == nil {
		t.add(TrailerLast, c.Last)
	}
	t.add(TrailerCommits, strconv.Itoa(totals.Commits))
	t.add(TrailerCreated, FormatCreated(facts.CreatedAt, facts.CreatedFrom))
	t.add(TrailerStatus, facts.Status)
	t.add(TrailerPurpose, prose.OneLine(facts.Purpose, PurposeLimit))
	t.add(TrailerNewest, c.Newest)
	t.add(TrailerCode, string(c.Code))
	if m := c.Entry; m != nil && m.Kind == "" {
		t.add(TrailerLink, string(ses.Code))
	}
	if c.Roadmap != "" {
		t.add(TrailerRoadmap, string(c.Roadmap)+" "+strconv.Itoa(c.RoadmapAge))
	}
	// Carried on by every commit, so that the tip alone says what is taken; but not
	// by a merge, because the other parent may say more, even of the same journal.
	took := c.took.String()
	if took == "" && len(c.Parents) == 1 {
		took = c.Parent.Trailer(TrailerJournal)
	}
	t.add(TrailerJournal, took)
	t.add(TrailerAgent, ses.Writer.Agent)
	t.add(trailerSession, ses.Writer.Session)
	t.add(trailerModel, ses.Writer.Model)
	if ses.Writer.Tokens > 0 {
		t.add(TrailerTokens, strconv.FormatInt(ses.Writer.Tokens, 10))
	}
	return t.b.String()
}

// lastSummary is the summary of a branch's newest milestone, "" where it has none.
func LastSummary(tip *git.Commit) string {
	if tip.Trailer(TrailerID) != "" {
		return prose.OneLine(tip.Subject(), PurposeLimit)
	}
	return tip.Trailer(TrailerLast)
}

// follow begins a change on top of a tip: the same tree, the same facts.
func (ses *Transaction) Follow(ctx context.Context, tip *Tip, subject string) (*Draft, error) {
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	roadmap, err := ses.Store.RoadmapTip(ctx)
	if err != nil {
		return nil, err
	}
	code, err := ses.codeHead(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := tip.NewestEntry(ctx)
	if err != nil {
		return nil, err
	}
	c := &Draft{
		branch: tip.branch, Tree: tip.tree, Meta: meta, Parents: []git.ID{tip.commit.ID}, Parent: tip.commit,
		Subject: subject, Last: LastSummary(tip.commit), Newest: newest, Code: code,
	}
	c.SetRoadmap(roadmap)
	return c, nil
}

// standWith sets the roadmap that stands with a change, and its age: as old as before it,
// where the roadmap is the same.
func (c *Draft) SetRoadmap(roadmap git.ID) {
	c.Roadmap, c.RoadmapAge = roadmap, 0
	if before, n := ParseRoadmap(c.Parent.Trailer(TrailerRoadmap)); before == roadmap {
		c.RoadmapAge = n
	}
}
