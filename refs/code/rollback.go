package code

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// RollbackOptions are the options of Rollback.
type RollbackOptions struct {
	store.Writer
	Branch       string // empty: the current branch
	To           string // a memory commit at which the branch was once
	Summary      string // empty: made from that of To
	Contribution string // precedes the generated text

	// Code, if not nil, restores the code first.
	Code *store.CodeOptions `json:"-"`
}

// RollbackResult is the commit that a rollback made or, if nothing had changed, the newest
// one.
type RollbackResult struct {
	store.Commit

	Unchanged     bool     `json:"-"`
	Roadmap       bool     `json:"-"` // the roadmap, which all branches share, changed
	CodeUnchanged bool     `json:"-"` // the code was to be restored, and has not changed since
	Changed       []string `json:"-"` // one sentence for each kind of change
	Replaced      bool     `json:"-"`
	Warnings      []string `json:"-"`
}

// Rollback makes a commit in which topics, the roadmap and people's metadata are as they
// were at an earlier commit of the branch, with the progress of that commit. Nothing is
// removed or rewritten: every entry stays, and history contains what is undone. These stay
// as they are: the detected facts about the code, the totals, the facts of the branch, the
// Branch Outcomes of the roadmap, and pending steps.
//
// The roadmap belongs to all branches: revisions by others since then are undone too.
// Branch and roadmap move in one transaction, which is built again if others write
// meanwhile. If nothing differs, there is no commit.
//
// With o.Code the code is restored first, to the commit that was its HEAD then, and the
// memory commit contains how. If that would lose anything, the error is of the kind
// fail.ErrRefused, and nothing has moved; after a crash both have moved or none, see
// SettleIntent.
//
// A revision of the code, and a commit at which the branch never was, even one of a branch
// that was merged into it, are errors of the kind fail.ErrRefused.
func Rollback(ctx context.Context, s *store.Store, o RollbackOptions) (RollbackResult, error) {
	return store.OnBranch(ctx, s, o.Branch, func(branch string) (RollbackResult, error) {
		o.Branch = branch
		return rollbackOn(ctx, s, o)
	})
}

func rollbackOn(ctx context.Context, s *store.Store, o RollbackOptions) (RollbackResult, error) {
	var res RollbackResult
	to, err := rollbackTo(ctx, s, o.To)
	if err != nil {
		return res, err
	}
	r := &rollback{o: o, to: s.TipOf(o.Branch, to)}
	if r.replaced, err = r.describe(ctx, s); err != nil {
		return res, err
	}
	if r.Transaction, err = s.Begin(ctx, o.Writer, "rollback: "+prose.OneLine(r.o.Summary, 200), o.Branch); err != nil {
		return res, err
	}
	defer r.Close()
	if o.Code != nil {
		if err := r.rollbackCode(ctx); err != nil {
			return res, err
		}
	}
	return r.restore(ctx)
}

// restore writes the memory commit.
func (r *rollback) restore(ctx context.Context) (RollbackResult, error) {
	if err := r.Swap(ctx, r.build); err != nil {
		if r.intent != nil {
			err = unfinished(r.Store, r.intent, err)
		}
		return RollbackResult{}, err
	}
	if r.made == nil {
		return r.unchanged(ctx)
	}
	res := RollbackResult{CodeUnchanged: r.codeUnchanged, Commit: history.CommitFrom(*r.entry), Changed: r.changed,
		Roadmap: r.revised, Replaced: r.replaced}
	res.Hash = &r.made.ID
	var err error
	if res.Authored, err = r.Store.ByCommit(ctx, r.made); err != nil {
		return RollbackResult{}, err
	}
	if code := git.ID(r.made.Trailer(store.TrailerCode)); code != "" {
		res.Code = &code
	}
	mark := r.Mark(ctx, r.o.Branch, r.waiting.Untouched(), r.made.ID, 0, r.entry.ID)
	res.Warnings = append(r.warnings, r.LateWarnings(mark, r.Fold(ctx, r.made))...)
	if r.intent != nil {
		res.Warnings = append(res.Warnings, r.intent.incomplete(complete(ctx, r.Transaction, r.intent, r.made))...)
	}
	return res, nil
}

// rollbackTo resolves the memory commit to restore.
func rollbackTo(ctx context.Context, s *store.Store, rev string) (*git.Commit, error) {
	c, err := s.Revision(ctx, rev)
	var wrong *fail.Error
	if errors.As(err, &wrong) && wrong.Code == fail.NotMemory {
		wrong.Hints = []string{"git context --at " + prose.OneLine(rev, 100)}
	}
	if errors.As(err, &wrong) && errors.Is(err, fail.ErrNotFound) {
		wrong.Hints = append([]string{"git context log --oneline"}, wrong.Hints...)
	}
	return c, err
}

// rollback is one call of Rollback: its options and the result of the last attempt.
type rollback struct {
	*store.Transaction
	o        RollbackOptions
	to       *store.Tip // the branch at the commit to restore
	progress string     // what a commit on top of that would have
	replaced bool

	intent        *Intent // if the code is restored too; nil: memory alone
	codeUnchanged bool    // the code has not changed since

	waiting  store.Pending
	made     *git.Commit // nil: nothing to restore
	entry    *doc.Commit
	changed  []string
	revised  bool // the roadmap changed
	warnings []string
}

// describe reads the newest entry at the commit to restore and completes the message.
func (r *rollback) describe(ctx context.Context, s *store.Store) (replaced bool, err error) {
	live, _, err := r.to.LiveCommits(ctx)
	if err != nil {
		return false, err
	}
	summary := doc.RollbackTo + string(r.to.Commit().ID.Short())
	if n := len(live); n > 0 {
		was := live[n-1]
		limit, err := s.SummaryLimit(ctx)
		if err != nil {
			return false, err
		}
		r.progress = doc.NextProgressOf(live, limit)
		summary = doc.RollbackSummary(was, was.ID != r.to.Commit().Trailer(store.TrailerID))
	}
	if r.o.Summary == "" && r.o.Contribution == "" {
		r.o.Summary = summary
		return false, nil
	}
	replaced, err = s.CheckEntry(ctx, &r.o.Summary, &r.o.Contribution, new(string))
	if r.o.Contribution == r.o.Summary { // the generated text follows it
		r.o.Contribution = ""
	}
	return replaced, err
}

// build makes one attempt on the present tip.
func (r *rollback) build(ctx context.Context) error {
	r.made, r.changed, r.revised = nil, nil, false
	if r.intent != nil {
		r.changed = []string{r.intent.Rollback.Report}
	}
	tip, err := r.Store.Tip(ctx, r.o.Branch)
	if err != nil {
		return err
	}
	if err := r.checkStoodAt(ctx, tip); err != nil {
		return err
	}
	if r.waiting, err = r.Store.Pending(ctx, tip); err != nil {
		return err
	}
	c, err := r.Follow(ctx, tip, r.o.Summary)
	if err != nil {
		return err
	}
	live, data, err := tip.LiveCommits(ctx)
	if err != nil {
		return err
	}
	for _, restore := range []func(context.Context, *store.Draft, *store.Tip) error{r.topics, r.metadata} {
		if err := restore(ctx, c, tip); err != nil {
			return err
		}
	}
	goal, err := r.roadmap(ctx, c)
	if err != nil {
		return err
	}
	if len(r.changed) == 0 {
		return store.ErrNothing
	}
	r.entry = &doc.Commit{Kind: doc.KindRollback, Summary: r.o.Summary, Goal: goal,
		Progress: r.progress, Contribution: r.contribution()}
	if err := r.AddCommit(ctx, c, live, data, r.entry); err != nil {
		return err
	}
	if err := r.Store.RefreshDetected(ctx, c, tip.Commit()); err != nil {
		return err
	}
	r.warnings = c.Warnings
	r.made, err = r.Write(ctx, c, tip.Commit().ID)
	return err
}

// checkStoodAt refuses a commit at which the branch never was.
func (r *rollback) checkStoodAt(ctx context.Context, tip *store.Tip) error {
	c := r.to.Commit()
	stood, err := r.Store.StoodAt(ctx, tip.Commit(), c.ID)
	if err != nil || stood {
		return err
	}
	made, hints := fmt.Sprintf("a commit of branch '%s'", store.BranchOf(c)),
		[]string{"git context --branch " + tip.Name()}
	if store.BranchOf(c) == tip.Name() {
		made = "a commit of another branch of that name"
	}
	home, err := r.Store.HomeOf(ctx, c)
	if err != nil {
		return err
	}
	if home != "" && home != tip.Name() {
		other, err := r.Store.Tip(ctx, home)
		if err != nil {
			return err
		}
		if stood, err = r.Store.StoodAt(ctx, other.Commit(), c.ID); err != nil {
			return err
		}
		if stood {
			hints = append([]string{fmt.Sprintf("git context -b %s rollback %s", home, c.ID.Short())}, hints...)
		}
	}
	return fail.New(fail.ErrRefused, fail.RollbackElsewhere,
		fmt.Sprintf("branch '%s' was never at %s, %s", tip.Name(), c.ID.Short(), made), hints...)
}

// contribution describes the rollback. The progress has what was known at the commit.
func (r *rollback) contribution() string {
	var parts []string
	if r.o.Contribution != "" {
		parts = append(parts, r.o.Contribution)
	}
	c := r.to.Commit()
	parts = append(parts, fmt.Sprintf(doc.RolledBackTo+"%s of %s.", c.ID.Short(), c.Committer.When.UTC().Format(time.RFC3339)), strings.Join(r.changed, "\n"))
	return strings.Join(parts, "\n\n")
}

// unchanged returns the newest commit as the result of a rollback without changes.
func (r *rollback) unchanged(ctx context.Context) (RollbackResult, error) {
	res := RollbackResult{Unchanged: true, CodeUnchanged: r.codeUnchanged,
		Commit: store.Commit{Branch: r.o.Branch, Tags: map[string]string{}}}
	tip, err := r.Store.Tip(ctx, r.o.Branch)
	if err != nil {
		return res, err
	}
	newest, err := r.Store.NewestCommit(ctx, tip.Commit())
	if err != nil || newest == nil {
		return res, err
	}
	res.Commit, err = history.CommitOf(ctx, r.Store, nil, newest)
	return res, err
}
