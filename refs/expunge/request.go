package expunge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// A Request is what a remote asks to forget. Views and pushes have it no more, but its history is kept: what was
// written here, or is too much to follow unasked, until somebody here decides; what was followed, because others wrote
// it, until a time, because their clones may be gone.
//
// A commit at refs/context/kept/ULID is the record of one. Its parents are the commits that branches
// and other refs had before, and the roadmap's commit that asks. Its tree contains
//
//	asked.txt   what is asked, in the form of [doc.Expunged]
//	refs.txt    "HASH REF" for each ref and the commit that it had
//
// and its message the trailers Context-Remote and Context-Asked, the roadmap's commit, and of what was followed
// Context-Until, a time as in RFC 3339.
type Request struct {
	Ref     string // of the record
	ID      git.ID
	Remote  string
	Asked   doc.Expunged
	Roadmap git.ID    // the commit of the roadmap that asks
	Refs    []git.Ref // what refs had before
	Until   time.Time // when what was followed is deleted; zero: it waits for an answer
}

// Waits reports whether a request waits for an answer.
func (r *Request) Waits() bool { return r.Until.IsZero() }

// FollowedFor is how long what was followed is kept.
const FollowedFor = 30 * 24 * time.Hour

const (
	askedFile      = "asked.txt"
	refsFile       = "refs.txt"
	trailerRemote  = "Context-Remote"
	trailerRoadmap = "Context-Asked"
	trailerUntil   = "Context-Until"
)

// WaitingName is an empty file of local state that exists while there may be a request, so that views need
// not list refs to learn that there is none.
const WaitingName = "asked"

// Waiting is Requests for views: without requests it costs one stat.
func Waiting(ctx context.Context, s *store.Store) ([]Request, error) {
	_, err := os.Stat(s.StatePath(WaitingName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Requests(ctx, s)
}

// Overdue lists what was followed and whose time is over. Without requests it costs one stat.
func Overdue(ctx context.Context, s *store.Store) ([]Request, error) {
	list, err := Waiting(ctx, s)
	return slices.DeleteFunc(list, func(r Request) bool { return r.Waits() || r.Until.After(s.Clock()) }), err
}

// DropFollowed deletes what Overdue lists.
func DropFollowed(ctx context.Context, s *store.Store, w store.Writer) (warnings []string, err error) {
	list, err := Overdue(ctx, s)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	res, err := end(ctx, s, w, list, doc.Expunged{})
	return res.Warnings, err
}

// DoneWaiting removes the file that Waiting looks for, once there is no request.
func DoneWaiting(ctx context.Context, s *store.Store) error {
	list, err := Requests(ctx, s)
	if err != nil || len(list) > 0 {
		return err
	}
	if err := os.Remove(s.StatePath(WaitingName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Requests lists the requests that wait for an answer or were followed, oldest first.
func Requests(ctx context.Context, s *store.Store) ([]Request, error) {
	refs, err := s.Repo().Refs(ctx, git.KeptPrefix)
	if err != nil {
		return nil, err
	}
	list := make([]Request, 0, len(refs))
	for _, r := range refs {
		req, err := ReadRequest(ctx, s, r)
		if err != nil {
			return nil, fmt.Errorf("'%s': %w", r.Name, err)
		}
		list = append(list, req)
	}
	return list, nil
}

// ReadableRequests lists the requests without those that cannot be read, in whole or in part, which a check reports.
func ReadableRequests(ctx context.Context, s *store.Store) ([]*Request, error) {
	refs, err := s.Repo().Refs(ctx, git.KeptPrefix)
	if err != nil {
		return nil, err
	}
	var list []*Request
	for _, ref := range refs {
		r, err := ReadRequest(ctx, s, ref)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil {
			list = append(list, &r)
		}
	}
	return list, nil
}

// Memory returns the refs of a request with the commits that it keeps, without handed over code and with the roadmap that
// asks.
func (r *Request) Memory() []git.Ref {
	list := slices.DeleteFunc(slices.Clone(r.Refs), func(ref git.Ref) bool { return strings.HasPrefix(ref.Name, git.WorkPrefix) })
	if r.Roadmap != "" {
		list = append(list, git.Ref{Name: git.RoadmapRef, ID: r.Roadmap})
	}
	return list
}

// RequestsOf are those of one remote, under both its sets of names.
func RequestsOf(ctx context.Context, s *store.Store, asker string) ([]Request, error) {
	list, err := Requests(ctx, s)
	return slices.DeleteFunc(list, func(r Request) bool { return r.Asker() != asker }), err
}

// ReadRequest reads one request by its ref, an existing one below git.KeptPrefix.
func ReadRequest(ctx context.Context, s *store.Store, ref git.Ref) (Request, error) {
	r, tree, err := readRecord(ctx, s, ref)
	if err != nil {
		return r, err
	}
	if r.Asked, err = readAsked(ctx, s, tree); err != nil {
		return r, err
	}
	r.Refs, err = readRefs(ctx, s, tree)
	return r, err
}

// hiding collects what refs had while an [Operation] moves them. A nil one collects nothing.
type hiding struct {
	request Request
	kept    map[git.ID]bool // what refs had before, of requests that wait
	fetched []git.Ref       // what tracking refs had until the other side was fetched
}

func (h *hiding) reset() {
	if h != nil {
		h.request.Refs = nil
	}
}

func (h *hiding) add(r git.Ref) {
	if h != nil {
		h.request.Refs = append(h.request.Refs, r)
	}
}

// addTracked adds a branch of a remote, which may lose it while it is hidden here, unless ours of that name is hidden, too, or was before.
func (h *hiding) addTracked(r git.Ref) {
	if h == nil {
		return
	}
	_, branch, ok := git.TrackedBranch(r.Name)
	own := func(o git.Ref) bool { return o.Name == git.BranchRef(branch) }
	if ok && !h.kept[r.ID] && !slices.ContainsFunc(h.request.Refs, own) {
		h.add(r)
	}
}

// tips are the commits of what was fetched over.
func (h *hiding) tips() []git.ID {
	if h == nil {
		return nil
	}
	return UniqueIDs(h.fetched)
}

// addFetched adds what was fetched over and has what is to be hidden. now are the commits without that.
func (h *hiding) addFetched(now map[git.ID]git.ID) {
	if h == nil {
		return
	}
	for _, r := range h.fetched {
		if now[r.ID] != r.ID {
			h.addTracked(r)
		}
	}
}

// Hide takes what tombstones of a remote's roadmap name, r.Asked, out of this repository's refs and
// keeps it as a request, with branches that only the remote has, or had when it was asked before (fetched, by their tracking
// refs). Refs, notes, the record and the tombstones, with more
// that remove nothing, move in one transaction; the objects stay. For base see Operation.Roadmap. It returns no request if nothing here
// contains it.
func Hide(ctx context.Context, s *store.Store, w store.Writer, r Request, base git.ID, more doc.Expunged, fetched ...git.Ref) (*Request, []string, error) {
	lock, err := s.Repo().Lock(ctx, LockName)
	if err != nil {
		return nil, nil, err
	}
	op := &Operation{Store: s, Writer: w, Roadmap: base, hide: &hiding{request: r, fetched: fetched}}
	err = op.hideLocked(ctx, more)
	if err = errors.Join(err, lock.Unlock()); err != nil || op.hide.request.ID == "" {
		return nil, op.Result.Warnings, err
	}
	return &op.hide.request, op.Result.Warnings, nil
}

func (op *Operation) hideLocked(ctx context.Context, more doc.Expunged) error {
	known, err := Tombstones(ctx, op.Store)
	if err != nil {
		return err
	}
	waiting, err := Requests(ctx, op.Store)
	if err != nil {
		return err
	}
	op.hide.kept = map[git.ID]bool{}
	for _, r := range waiting {
		for _, ref := range r.Refs {
			op.hide.kept[ref.ID] = true
		}
	}
	op.intent.expunged = known.Union(op.hide.request.Asked).Union(more)
	if err := checkSize(op.intent.expunged); err != nil {
		return err
	}
	op.Rewriter = NewRewriter(op.Store, op.intent.expunged)
	if _, err := op.hasOldRefs(ctx); err != nil {
		return err
	}
	if err := op.Rewriter.refuseCut(); err != nil {
		return err
	}
	if op.dirty, err = op.Rewriter.dirtyRemotes(ctx, nil); err != nil {
		return err
	}
	if err := op.Store.Repo().WriteStateFile(WaitingName, nil); err != nil { // before a view may look
		return err
	}
	for range maxRounds {
		if again, err := op.round(ctx); err != nil || !again {
			return errors.Join(err, DoneWaiting(ctx, op.Store))
		}
	}
	return errBusy()
}

// moveKept queues the refs of requests: the record of the one that this operation makes, and for all
// others what kept history loses to the tombstones that this operation adds. Those that the
// remotes asked for alone do not count there.
func (op *Operation) moveKept(ctx context.Context, ses *store.Transaction, v *Refs) (int, error) {
	if h := op.hide; h != nil {
		if len(h.request.Refs) == 0 {
			return 0, nil
		}
		if err := h.request.write(ctx, ses); err != nil {
			return 0, err
		}
		id, err := op.Store.NewID("")
		if err != nil {
			return 0, err
		}
		h.request.Ref = git.KeptPrefix + id
		ses.Refs.Update(h.request.Ref, h.request.ID, "")
		return 1, nil
	}
	n := 0
	for _, ref := range v.kept {
		moved, err := op.moveRequest(ctx, ses, ref)
		if err != nil {
			return n, fmt.Errorf("'%s': %w", ref.Name, err)
		}
		if moved {
			op.intent.addOld(ref.ID)
			n++
		}
	}
	return n, nil
}

// concernsKept reports whether this operation adds something that a request asks for, too.
func (op *Operation) concernsKept(ctx context.Context) (bool, error) {
	if op.intent.added.Empty() {
		return false, nil
	}
	list, err := Requests(ctx, op.Store)
	return slices.ContainsFunc(list, func(r Request) bool {
		return len(r.Asked.Without(op.intent.added).Bytes()) < len(r.Asked.Bytes())
	}), err
}

func (op *Operation) moveRequest(ctx context.Context, ses *store.Transaction, ref git.Ref) (bool, error) {
	req, err := ReadRequest(ctx, op.Store, ref)
	if err != nil {
		return false, err
	}
	for _, r := range req.Refs {
		if slices.Contains(op.intent.drop, ref.Name) {
			op.intent.addOld(r.ID)
		}
	}
	left := req.Asked.Without(op.intent.added)
	if slices.Contains(op.intent.drop, ref.Name) || left.Empty() {
		ses.Refs.Delete(ref.Name, ref.ID)
		return true, nil
	}
	w := NewRewriter(op.Store, op.intent.expunged.Refuse(left))
	changed := len(left.Bytes()) != len(req.Asked.Bytes())
	req.Asked = left
	var rest []git.Ref
	for _, r := range req.Refs {
		now, err := w.clean(ctx, r.Name, r.ID)
		if err != nil {
			return false, err
		}
		if now != r.ID {
			changed = true
			op.intent.addOld(r.ID)
		}
		if now != "" {
			rest = append(rest, git.Ref{Name: r.Name, ID: now})
		}
	}
	if !changed {
		return false, nil
	}
	req.Refs = rest
	if now, err := w.Rewrite(ctx, []git.ID{req.Roadmap}); err != nil {
		return false, err
	} else if req.Roadmap != "" {
		req.Roadmap = now[req.Roadmap]
	}
	if err := req.write(ctx, ses); err != nil {
		return false, err
	}
	ses.Refs.Update(ref.Name, req.ID, ref.ID)
	return true, w.Adopt(ctx, ses)
}

// Accept forgets for good what requests ask for: the kept history and its objects go, as after any
// expunge. A killed run is finished by the next writer.
func Accept(ctx context.Context, s *store.Store, w store.Writer, list []Request) (Result, error) {
	var all doc.Expunged
	for _, r := range list {
		all = all.Union(r.Asked)
	}
	return end(ctx, s, w, list, all)
}

// end forgets for good what requests ask for, and of the steps that are pending what is in pending.
func end(ctx context.Context, s *store.Store, w store.Writer, list []Request, pending doc.Expunged) (Result, error) {
	op := &Operation{Store: s, Writer: w, Result: Result{IDs: []string{}, Remotes: []DirtyRemote{}}}
	var all doc.Expunged
	for _, r := range list {
		all = all.Union(r.Asked)
		op.intent.drop = append(op.intent.drop, r.Ref)
		op.intent.addOld(r.ID)
	}
	op.intent.pending = pending
	op.Result.IDs, op.Result.Texts = all.Entries(), all.Texts()
	op.Result.Entries = len(op.Result.IDs)
	err := op.Follow(ctx, doc.Expunged{})
	return op.Result, errors.Join(err, DoneWaiting(ctx, s))
}

// Question is what one commit of a roadmap asks to forget.
type Question struct {
	Remote  string    `json:"remote"`
	Commit  git.ID    `json:"commit"`
	By      string    `json:"by"` // its author, as the commit says
	Email   string    `json:"email"`
	Time    time.Time `json:"time"`
	Why     string    `json:"why"`
	Entries []Entry   `json:"entries"` // that are hidden here
	Texts   int       `json:"texts"`
	Until   time.Time `json:"until,omitzero"` // when what was followed is deleted
}

// What describes it: "2 entries and 1 text".
func (q Question) What() string { return EntriesAndTexts(len(q.Entries), q.Texts) }

// Questions returns which commits of the roadmap ask for what a request hides, oldest first.
func (r *Request) Questions(ctx context.Context, s *store.Store) ([]Question, error) {
	hidden, err := r.entries(ctx, s)
	if err != nil {
		return nil, err
	}
	list, left := []Question{}, r.Asked
	err = r.eachAsking(ctx, s, func(c *git.Commit, has doc.Expunged) {
		later := left.Since(has)
		here := left.Except(later)
		if here.Empty() {
			return
		}
		left = later
		_, body, _ := c.Parts()
		q := Question{Remote: r.Remote, Commit: c.ID, By: c.Author.Name, Email: c.Author.Email, Time: c.Author.When.UTC(),
			Why: strings.TrimSpace(body), Entries: []Entry{}, Texts: here.Texts(),
			Until: r.Until}
		for _, e := range hidden {
			if here.HasEntry(e.ID) {
				q.Entries = append(q.Entries, e)
			}
		}
		list = append(list, q)
	})
	if len(list) == 0 && !r.Asked.Empty() && err == nil { // the commit that asks was lost, or its file was
		list = append(list, Question{Remote: r.Remote, Commit: r.Roadmap, Entries: append([]Entry{}, hidden...), Texts: r.Asked.Texts(), Until: r.Until})
	}
	return list, err
}

// eachAsking visits the commits of the roadmap that change its tombstones, oldest first.
func (r *Request) eachAsking(ctx context.Context, s *store.Store, visit func(*git.Commit, doc.Expunged)) error {
	if r.Roadmap == "" {
		return nil
	}
	history, err := s.Repo().History(ctx, []git.ID{r.Roadmap})
	if err != nil {
		return err
	}
	files := map[git.ID]git.ID{}
	for _, n := range history {
		c, err := s.Repo().Commit(ctx, n.ID)
		if err != nil {
			return err
		}
		tree := s.Repo().Edit(c.Tree)
		e, _, err := tree.Entry(ctx, doc.ExpungedFile)
		if err != nil {
			return err
		}
		files[n.ID] = e.ID
		if e.ID == "" || slices.ContainsFunc(n.Parents, func(p git.ID) bool { return files[p] == e.ID }) {
			continue
		}
		has, err := TombstonesIn(ctx, s, tree)
		if err != nil {
			return err
		}
		visit(c, has)
	}
	return nil
}

// entries returns the entries that a request hides.
func (r *Request) entries(ctx context.Context, s *store.Store) ([]Entry, error) {
	f := newFinder(s)
	if err := r.search(ctx, f); err != nil {
		return nil, err
	}
	var res Result
	f.entries(&res)
	return res.Expunged, nil
}
