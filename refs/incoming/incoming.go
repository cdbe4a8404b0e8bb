package incoming

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// incoming is what is to be taken in from elsewhere: where its refs stand, under
// the names that they have here. Refs with an empty ID are left out.
type Refs struct {
	Branches       []git.Ref // of memory branches
	Tags           []git.Ref // of milestones, so on memory branches too
	Roadmap, Notes []git.Ref
}

// Add adds a tracking ref of the roadmap, or of a branch or a tag. The caller says which:
// the name alone does not tell, because a remote may be called 'heads'.
func (in *Refs) Add(r git.Ref, roadmap bool) {
	if roadmap {
		in.Roadmap = append(in.Roadmap, r)
	} else {
		in.Branches = append(in.Branches, r)
	}
}

// Role is what the trees of a commit must be.
type Role uint8

const (
	RoleBranch Role = 1 << iota
	RoleRoadmap
	RoleNotes
)

const (
	// chunkSize is how many commits are checked at a time: enough for git to read
	// ahead, few enough to be held in memory.
	ChunkSize = 256
	// maxAhead is how far the ids of others may be ahead of the clock: ours must be
	// larger than every id seen, so one of the far future would be the last.
	MaxAhead = 24 * time.Hour
	// Objects that may come for each entry that may come, and some more: a milestone
	// is about ten, its note included.
	objectsPerEntry, objectsExtra = 10, 100_000
)

// checkIncoming returns nil when all that refs bring is sound: every commit that
// they reach and this repository's own memory does not (what remotes have is not
// trusted, for it may be what was refused the last time). Else it returns an
// *fail.Error with the code incoming-invalid that wraps fail.ErrRefused and names the ref,
// the commit and the object. It moves no ref.
//
// What is held, of each new commit (against its parents, so that what they have
// too is not looked at again):
//
//  1. The ref names a commit; its commits and all that they hold are there.
//  2. Sizes, before any content is read: files 32 MiB (metadata.yaml 64 KiB,
//     expunged.txt 1 MiB), trees 8 MiB, commits 32 MiB.
//  3. Every tree, of every commit: modes 100644 and 040000, known paths (see
//     [doc.KindOf]; main.md and expunged.txt in the roadmap; notes on object ids in any
//     fan-out), git's order, so that no name stands twice, and no empty folder. Known
//     names are plain ASCII, and no two differ by case only.
//  4. Every document, each once, however many commits hold it: it parses whole,
//     its ids grow and are not from the future, a segment is named by its first id.
//     The roadmap is clean text. Notes may be anything.
//  5. The commit.md of a milestone ends with its entry, the branch that a memory commit
//     says it was made on has a branch's name, and the code commit is a full hash.
//  6. At most context.maxNewEntries steps and milestones, told apart by their ids, in
//     files that are new (so those that a new log.md repeats count), and objects in
//     proportion.
//
// It costs one rev-list, the running cat-file, and no more memory than the largest
// file and a few words for each new object. Adopting 10,000 commits with
// 100,000 steps takes about three seconds.
func Check(ctx context.Context, s *store.Store, in Refs) error {
	tips := in.tips()
	if len(tips) == 0 {
		return nil
	}
	limit, err := maxNewEntries(ctx, s)
	if err != nil {
		return err
	}
	now, err := s.Moment()
	if err != nil {
		return err
	}
	if t := s.Clock(); t.After(now) { // GIT_COMMITTER_DATE may be long ago
		now = t
	}
	c := NewInspection(s.Repo(), limit, now.Add(MaxAhead))
	if err := c.tips(ctx, tips); err != nil {
		return err
	}
	commits, err := c.walk(ctx, tips)
	if err != nil {
		return err
	}
	meter := s.Repo().Meter("Checking what came", len(commits))
	defer meter.End()
	for chunk := range slices.Chunk(commits, ChunkSize) {
		if err := c.CheckCommits(ctx, chunk); err != nil {
			return err
		}
		meter.Add(len(chunk))
	}
	return nil
}

// tip is a ref to take in, and what it must be.
type Tip struct {
	git.Ref
	Role Role
}

func (in Refs) tips() []Tip {
	var list []Tip
	for _, of := range []struct {
		refs []git.Ref
		role Role
	}{{in.Branches, RoleBranch}, {in.Tags, RoleBranch}, {in.Roadmap, RoleRoadmap}, {in.Notes, RoleNotes}} {
		for _, r := range of.refs {
			if r.ID != "" {
				list = append(list, Tip{r, of.role})
			}
		}
	}
	return list
}

// newCommit is a commit under inspection.
type Commit struct {
	ID      git.ID
	Parents []git.ID
	Tree    git.ID // "" until it was read
	Roles   Role   // what it is reached as
	Ref     string // a ref that brings it

	EntryID string // the id of its entry, on a branch; "" for no milestone
}

// inspection is one check of what comes in.
type Inspection struct {
	repo    *git.Repo
	limit   int       // of entries
	latest  time.Time // of ids
	objects int       // that are left
	entries map[EntryKey]struct{}
	ByID    map[git.ID]*Commit
	own     map[git.ID]git.ID     // trees of commits of our own, by commit
	trees   map[seenTree]struct{} // that were checked
	Files   map[FileKey]Ends      // that were checked
	Roots   map[git.ID]Root       // of branches, by tree

	// Of a check of what is here:
	OnFlaw func(Flaw)      // takes what is wrong; nil: the first flaw is the end
	Absent map[git.ID]bool // what a partial clone need not have
	Reader Reader          // takes what was read; nil for none
}

// Reader takes what stands in files, each distinct one once. It may not keep
// what it is lent.
type Reader interface {
	Message(n *Commit, parsed *git.Commit)
	Log(f File, data []byte, list []doc.Step)
	CommitFile(f File, data []byte, list []doc.Commit)
	Note(f File, data []byte)
}

func NewInspection(repo *git.Repo, limit int, latest time.Time) *Inspection {
	return &Inspection{
		repo: repo, limit: limit, latest: latest, objects: objectsExtra + objectsPerEntry*limit,
		entries: map[EntryKey]struct{}{}, ByID: map[git.ID]*Commit{}, own: map[git.ID]git.ID{},
		trees: map[seenTree]struct{}{}, Files: map[FileKey]Ends{}, Roots: map[git.ID]Root{},
	}
}

// tips holds that every ref names a commit that is there.
func (c *Inspection) tips(ctx context.Context, tips []Tip) error {
	ids := make([]git.ID, len(tips))
	for i, t := range tips {
		ids[i] = t.ID
	}
	infos, err := c.repo.Infos(ctx, ids)
	if err != nil {
		return err
	}
	for i, info := range infos {
		switch info.Type {
		case "commit":
		case "":
			return refuse(tips[i].Name, fmt.Sprintf("its object %s is missing", tips[i].ID), nil)
		default:
			return refuse(tips[i].Name, fmt.Sprintf("it names the %s %s, not a commit", info.Type, tips[i].ID), nil,
				show(tips[i].ID))
		}
	}
	return nil
}

// walk lists the new commits, parents before their children.
func (c *Inspection) walk(ctx context.Context, tips []Tip) ([]*Commit, error) {
	ids := make([]git.ID, len(tips))
	for i, t := range tips {
		ids[i] = t.ID
	}
	list, err := c.repo.NewCommits(ctx, ids, c.objects+1)
	if err != nil {
		return nil, c.brokenHistory(ctx, tips, err)
	}
	commits := make([]*Commit, len(list))
	for i, n := range list {
		commits[i] = &Commit{ID: n.ID, Parents: n.Parents}
		c.ByID[n.ID] = commits[i]
	}
	for _, t := range tips {
		if n := c.ByID[t.ID]; n != nil {
			n.Reach(t.Role, t.Name)
		}
	}
	for _, n := range commits { // children first
		for _, p := range n.Parents {
			if parent := c.ByID[p]; parent != nil {
				parent.Reach(n.Roles, n.Ref)
			}
		}
	}
	slices.Reverse(commits)
	if c.objects -= len(commits); c.objects < 0 {
		return nil, c.tooMany(commits[0].Ref, fmt.Sprintf("more than %d objects", objectsExtra+objectsPerEntry*c.limit))
	}
	return commits, nil
}

func (n *Commit) Reach(r Role, ref string) {
	n.Roles |= r
	if n.Ref == "" {
		n.Ref = ref
	}
}

// brokenHistory says why the new commits cannot be listed, and which ref leads to
// what is missing or broken. That our own memory is broken is no fault of theirs.
func (c *Inspection) brokenHistory(ctx context.Context, tips []Tip, err error) error {
	var failed *git.Error
	if !errors.As(err, &failed) || failed.Code < 0 {
		return err
	}
	if _, own := c.repo.NewCommits(ctx, nil, 1); own != nil {
		return own
	}
	for _, t := range tips {
		if _, broken := c.repo.NewCommits(ctx, []git.ID{t.ID}, 1); broken != nil {
			return refuse(t.Name, "its history cannot be read", broken, "git rev-list --count "+string(t.ID))
		}
	}
	return err
}

// maxNewEntries is how many steps and milestones may come from a remote at once.
func maxNewEntries(ctx context.Context, s *store.Store) (int, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return 0, err
	}
	n, err := cfg.Int(store.KeyMaxNewEntries, store.DefaultMaxNewEntries)
	if err == nil && (n < 1 || n > store.MostMaxNewEntries) {
		err = fmt.Errorf("%s is %d; it must be 1 to %d", store.KeyMaxNewEntries, n, store.MostMaxNewEntries)
	}
	if err != nil {
		return 0, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), fmt.Sprintf("git config %s %d", store.KeyMaxNewEntries, store.DefaultMaxNewEntries))
	}
	return n, nil
}
