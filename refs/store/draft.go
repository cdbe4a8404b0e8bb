package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/git-context/git-context/refs/detect"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Draft is one memory commit in the making.
type Draft struct {
	branch  string
	Tree    *git.Edit
	Meta    *doc.Metadata
	Parents []git.ID

	Subject, Body string
	Entry         *doc.Commit // nil for a memory commit without an entry in commit.md
	Last          string      // the newest commit's summary before; "" at a birth
	Written       time.Time   // what an import brings was written then, which is the author's date; zero: now
	Newest        string      // the largest entry id in the documents
	took          journalMark // what it drained; zero: what the parent's trailer says
	Parent        *git.Commit // the branch's tip before; nil for a first commit
	Code          git.ID      // the code HEAD; "" while it is unborn
	Roadmap       git.ID      // the roadmap at this commit
	Warnings      []string    // what could not be found out, and stops nothing
	RoadmapAge    int         // commits since the roadmap was revised
	Work          git.ID      // the uncommitted code that was handed over with the newest COMMIT; "" for none
	Restores      git.ID      // a commit that has what this one brings back; "" for none
	removes       []string    // what it removes on purpose: files of topics, keys of metadata.yaml
}

// RemoveTopic removes a topic, and records that. What a commit lacks of its parent without a
// record is lost, not removed.
func (c *Draft) RemoveTopic(ctx context.Context, key string) error {
	path := doc.TopicPath(key)
	c.removes = append(c.removes, path)
	return c.Tree.Remove(ctx, path)
}

// RecordRemovedKeys records that the keys of metadata.yaml which before has and the draft lacks are removed on
// purpose, as RemoveTopic does.
func (c *Draft) RecordRemovedKeys(before *doc.Metadata) error {
	keys, err := removedKeys(before, c.Meta)
	c.addRemoved(keys)
	return err
}

// RecordRemoved records what RemovedSince finds in the draft.
func (c *Draft) RecordRemoved(ctx context.Context, before *Tip) error {
	names, err := RemovedSince(ctx, before, c.Tree, c.Meta)
	c.addRemoved(names)
	return err
}

func (c *Draft) addRemoved(names []string) {
	have := make(map[string]bool, len(c.removes))
	for _, name := range c.removes {
		have[name] = true
	}
	for _, name := range names {
		if !have[name] {
			have[name] = true
			c.removes = append(c.removes, name)
		}
	}
}

// RemovedSince lists the topics and keys that a commit has and a later tree with its metadata lacks, as Context-Removes names
// them.
func RemovedSince(ctx context.Context, before *Tip, tree *git.Edit, meta *doc.Metadata) ([]string, error) {
	was, err := before.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	names, err := removedKeys(was, meta)
	if err != nil {
		return nil, err
	}
	had, err := TopicIDs(ctx, before)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(had)) {
		path := doc.TopicDir + "/" + name
		_, has, err := tree.Entry(ctx, path)
		if err != nil {
			return nil, err
		}
		if !has {
			names = append(names, path)
		}
	}
	return names, nil
}

// KeyRecord returns the value of Context-Removes for a key path of metadata.yaml, in the form of doc.JoinPath.
func KeyRecord(path string) string { return doc.MetadataFile + "#" + prose.OneLine(path, 200) }

// Put stores a document as a blob and puts it into a tree at path. One of more than [MaxFile] is refused, as it is by every
// other repository.
func (tx *Transaction) Put(ctx context.Context, tree *git.Edit, path string, data []byte) error {
	return tx.putMost(ctx, tree, path, data, MaxFile)
}

// PutMerged is Put for the main.md of a merge.
func (tx *Transaction) PutMerged(ctx context.Context, tree *git.Edit, data []byte) error {
	return tx.putMost(ctx, tree, doc.RoadmapFile, data, RoadmapMost)
}

func (tx *Transaction) putMost(ctx context.Context, tree *git.Edit, path string, data []byte, most int) error {
	if len(data) > most {
		return fmt.Errorf("%s of %d bytes is %w of %d", path, len(data), doc.ErrOverLimit, most)
	}
	id, err := tx.Store.repo.WriteBlob(ctx, data)
	if err != nil {
		return err
	}
	return tree.Put(ctx, path, id)
}

// PutGrowth puts a live file and the segments that were cut from it into a tree.
func (tx *Transaction) PutGrowth(ctx context.Context, tree *git.Edit, live string, g doc.Growth) error {
	for _, f := range append(g.Sealed, doc.File{Path: live, Data: g.Live}) {
		if err := tx.Put(ctx, tree, f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// Write stores a change and queues the move of its branch. old is the branch's
// value that the change follows.
func (tx *Transaction) Write(ctx context.Context, c *Draft, old git.ID) (*git.Commit, error) {
	commit, err := tx.WriteObjects(ctx, c)
	if err == nil {
		tx.Refs.Update(git.BranchRef(c.branch), commit.ID, old)
	}
	return commit, err
}

// WriteObjects stores a draft's metadata, tree and commit.
func (tx *Transaction) WriteObjects(ctx context.Context, c *Draft) (*git.Commit, error) {
	tree, err := tx.WriteTree(ctx, c)
	if err == nil {
		err = tx.removeBefore(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	made, err := tx.storeCommit(ctx, &git.Commit{
		Tree: tree, Parents: c.Parents, Author: tx.author(c.Written), Committer: tx.Signature,
		Message: message(c.Subject, c.Body, tx.trailers(c)),
	})
	if err == nil {
		tx.tell(made, c.Entry)
	}
	return made, err
}

// author is the signature with another date. A date that git does not take, or that is still to come, is
// now: nothing depends on it, since all orders are those of the parents and of the committer's dates.
func (tx *Transaction) author(written time.Time) git.Signature {
	who := tx.Signature
	if written.Unix() > 0 && written.Before(who.When) {
		who.When = written.In(who.When.Location())
	}
	return who
}

// NoRoom adds to the error of a document or folder of a branch, or of the roadmap for "", that would grow beyond its limit
// the commands that make room, and returns other errors unchanged.
func NoRoom(branch string, err error) error {
	folder := errors.Is(err, git.ErrTreeTooLarge)
	var known *fail.Error
	if !folder && !errors.Is(err, doc.ErrOverLimit) || errors.As(err, &known) {
		return err
	}
	full := &fail.Error{Code: fail.TextTooLarge, Kind: fail.ErrInvalid, Err: err, Message: "the roadmap has no room",
		Hints: []string{"git context roadmap", "to remove a section: git context roadmap section NAME -F EMPTYFILE"}}
	if branch == "" {
		return full
	}
	full.Message = fmt.Sprintf("branch '%s' has no room", branch)
	command := "git context -b " + prose.ShellWord(branch)
	if full.Hints = []string{command + " metadata", command + " metadata unset PATH"}; folder {
		full.Hints = []string{command + " topics", command + " forget KEY"}
	}
	return full
}

// WriteTree stores a draft's metadata and tree.
func (tx *Transaction) WriteTree(ctx context.Context, c *Draft) (git.ID, error) {
	if totals := c.Meta.Totals(); len(totals.Origins) > 0 {
		if folded := totals.Fold(c.branch); len(folded.Origins) < len(totals.Origins) {
			if err := c.Meta.SetTotals(folded); err != nil {
				return "", err
			}
		}
	}
	meta, shrunk, err := c.Meta.BytesOrLess()
	if err != nil {
		return "", NoRoom(c.branch, err)
	}
	if shrunk && len(c.Parents) > 0 {
		tx.Store.Warn(fmt.Sprintf("%s of branch '%s' had no room left: its comments are dropped, and what it counts of other branches is one sum; "+
			"as it was: git show %s:%[1]s", doc.MetadataFile, c.branch, c.Parents[0].Short()))
	}
	if err := tx.Put(ctx, c.Tree, doc.MetadataFile, meta); err != nil {
		return "", err
	}
	tree, err := c.Tree.Write(ctx)
	return tree, NoRoom(c.branch, err)
}

// trailers is the block that ends the message of a change.
func (tx *Transaction) trailers(c *Draft) string {
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
		t.add(TrailerLink, string(tx.Code))
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
	t.add(TrailerWork, string(c.Work))
	for _, path := range c.removes {
		t.add(TrailerRemoves, path)
	}
	t.add(TrailerRestores, string(c.Restores))
	t.add(TrailerAgent, tx.Writer.Agent)
	t.add(TrailerSession, tx.Writer.Session)
	t.add(TrailerModel, tx.Writer.Model)
	if tx.Writer.Tokens > 0 {
		t.add(TrailerTokens, strconv.FormatInt(tx.Writer.Tokens, 10))
	}
	return t.b.String()
}

// LastSummary returns the summary of the newest commit of a branch on one line, "" where it
// has none.
func LastSummary(tip *git.Commit) string {
	if tip.Trailer(TrailerID) != "" {
		return prose.OneLine(tip.Subject(), PurposeLimit)
	}
	return tip.Trailer(TrailerLast)
}

// Follow begins a draft on top of a tip, with its tree and metadata.
func (tx *Transaction) Follow(ctx context.Context, tip *Tip, subject string) (*Draft, error) {
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	roadmap, err := tx.Store.RoadmapTip(ctx)
	if err != nil {
		return nil, err
	}
	code, err := tx.codeHead(ctx)
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
		Work: WorkOf(tip.commit),
	}
	c.SetRoadmap(roadmap)
	return c, nil
}

// SetRoadmap sets the roadmap that a draft refers to, and its age: one that did not change
// keeps its age.
func (c *Draft) SetRoadmap(roadmap git.ID) {
	c.Roadmap, c.RoadmapAge = roadmap, 0
	if before, n := ParseRoadmap(c.Parent.Trailer(TrailerRoadmap)); before == roadmap {
		c.RoadmapAge = n
	}
}

// RefreshDetected brings a change's detected keys up to date where the code has
// moved on since the parent commit. The questions get more costly one by one:
// is HEAD another commit, is its tree another tree, what is in it.
func (s *Store) RefreshDetected(ctx context.Context, c *Draft, parent *git.Commit) error {
	if c.Code == "" {
		return nil
	}
	before, _, err := c.Meta.Get(detect.KeyFrom)
	if err != nil {
		return err
	}
	known, _ := before.(string)
	seen := parent != nil && parent.Trailer(TrailerID) != "" && git.ID(parent.Trailer(TrailerCode)) == c.Code
	if seen && known != "" {
		return nil
	}
	failed := detect.Refresh(ctx, s.repo, c.Meta, c.Code, git.ID(known))
	if failed == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	// What the code looks like is worth no failed commit: the keys stay as they are,
	// and without the tree that they were read from the next one tries again.
	c.Warnings = append(c.Warnings, "metadata not refreshed: "+failed.Error())
	_, err = c.Meta.Unset(detect.KeyFrom)
	return err
}

// CodeHead returns the code repository's HEAD, "" while it is unborn.
func (s *Store) CodeHead(ctx context.Context) (git.ID, error) {
	id, err := s.repo.Ref(ctx, "HEAD")
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// codeHead is the code commit that a change is made on.
func (tx *Transaction) codeHead(ctx context.Context) (git.ID, error) {
	if tx.Code != "" {
		return tx.Code, nil
	}
	return tx.Store.CodeHead(ctx)
}
