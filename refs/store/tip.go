package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// Tip is a memory branch at one commit: the starting point of every read. What
// it shows does not change when the branch moves on.
type Tip struct {
	repo   *git.Repo
	branch string
	commit *git.Commit
	at     *At // nil: now

	mu   sync.Mutex // tree reads its directories lazily
	tree *git.Edit
}

// Name is the branch's name.
func (t *Tip) Name() string { return t.branch }

// Commit is the memory commit.
func (t *Tip) Commit() *git.Commit { return t.commit }

// At is the moment of the past that the tip shows; nil for the present.
func (t *Tip) At() *At { return t.at }

// Tip reads the tip of a branch; an empty name means the current one. It
// returns fail.ErrNoMemory where the repository has no memory at all, and fail.ErrNotFound
// for a branch that does not exist.
func (s *Store) Tip(ctx context.Context, branch string) (*Tip, error) {
	if branch != "" {
		if err := CheckBranchName(branch); err != nil {
			return nil, err
		}
	}
	return OnBranch(ctx, s, branch, func(branch string) (*Tip, error) { return s.tipNow(ctx, branch) })
}

func (s *Store) tipNow(ctx context.Context, branch string) (*Tip, error) {
	id, err := s.repo.Ref(ctx, git.BranchRef(branch))
	if errors.Is(err, git.ErrNotFound) {
		return nil, s.NoSuchBranch(ctx, branch)
	}
	if err != nil {
		return nil, err
	}
	return s.TipAt(ctx, branch, id)
}

// AllTips reads the tips of all branches, in the order of their names.
func (s *Store) AllTips(ctx context.Context) ([]*Tip, error) {
	refs, err := s.repo.Refs(ctx, git.BranchPrefix)
	if err != nil {
		return nil, err
	}
	ids := make([]git.ID, len(refs))
	for i, r := range refs {
		ids[i] = r.ID
	}
	tips := make([]*Tip, 0, len(refs))
	err = s.repo.ReadAll(ctx, ids, func(o git.Object) error {
		name := refs[len(tips)].Name[len(git.BranchPrefix):]
		c, err := git.ParseCommit(o.ID, o.Data)
		if err != nil {
			return fmt.Errorf("read memory commit %s of branch '%s': %w", o.ID, name, err)
		}
		tips = append(tips, s.TipOf(name, c))
		return nil
	})
	return tips, err
}

// TipAt reads a branch at a commit.
func (s *Store) TipAt(ctx context.Context, branch string, id git.ID) (*Tip, error) {
	c, err := s.repo.Commit(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read memory commit %s of branch '%s': %w", id, branch, err)
	}
	return s.TipOf(branch, c), nil
}

// TipOf returns a branch at a commit that is read already.
func (s *Store) TipOf(branch string, c *git.Commit) *Tip {
	return &Tip{repo: s.repo, branch: branch, commit: c, tree: s.repo.Edit(c.Tree)}
}

// PastTip returns a branch at a commit of the past, with the moment that a view of it shows.
func (s *Store) PastTip(branch string, c *git.Commit, at *At) *Tip {
	t := s.TipOf(branch, c)
	t.at = at
	return t
}

// noMemory is the error for a repository without a branch of memory. Where there is a journal, somebody has deleted the branch that it
// was of, and a new one would hide that.
func (s *Store) noMemory() error {
	hint := "git context init"
	journals, err := os.ReadDir(s.StatePath("journal"))
	if err == nil && slices.ContainsFunc(journals, func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), ".jsonl") }) {
		hint = "git context fsck"
	}
	return fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), hint)
}

// NoSuchBranch returns the error for a branch that does not exist: fail.ErrNoMemory where no
// branch exists, else fail.ErrNotFound with the nearest name.
func (s *Store) NoSuchBranch(ctx context.Context, branch string) error {
	names, err := s.BranchNames(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return s.noMemory()
	}
	hint := "git context branch"
	if near := doc.Nearest(branch, names); near != "" {
		hint = fmt.Sprintf("did you mean '%s'?", near)
	}
	_, ref, err := s.named(ctx, branch)
	if err != nil {
		return err
	}
	if remote, _, ok := git.TrackedBranch(ref); ok { // which is not for writing
		hint = "git context sync " + remote
	}
	return fail.New(fail.ErrNotFound, fail.BranchNotFound, fmt.Sprintf("branch '%s' not found", branch), hint)
}

func noSuchBranch(err error) bool {
	var gone *fail.Error
	return errors.As(err, &gone) && gone.Code == fail.BranchNotFound
}

// BranchNames lists the memory branches in the order of their names.
func (s *Store) BranchNames(ctx context.Context) ([]string, error) {
	list, err := s.repo.Refs(ctx, git.BranchPrefix)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = r.Name[len(git.BranchPrefix):]
	}
	return names, nil
}

// Entry returns the entry of a path in the tip's tree, and false where there is none.
func (t *Tip) Entry(ctx context.Context, path string) (git.TreeEntry, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tree.Entry(ctx, path)
}

// List returns the entries of a directory of the tip's tree.
func (t *Tip) List(ctx context.Context, dir string) ([]git.TreeEntry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tree.List(ctx, dir)
}

// Document reads a file of the tip's tree whole. It returns fail.ErrNotFound where
// there is none by that path.
func (t *Tip) Document(ctx context.Context, path string) ([]byte, error) {
	e, ok, err := t.Entry(ctx, path)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fail.New(fail.ErrNotFound, fail.DocumentNotFound,
			fmt.Sprintf("'%s' is not in branch '%s'", path, t.branch))
	}
	return t.repo.Blob(ctx, e.ID)
}

// OptionalDocument reads a file that a branch may lack: nil where it is absent.
func (t *Tip) OptionalDocument(ctx context.Context, path string) ([]byte, error) {
	data, err := t.Document(ctx, path)
	if errors.Is(err, fail.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// LiveCommits parses commit.md, the newest commits of a branch, and returns its text too.
func (t *Tip) LiveCommits(ctx context.Context) ([]doc.Commit, []byte, error) {
	data, err := t.OptionalDocument(ctx, doc.CommitFile)
	if err != nil {
		return nil, nil, err
	}
	ms, err := doc.ParseCommits(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s of branch '%s': %w", doc.CommitFile, t.branch, err)
	}
	return ms, data, nil
}

// liveSteps reads a branch's log.md: its newest steps, and the text.
func (t *Tip) liveSteps(ctx context.Context) ([]doc.Step, []byte, error) {
	data, err := t.OptionalDocument(ctx, doc.LogFile)
	if err != nil {
		return nil, nil, err
	}
	steps, err := doc.ParseLog(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s of branch '%s': %w", doc.LogFile, t.branch, err)
	}
	return steps, data, nil
}

// Metadata parses metadata.yaml; empty metadata where the file is absent.
func (t *Tip) Metadata(ctx context.Context) (*doc.Metadata, error) {
	data, err := t.OptionalDocument(ctx, doc.MetadataFile)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return doc.NewMetadata(), nil
	}
	m, err := doc.ParseMetadata(data)
	if err != nil {
		return nil, fmt.Errorf("%s of branch '%s': %w", doc.MetadataFile, t.branch, err)
	}
	return m, nil
}

// NewestEntry returns the largest entry id of a tip's documents; a new id must be larger. It
// comes from the trailer, or from the live files where another tool made the commit.
func (t *Tip) NewestEntry(ctx context.Context) (string, error) {
	if id := t.commit.Trailer(TrailerNewest); doc.ValidID(id) {
		return id, nil
	}
	ms, _, err := t.LiveCommits(ctx)
	if err != nil {
		return "", err
	}
	steps, _, err := t.liveSteps(ctx)
	if err != nil {
		return "", err
	}
	var id string
	if n := len(ms); n > 0 {
		id = ms[n-1].ID
	}
	if n := len(steps); n > 0 {
		id = max(id, steps[n-1].ID)
	}
	return id, nil
}

// HasBranch reports whether a memory branch exists.
func (s *Store) HasBranch(ctx context.Context, name string) (bool, error) {
	_, err := s.repo.Ref(ctx, git.BranchRef(name))
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// TopicIDs returns the blobs of a tip's topics by file name; none for nil.
func TopicIDs(ctx context.Context, t *Tip) (map[string]git.ID, error) {
	ids := map[string]git.ID{}
	if t == nil {
		return ids, nil
	}
	list, err := t.List(ctx, doc.TopicDir)
	for _, e := range list {
		if e.Mode == git.ModeBlob {
			ids[e.Name] = e.ID
		}
	}
	return ids, err
}

// At is the moment of the past that a view shows: what memory was when a memory
// commit had just been made. Facts of notes that are younger are left out, and so
// are pending steps.
type At struct {
	Commit git.ID    `json:"commit"` // the memory commit
	Time   time.Time `json:"time"`   // when it was made
	By     string    `json:"by"`     // one of the At constants
	Code   *git.ID   `json:"code"`   // the code commit that was named; nil where that was memory
	Linked *git.ID   `json:"linked"` // the code commit that the memory commit belongs to, by link or ancestor

	Rev   string `json:"-"` // what was asked for
	Asked git.ID `json:"-"` // the commit that it names, of code or of memory
}
