package remake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/store"
)

// errMoved ends a repair whose ground has moved.
var errMoved = errors.New("the ref has moved meanwhile")

// Mend moves refs to what a [Rewriter] makes of them, and the notes with them, in one transaction. Nothing has
// changed if it fails or is killed before that. Afterwards it replaces the journals of the branches; one that it
// does not come to is mended by [MendJournal]. The old commits stay in the reflogs.
func Mend(ctx context.Context, s *store.Store, by store.Writer, refs []git.Ref, latest time.Time,
	flawed map[git.ID]bool) error {
	m := move{s: s, by: by, why: "fsck: give new ids", refs: refs}
	m.build = func(ctx context.Context, w *Rewriter, _ *store.Transaction) error {
		if err := noneWaits(ctx, s, refs); err != nil {
			return err
		}
		var tips []git.ID
		for _, r := range refs {
			tips = append(tips, r.ID)
		}
		w.latest, w.flawed = latest, flawed
		return w.Rewrite(ctx, tips)
	}
	if err := m.run(ctx); err != nil {
		return err
	}
	for _, name := range m.branches() {
		if err := mendJournal(ctx, s, name, latest); err != nil {
			return fmt.Errorf("journal of branch '%s': %w", name, err)
		}
	}
	return nil
}

// move moves refs to what build makes of their commits, and gives the notes to the replacements.
type move struct {
	s    *store.Store
	by   store.Writer
	why  string
	refs []git.Ref
	held []string // further branches that are locked
	// build makes one try to make the commits. It may queue more refs.
	build func(context.Context, *Rewriter, *store.Transaction) error
	now   func(*Rewriter, git.ID) git.ID // what the commit of a ref is, "" for nothing; nil: as the Rewriter says
	done  func(*Rewriter) error          // follows the move, with the branches still locked; nil: nothing does
}

// branches returns those among the refs.
func (m *move) branches() (names []string) {
	for _, r := range m.refs {
		if name, ok := git.BranchName(r.Name); ok {
			names = append(names, name)
		}
	}
	return names
}

func (m *move) run(ctx context.Context) (err error) {
	tx, err := m.s.Begin(ctx, m.by, m.why, slices.Concat(m.branches(), m.held)...)
	if err != nil {
		return err
	}
	defer tx.Close()
	lock, err := m.s.Repo().Lock(ctx, notes.LockName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	var w *Rewriter
	err = tx.Swap(ctx, func(ctx context.Context) (err error) {
		w, err = m.queue(ctx, tx)
		return err
	})
	if err != nil || m.done == nil {
		return err
	}
	return m.done(w)
}

// queue makes one try to queue all moves.
func (m *move) queue(ctx context.Context, tx *store.Transaction) (*Rewriter, error) {
	for _, r := range m.refs {
		if now, err := m.s.Repo().Ref(ctx, r.Name); err != nil || now != r.ID {
			return nil, errors.Join(err, errMoved)
		}
	}
	w := NewRewriter(m.s, time.Time{}, nil, signer(tx))
	if err := m.build(ctx, w, tx); err != nil {
		return nil, err
	}
	notesOnly := false
	for _, r := range m.refs {
		now := w.Now(r.ID)
		if m.now != nil {
			now = m.now(w, r.ID)
		}
		if now == "" {
			tx.Refs.Delete(r.Name, r.ID)
		} else {
			tx.Refs.Update(r.Name, now, r.ID)
		}
		notesOnly = notesOnly || r.Name == git.NotesRef // which nothing names
	}
	if notesOnly {
		return w, nil
	}
	if err := w.queueNotes(ctx, tx); err != nil {
		return nil, err
	}
	return w, tx.Adopt(ctx, w.commits)
}

// signer stores commits with signatures where memory is signed. What another one wrote gets the author of the repair then: a
// signature by another key than the author's is refused, and who wrote an entry is said in its document.
func signer(tx *store.Transaction) func(context.Context, *git.Commit) (git.ID, error) {
	if !tx.Sign {
		return nil
	}
	return func(ctx context.Context, c *git.Commit) (git.ID, error) {
		for _, who := range []*git.Signature{&c.Author, &c.Committer} {
			who.Name, who.Email = tx.Signature.Name, tx.Signature.Email
		}
		signed, err := tx.Store.Repo().SignCommit(ctx, c, tx.Writer.Sign.Key)
		if err != nil {
			return "", err
		}
		return signed.ID, nil
	}
}

// queueNotes gives replacements the notes of the commits that they replace, which keep theirs: a removed judgement would
// count as lost. Links of code commits name the replacements.
func (w *Rewriter) queueNotes(ctx context.Context, tx *store.Transaction) error {
	u, err := notes.Begin(ctx, w.s.Repo())
	if err != nil {
		return err
	}
	objects, err := u.Objects(ctx)
	if err != nil {
		return err
	}
	for _, object := range objects {
		note, err := u.Note(ctx, object)
		if err != nil {
			return err
		}
		if now := w.Now(object); now != object {
			err = u.Add(ctx, now, w.renamed(note))
		} else if text := w.links(note); !bytes.Equal(text, note) {
			err = u.Replace(ctx, object, text)
		}
		if err != nil {
			return err
		}
	}
	_, err = tx.QueueNotes(ctx, u, "context: name commits that were made again")
	return err
}

// links returns a note whose links, with the lines beside them for people, name what commits and entries are now.
func (w *Rewriter) links(note []byte) []byte {
	var out []byte
	for text := range bytes.Lines(note) {
		facts := notes.Parse(text)
		if bytes.HasPrefix(text, []byte(store.LinkWord)) || len(facts) == 1 && facts[0].Kind == notes.KindLink {
			text = w.renamed(text)
		}
		out = append(out, text...)
	}
	return out
}

// MendJournal gives new ids to the pending steps of a branch whose own ids are not ahead of the clock.
func MendJournal(ctx context.Context, s *store.Store, branch string) error {
	latest, err := incoming.Latest(s)
	if err != nil {
		return err
	}
	return s.WhileLocked(ctx, func() error { return mendJournal(ctx, s, branch, latest) }, branch)
}

// JournalAhead returns the newest id of the journal of a branch, if that is later than latest, and how many pending
// steps have such ids; "" if it is not, or there is no journal.
func JournalAhead(ctx context.Context, s *store.Store, branch string,
	latest time.Time) (newest string, steps int, err error) {
	c, err := journal.Read(s.JournalPath(branch))
	if errors.Is(err, journal.ErrMissing) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	for _, m := range c.Marks() {
		newest = max(newest, m.ID)
	}
	for _, l := range c.Lines {
		newest = max(newest, l.ID)
	}
	if !doc.IDTime(newest).After(latest) {
		return "", 0, nil
	}
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return "", 0, err
	}
	from, err := s.CommittedUpTo(ctx, c, tip.Commit())
	for _, l := range c.After(from) {
		if doc.IDTime(l.ID).After(latest) {
			steps++
		}
	}
	return newest, steps, err
}

// mendJournal replaces a journal with ids that are ahead of the clock. The branch is locked and has none.
func mendJournal(ctx context.Context, s *store.Store, branch string, latest time.Time) error {
	newest, _, err := JournalAhead(ctx, s, branch, latest)
	if err != nil || newest == "" {
		return err
	}
	head, err := s.JournalHead(ctx, branch)
	if err != nil {
		return err
	}
	if doc.IDTime(head.ID).After(latest) {
		return errMoved
	}
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return err
	}
	return journal.Mend(ctx, s.JournalPath(branch), s.JournalOptions(), func(data []byte) (*journal.Mended, error) {
		c, err := journal.Parse(data)
		if err != nil {
			return nil, err
		}
		from, err := s.CommittedUpTo(ctx, c, tip.Commit())
		if err != nil {
			return nil, err
		}
		m := &journal.Mended{Head: head}
		m.Lines, err = renumber(c.After(from), head.ID, latest)
		return m, err
	})
}

// renumber returns the lines of pending steps with new ids behind an id.
func renumber(lines []journal.Line, after string, latest time.Time) ([][]byte, error) {
	var list [][]byte
	last := after
	for _, l := range lines {
		id := l.ID
		if doc.IDTime(id).After(latest) {
			var err error
			if id, err = doc.MovedID(id, after); err == nil && id <= last {
				id, err = doc.IDAfter(last)
			}
			if err != nil {
				return nil, err
			}
		} else {
			after = max(after, id)
		}
		at := bytes.LastIndex(l.Raw, []byte(l.ID)) // a line ends with its id
		if at < 0 {
			return nil, fmt.Errorf("step %d has no id", l.Step)
		}
		list = append(list, slices.Concat(l.Raw[:at], []byte(id), l.Raw[at+len(l.ID):]))
		last = max(last, id)
	}
	return list, nil
}
