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

// A link says that a milestone belongs to a code commit. It stands in the note of
// the code commit, as two lines: one that `git log --notes=context` shows to people,
// and one to be read by programs, see [notes.KindLink]. The milestone's own
// Code-Commit trailer says on which code it was made; that is not repeated here.

// linkSubject keeps the line for people short, in characters.
const linkSubject = 120

// Rewritten is a code commit and the one that stands in its place, after an
// amendment or a rebase.
type Rewritten struct{ Old, New git.ID }

// linksOf is what is linked to a code commit, oldest first.
func LinksOf(ctx context.Context, s *store.Store, code git.ID) ([]notes.Fact, error) {
	note, err := notes.Read(ctx, s.Repo(), code)
	return links(note), err
}

// links are the links among the facts of a note.
func links(note []byte) []notes.Fact {
	return slices.DeleteFunc(notes.Parse(note), func(f notes.Fact) bool { return f.Kind != notes.KindLink })
}

// Link notes on a code commit that a milestone, named by rev, belongs to it; linking
// it again changes nothing. `git log --notes=context` of the code shows it.
func Link(ctx context.Context, s *store.Store, w store.Writer, code git.ID, rev string) error {
	ses, err := s.Begin(ctx, w, "link: "+code.Short())
	if err != nil {
		return err
	}
	defer ses.Close()
	m, err := s.CommitMeant(ctx, rev)
	if err != nil {
		return err
	}
	return WriteLink(ctx, ses, code, m)
}

// WriteLink notes on a code commit that a memory commit belongs to it, unless that is noted
// already. It waits for the notes lock. It moves the notes ref alone, so that it is
// called behind the swap that moved the milestone's branch.
func WriteLink(ctx context.Context, ses *store.Transaction, code git.ID, m *git.Commit) error {
	return UpdateNotes(ctx, ses, "context: link "+code.Short(), func(u *notes.Update) error {
		_, err := AddLink(ctx, ses, u, code, m)
		return err
	})
}

// addLink adds the lines of a link to a code commit's note, and reports false where
// they stand there already.
func AddLink(ctx context.Context, ses *store.Transaction, u *notes.Update, code git.ID, m *git.Commit) (bool, error) {
	have, err := u.Note(ctx, code)
	if err != nil {
		return false, err
	}
	after := ""
	for _, f := range links(have) {
		if f.Memory == m.ID && f.Branch == store.BranchOf(m) {
			return false, nil
		}
		after = max(after, f.ID) // the newest is in force, whatever the clock says
	}
	lines, err := linkLines(ses, m, after)
	if err != nil {
		return false, err
	}
	return true, u.Add(ctx, code, lines)
}

// linkLines are the two lines of a link to a milestone, in the order that a union by
// git's own cat_sort_uniq leaves them in.
func linkLines(ses *store.Transaction, m *git.Commit, after string) ([]byte, error) {
	id, err := ses.Store.NewID(after)
	if err != nil {
		return nil, err
	}
	line, err := notes.Fact{ID: id, Kind: notes.KindLink, Time: ses.Signature.When, Agent: ses.Writer.Agent,
		Branch: store.BranchOf(m), Memory: m.ID, CommitID: m.Trailer(store.TrailerID)}.Line()
	if err != nil {
		return nil, err
	}
	return append(append(linkText(m), line...), '\n'), nil
}

// linkText is the line for people, by which anybody finds the milestone again also
// where its hash was rewritten.
func linkText(m *git.Commit) []byte {
	return []byte(store.LinkWord + m.Trailer(store.TrailerID) + " " + prose.OneLine(m.Subject(), linkSubject) + " (" + store.BranchOf(m) + ")\n")
}

// CarryLinks copies what is linked to code commits to those that stand in their
// place, links what was made on them, and says how many of these gained a link.
// Several commits that became one leave it the links of all. The old ones keep theirs:
// they may come back.
func CarryLinks(ctx context.Context, s *store.Store, w store.Writer, pairs []Rewritten) (int, error) {
	later := sync.OnceValues(func() (*Index, error) { return ReadIndex(ctx, s) })
	go later()    // its children run while the session's one starts
	defer later() // and must not outlive us
	ses, err := s.Begin(ctx, w, "link: carry over "+strconv.Itoa(len(pairs)))
	if err != nil {
		return 0, err
	}
	defer ses.Close()
	made, err := later()
	if err != nil {
		return 0, err
	}
	gained := map[git.ID]bool{}
	err = UpdateNotes(ctx, ses, "context: carry links over", func(u *notes.Update) error {
		clear(gained)
		for _, p := range pairs {
			did, err := CopyLinks(ctx, u, p)
			if err != nil {
				return err
			}
			linked, err := linkCommits(ctx, ses, u, p.New, made.On(p.Old))
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

// linkCommits links milestones that were made on a code commit to the one in its place: their
// trailers go on naming the old one.
func linkCommits(ctx context.Context, ses *store.Transaction, u *notes.Update, code git.ID, made []git.ID) (bool, error) {
	linked := false
	for _, id := range made {
		m, err := ses.Store.Repo().Commit(ctx, id)
		if err != nil {
			return linked, err
		}
		did, err := AddLink(ctx, ses, u, code, m)
		if err != nil {
			return linked, err
		}
		linked = linked || did
	}
	return linked, nil
}

// carry adds the link lines of one code commit to another's note.
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
	return true, u.Add(ctx, p.New, lines)
}

// linkLinesOf are the lines of a note that are links, for programs and for people.
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

// noteLinks makes one commit of the notes, anew as often as somebody is faster.
func UpdateNotes(ctx context.Context, ses *store.Transaction, subject string, add func(*notes.Update) error) error {
	lock, err := ses.Store.Repo().Lock(ctx, notes.LockName)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return ses.Swap(ctx, func(ctx context.Context) error {
		u, err := notes.Begin(ctx, ses.Store.Repo())
		if err != nil {
			return err
		}
		if err := add(u); err != nil {
			return err
		}
		some, err := u.Queue(ctx, ses.Refs, ses.Signature, subject)
		if err == nil && !some {
			return store.ErrNothing
		}
		return err
	})
}
