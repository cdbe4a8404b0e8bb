package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Judgement is what a writer says of a commit; any part may be missing. A later judgement
// replaces an earlier one, part by part.
type Judgement struct {
	Score   *float64  // 0 to 1
	Outcome string    // success, failed or abandoned
	Tags    []NoteTag // one key each
	Review  string    // free text, at most 64 KiB; reviews do not replace one another
}

// NoteTag is a key with its value, which may be empty.
type NoteTag struct{ Key, Value string }

// NoteOptions are one `note` that says something.
type NoteOptions struct {
	Writer
	Judgement
	Rev string // names the commit
}

// Note is what is noted of one commit.
type Note struct {
	Commit git.ID            `json:"commit"`
	Facts  []json.RawMessage `json:"facts"` // the note's own lines, oldest first

	Entry    Commit `json:"-"` // its id, branch and summary, and what is in force
	Replaced bool   `json:"-"` // invalid UTF-8 or NUL became U+FFFD
}

const (
	maxReview = 64 << 10
	maxTagKey = 100
)

// Empty says whether there is nothing to write.
func (j Judgement) Empty() bool {
	return j.Score == nil && j.Outcome == "" && len(j.Tags) == 0 && j.Review == ""
}

// checkJudgement refuses what a note cannot contain.
func (s *Store) checkJudgement(ctx context.Context, j *Judgement) (replaced bool, err error) {
	if replaced, err = s.Clean(ctx, &j.Review); err != nil {
		return false, err
	}
	if j.Score != nil {
		if err := CheckScore(*j.Score); err != nil {
			return replaced, err
		}
		positive := *j.Score + 0 // of -0
		j.Score = &positive
	}
	if j.Outcome != "" {
		if err := CheckOutcome(j.Outcome); err != nil {
			return replaced, err
		}
	}
	if len(j.Review) > maxReview {
		return replaced, fail.New(fail.ErrInvalid, fail.ReviewTooLarge,
			fmt.Sprintf("the review has %d bytes; at most %d are allowed", len(j.Review), maxReview))
	}
	for i := range j.Tags {
		t := &j.Tags[i]
		if _, err := s.CleanValue(ctx, t.Key, &t.Value); err != nil {
			return replaced, err
		}
		if t.Key == "" || len(t.Key) > maxTagKey || strings.ContainsAny(t.Key, "= \t") {
			return replaced, fail.New(fail.ErrInvalid, fail.TagInvalid,
				fmt.Sprintf("tag key '%s' is not 1 to %d characters without spaces", prose.OneLine(t.Key, 60), maxTagKey), "--tag KEY=VALUE")
		}
		if err := CheckLine("tag", fail.TagInvalid, t.Key+"="+t.Value); err != nil {
			return replaced, err
		}
	}
	return replaced, nil
}

// judgement is what is said of an entry as lines of its note, each with an id behind the entry's and
// those of the note, so that it is in force whatever the clock says.
func (tx *Transaction) judgement(j Judgement, entry string, note []notes.Fact) ([]byte, error) {
	var list []notes.Fact
	if j.Score != nil {
		list = append(list, notes.Fact{Kind: notes.KindScore, Score: j.Score})
	}
	if j.Outcome != "" {
		list = append(list, notes.Fact{Kind: notes.KindOutcome, Outcome: j.Outcome})
	}
	for _, t := range j.Tags {
		list = append(list, notes.Fact{Kind: notes.KindTag, Key: t.Key, Value: t.Value})
	}
	if j.Review != "" {
		list = append(list, notes.Fact{Kind: notes.KindReview, Text: j.Review})
	}
	var lines bytes.Buffer
	ids := notes.NewIDs(note, entry, tx.Store.NewID)
	for _, f := range list {
		if err := ids.Give(&f); err != nil {
			return nil, err
		}
		f.Time = tx.Signature.When
		f.Agent, f.Session, f.Model = tx.Writer.Agent, tx.Writer.Session, tx.Writer.Model
		line, err := f.Line()
		if err != nil {
			return nil, err
		}
		lines.Write(append(line, '\n'))
	}
	return lines.Bytes(), nil
}

// AddNote writes what is said of a commit into its note, at once, waiting for
// the notes lock. It is safe beside any number of writers, git's own among them:
// the lines that they add stay.
func (s *Store) AddNote(ctx context.Context, o NoteOptions) (Note, error) {
	replaced, err := s.checkJudgement(ctx, &o.Judgement)
	if err != nil {
		return Note{}, err
	}
	// The child that moves the ref starts while the commit is looked for.
	tx, err := s.Begin(ctx, o.Writer, "note: "+prose.OneLine(o.Rev, 100))
	if err != nil {
		return Note{}, err
	}
	defer tx.Close()
	c, err := s.CommitMeant(ctx, o.Rev)
	if err != nil {
		return Note{}, err
	}
	text, err := tx.addNote(ctx, c, o.Judgement)
	if err != nil {
		return Note{}, err
	}
	n := noteFrom(c, text)
	n.Replaced = replaced
	return n, nil
}

// addNote adds a judgement to a commit's note, and folds what is not folded yet from
// there back: one commit of the notes for both. The commit's own fact alone would end
// every later walk here, and those behind it would never get theirs. It returns the note
// as it then is.
func (tx *Transaction) addNote(ctx context.Context, c *git.Commit, j Judgement) (note []byte, err error) {
	lock, err := tx.Store.repo.Lock(ctx, notes.LockName)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	err = tx.Swap(ctx, func(ctx context.Context) error {
		u, _, err := tx.facts(ctx, FoldWalk, c)
		if err != nil {
			return err
		}
		if note, err = tx.judge(ctx, u, c, j); err != nil {
			return err
		}
		_, err = tx.QueueNotes(ctx, u, "context: note "+c.ID.Short())
		return err
	})
	return note, err
}

// judge adds a judgement to an update of the notes, and returns the note as it then is.
func (tx *Transaction) judge(ctx context.Context, u *notes.Update, c *git.Commit, j Judgement) ([]byte, error) {
	have, err := u.Note(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	said := tx.told[c.ID].note // which the journal has
	if said == nil {
		if said, err = tx.judgement(j, c.Trailer(TrailerID), notes.Parse(have)); err != nil {
			return nil, err
		}
	}
	text := notes.Union(have, said)
	if n := notes.Lines(text); !bytes.Equal(text, have) && (n > notes.MostLines || len(text) > notes.MostBytes) {
		return nil, noteFull(c, n, len(text))
	}
	return text, u.Add(ctx, c.ID, said)
}

// noteFull says that a writer's lines have no place in a note, and what helps.
func noteFull(c *git.Commit, lines, size int) error {
	return fail.New(fail.ErrRefused, fail.NoteFull,
		fmt.Sprintf("the note of commit '%s' is full: it would have %d lines and %d bytes, at most %d and %d are allowed",
			c.ID.Short(), lines, size, notes.MostLines, notes.MostBytes),
		"what fills it: git notes --ref=context show "+string(c.ID),
		"say it in a commit of its own: git context commit -m 'About "+c.ID.Short()+": ...'",
		"to forget the commit with its note, in all clones: git context expunge --id "+c.Trailer(TrailerID))
}

// Note reads what is noted of a commit.
func (s *Store) Note(ctx context.Context, rev string) (Note, error) {
	c, err := s.CommitMeant(ctx, rev)
	if err != nil {
		return Note{}, err
	}
	text, err := notes.Read(ctx, s.repo, c.ID)
	if err != nil {
		return Note{}, err
	}
	return noteFrom(c, text), nil
}

// noteFrom puts a commit's note together with what its commit alone says of it.
func noteFrom(c *git.Commit, text []byte) Note {
	n := Note{Commit: c.ID, Facts: []json.RawMessage{}, Entry: Commit{ID: c.Trailer(TrailerID), Hash: &c.ID,
		Branch: BranchOf(c), Summary: c.Subject()}}
	facts := notes.Parse(text)
	for _, f := range facts {
		n.Facts = append(n.Facts, f.Raw)
	}
	n.Entry.Judge(notes.Judge(facts))
	return n
}

// CheckOutcome refuses an outcome that notes.OutcomeOf does not know: fail.ErrInvalid.
func CheckOutcome(outcome string) error {
	if _, ok := notes.OutcomeOf(outcome); ok {
		return nil
	}
	return fail.New(fail.ErrInvalid, fail.OutcomeInvalid, fmt.Sprintf("unknown outcome '%s'", prose.OneLine(outcome, 60)),
		"one of "+strings.Join(notes.Outcomes(), ", "))
}

// CheckScore refuses a score outside of 0 to 1, and NaN: fail.ErrInvalid.
func CheckScore(score float64) error {
	if score >= 0 && score <= 1 { // not so for NaN
		return nil
	}
	return fail.New(fail.ErrInvalid, fail.ScoreInvalid, fmt.Sprintf("score %v is not between 0 and 1", score))
}

// Judge fills in what a note says of c.
func (c *Commit) Judge(j notes.Judgement) {
	c.Score, c.Outcome, c.Tags, c.Reviews = j.Score, j.Outcome, j.Tags, j.Reviews
}

// FoldWalk bounds how far back a COMMIT looks for commits without a note. It
// is only ever far when notes were lazy for long or the notes ref was deleted.
const FoldWalk = 64

// Fold writes the notes of a branch's commits that have none yet: at once for
// a lone agent. When another process holds the notes lock it leaves them, because
// a crowd must not queue for what the trailers say already: the branch's next
// COMMIT writes them. With context.notes=lazy none does.
func (tx *Transaction) Fold(ctx context.Context, from *git.Commit) error {
	lazy, err := tx.Store.LazyNotes(ctx)
	if err != nil || lazy {
		return err
	}
	lock, ok, err := tx.Store.repo.TryLock(notes.LockName)
	if err != nil || !ok {
		return err
	}
	defer lock.Unlock()
	return tx.Swap(ctx, func(ctx context.Context) error {
		u, n, err := tx.facts(ctx, FoldWalk, from)
		if err == nil {
			_, err = tx.QueueNotes(ctx, u, "context: fold the facts of "+prose.Count(n, "commit"))
		}
		return err
	})
}

// FoldAll writes the notes of all commits below some commits that have none
// yet, whatever context.notes says, and adds those of another repository, if any, and some lines that these have lost.
// It waits for the notes lock. The update says what stayed, and what had no room.
func (tx *Transaction) FoldAll(ctx context.Context, from []*git.Commit, theirs git.ID, lost map[git.ID][]byte) (u *notes.Update, err error) {
	lock, err := tx.Store.repo.Lock(ctx, notes.LockName)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	err = tx.Swap(ctx, func(ctx context.Context) (err error) {
		if u, _, err = tx.facts(ctx, math.MaxInt, from...); err != nil {
			return err
		}
		u.Keep(lost)
		if theirs != "" {
			if err := u.Unite(ctx, theirs); err != nil {
				return err
			}
		}
		_, err = tx.QueueNotes(ctx, u, "context: fold and unite notes")
		return err
	})
	return u, err
}

// NotesTip is the notes' commit, "" where there is none.
func (s *Store) NotesTip(ctx context.Context) (git.ID, error) {
	id, err := s.repo.Ref(ctx, git.NotesRef)
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// unnoted walks back from commits to the commits that have their note, over at
// most so many commits.
func (tx *Transaction) unnoted(ctx context.Context, u *notes.Update, most int, from ...*git.Commit) ([]*git.Commit, error) {
	var todo []*git.Commit
	seen := map[git.ID]bool{}
	for queue := from; len(queue) > 0 && len(seen) < most; {
		c := queue[0]
		queue = queue[1:]
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		if c.Trailer(TrailerID) != "" {
			noted, err := u.HasKind(ctx, c.ID, notes.KindCommit)
			if err != nil {
				return nil, err
			}
			if noted {
				continue
			}
			todo = append(todo, c)
		}
		for _, p := range c.Parents {
			parent, err := tx.Store.repo.Commit(ctx, p)
			if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
				continue
			}
			if err != nil {
				return nil, err
			}
			queue = append(queue, parent)
		}
	}
	return todo, nil
}

// facts begins an update that adds the notes of all commits below some commits
// that have none, and says how many.
func (tx *Transaction) facts(ctx context.Context, most int, from ...*git.Commit) (*notes.Update, int, error) {
	u, err := notes.Begin(ctx, tx.Store.repo)
	if err != nil {
		return nil, 0, err
	}
	todo, err := tx.unnoted(ctx, u, most, from...)
	if err != nil {
		return nil, 0, err
	}
	for _, c := range todo {
		line, err := Fact(c).Line()
		if err != nil {
			return nil, 0, err
		}
		if err := u.TryAdd(ctx, c.ID, append(line, '\n')); err != nil { // the trailers say it, too
			return nil, 0, err
		}
	}
	return u, len(todo), nil
}

// Fact returns the note line of a commit. All of it comes from the trailers, so writing it
// twice writes the same line.
func Fact(c *git.Commit) notes.Fact {
	f := notes.Fact{
		ID: c.Trailer(TrailerID), Kind: notes.KindCommit, Time: c.Committer.When, Agent: c.Trailer(TrailerAgent),
		Branch: BranchOf(c), Steps: c.Trailer(TrailerSteps), Session: c.Trailer(TrailerSession),
		Model: c.Trailer(TrailerModel), Code: git.ID(c.Trailer(TrailerCode)),
	}
	if n, err := strconv.ParseInt(c.Trailer(TrailerTokens), 10, 64); err == nil {
		f.Tokens = n
	}
	return f
}

// FoldBranches writes every note that is missing, so that the bundle has it.
func (s *Store) FoldBranches(ctx context.Context, w Writer) error {
	list, err := s.repo.Refs(ctx, git.BranchPrefix)
	if err != nil || len(list) == 0 {
		return err
	}
	var tips []*git.Commit
	for _, r := range list {
		c, err := s.repo.Commit(ctx, r.ID)
		if err != nil {
			return err
		}
		tips = append(tips, c)
	}
	tx, err := s.Begin(ctx, w, "fold notes")
	if err != nil {
		return err
	}
	defer tx.Close()
	_, err = tx.FoldAll(ctx, tips, "", nil)
	return err
}

// LostLines returns, by object, the lines of notes that the commits which tip leads to and since does not have lost, see [notes.Removed]. It leaves out
// what can be made again: what comes from a commit's trailers or tells a reader of a link, and what is left of a line that was cut.
func (s *Store) LostLines(ctx context.Context, tip, since git.ID) (map[git.ID][]byte, error) {
	lost, err := notes.Removed(ctx, s.repo, tip, since)
	once := map[git.ID][]byte{}
	for object, note := range lost {
		for line := range bytes.Lines(note) {
			facts := notes.Parse(line)
			again := bytes.HasPrefix(line, []byte(LinkWord)) ||
				len(facts) > 0 && (facts[0].Kind == notes.KindCommit || facts[0].Kind == notes.KindLink)
			if !again && notes.Damaged(line) == "" {
				once[object] = append(once[object], line...)
			}
		}
	}
	return once, err
}
