package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/redact"
)

// AttachedDir contains, in local state, the files that lines of journals name, each by its hash.
// RECORD writes a file before the line. A COMMIT puts it into its tree; the file stays until no
// journal names it, because the journal keeps what the newest commits took.
const AttachedDir = "attached"

// attachedLock is locked between the writing of a file and that of the line that names it, and while
// files without a line are removed. It is taken after the lock of a branch and before that of a
// journal.
const attachedLock = "attached"

// AttachedPath returns where the content of an attachment is until a commit has taken it, and for a
// while after.
func (s *Store) AttachedPath(hash string) string { return s.StatePath(AttachedDir + "/" + hash) }

// NewAttachment is a file to keep with a step.
type NewAttachment struct {
	Name string // of the file, without its folder
	Data []byte
}

// cleanAttachments makes attachments fit to be stored: in a text, and in the name, a mark replaces each
// secret. A file that is no text cannot have a mark: with a secret it is refused.
func (s *Store) cleanAttachments(ctx context.Context, step *NewStep) error {
	if len(step.Attach) == 0 {
		return nil
	}
	if n := len(step.Attach); n > doc.MaxAttachments {
		return fail.New(fail.ErrInvalid, fail.AttachmentTooLarge,
			fmt.Sprintf("the step has %d attachments; at most %d are allowed", n, doc.MaxAttachments))
	}
	rules, err := s.Redaction(ctx)
	if err != nil {
		return err
	}
	step.Attach = slices.Clone(step.Attach)
	for i := range step.Attach {
		if err := s.cleanAttachment(rules, &step.Attach[i]); err != nil {
			return err
		}
	}
	return nil
}

// CleanAttachment makes one file fit to be stored, as those of a step that is recorded. It returns an error of
// the kind fail.ErrInvalid for one that is too large, and fail.ErrRefused for a secret that no mark can replace.
func (s *Store) CleanAttachment(ctx context.Context, a *NewAttachment) error {
	rules, err := s.Redaction(ctx)
	if err != nil {
		return err
	}
	return s.cleanAttachment(rules, a)
}

func (s *Store) cleanAttachment(rules *redact.Rules, a *NewAttachment) error {
	if err := CheckAttachmentSize(a.Name, int64(len(a.Data))); err != nil {
		return err
	}
	s.redact(rules, &a.Name)
	text := string(a.Data)
	if utf8.Valid(a.Data) && !bytes.ContainsRune(a.Data, 0) {
		s.redact(rules, &text)
		a.Data = []byte(text)
	} else if _, found := rules.Text(text); len(found) > 0 {
		return fail.New(fail.ErrRefused, fail.AttachmentSecret,
			fmt.Sprintf("attachment '%s' contains a secret (%s), and is no text in which a mark could replace it",
				a.Name, found[0].Kind), "attach a file without it")
	}
	return CheckAttachmentSize(a.Name, int64(len(a.Data))) // a mark may be longer
}

// CheckAttachmentSize refuses a file that is larger than an attachment may be.
func CheckAttachmentSize(name string, size int64) error {
	if size <= doc.MaxAttachment {
		return nil
	}
	return fail.New(fail.ErrInvalid, fail.AttachmentTooLarge, fmt.Sprintf("attachment '%s' has %d bytes; at most %d (1 MiB) are allowed",
		name, size, doc.MaxAttachment), "attach the part that matters, or record where the file is")
}

// attachments describes the files of a step; a file that is given twice is kept once.
func (step *NewStep) attachments() (list []doc.Attachment) {
	for _, f := range step.Attach {
		if a := doc.NewAttachment(f.Name, f.Data); !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// stage writes the files of steps to local state, and returns what is to be called once the
// lines that name them are written. The branch must have a journal first: there is no
// local state in a repository without memory.
func (s *Store) stage(ctx context.Context, branch string, steps []NewStep) (done func() error, err error) {
	if !slices.ContainsFunc(steps, func(step NewStep) bool { return len(step.Attach) > 0 }) {
		return func() error { return nil }, nil
	}
	if err := s.MakeJournal(ctx, branch); err != nil {
		return nil, err
	}
	lock, err := s.repo.Lock(ctx, attachedLock)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		for _, a := range step.Attach {
			if err := s.writeAttached(a.Data); err != nil {
				return nil, errors.Join(err, lock.Unlock())
			}
		}
	}
	fault.Point("after-attached")
	return lock.Unlock, nil
}

// writeAttached writes a file under its hash, as durably as a step. A file that is there already may
// be damaged, and is replaced.
func (s *Store) writeAttached(data []byte) error {
	name := AttachedDir + "/" + doc.NewAttachment("", data).Hash
	path := s.StatePath(name)
	if have, err := git.ReadCacheFile(path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	write := s.repo.WriteStateFile
	if s.JournalOptions().Sync {
		write = s.repo.SyncStateFile
	}
	return write(name, data)
}

// readAttached reads a staged file. It is nil, without an error, if there is none, or another content.
func (s *Store) readAttached(a doc.Attachment) ([]byte, error) {
	data, err := git.ReadCacheFile(s.AttachedPath(a.Hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("attachment '%s': %w", a.Name, err)
	}
	if !a.Matches(data) {
		return nil, nil
	}
	return append([]byte{}, data...), nil
}

// attach puts the files of steps into a draft's tree: from local state, or from the tree of a commit that the
// draft replaces. A file that is lost stops no commit, which has the step at least: it is a warning, and
// fsck reports it.
func (tx *Transaction) attach(ctx context.Context, c *Draft, steps []doc.Step, replaced *git.Commit) error {
	for _, step := range steps {
		for _, a := range step.Attachments {
			if _, ok, err := c.Tree.Entry(ctx, a.Path()); ok || err != nil {
				if err != nil {
					return err
				}
				continue
			}
			if err := tx.attachOne(ctx, c, a, replaced); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tx *Transaction) attachOne(ctx context.Context, c *Draft, a doc.Attachment, replaced *git.Commit) error {
	if replaced != nil {
		e, ok, err := tx.Store.TipOf(c.branch, replaced).Entry(ctx, a.Path())
		if err != nil {
			return err
		}
		if ok {
			return c.Tree.Put(ctx, a.Path(), e.ID)
		}
	}
	data, err := tx.Store.readAttached(a)
	if err != nil {
		return err
	}
	if data == nil {
		c.Warnings = append(c.Warnings, "the content of attachment '"+a.Name+"' is lost: git context fsck")
		return nil
	}
	return tx.Put(ctx, c.Tree, a.Path(), data)
}

// restage writes the files of steps of a commit to local state, before the steps are pending again.
func (s *Store) restage(ctx context.Context, from *Tip, steps []doc.Step) (done func() error, err error) {
	again := NewStep{}
	for _, step := range steps {
		for _, a := range step.Attachments {
			e, ok, err := from.Entry(ctx, a.Path())
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			data, err := s.repo.Blob(ctx, e.ID)
			if err != nil {
				return nil, err
			}
			again.Attach = append(again.Attach, NewAttachment{a.Name, data})
		}
	}
	return s.stage(ctx, from.branch, []NewStep{again})
}
