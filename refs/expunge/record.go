package expunge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Rebuild makes the record of a request again whose files are lost, from its commit: its parents are what refs had. The
// tombstones in force that act on these, and that no other request has, are what is asked; of what each ref has now tells
// which of them it had. What no ref tells comes back as a deleted branch, should the request be refused.
func Rebuild(ctx context.Context, s *store.Store, w store.Writer, ref git.Ref) (err error) {
	lock, err := s.Repo().Lock(ctx, LockName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	b := &rebuilder{s: s, broken: ref}
	if err := b.read(ctx); err != nil {
		return err
	}
	if err := s.Repo().WriteStateFile(WaitingName, nil); err != nil {
		return err
	}
	ses, err := s.BeginLocked(ctx, w, "expunge: rebuild the record")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ses.Close()) }()
	if err := b.request.write(ctx, ses); err != nil {
		return err
	}
	if b.request.ID == ref.ID {
		return nil // the same files: they are here again
	}
	ses.Refs.Update(ref.Name, b.request.ID, ref.ID)
	return ses.Commit(ctx)
}

// rebuilder finds out what the files of a record had.
type rebuilder struct {
	s       *store.Store
	broken  git.Ref
	request Request
	parents []*git.Commit // without the roadmap's commit that asks
	refs    *Refs         // now
	by      *Rewriter
}

func (b *rebuilder) read(ctx context.Context) error {
	r, tree, err := readRecord(ctx, b.s, b.broken)
	if err != nil {
		return err
	}
	if b.refs, err = ListRefs(ctx, b.s); err != nil {
		return err
	}
	known, err := Tombstones(ctx, b.s)
	if err != nil {
		return err
	}
	b.request, b.by = r, NewRewriter(b.s, known)
	if err := b.readParents(ctx); err != nil {
		return err
	}
	if b.request.Asked, err = readAsked(ctx, b.s, tree); err != nil {
		if b.request.Asked, err = b.asked(ctx, known); err != nil {
			return err
		}
	}
	if b.request.Refs, err = readRefs(ctx, b.s, tree); err == nil {
		return nil
	}
	for _, c := range b.parents {
		if err := b.addRefs(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *rebuilder) readParents(ctx context.Context) error {
	record, err := b.s.Repo().Commit(ctx, b.broken.ID)
	if err != nil {
		return err
	}
	for _, id := range record.Parents {
		if id == b.request.Roadmap {
			continue
		}
		c, err := b.s.Repo().Commit(ctx, id)
		if err != nil {
			return err
		}
		b.parents = append(b.parents, c)
	}
	return nil
}

// asked returns the tombstones in force that act on the parents, without those of other requests: these hide what this one
// hides only where nothing else does.
func (b *rebuilder) asked(ctx context.Context, known doc.Expunged) (doc.Expunged, error) {
	var tips []git.ID
	var hits doc.Expunged
	for _, c := range b.parents {
		if b.by.ForgetsWork(c.ID) {
			hits = hits.Union(known.OnlyText(string(c.ID)))
		} else {
			tips = append(tips, c.ID)
		}
	}
	history, err := b.s.Repo().History(ctx, tips)
	if err != nil {
		return hits, err
	}
	ids := make([]git.ID, len(history))
	for i, c := range history {
		ids[i] = c.ID
	}
	more, err := HitsOf(ctx, b.s, known, ids)
	if err != nil {
		return hits, err
	}
	hits = hits.Union(more)
	var others doc.Expunged
	for _, ref := range b.refs.kept {
		if r, err := ReadRequest(ctx, b.s, ref); err == nil { // else it is rebuilt after this one
			others = others.Union(r.Asked)
		} else if ctx.Err() != nil {
			return hits, err
		}
	}
	if own := hits.Except(others); !own.Empty() {
		hits = own
	}
	if hits.Empty() {
		return hits, fail.New(fail.ErrInvalid, fail.Invalid, "nothing that is expunged is in its parents", "git context restore "+string(b.broken.ID)+"^1")
	}
	return hits, nil
}

// addRefs adds the refs that had a parent:
//
//  1. our own refs that have now what it becomes without what is expunged;
//  2. else the branch it was made on, here or else on the remote, if that goes on from there;
//  3. else a deleted branch.
func (b *rebuilder) addRefs(ctx context.Context, c *git.Commit) error {
	add := func(ref string) { b.request.Refs = append(b.request.Refs, git.Ref{Name: ref, ID: c.ID}) }
	branch := store.BranchOf(c)
	if b.by.ForgetsWork(c.ID) {
		add(git.WorkRef(b.workBranch(c.ID)))
		return nil
	}
	tree := b.s.Repo().Edit(c.Tree)
	_, memory, err := tree.Entry(ctx, doc.CommitFile)
	if err != nil {
		return err
	}
	_, roadmap, err := tree.Entry(ctx, doc.RoadmapFile)
	switch {
	case err != nil:
		return err
	case roadmap && !memory:
		add(git.RoadmapRef)
		return nil
	case !memory:
		add(git.NotesRef)
		return nil
	}
	now, err := b.by.Rewrite(ctx, []git.ID{c.ID})
	if err != nil {
		return err
	}
	before := len(b.request.Refs)
	for _, r := range b.refs.Own() {
		if r.ID == now[c.ID] {
			add(r.Name)
		}
	}
	if len(b.request.Refs) > before {
		return nil
	}
	for _, ref := range []string{git.BranchRef(branch), git.RemotePrefix + b.request.Remote + "/heads/" + branch} {
		if id := b.has(ref); branch != "" && id != "" {
			if on, err := b.s.Repo().IsAncestor(ctx, now[c.ID], id); err != nil || on {
				add(ref)
				return err
			}
		}
	}
	id, err := b.s.NewID("")
	add(git.DeletedRef(branch, id))
	return err
}

// has returns what a ref has now, "" if there is none.
func (b *rebuilder) has(name string) git.ID {
	for _, r := range b.refs.All() {
		if r.Name == name {
			return r.ID
		}
	}
	return ""
}

// workBranch returns the branch with which some code was handed over: its newest commit names it.
func (b *rebuilder) workBranch(id git.ID) string {
	for _, c := range b.parents {
		if branch := store.BranchOf(c); branch != "" && c.Trailer(store.TrailerWork) == string(id) {
			return branch
		}
	}
	return id.Short()
}

// readRecord reads what the commit of a record says, and returns its tree.
func readRecord(ctx context.Context, s *store.Store, ref git.Ref) (Request, git.ID, error) {
	r := Request{Ref: ref.Name, ID: ref.ID}
	c, err := s.Repo().Commit(ctx, ref.ID)
	if err != nil {
		return r, "", err
	}
	r.Remote, r.Roadmap = c.Trailer(trailerRemote), git.ID(c.Trailer(trailerRoadmap))
	if until := c.Trailer(trailerUntil); until != "" {
		r.Until, err = time.Parse(time.RFC3339, until)
	}
	return r, c.Tree, err
}

func readRecordFile(ctx context.Context, s *store.Store, tree git.ID, name string) ([]byte, error) {
	e, ok, err := s.Repo().Edit(tree).Entry(ctx, name)
	if err == nil && !ok {
		err = fmt.Errorf("'%s' is missing", name)
	}
	if err != nil {
		return nil, err
	}
	return s.Repo().Blob(ctx, e.ID)
}

func readAsked(ctx context.Context, s *store.Store, tree git.ID) (doc.Expunged, error) {
	asked, err := readRecordFile(ctx, s, tree, askedFile)
	if err != nil {
		return doc.Expunged{}, err
	}
	return doc.ParseExpunged(asked)
}

func readRefs(ctx context.Context, s *store.Store, tree git.ID) (refs []git.Ref, err error) {
	list, err := readRecordFile(ctx, s, tree, refsFile)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(list)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || !s.Repo().IsID(id) {
			return nil, fmt.Errorf("%s: cannot understand '%s'", refsFile, prose.OneLine(line, 100))
		}
		refs = append(refs, git.Ref{Name: name, ID: git.ID(id)})
	}
	return refs, nil
}

// Move queues the record with what its commits are now; "" for one that is lost.
func (r *Request) Move(ctx context.Context, ses *store.Transaction, now func(git.ID) git.ID) error {
	moved := *r
	moved.Refs = nil
	for _, ref := range r.Refs {
		if ref.ID = now(ref.ID); ref.ID != "" {
			moved.Refs = append(moved.Refs, ref)
		}
	}
	if r.Roadmap != "" {
		moved.Roadmap = now(r.Roadmap)
	}
	if err := moved.write(ctx, ses); err != nil {
		return err
	}
	ses.Refs.Update(r.Ref, moved.ID, r.ID)
	return nil
}

// write makes the record's commit. It is never signed, as it never leaves this repository.
func (r *Request) write(ctx context.Context, ses *store.Transaction) error {
	tree := ses.Store.Repo().Edit("")
	var refs bytes.Buffer
	var parents []git.ID
	for _, ref := range r.Refs {
		fmt.Fprintf(&refs, "%s %s\n", ref.ID, ref.Name)
		parents = append(parents, ref.ID)
	}
	if r.Roadmap != "" {
		parents = append(parents, r.Roadmap)
	}
	slices.Sort(parents)
	err := errors.Join(ses.Put(ctx, tree, askedFile, r.Asked.Bytes()), ses.Put(ctx, tree, refsFile, refs.Bytes()))
	if err != nil {
		return err
	}
	c := git.Commit{Parents: slices.Compact(parents), Author: ses.Signature, Committer: ses.Signature,
		Message: fmt.Sprintf("Keep what '%s' asks to forget\n\n%s%s", prose.OneLine(r.Remote, 100),
			trailer(trailerRemote, r.Remote), trailer(trailerRoadmap, string(r.Roadmap)))}
	if !r.Waits() {
		c.Message += trailer(trailerUntil, r.Until.UTC().Format(time.RFC3339))
	}
	if c.Tree, err = tree.Write(ctx); err != nil {
		return err
	}
	r.ID, err = ses.Store.Repo().WriteCommit(ctx, &c)
	return err
}
