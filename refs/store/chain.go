package store

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Chain is memory commits that an import makes one after another on a branch. Their entries have
// times, ids and writers of their own. Nothing moves until Queue; a lost race builds a new Chain.
type Chain struct {
	*Transaction
	Branch string
	Tip    *Tip          // the end so far; nil before a birth
	Made   []*git.Commit // oldest first

	// Content returns the content of a file that a waiting step keeps; nil if no step keeps one.
	Content func(context.Context, doc.Attachment) ([]byte, error)

	base    *git.Commit // where the branch is; nil if it is new
	old     git.ID      // its id; "" if it is new
	waiting []doc.Step
	last    int // the highest number of an own step
}

// Chain begins a chain on the commit of a tip; nil for a branch that the chain begins.
func (tx *Transaction) Chain(branch string, tip *Tip) *Chain {
	k := &Chain{Transaction: tx, Branch: branch, Tip: tip}
	if tip != nil {
		k.base, k.old = tip.commit, tip.commit.ID
	}
	return k
}

// Wait adds complete steps, for the next commit.
func (k *Chain) Wait(steps ...doc.Step) {
	for _, step := range steps {
		step.Number = min(step.Number, doc.MaxNumber)
		k.waiting = append(k.waiting, step)
	}
}

// Waiting is how many steps wait for the next commit.
func (k *Chain) Waiting() int { return len(k.waiting) }

// Next begins a draft with the waiting steps. The present code commit is unrelated to it.
func (k *Chain) Next(ctx context.Context, subject string) (*Draft, error) {
	c, err := k.Follow(ctx, k.Tip, subject)
	if err != nil {
		return nil, err
	}
	c.Code = ""
	if len(k.waiting) == 0 {
		return c, nil
	}
	data, err := k.Tip.OptionalDocument(ctx, doc.LogFile)
	if err != nil {
		return nil, err
	}
	k.quotesIn(k.waiting)
	grown, err := doc.GrowLog(data, k.waiting)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i := range k.waiting {
		s := &k.waiting[i]
		if c.Newest = max(c.Newest, s.ID); s.Origin == k.Branch {
			k.last = max(k.last, s.Number)
		}
		counts[s.Origin]++
	}
	for origin, n := range counts {
		if err := c.Count(origin, n, 0); err != nil {
			return nil, err
		}
	}
	if err := k.putAttachments(ctx, c); err != nil {
		return nil, err
	}
	k.waiting = nil
	return c, k.PutGrowth(ctx, c.Tree, doc.LogFile, grown)
}

// putAttachments puts the files of the waiting steps into a draft's tree.
func (k *Chain) putAttachments(ctx context.Context, c *Draft) error {
	for _, s := range k.waiting {
		for _, a := range s.Attachments {
			if _, has, err := c.Tree.Entry(ctx, a.Path()); has || err != nil {
				if err != nil {
					return err
				}
				continue
			}
			data, err := k.Content(ctx, a)
			if err != nil {
				return err
			}
			if err := k.Transaction.Put(ctx, c.Tree, a.Path(), data); err != nil {
				return err
			}
		}
	}
	return nil
}

// Enter writes the commit of an entry, which gets its number, and of the steps that waited for it.
// code is the code commit that it is about; "" for none.
func (k *Chain) Enter(ctx context.Context, m doc.Commit, code git.ID) (*git.Commit, error) {
	c, err := k.Next(ctx, prose.OneLine(m.Summary, maxSubject))
	if err != nil {
		return nil, err
	}
	c.Code = code
	live, data, err := k.Tip.LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Count(k.Branch, 0, 1); err != nil {
		return nil, err
	}
	m.Number = NextNumber(live, k.Branch, c.Meta.Totals().Origins[k.Branch].Commits)
	k.quotes(m.ID, m.Summary, m.Goal, m.Purpose, m.Progress, m.Contribution, m.Session, m.Model, m.Source)
	grown, err := doc.GrowCommits(data, []doc.Commit{m})
	if err != nil {
		return nil, err
	}
	if err := k.PutGrowth(ctx, c.Tree, doc.CommitFile, grown); err != nil {
		return nil, err
	}
	c.Entry, c.Newest = &m, max(c.Newest, m.ID)
	if m.Contribution != m.Summary {
		c.Body = m.Contribution
	}
	return k.Put(ctx, c)
}

// maxSubject limits a title that another tool did not limit, in characters. The entry
// contains all of it.
const maxSubject = 300

// Put writes a draft as the new end of the chain. Its writer is that of the entry.
func (k *Chain) Put(ctx context.Context, c *Draft) (*git.Commit, error) {
	own := k.Writer
	if m := c.Entry; m != nil {
		k.Writer.Agent, k.Writer.Session, k.Writer.Model, k.Writer.Tokens = m.Agent, m.Session, m.Model, m.Tokens
		c.Written = m.Time
	}
	commit, err := k.WriteObjects(ctx, c)
	k.Writer = own
	if err != nil {
		return nil, err
	}
	k.Tip = k.Store.TipOf(k.Branch, commit)
	k.Made = append(k.Made, commit)
	return commit, nil
}

// Reserve notes in the branch's journal which numbers the chain's steps have. It comes before the branch
// moves: the journal that a process killed in between leaves would give them again.
func (k *Chain) Reserve(ctx context.Context) error {
	if k.old == "" || k.last == 0 {
		return nil
	}
	p, err := k.Store.Pending(ctx, k.Store.TipOf(k.Branch, k.base))
	if err != nil {
		return err
	}
	return k.Mark(ctx, k.Branch, p.Untouched(), k.old, k.last, k.Tip.commit.Trailer(TrailerNewest))
}

// Queue queues the move of the branch to the end of the chain.
func (k *Chain) Queue() { k.Refs.Update(git.BranchRef(k.Branch), k.Tip.commit.ID, k.old) }

// Settle does what follows the move of the ref: the journal and the notes. What fails is made up for
// by a later command, see LateWarnings.
func (k *Chain) Settle(ctx context.Context) (mark, fold error) {
	end := k.Tip.commit
	if k.old == "" {
		mark = k.Store.MakeJournal(ctx, k.Branch)
	} else {
		var p Pending
		if p, mark = k.Store.Pending(ctx, k.Store.TipOf(k.Branch, end)); mark == nil {
			mark = k.Mark(ctx, k.Branch, p.Untouched(), end.ID, k.last, end.Trailer(TrailerNewest))
		}
	}
	if lazy, err := k.Store.LazyNotes(ctx); err != nil || lazy {
		return mark, err
	}
	_, fold = k.FoldAll(ctx, []*git.Commit{end}, "", nil)
	return mark, fold
}
