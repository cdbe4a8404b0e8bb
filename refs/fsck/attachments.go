package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// checkAttachments looks for files that steps keep and that are not there: of the steps of a branch, in its
// tree; of pending steps, in local state too. A file that any branch has under another name is put back; nothing else
// mends that: it may exist elsewhere, and an expunge of it says that it is gone. What a commit had, checkLosses looks for:
// here remain files that no commit ever had. They are no problem of this repository if the step was not written here, since
// anybody can push steps that name any number of files.
func checkAttachments(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil || c.forgotten == nil {
		return err
	}
	lost := map[string]bool{} // branches that lack what their history has, which checkLosses reports
	for _, p := range c.found {
		lost[p.Object] = lost[p.Object] || p.Kind == "memory-lost" && !p.Fixed
	}
	for _, t := range v.tips {
		branch, ok := git.BranchName(t.Name)
		if !ok || lost[t.Name] {
			continue
		}
		tip, err := c.s.Tip(ctx, branch) // which checkLosses may have mended
		if errors.Is(err, fail.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := c.attachments(ctx, v, tip); err != nil {
			return err
		}
	}
	return nil
}

// attachments checks those of one branch.
func (c *checker) attachments(ctx context.Context, v *memory, tip *store.Tip) error {
	p, err := c.s.Pending(ctx, tip)
	if err != nil {
		return nil // checkJournals reports it
	}
	waiting, err := c.s.WaitingSteps(ctx, tip.Name(), p)
	if err != nil {
		return nil
	}
	for _, step := range waiting {
		if err := c.lostFiles(ctx, tip, step.ID, step.Attachments, nil); err != nil {
			return err
		}
	}
	if len(v.attached) == 0 {
		return nil
	}
	logs, err := logBlobs(ctx, c.s, tip)
	if err != nil {
		return err
	}
	back := returns{put: map[string]git.ID{}, lost: map[string][]Problem{}}
	for _, blob := range logs {
		of := v.attached[blob]
		for _, id := range slices.Sorted(maps.Keys(of)) {
			if err := c.lostFiles(ctx, tip, id, of[id], &back); err != nil {
				return err
			}
		}
	}
	c.report(ctx, func(ctx context.Context) error { return c.putFiles(ctx, tip.Name(), back.put) }, back.problems...)
	return c.reportOwn(ctx, back.lost)
}

// returns are files of a branch that are not there.
type returns struct {
	problems []Problem
	put      map[string]git.ID    // those that can be put back: by their paths, what they contain
	lost     map[string][]Problem // those that cannot, by the ids of their steps
}

// reportOwn reports the lost files of the steps that were written here.
func (c *checker) reportOwn(ctx context.Context, lost map[string][]Problem) error {
	if len(lost) == 0 {
		return nil
	}
	var steps doc.Expunged
	for id := range lost {
		if err := steps.AddEntry(id); err != nil {
			return err
		}
	}
	own, err := expunge.OwnHits(ctx, c.s, steps)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		if err != nil || own.HasEntry(id) { // where it cannot be told, they may be
			c.report(ctx, nil, lost[id]...)
		}
	}
	return nil
}

// lostFiles reports which files of a step are not there, and adds those that can be put back to back, which is nil for a pending
// step.
func (c *checker) lostFiles(ctx context.Context, tip *store.Tip, step string, list []doc.Attachment, back *returns) error {
	for _, a := range list {
		_, ok, err := tip.Entry(ctx, a.Path())
		if err != nil {
			return err
		}
		if !ok && back == nil {
			data, err := git.ReadCacheFile(c.s.AttachedPath(a.Hash))
			ok = err == nil && a.Matches(data)
		}
		if ok || c.forgotten.HasFile(a.Hash) {
			continue
		}
		p := Problem{Kind: "attachment-lost", Object: a.Hash, Repair: FixCommand,
			Message: fmt.Sprintf("step %s of branch '%s': the content of attachment '%s' is lost", step, tip.Name(), a.Name)}
		blob, name, err := c.sameFile(ctx, a)
		if err != nil {
			return err
		}
		if blob != "" && back != nil { // who pushes a step may name the file of another one
			p.Message += ", but there as '" + name + "'"
			back.problems, back.put[a.Path()] = append(back.problems, p), blob
			continue
		}
		if p.Repair = "attach it again, if you have it"; blob == "" {
			p.Repair += "; then git context expunge --yes --id " + doc.ArtifactDir + "/" + a.Hash
		}
		if back != nil {
			back.lost[step] = append(back.lost[step], p)
		} else {
			c.report(ctx, nil, p)
		}
	}
	return nil
}

// sameFile finds the content of an attachment under any name in any branch; "" for none.
func (c *checker) sameFile(ctx context.Context, a doc.Attachment) (blob git.ID, name string, err error) {
	if c.files == nil {
		if c.files, err = c.listFiles(ctx); err != nil {
			return "", "", err
		}
	}
	for _, f := range c.files[a.Hash] {
		data, err := c.s.Repo().Blob(ctx, f.blob)
		if err != nil {
			return "", "", err
		}
		if doc.NewAttachment(f.name, data).Hash == a.Hash {
			return f.blob, f.name, nil
		}
	}
	return "", "", nil
}

// keptFile is a file that steps keep.
type keptFile struct {
	blob git.ID
	name string
}

// listFiles lists the files of all branches by their hashes. It reads each folder once: thousands of steps may name files that
// are not there.
func (c *checker) listFiles(ctx context.Context) (map[string][]keptFile, error) {
	v, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	files, seen := map[string][]keptFile{}, map[git.ID]bool{}
	for _, t := range v.tips {
		branch, ok := git.BranchName(t.Name)
		if !ok {
			continue
		}
		tip, err := c.s.TipAt(ctx, branch, t.ID)
		if err != nil {
			return nil, err
		}
		folders, err := tip.List(ctx, doc.ArtifactDir)
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			if seen[folder.ID] || !folder.IsTree() {
				continue
			}
			seen[folder.ID] = true
			list, err := c.s.Repo().Tree(ctx, folder.ID)
			if err != nil {
				return nil, err
			}
			for _, e := range list {
				if hash, name, ok := doc.AttachmentAt(doc.ArtifactDir + "/" + folder.Name + "/" + e.Name); ok {
					files[hash] = append(files[hash], keptFile{e.ID, name})
				}
			}
		}
	}
	return files, nil
}

// putFiles puts the contents of attachments where steps of a branch have them, in one commit.
func (c *checker) putFiles(ctx context.Context, branch string, files map[string]git.ID) error {
	return mendBranch(ctx, c.s, c.w, branch, func(ctx context.Context, tx *store.Transaction, now *store.Tip) (*store.Draft, error) {
		draft, err := tx.Follow(ctx, now, "Put back attachments that are there under other names")
		if err != nil {
			return nil, err
		}
		for path, blob := range files {
			if err := draft.Tree.Put(ctx, path, blob); err != nil {
				return nil, err
			}
		}
		return draft, nil
	})
}

// logBlobs lists the log.md of a branch and its segments.
func logBlobs(ctx context.Context, s *store.Store, tip *store.Tip) (ids []git.ID, err error) {
	live, ok, err := tip.Entry(ctx, doc.LogFile)
	if err != nil {
		return nil, err
	}
	if ok {
		ids = append(ids, live.ID)
	}
	var walk func(dir string) error
	walk = func(dir string) error {
		list, err := tip.List(ctx, dir)
		for _, e := range slices.Clone(list) {
			if !e.IsTree() {
				ids = append(ids, e.ID)
			} else if err := walk(dir + "/" + e.Name); err != nil {
				return err
			}
		}
		return err
	}
	return ids, walk(doc.LogDir)
}
