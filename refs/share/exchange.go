package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// syncWaits limits how many rounds of its own a push that lost a race waits; the wait is
// random. With sixteen clones on one branch the slowest took 59 tries without it, 16 to 23 with
// it.
const syncWaits = 16

// maxIdle is how many pushes in a row may be late although nothing moves on the remote, as with
// a lock file that was left there.
const maxIdle = 10

// singleIdle is how many of them push each ref by itself.
const singleIdle = 3

// exchanger is one exchange with another repository.
type exchanger struct {
	s    *store.Store
	o    Options
	peer remote.Remote
	res  *Result

	merge, push bool           // what to do with differences
	warned      map[string]int // by ref: how many commits lack something
	remove      bool           // only delete branches there
	first       bool           // a remote without memory, or one that deleted a branch, gets it (again)
	adopt       bool           // make branches that only the other side has
	accepted    bool           // apply their tombstones, however much they remove
	expunge     bool           // only expunge
	dry         bool           // only preview that
	rehearsal   bool           // change nothing, see rehearse
	consented   bool           // Consent was asked
	cut         bool           // memory here is, where something is expunged, see mendCut
	learnt      bool           // learnRoadmaps has learnt something

	tracked      map[git.Ref]bool              // what tracking refs had before a fetch, by local names, see noteTracked
	seen         remote.Seen                   // see [remote.ReadSeen]
	seenNoted    bool                          // it is in tracked
	current      string                        // the branch that keeps conflicts
	waiting      *store.WaitingMerge           // the merge that waits there
	settle       merge.Settler                 // for conflicts without a resolution
	shared       map[string]bool               // see store.ReadShared; by local names
	known        map[string]bool               // as it was read
	dirty        expunge.DirtyState            // what the other side has of old history
	forgot       *expunge.Result               // what their tombstones removed here
	locked       int                           // fetches in a row that a lock file stopped
	idle         int                           // pushes in a row that came too late although nothing moved there
	late         bool                          // the last push lost a race
	beaten       map[string]bool               // branches whose push did: the remote has them
	noAtomic     bool                          // the remote cannot push several refs as one
	refused      []refusal                     // refs that the remote refuses
	blockers     []string                      // refs of the remote that have the place of those, by their names there
	reason       string                        // why a push was late, in the remote's words
	stuck        []string                      // the refs that were late in the last round
	said         []string                      // all that the remote said of the pushes of a round that it did not accept
	deleted      []string                      // branches that were deleted on the remote
	open         []store.Conflict              // of refs that were left as they are
	openAt       map[string]git.ID             // what the other side has of those
	unowned      *[]git.AheadCommit            // what branches of the other side have and none here has; nil: not asked
	arrived      []*incoming.Commit            // what came with the refs to merge or take, checked
	read         loss.Entries                  // of its documents
	unread       bool                          // the other side's roadmap may have tombstones that cannot be read
	named        *exchanger                    // the exchange with the names in use, of one with the other names
	otherAside   map[string]error              // refs under its other names that git refuses, by their names here
	raised       map[string]git.ID             // refused branches that are not here of which what is valid below has their place, by their names here
	otherSpared  map[string]expunge.RefusedRef // what is known of those
	other        otherSide                     // what the remote has under its other names
	behind       bool                          // the notes here stay behind the other side's, see notes.Update
	aside        map[string]error              // refs of the other side that are set aside, by their names here, and why
	joining      map[string]*joining           // those of them that have several valid commits below them
	asking       map[git.ID]bool               // files of tombstones that what is joined must not have
	sent         [2]git.ID                     // a roadmap of the other side that is refused, and the commit on top of it that has our tombstones
	unheld       []string                      // negative refspecs of refs whose names are too long here
	blocked      error                         // another merge waits where their conflicts should
	kept         []git.ID                      // commits that no ref leads to, and that another exchange needs
	roadmapThere git.ID                        // the other side's roadmap, also one that is set aside

	signed *incoming.Signatures          // of what came, see checkSignatures
	spared map[string]expunge.RefusedRef // refs that are refused, by their names here: dropped, or not fetched again; see dropRefused and refuseAgain
}

// newExchanger returns an exchange that asks for nothing yet.
func newExchanger(s *store.Store, o Options, p remote.Remote, res *Result) *exchanger {
	return &exchanger{s: s, o: o, peer: p, res: res, settle: merge.SettleNone,
		shared: map[string]bool{}, beaten: map[string]bool{}, openAt: map[string]git.ID{}, aside: map[string]error{}, joining: map[string]*joining{}, asking: map[git.ID]bool{}, warned: map[string]int{},
		dirty: expunge.DirtyState{Refs: map[string]expunge.DirtyRef{}}, signed: incoming.NewSignatures(), spared: map[string]expunge.RefusedRef{}, raised: map[string]git.ID{}}
}

// title says in reflogs and commits what an exchange does.
func (ex *exchanger) title() string { return "sync: " + prose.OneLine(ex.peer.Name, 100) }

// begin begins a transaction of the exchange, with the locks of some branches.
func (ex *exchanger) begin(ctx context.Context, branches ...string) (*store.Transaction, error) {
	return ex.s.Begin(ctx, ex.o.Writer, ex.title(), branches...)
}

// exchange runs what set asks for with a remote.
func exchange(ctx context.Context, s *store.Store, o Options, set func(*exchanger)) (Result, error) {
	res := newResult(o.Remote)
	if err := merge.CheckSettle(o.Prefer); err != nil {
		return res, err
	}
	p, err := remote.Find(ctx, s, o.Remote)
	if err != nil {
		return res, orNoMemory(ctx, s, err)
	}
	res.Remote = p.Name
	if s.Branch != "" { // mistyped, it must not be ignored
		if _, err := s.Tip(ctx, s.Branch); err != nil {
			return res, err
		}
	}
	ex := newExchanger(s, o, p, &res)
	set(ex)
	ex.rehearsal = o.DryRun
	if err := ex.warnOverwritten(ctx); err != nil {
		return res, err
	}
	lock, err := remote.Lock(ctx, s, p)
	if err != nil {
		return res, err
	}
	defer lock.Unlock()
	if ex.rehearsal {
		err = ex.rehearse(ctx)
	} else {
		err = errors.Join(ex.run(ctx), ex.tellRequests(ctx), ex.holdSplit(ctx))
	}
	res.sort()
	return res, err
}

// orNoMemory replaces "not found" by the error of a repository without memory, if it has none.
func orNoMemory(ctx context.Context, s *store.Store, err error) error {
	if names, listErr := s.BranchNames(ctx); listErr == nil && len(names) == 0 && errors.Is(err, fail.ErrNotFound) {
		return fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	return err
}

// run repeats rounds until nothing is left to do.
func (ex *exchanger) run(ctx context.Context) error {
	if err := ex.prepare(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		begin := time.Now()
		again, err := ex.round(ctx)
		if err != nil {
			again, err = ex.findRefused(ctx, err)
		}
		if err != nil || !again {
			return err
		}
		if try == store.MaxTries {
			return &fail.Error{Code: fail.Busy, Kind: fail.ErrStale, Hints: []string{"git context sync"},
				Message: fmt.Sprintf("the push to '%s' was rejected %d times, each time because others pushed first; nothing is lost", ex.peer.Name,
					store.MaxTries)}
		}
		if ex.locked > 0 {
			continue // git has waited for seconds
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(time.Since(begin)*time.Duration(min(1<<min(try, 10), syncWaits)) + 1)):
		}
	}
}

// prepare reads what does not change between rounds, and finishes what was interrupted.
func (ex *exchanger) prepare(ctx context.Context) error {
	if err := errors.Join(ex.s.Repo().DropMerges(), expunge.Finish(ctx, ex.s, ex.o.Writer)); err != nil {
		return err
	}
	dropped, err := expunge.DropFollowed(ctx, ex.s, ex.o.Writer)
	ex.res.Warnings = append(ex.res.Warnings, dropped...)
	if err != nil {
		return err
	}
	if err := ex.readDirty(ctx); err != nil {
		return err
	}
	return ex.readState(ctx)
}

// readState reads what is known of the remote, and what waits for it.
func (ex *exchanger) readState(ctx context.Context) (err error) {
	if ex.known, err = remote.ReadShared(ex.s, ex.peer); err != nil {
		return err
	}
	maps.Copy(ex.shared, ex.known)
	if ex.merge && !ex.peer.Bundle {
		if ex.seen, err = remote.ReadSeen(ctx, ex.s, ex.peer); err != nil {
			return err
		}
	}
	if ex.current, err = ex.s.Current(ctx); err != nil {
		return err
	}
	if ex.merge {
		if ex.waiting, err = ex.s.ReadMerge(ex.current); err != nil {
			return err
		}
		if ex.waiting != nil && (ex.waiting.Merge != nil || ex.waiting.Remote != ex.peer.Name) {
			ex.waiting = nil // of another merge
		}
	}
	return nil
}

// round asks the remote, does what can be done, and reports whether another process was faster.
func (ex *exchanger) round(ctx context.Context) (again bool, err error) {
	ex.refused, ex.blockers, ex.deleted, ex.blocked = nil, nil, nil, nil
	ex.open, ex.openAt, ex.res.Conflicts = nil, map[string]git.ID{}, []store.Conflict{}
	before, err := ex.fetch(ctx)
	if errors.Is(err, git.ErrStale) {
		return true, ex.stillLocked(err) // another fetch is running
	}
	if err != nil {
		return false, err
	}
	ex.locked = 0
	if expunged, err := ex.takeOther(ctx); err != nil || expunged {
		if err != nil {
			return false, err
		}
		return ex.round(ctx)
	}
	ours, theirs, err := ex.survey(ctx)
	if err != nil {
		return false, err
	}
	ex.roadmapThere = theirs.Roadmap
	ex.setAside(&ours, &theirs)
	fault.Point("after-fetch")
	forgot, err := ex.filterExpunged(ctx, &ours, &theirs)
	if errors.Is(err, git.ErrStale) {
		return true, nil // a fetch or an expunge beside this one moved tracking refs
	}
	if err != nil {
		return false, err
	}
	if forgot { // our refs have moved, and tracking refs may be gone
		return ex.round(ctx)
	}
	if err := ex.noteSeen(ctx, &ours, &theirs); err != nil {
		return false, err
	}
	if ex.expunge {
		return false, ex.outcome(ctx)
	}
	ex.setAside(&ours, before)
	if ex.peer.Bundle {
		before = &ours // a bundle is asked once: what it has that is not here is news
	}
	if err := ex.recordMoves(theirs.Changes(before)); err != nil {
		return false, err
	}
	if ex.remove {
		if err := ex.removeBranches(ctx, &ours, &theirs); err != nil {
			return false, err
		}
		return false, ex.outcome(ctx)
	}
	if !ex.merge && !ex.push {
		return false, errors.Join(ex.noteShared(&ours, &theirs), ex.reportDirty(ctx), ex.checkArrived(&theirs), ex.outcome(ctx))
	}
	again, err = ex.exchangeJoining(ctx, &ours, &theirs)
	if err == nil && !again {
		err = errors.Join(ex.outcome(ctx), ex.reportDirty(ctx))
	}
	return again, err
}

// survey reads the refs of both sides. git reads one ref after the other, the roadmap before
// the branches, and a commit may move them meanwhile: the remote could get a branch without the
// roadmap that it names. So if there is something to exchange, two looks must agree: no ref
// returns to an old commit, so that all had these values between the looks.
func (ex *exchanger) survey(ctx context.Context) (ours, theirs remote.RefSet, err error) {
	for range store.MaxTries {
		before := ours
		if ours, theirs, err = remote.Survey(ctx, ex.s, ex.peer); err != nil {
			return ours, theirs, err
		}
		if !ex.merge && !ex.push || ours.Equal(&before) || ex.alike(&ours, &theirs) {
			return ours, theirs, nil
		}
	}
	return ours, theirs, fail.New(fail.ErrStale, fail.Busy, fmt.Sprintf("other processes moved the refs first, %d times",
		store.MaxTries), "git context sync "+prose.ShellWord(ex.peer.Name))
}

// recordMoves records what moved on the remote since it was last asked, and gives up if nothing
// moves although every push is late.
func (ex *exchanger) recordMoves(moved, gone []string) error {
	for _, ref := range moved {
		if !slices.Contains(ex.res.Fetched, ref) && !slices.Contains(ex.res.Pushed, ref) {
			ex.res.Fetched = append(ex.res.Fetched, ref)
		}
	}
	if ex.peer.Bundle {
		gone = nil
	}
	for _, ref := range gone {
		ex.res.Gone = append(ex.res.Gone, ref)
		ex.shared[ref] = true // the remote had it
	}
	if ex.idle++; !ex.late || len(moved)+len(gone) > 0 {
		ex.idle = 0
	}
	if ex.idle < maxIdle {
		return nil
	}
	if !ex.noAtomic { // one ref that cannot move keeps back all others of the push
		ex.noAtomic, ex.idle = true, maxIdle-singleIdle
		return nil
	}
	reason, said := remote.Explained(ex.reason, ex.said)
	return &fail.Error{Code: fail.PushRefused, Kind: fail.ErrRefused, Said: said,
		Message: fmt.Sprintf("'%s' refuses %s, although no other process pushes: %s", ex.peer.Name, prose.QuotedList(ex.stuck), reason),
		Hints:   []string{"if no git process is running there, a .lock file was left beside that ref on the remote"}}
}

// stillLocked gives up if a killed process left a lock file: each fetch has waited for it for
// seconds.
func (ex *exchanger) stillLocked(err error) error {
	if !errors.Is(err, git.ErrLocked) {
		return nil
	}
	if ex.locked++; ex.locked < store.LockedTries {
		return nil
	}
	var gitErr *git.Error
	if errors.As(err, &gitErr) {
		err = gitErr // it names the lock file
	}
	return &fail.Error{Code: fail.RefLocked, Kind: fail.ErrRefused, Err: err, Message: "a tracking ref is locked",
		Hints: []string{store.LockedHint}}
}

// outcome returns an error for everything that a round could not do.
func (ex *exchanger) outcome(ctx context.Context) error {
	var errs []error
	if err := ex.joinHints(ctx); err != nil {
		errs = append(errs, err)
	}
	ex.renewLease()
	errs = append(errs, ex.asideErrors()...)
	if ex.blocked != nil {
		errs = append(errs, ex.blocked)
	} else if n := merge.Unsettled(ex.open); n > 0 && ex.rehearsal {
		errs = append(errs, fail.New(fail.ErrConflict, fail.MergeConflict,
			fmt.Sprintf("'%s' and this repository have %s; nothing was changed", ex.peer.Name, prose.Count(n, "conflict"))))
	} else if n > 0 {
		hints := []string{"git context resolve PATH --ours|--theirs|--union|-F FILE", "git context merge --continue"}
		if !ex.peer.Bundle {
			hints = append(hints, "git context sync "+ex.peer.Name)
		}
		errs = append(errs, fail.New(fail.ErrConflict, fail.MergeConflict,
			fmt.Sprintf("'%s' and this repository have %s; those refs were not changed", ex.peer.Name,
				prose.Count(n, "conflict")), hints...))
	}
	if len(ex.refused) > 0 {
		errs = append(errs, ex.pushRefused())
	}
	if len(ex.deleted) > 0 {
		name := ex.deleted[0]
		errs = append(errs, fail.New(fail.ErrRefused, fail.DeletedOnRemote,
			fmt.Sprintf("'%s' has deleted %s", ex.peer.Name, prose.QuotedList(ex.deleted)),
			"git context branch -d "+name, "git context push "+ex.peer.Name+" "+name))
	}
	return errors.Join(errs...)
}
