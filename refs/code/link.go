package code

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// A link relates a memory commit to a code commit. It consists of two lines in the note of
// the code commit: one for people, which `git log --notes=context` prints, and one for
// programs, see [notes.KindLink]. The memory commit's own Code-Commit trailer names the
// code commit that it was made on, and is not repeated in a link.

// linkSubject limits the length of the line for people, in characters.
const linkSubject = 120

// Rewritten is a code commit and the one that replaced it, by an amendment or a rebase.
type Rewritten struct{ Old, New git.ID }

// LinksOf returns the links in the note of a code commit, oldest first.
func LinksOf(ctx context.Context, s *store.Store, code git.ID) ([]notes.Fact, error) {
	note, err := notes.Read(ctx, s.Repo(), code)
	return links(note), err
}

// links returns the facts of a note that are links.
func links(note []byte) []notes.Fact {
	return slices.DeleteFunc(notes.Parse(note), func(f notes.Fact) bool { return f.Kind != notes.KindLink })
}

// Link adds a link from a code commit to the memory commit that rev names. A link that
// exists is not repeated. It returns an error of the kind fail.ErrNotFound for an unknown
// rev.
func Link(ctx context.Context, s *store.Store, w store.Writer, code git.ID, rev string) error {
	tx, err := s.Begin(ctx, w, "link: "+code.Short())
	if err != nil {
		return err
	}
	defer tx.Close()
	m, err := s.CommitMeant(ctx, rev)
	if err != nil {
		return err
	}
	return WriteLink(ctx, tx, code, m)
}

// WriteLink adds a link to the note of a code commit, unless it exists. It waits for the
// notes lock and moves the notes ref alone, so it must be called after the branch has
// moved.
func WriteLink(ctx context.Context, tx *store.Transaction, code git.ID, m *git.Commit) error {
	return UpdateNotes(ctx, tx, "context: link "+code.Short(), func(u *notes.Update) error {
		_, err := AddLink(ctx, tx, u, code, m)
		return err
	})
}

// AddLink adds the lines of a link to the note of a code commit, and returns false if they
// exist.
func AddLink(ctx context.Context, tx *store.Transaction, u *notes.Update, code git.ID, m *git.Commit) (bool, error) {
	have, err := u.Note(ctx, code)
	if err != nil {
		return false, err
	}
	others := links(have)
	for _, f := range others {
		if f.Memory == m.ID && f.Branch == store.BranchOf(m) {
			return false, nil
		}
	}
	lines, err := linkLines(tx, m, others)
	if err != nil {
		return false, err
	}
	return true, u.Add(ctx, code, lines)
}

// linkLines returns the two lines of a link, in the order in which git's cat_sort_uniq
// leaves them. It is the newest of the note's links, regardless of the clock.
func linkLines(tx *store.Transaction, m *git.Commit, others []notes.Fact) ([]byte, error) {
	f := notes.Fact{Kind: notes.KindLink, Time: tx.Signature.When, Agent: tx.Writer.Agent,
		Branch: store.BranchOf(m), Memory: m.ID, CommitID: m.Trailer(store.TrailerID)}
	if err := notes.NewIDs(others, "", tx.Store.NewID).Give(&f); err != nil {
		return nil, err
	}
	line, err := f.Line()
	if err != nil {
		return nil, err
	}
	return append(append(linkText(m), line...), '\n'), nil
}

// linkText returns the line for people. It identifies the memory commit even after its hash
// was rewritten.
func linkText(m *git.Commit) []byte {
	return []byte(store.LinkWord + m.Trailer(store.TrailerID) + " " + prose.OneLine(m.Subject(), linkSubject) + " (" +
		store.BranchOf(m) + ")\n")
}

// CarryLinks copies the links of code commits to those that replaced them, links the memory
// that was made on them, and returns how many commits gained a link. A commit that replaced
// several gets the links of all. The old ones keep theirs, because they may be restored.
func CarryLinks(ctx context.Context, s *store.Store, w store.Writer, pairs []Rewritten) (int, error) {
	later := sync.OnceValues(func() (*Index, error) { return ReadIndex(ctx, s) })
	go later()    // its children run while that of the transaction starts
	defer later() // it must end before this function returns
	tx, err := s.Begin(ctx, w, "link: carry over "+strconv.Itoa(len(pairs)))
	if err != nil {
		return 0, err
	}
	defer tx.Close()
	made, err := later()
	if err != nil {
		return 0, err
	}
	gained := map[git.ID]bool{}
	err = UpdateNotes(ctx, tx, "context: carry links over", func(u *notes.Update) error {
		clear(gained)
		for _, p := range pairs {
			did, err := CopyLinks(ctx, u, p)
			if err != nil {
				return err
			}
			linked, err := linkCommits(ctx, tx, u, p.New, made.On(p.Old))
			if err != nil {
				return err
			}
			if did || linked {
				gained[p.New] = true
			}
		}
		return nil
	})
	return len(gained), err
}

// linkCommits links memory commits that were made on a code commit to the one that replaced
// it: their trailers still name the old one.
func linkCommits(ctx context.Context, tx *store.Transaction, u *notes.Update, code git.ID,
	made []git.ID) (bool, error) {
	linked := false
	for _, id := range made {
		m, err := tx.Store.Repo().Commit(ctx, id)
		if err != nil {
			return linked, err
		}
		did, err := AddLink(ctx, tx, u, code, m)
		if err != nil {
			return linked, err
		}
		linked = linked || did
	}
	return linked, nil
}

// CopyLinks adds the link lines of one code commit's note to another's, and reports whether
// that changed it.
func CopyLinks(ctx context.Context, u *notes.Update, p Rewritten) (bool, error) {
	from, err := u.Note(ctx, p.Old)
	if err != nil {
		return false, err
	}
	lines := linkLinesOf(from)
	if len(lines) == 0 {
		return false, nil
	}
	have, err := u.Note(ctx, p.New)
	if err != nil || bytes.Equal(notes.Union(have, lines), have) {
		return false, err
	}
	err = u.TryAdd(ctx, p.New, lines)
	return !u.Full[p.New], err
}

// linkLinesOf returns the lines of a note that are links, both kinds.
func linkLinesOf(note []byte) []byte {
	var out []byte
	found := links(note)
	for line := range bytes.Lines(note) {
		text := bytes.TrimSpace(line)
		ours := slices.ContainsFunc(found, func(f notes.Fact) bool {
			return bytes.Equal(text, f.Raw) || f.CommitID != "" && bytes.HasPrefix(text, []byte(store.LinkWord+f.CommitID+" "))
		})
		if ours {
			out = append(append(out, text...), '\n')
		}
	}
	return out
}

// UpdateNotes runs add and writes its changes as one commit of the notes ref. It runs add
// again if another process has moved the ref.
func UpdateNotes(ctx context.Context, tx *store.Transaction, subject string, add func(*notes.Update) error) error {
	lock, err := tx.Store.Repo().Lock(ctx, notes.LockName)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return tx.Swap(ctx, func(ctx context.Context) error {
		u, err := notes.Begin(ctx, tx.Store.Repo())
		if err != nil {
			return err
		}
		if err := add(u); err != nil {
			return err
		}
		some, err := tx.QueueNotes(ctx, u, subject)
		if err == nil && !some {
			return store.ErrNothing
		}
		return err
	})
}
