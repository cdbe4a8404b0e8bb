package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// checkAttachments looks for files that steps keep and that are not there: of the steps of a branch, in its
// tree; of pending steps, in local state too. A file that any branch has under another name is put back; nothing else
// mends that: it may exist elsewhere, and an expunge of it says that it is gone.
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
		if err := c.lostFiles(ctx, tip, step.ID, step.Attachments, true); err != nil {
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
	for _, blob := range logs {
		of := v.attached[blob]
		for _, id := range slices.Sorted(maps.Keys(of)) {
			if err := c.lostFiles(ctx, tip, id, of[id], false); err != nil {
				return err
			}
		}
	}
	return nil
}

// lostFiles reports which files of a step are not there.
func (c *checker) lostFiles(ctx context.Context, tip *store.Tip, step string, list []doc.Attachment, pending bool) error {
	for _, a := range list {
		_, ok, err := tip.Entry(ctx, a.Path())
		if err != nil {
			return err
		}
		if !ok && pending {
			data, err := git.ReadCacheFile(c.s.AttachedPath(a.Hash))
			ok = err == nil && a.Matches(data)
		}
		if ok || c.forgotten.HasFile(a.Hash) {
			continue
		}
		p := Problem{Kind: "attachment-lost", Object: a.Hash, Repair: FixCommand,
			Message: fmt.Sprintf("step %s of branch '%s': the content of attachment '%s' is lost", step, tip.Name(), a.Name)}
		blob, name, err := c.sameFile(ctx, tip, a)
		if err != nil {
			return err
		}
		if blob != "" && !pending { // who pushes a step may name the file of another one
			p.Message += ", but there as '" + name + "'"
			c.report(ctx, func(ctx context.Context) error { return c.putFile(ctx, tip.Name(), a, blob) }, p)
			continue
		}
		if p.Repair = "attach it again, if you have it"; blob == "" {
			p.Repair += "; then git context expunge --yes --id " + doc.ArtifactDir + "/" + a.Hash
		}
		c.report(ctx, nil, p)
	}
	return nil
}

// sameFile finds the content of an attachment under another name, first in the branch and then in all others; "" for none.
func (c *checker) sameFile(ctx context.Context, tip *store.Tip, a doc.Attachment) (blob git.ID, name string, err error) {
	tips := []*store.Tip{tip}
	v, err := c.memory(ctx)
	if err != nil {
		return "", "", err
	}
	for _, t := range v.tips {
		if branch, ok := git.BranchName(t.Name); ok && branch != tip.Name() {
			other, err := c.s.TipAt(ctx, branch, t.ID)
			if err != nil {
				return "", "", err
			}
			tips = append(tips, other)
		}
	}
	for _, t := range tips {
		dir := doc.ArtifactDir + "/" + a.Hash[:2]
		list, err := t.List(ctx, dir)
		if err != nil {
			return "", "", err
		}
		for _, e := range list {
			hash, name, ok := doc.AttachmentAt(dir + "/" + e.Name)
			if !ok || hash != a.Hash {
				continue
			}
			data, err := c.s.Repo().Blob(ctx, e.ID)
			if err != nil {
				return "", "", err
			}
			if doc.NewAttachment(name, data).Hash == a.Hash {
				return e.ID, name, nil
			}
		}
	}
	return "", "", nil
}

// putFile puts the content of an attachment where a step of a branch has it.
func (c *checker) putFile(ctx context.Context, branch string, a doc.Attachment, blob git.ID) error {
	return mendBranch(ctx, c.s, c.w, branch, func(ctx context.Context, tx *store.Transaction, now *store.Tip) (*store.Draft, error) {
		if _, there, err := now.Entry(ctx, a.Path()); there || err != nil {
			return nil, err
		}
		draft, err := tx.Follow(ctx, now, "Put back attachment "+a.Name)
		if err != nil {
			return nil, err
		}
		return draft, draft.Tree.Put(ctx, a.Path(), blob)
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
