// Package fsck checks everything that memory consists of: refs, commits, documents, notes,
// links between code and memory, journals, local state and the settings that init makes.
//
// [Run] makes all checks in a fixed order and returns every [Problem] with a stable kind and a
// repair that can be pasted. Without Options.Fix it writes nothing but locks and caches. With
// it, problems whose repair is [FixCommand] are mended; others are left to people. It
// rewrites history only where entries have ids that no clone accepts, and where objects are lost, see package remake.
//
// Errors mean that fsck itself cannot run: fail.ErrNoMemory where there is nothing to check,
// the cause of a cancelled context, or git failing to list refs. A single check that fails is a
// problem of the kind unchecked.
//
// It is safe beside other processes. A check that sees work in progress looks again under the
// lock of the process that does it; if an expunge rewrites memory meanwhile, Run waits for it and starts
// again.
package fsck

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Problem is something that is wrong with memory or around it, and its repair.
type Problem struct {
	Kind    string `json:"kind"`    // a stable name for scripts: `link-left`
	Object  string `json:"object"`  // what is wrong: a hash, a ref, a file; full names
	Message string `json:"message"` // lower case, no full stop
	Repair  string `json:"repair"`  // a command that can be pasted, or a short sentence
	Fixed   bool   `json:"fixed"`   // it was mended just now
}

// Options configure one run.
type Options struct {
	store.Writer      // the author of repairs
	Fix          bool // repair each problem that has one possible repair
}

// FixCommand is the repair of every problem that can be mended without a decision.
const FixCommand = "git context fsck --fix"

// check looks for one kind of problem. It reports all that it finds with [checker.report],
// which also mends. Its error means that it could not look.
type check struct {
	name string
	run  func(context.Context, *checker) error
}

// checks returns all checks in their order: first what the others depend on, and what was
// interrupted before what that may have left.
func checks() []check {
	return []check{
		{"local state", checkAccess},
		{"local state", checkPlaces},
		{"locks", checkLocks},
		{"packs", checkPacks},
		{"refs", checkRefs},
		{"expunge", checkExpunge},
		{"expunged", checkCameBack},
		{"requests", checkRequests},
		{"intents", checkIntents},
		{"state files", checkState},
		{"history", checkHoles},
		{"documents", checkDocuments},
		{"reflogs", checkReflogs},
		{"journals", checkAheadJournals},
		{"journals", checkJournals},
		{"worktree heads", checkHeads},
		{"handed over code", checkWorks},
		{"refspecs", checkRefspecs},
		{"tracking refs", checkTracking},
		{"tracking refs", checkBundle},
		{"moved refs", checkMoved},
		{"hooks", checkHookFailures},
		{"losses", checkLosses},
		{"attachments", checkAttachments},
		{"entries", checkContents},
		{"numbers", checkNumbers},
		{"trailers", checkTrailers},
		{"tips", checkTips},
		{"notes", checkNotes},
		{"links", checkLinks},
		{"rewritten code", checkRewritten},
		{"copied code", checkCopied},
		{"maintenance", checkGC},
	}
}

// readsCode reports whether a check also reads the objects of code: what is damaged of these is left alone, unless it is loose.
func readsCode(check string) bool {
	return check == "handed over code" || check == "rewritten code" || check == "copied code"
}

// checker is one run of all checks.
type checker struct {
	s     *store.Store
	w     store.Writer
	fix   bool
	found []Problem

	noted   map[git.ID][]notes.Fact // the links of all notes; nil: not read yet
	claimed map[git.ID]bool         // code commits found to replace others

	loaded   *memory         // nil: not read yet
	restores map[git.ID]bool // objects whose notes were lost in part, and can be restored

	forgotten  *doc.Expunged // tombstones when the run began; nil: unknown
	missing    doc.Expunged  // those of them that the roadmap lacks
	forgetting bool          // an expunge was running then

	original map[string]bool // ids of entries with two contents of which the first one is known

	damaged map[git.ID]bool // objects that have been reported
	split   map[string]bool // damaged packs that have been reported

	holes    map[git.ID]bool // objects that checkHoles has reported as lost
	deferred bool            // lost branches wait for the roadmap

	again     map[git.ID]git.ID // commits that were made again: what they are now
	notesWere git.ID            // what the notes were before they were set back; "" if they were not

	reported []string              // paths in local state that cannot be used
	blocked  bool                  // no other check can run until this is mended
	renamed  map[string]bool       // old names of renamed remotes
	lost     map[string]bool       // missing branches whose journals allow to restore them
	mistyped int                   // how many refs of remotes name no commit
	files    map[string][]keptFile // files of all branches by their hashes; nil: not read yet
	here     remote.RefSet         // the refs when the first of those was found
}

// maxLooks limits how often fsck starts again because memory is rewritten meanwhile.
const maxLooks = 3

// Run looks for everything that is wrong, and mends what it can if o.Fix is set. It returns
// every problem, mended or not; the list is never nil. A check that cannot look is a problem
// itself. fail.ErrNoMemory: there is nothing to check.
//
// It is safe beside any other process: it does not report work in progress. If an expunge runs
// meanwhile, it waits for the end and looks again.
func Run(ctx context.Context, s *store.Store, o Options) ([]Problem, error) {
	mended := []Problem{}
	s.Repo().PassGraph()
	s.Repo().TellLost()
	for look := 1; ; look++ {
		c := &checker{s: s, w: o.Writer, fix: o.Fix, claimed: map[git.ID]bool{}, again: map[git.ID]git.ID{}, lost: map[string]bool{}, damaged: map[git.ID]bool{},
			split: map[string]bool{}, renamed: map[string]bool{}}
		err := c.run(ctx)
		left := slices.ContainsFunc(c.found, func(p Problem) bool { return !p.Fixed })
		if err != nil || !left || look == maxLooks {
			return append(mended, c.found...), err
		}
		if again, err := c.forgotMeanwhile(ctx); err != nil || !again {
			return append(mended, c.found...), err
		}
		mended = append(mended, slices.DeleteFunc(c.found, func(p Problem) bool { return !p.Fixed })...)
	}
}

// run makes all checks.
func (c *checker) run(ctx context.Context) error {
	if waits := c.refPipes(ctx); waits {
		return nil
	}
	if err := c.goneRefs(ctx); err != nil {
		c.unchecked(ctx, "reflogs", err)
	}
	l, err := c.s.Repo().ListRefs(ctx, git.BranchPrefix)
	if err != nil {
		return err
	}
	if len(l.Refs)+len(l.Broken) == 0 {
		if err := checkJournals(ctx, c); err != nil || len(c.found) > 0 { // all branches may have been removed by hand
			return err
		}
		return c.s.NoSuchBranch(ctx, "")
	}
	c.forgetting = expungeAtWork(c.s)
	if known, err := expunge.Tombstones(ctx, c.s); err == nil { // else checkRefs or checkDocuments reports it
		c.forgotten = &known
		if missing, err := expunge.Missing(c.s, known); err == nil { // else checkCameBack reports it
			all := known.Union(missing)
			c.forgotten, c.missing = &all, missing
		}
	}
	looked := false // for what is lost
	for _, check := range checks() {
		err := check.run(ctx, c)
		for c.dropDamaged(ctx, err) || !readsCode(check.name) && c.splitPacksIn(ctx, err) {
			err, c.loaded = nil, nil
			if looked {
				err = checkHoles(ctx, c)
			}
			if c.blocked = c.blocked || looked && len(c.holes) > 0; err == nil && !c.blocked { // see checkDocuments
				err = check.run(ctx, c)
			}
		}
		looked = looked || check.name == "history"
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			mayLack := looked && check.name != "history" && c.notFetched(ctx, err) // nothing is lost, and the rest is on a remote
			if !c.unsound() && !mayLack {                                          // else the unreadable object is reported
				c.unchecked(ctx, check.name, err)
			}
		}
		if c.blocked {
			break
		}
	}
	return nil
}

// refPipes reports named pipes and the like among the refs: git would wait for them. They contain nothing, so that
// the repair removes them. It reports whether one is left.
func (c *checker) refPipes(ctx context.Context) bool {
	for {
		var pipe *git.NotRegularError
		if !errors.As(c.s.Repo().RefPipe(), &pipe) {
			return false
		}
		c.report(ctx, func(context.Context) error { return os.Remove(pipe.Path) },
			Problem{Kind: "ref-not-regular", Object: pipe.Path, Repair: FixCommand,
				Message: pipe.Error() + "; git waits for it wherever it lists refs"})
		if !c.found[len(c.found)-1].Fixed {
			return true
		}
	}
}

// unchecked reports that a check could not look.
func (c *checker) unchecked(ctx context.Context, name string, err error) {
	p := Problem{Kind: "unchecked", Object: name, Message: name + " cannot be checked: " + err.Error(),
		Repair: "git fsck"}
	var known *fail.Error
	var foreign *git.NotRegularError
	damaged := c.damagedIn(ctx, err)
	if c.ofReported(err) || damaged != nil && c.damaged[damaged.ID] || c.ofSplit(ctx, err) { // by checkAccess, checkPlaces, dropDamaged or splitPacksIn
		return
	}
	switch {
	case errors.As(err, &known) && len(known.Hints) > 0:
		p.Repair = known.Hints[0]
	case c.notFetched(ctx, err):
		p.Repair = c.fetchNeeded(ctx)
	case errors.As(err, &foreign): // neither git nor this program makes it
		p.Repair = "rm -r " + prose.ShellQuoted(foreign.Path)
	}
	c.found = append(c.found, p)
}

// report adds problems, and mends them together if Fix is set; mend is nil where people must
// decide. If mending fails, the problems stay and say why.
func (c *checker) report(ctx context.Context, mend func(context.Context) error, problems ...Problem) {
	if len(problems) == 0 {
		return
	}
	if mend != nil && c.fix {
		err := mend(ctx)
		c.noted = nil
		for i := range problems {
			problems[i].Fixed = err == nil
			if err != nil {
				problems[i].Message += "; the repair failed: " + err.Error()
			}
		}
		repair := ""
		var known *fail.Error
		if errors.As(err, &known) && len(known.Hints) > 0 {
			repair = known.Hints[0]
		} else if err != nil && c.notFetched(ctx, err) {
			repair = c.fetchNeeded(ctx)
		}
		for i := range problems {
			problems[i].Repair = cmp.Or(repair, problems[i].Repair)
		}
	}
	c.found = slices.Concat(c.found, problems)
}
