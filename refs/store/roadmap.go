package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// RoadmapMost is the largest size in bytes of main.md. Others may fill it to [MaxFile], and merges have 1 MiB more: who has
// items of his own can still merge a main.md that others filled. What is larger than MaxFile may only shrink.
const RoadmapMost = MaxFile + 1<<20

// roadmapRoom is up to where writers fill main.md: each revision writes it anew, and everybody reads each.
const roadmapRoom = 8 << 20

// Roadmap reads main.md, parsed and as text: the present one for nil, else the one that the
// tip's commit refers to.
func (s *Store) Roadmap(ctx context.Context, t *Tip) (RoadmapView, []byte, error) {
	tip, err := s.roadmapTipOf(ctx, t)
	if err != nil {
		return RoadmapView{}, nil, err
	}
	data, err := s.RoadmapAt(ctx, tip)
	if err != nil {
		return RoadmapView{}, nil, err
	}
	return t.roadmapView(doc.ParseRoadmap(data), tip), data, nil
}

// EditRoadmap changes main.md and commits it to the roadmap's own ref, whatever
// branch is current. edit may be called again when another writer was faster. A
// change that leaves main.md as it was makes no commit.
func (s *Store) EditRoadmap(ctx context.Context, w Writer, reason string, edit func(*doc.Roadmap) error) (RoadmapView, error) {
	if _, err := s.Clean(ctx, &reason); err != nil { // it repeats the text
		return RoadmapView{}, err
	}
	tx, err := s.Begin(ctx, w, "roadmap: "+prose.OneLine(reason, 200))
	if err != nil {
		return RoadmapView{}, err
	}
	defer tx.Close()
	var view RoadmapView
	err = tx.Swap(ctx, func(ctx context.Context) error {
		old, data, err := s.ReadRoadmap(ctx)
		if err != nil {
			return err
		}
		if old == "" {
			return s.NoRoadmap(ctx)
		}
		r := doc.ParseRoadmap(data)
		if err := edit(r); err != nil {
			return RoadmapError(err)
		}
		if r, err = s.cleanRoadmap(ctx, r, data); err != nil {
			return err
		}
		tip, err := tx.WriteRoadmap(ctx, old, data, r, reason)
		view = roadmapView(r, tip)
		return err
	})
	return view, err
}

// cleanRoadmap makes the text of a roadmap fit, if it is not the one of before.
func (s *Store) cleanRoadmap(ctx context.Context, r *doc.Roadmap, before []byte) (*doc.Roadmap, error) {
	text := string(r.Bytes())
	if text == string(before) {
		return r, nil
	}
	limit, err := s.textLimit(ctx)
	if err != nil {
		return nil, err
	}
	if grown := len(text) - len(before); grown > limit {
		return nil, fail.New(fail.ErrInvalid, fail.TextTooLarge,
			fmt.Sprintf("the roadmap would grow by %d bytes; one change may add %d", grown, limit), "git config "+keyTextLimit)
	}
	clean := text
	if _, err := s.CleanDocument(ctx, &clean); err != nil || clean == text {
		return r, err
	}
	return doc.ParseRoadmap([]byte(clean)), nil
}

// CheckRevision makes the texts of a revision fit, and reports whether it had to change
// them.
func (s *Store) CheckRevision(ctx context.Context, r RoadmapChange) (replaced bool, err error) {
	for _, list := range [][]string{r.Done, r.Todo, r.Decide} {
		for i := range list {
			did, err := s.Clean(ctx, &list[i])
			if err != nil {
				return replaced, err
			}
			replaced = replaced || did
			if strings.TrimSpace(list[i]) == "" {
				return replaced, fail.New(fail.ErrInvalid, fail.ItemEmpty, "an item of the roadmap needs a text", "git context roadmap")
			}
		}
	}
	return replaced, nil
}

// Empty reports whether nothing is to be changed.
func (r RoadmapChange) Empty() bool { return len(r.Done)+len(r.Todo)+len(r.Decide) == 0 }

// Apply makes the changes. fail.ErrNotFound for an item that the roadmap lacks.
func (r RoadmapChange) Apply(to *doc.Roadmap) error {
	for _, text := range r.Done {
		if err := MarkDone(to, text); err != nil {
			return RoadmapError(err)
		}
	}
	for _, text := range r.Todo {
		to.AddTodo(text)
	}
	for _, text := range r.Decide {
		to.AddDecision(text)
	}
	return nil
}

// reviseRoadmap makes a commit's changes to the roadmap, in the same
// transaction, and returns the goal as it then is. live is the branch's
// commit.md before.
func (tx *Transaction) reviseRoadmap(ctx context.Context, c *Draft, live []doc.Commit, change RoadmapChange) (goal string, err error) {
	if change.Empty() {
		c.RoadmapAge++
		return tx.Store.Goal(ctx, c.Parent, c.Roadmap, live)
	}
	old, data, err := tx.Store.ReadRoadmap(ctx)
	if err != nil {
		return "", err
	}
	r := doc.ParseRoadmap(data)
	if err := change.Apply(r); err != nil {
		return "", err
	}
	tip, err := tx.WriteRoadmap(ctx, old, data, r, c.Subject)
	if err != nil {
		return "", err
	}
	c.Roadmap, c.RoadmapAge = tip, 0
	return r.Goal(), nil
}

// Goal is the project's goal in a roadmap. Where the last commit was made on
// the same roadmap its entry says it, and the roadmap, which gc has packed long
// ago, need not be read by another git process.
func (s *Store) Goal(ctx context.Context, tip *git.Commit, roadmap git.ID, live []doc.Commit) (string, error) {
	seen, _ := ParseRoadmap(tip.Trailer(TrailerRoadmap))
	if n := len(live); n > 0 && seen == roadmap && tip.Trailer(TrailerID) == live[n-1].ID {
		return live[n-1].Goal, nil
	}
	_, data, err := s.ReadRoadmap(ctx)
	return doc.ParseRoadmap(data).Goal(), err
}

// ErrRoadmapElsewhere: a remote has the roadmap of this memory, and it is not here.
var ErrRoadmapElsewhere = errors.New("no other one is made")

// checkNoRoadmap refuses to begin a roadmap beside the one of a remote: memory is here, and the roadmap that belongs to
// it was left out when that was taken in, or was not asked for. Tracking refs show that, also after a kill.
func (s *Store) checkNoRoadmap(ctx context.Context) error {
	branches, err := s.BranchNames(ctx)
	if err != nil || len(branches) == 0 {
		return err
	}
	remotes, err := s.repo.Remotes(ctx)
	if err != nil {
		return err
	}
	for _, name := range remotes {
		_, err := s.repo.Ref(ctx, git.RemoteTracking(name).Roadmap())
		if err == nil {
			return &fail.Error{Code: fail.RoadmapNotFound, Kind: fail.ErrNotFound, Err: ErrRoadmapElsewhere,
				Message: "the roadmap of '" + prose.OneLine(name, 100) + "' was not taken in",
				Hints:   []string{"this takes it in, or says why it cannot:", "git context sync " + prose.ShellWord(name)}}
		}
		if !errors.Is(err, git.ErrNotFound) {
			return err
		}
	}
	return nil
}

// NoRoadmap returns the error of a repository without a roadmap: fail.ErrNoMemory, or [ErrRoadmapElsewhere] if a remote has it.
func (s *Store) NoRoadmap(ctx context.Context) error {
	if err := s.checkNoRoadmap(ctx); err != nil {
		return err
	}
	return fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
}

// WriteRoadmap commits a roadmap that has changed and queues its ref; otherwise
// it returns the tip as it was. It fails with [ErrRoadmapElsewhere] instead of beginning a second one.
func (tx *Transaction) WriteRoadmap(ctx context.Context, old git.ID, before []byte, r *doc.Roadmap, reason string) (git.ID, error) {
	data := r.Bytes()
	if old != "" && string(data) == string(before) {
		return old, nil
	}
	tree := tx.Store.repo.Edit("")
	var parents []git.ID
	if old == "" {
		if err := tx.Store.checkNoRoadmap(ctx); err != nil {
			return "", err
		}
	} else {
		c, err := tx.Store.repo.Commit(ctx, old)
		if err != nil {
			return "", err
		}
		tree, parents = tx.Store.repo.Edit(c.Tree), []git.ID{old}
	}
	most := roadmapRoom
	if len(data) <= len(before) {
		most = RoadmapMost
	}
	if err := tx.putMost(ctx, tree, doc.RoadmapFile, data, most); err != nil {
		return "", NoRoom("", err)
	}
	if len(data) >= largeRoadmap {
		blob, _, err := tree.Entry(ctx, doc.RoadmapFile)
		if err != nil {
			return "", err
		}
		keepExcerpt(tx.Store.repo, blob.ID, r.Excerpt(MostItems))
	}
	removes := !doc.OnlyAdds(string(before), string(data)) && len(r.Lost(doc.ParseRoadmap(before))) > 0
	tip, err := tx.RoadmapCommit(ctx, tree, parents, RoadmapRecord{Reason: reason, Removes: removes})
	if err != nil {
		return "", err
	}
	tx.Refs.Update(git.RoadmapRef, tip.ID, old)
	return tip.ID, nil
}

// RoadmapRecord is what the message of a roadmap's commit says.
type RoadmapRecord struct {
	Reason   string
	Body     string // "" for none
	Removes  bool   // it removes items on purpose
	Restores git.ID // a commit that has what it brings back; "" for none
}

// RoadmapCommit stores a commit of the roadmap.
func (tx *Transaction) RoadmapCommit(ctx context.Context, tree *git.Edit, parents []git.ID, record RoadmapRecord) (*git.Commit, error) {
	id, err := tree.Write(ctx)
	if err != nil {
		return nil, err
	}
	var t trailerBlock
	if record.Removes {
		t.add(TrailerRemoves, doc.RoadmapFile)
	}
	t.add(TrailerRestores, string(record.Restores))
	t.add(TrailerAgent, tx.Writer.Agent)
	t.add(TrailerSession, tx.Writer.Session)
	t.add(TrailerModel, tx.Writer.Model)
	return tx.storeCommit(ctx, &git.Commit{Tree: id, Parents: parents, Author: tx.Signature, Committer: tx.Signature,
		Message: message(RoadmapSubject(record.Reason), record.Body, t.b.String())})
}

// RoadmapSubject is the first line of the message of a roadmap's commit.
func RoadmapSubject(reason string) string { return prose.OneLine(reason, 200) }

// RoadmapTip is the roadmap's commit, "" where there is none.
func (s *Store) RoadmapTip(ctx context.Context) (git.ID, error) {
	id, err := s.repo.Ref(ctx, git.RoadmapRef)
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// ReadRoadmap reads main.md at the roadmap's tip.
func (s *Store) ReadRoadmap(ctx context.Context) (git.ID, []byte, error) {
	tip, err := s.RoadmapTip(ctx)
	if err != nil || tip == "" {
		return "", nil, err
	}
	data, err := s.RoadmapAt(ctx, tip)
	return tip, data, err
}

// roadmapTipOf returns the commit of the roadmap that a tip shows: the newest or, for a tip of the past, the
// one that its commit names. It returns fail.ErrNoMemory or fail.ErrNotFound if there is none, as where a
// fetch brought only the branches.
func (s *Store) roadmapTipOf(ctx context.Context, t *Tip) (git.ID, error) {
	if t == nil || t.at == nil {
		tip, err := s.RoadmapTip(ctx)
		if err == nil && tip == "" {
			err = s.NoRoadmap(ctx)
		}
		return tip, err
	}
	tip, _ := ParseRoadmap(t.commit.Trailer(TrailerRoadmap))
	if tip != "" {
		_, err := s.repo.Commit(ctx, tip)
		if !errors.Is(err, git.ErrNotFound) {
			return tip, err
		}
	}
	return "", fail.New(fail.ErrNotFound, fail.RoadmapNotFound,
		fmt.Sprintf("no roadmap is known as of '%s'", prose.OneLine(t.at.Rev, 100)), "git context roadmap")
}

// roadmapView is the view of a roadmap at the moment that the tip shows; nil: now.
func (t *Tip) roadmapView(r *doc.Roadmap, tip git.ID) RoadmapView {
	v := roadmapView(r, tip)
	if t != nil {
		v.At = t.at
	}
	return v
}

func roadmapView(r *doc.Roadmap, tip git.ID) RoadmapView {
	v := RoadmapView{Goal: r.Goal(), Milestones: []Item{}, Todo: []Item{}, Decisions: list(r.Decisions()),
		Questions: list(r.Questions()), Outcomes: list(r.Outcomes()), Sections: map[string]string{}, Commit: tip}
	for _, i := range r.Milestones() {
		v.Milestones = append(v.Milestones, Item(i))
	}
	for _, i := range r.Todo() {
		v.Todo = append(v.Todo, Item(i))
	}
	v.Own = r.Sections()
	for _, sec := range v.Own {
		v.Sections[sec.Name] = sec.Text
	}
	return v
}

// list makes an empty list of nil, because JSON knows the difference.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// MarkDone ticks a milestone, or a to-do where no milestone has that name.
func MarkDone(r *doc.Roadmap, text string) error {
	err := r.MarkMilestone(text, true)
	var item *doc.ItemError
	if errors.As(err, &item) && len(item.Candidates) == 0 && r.MarkTodo(text, true) == nil {
		return nil
	}
	return err
}

// RoadmapError turns a *doc.ItemError into a *fail.Error with hints, and returns other errors
// unchanged.
func RoadmapError(err error) error {
	var item *doc.ItemError
	if errors.As(err, &item) {
		near := item.Candidates[:min(len(item.Candidates), 5)]
		if item.Nearest != "" {
			near = append(near, item.Nearest)
		}
		hints := []string{"git context roadmap"}
		for _, text := range near {
			hints = append(hints, fmt.Sprintf("did you mean '%s'?", prose.OneLine(text, 100)))
		}
		return fail.New(fail.ErrNotFound, fail.ItemNotFound, item.Error(), hints...)
	}
	return err
}

// RoadmapAt reads main.md at a commit of the roadmap.
func (s *Store) RoadmapAt(ctx context.Context, id git.ID) ([]byte, error) {
	blob, err := s.roadmapBlob(ctx, id)
	if err != nil || blob == "" {
		return nil, err
	}
	return s.repo.Blob(ctx, blob)
}

// roadmapBlob returns the blob of main.md at a commit of the roadmap, "" if it has none.
func (s *Store) roadmapBlob(ctx context.Context, id git.ID) (git.ID, error) {
	c, err := s.repo.Commit(ctx, id)
	if err != nil {
		return "", fmt.Errorf("read the roadmap: %w", err)
	}
	e, ok, err := s.repo.Edit(c.Tree).Entry(ctx, doc.RoadmapFile)
	if err != nil || !ok {
		return "", err
	}
	return e.ID, nil
}

// RoadmapChange revises the roadmap in the same transaction.
type RoadmapChange struct {
	Done, Todo, Decide []string
}

// RoadmapView is main.md as `roadmap --json` gives it.
type RoadmapView struct {
	Goal       string            `json:"goal"`
	Milestones []Item            `json:"milestones"`
	Todo       []Item            `json:"todo"`
	Decisions  []string          `json:"decisions"`
	Questions  []string          `json:"questions"`
	Outcomes   []string          `json:"outcomes"`
	Sections   map[string]string `json:"sections"`
	Commit     git.ID            `json:"commit"`
	At         *At               `json:"at"` // nil: now

	Own []doc.Section `json:"-"` // the same sections in their order
}

// Item is one item of a check list.
type Item struct {
	Text    string `json:"text"`
	Done    bool   `json:"done"`
	Outcome string `json:"outcome,omitempty"` // what became of it; "" if unknown
}
