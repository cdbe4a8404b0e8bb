// Package incoming checks memory that comes from another repository before any ref or merge
// uses it, and gives fsck and a push the same checks for the repository's own memory, see [Outgoing].
//
// [Check] reads the new commits that some refs bring, their trees and their documents, in
// chunks and with limits on sizes and counts. It writes nothing and moves no ref. What it
// refuses stays in the tracking refs, for inspection. A refusal is a *fail.Error of kind
// fail.ErrRefused with the code incoming-invalid; it names the ref, the commit and the object,
// and hints at commands that show them. An [Inspection] with OnFlaw set reports every [Flaw]
// instead of the first.
//
// It is safe beside any other process: objects do not change. An Inspection is for one
// goroutine.
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

// Refs are the refs to take in, by the names that they have here. Refs with an empty ID are
// left out.
type Refs struct {
	Branches       []git.Ref // of memory branches
	Tags           []git.Ref // of memory commits, so on memory branches too
	Roadmap, Notes []git.Ref
}

// Add adds a tracking ref of the roadmap, or of a branch or a tag. The caller says which:
// the name alone does not tell, because a remote may be called 'heads'. Only that of a roadmap under the other
// names of a remote does.
func (in *Refs) Add(r git.Ref, roadmap bool) {
	if roadmap || git.OtherRoadmap(r.Name) {
		in.Roadmap = append(in.Roadmap, r)
	} else {
		in.Branches = append(in.Branches, r)
	}
}

// Role says what the trees of a commit must be. Roles are bits; a commit may have several.
type Role uint8

const (
	// RoleBranch is a commit of a memory branch.
	RoleBranch Role = 1 << iota
	// RoleRoadmap is a commit of the roadmap.
	RoleRoadmap
	// RoleNotes is a commit of the notes.
	RoleNotes
)

const (
	// ChunkSize is how many commits are checked at a time: enough for git to read ahead, few
	// enough for memory.
	ChunkSize = 256
	// MaxAhead is how far ids may be ahead of the clock. Our ids must be larger than every id
	// seen, so one of the far future would leave no room.
	MaxAhead = 24 * time.Hour
	// objectsPerEntry and objectsExtra limit the objects by the entries that may come: a commit
	// takes about ten, its note included.
	objectsPerEntry, objectsExtra = 10, 100_000
	// bytesPerEntry and bytesExtra limit the sum of the sizes of the files that may come: a text of
	// 20 MiB that repeats itself takes 20 KiB in a pack, and a tenth of a second for each commit that
	// changes a letter of it.
	bytesPerEntry, bytesExtra = 32 << 10, 256 << 20
)

// Check returns nil if everything that refs bring is valid, see [Arrived].
func Check(ctx context.Context, s *store.Store, in Refs) error {
	_, err := Arrived(ctx, s, in, nil)
	return err
}

// Arrived returns the commits that refs bring, parents before their children, if all of them are
// valid: every commit that the refs reach and this repository's own memory does not. What
// tracking refs reach is not trusted, because it may be what was refused before. Otherwise it
// returns a *fail.Error with the code incoming-invalid that wraps fail.ErrRefused. reader
// receives what was read; it may be nil.
//
// It checks of each new commit what its parents do not have:
//
//  1. The ref names a commit; its commits and all that they contain exist. What this repository's own
//     memory reaches is of the same kind: a commit of the roadmap is none of a branch.
//  2. Sizes, before any content is read: files 32 MiB (metadata.yaml 64 KiB, expunged.txt 1 MiB),
//     trees 8 MiB, commits 32 MiB; and at most 64 parents.
//  3. Every tree of every commit: modes 100644 and 040000, known paths (see [doc.KindOf]; main.md
//     and expunged.txt in the roadmap; notes on object ids in any fan-out), git's order, so that
//     no name occurs twice, and no empty folder. Known names are plain ASCII, and no two differ
//     by case only.
//  4. Every document, once: it parses, its ids grow and are not from the future, a segment is
//     named by its first id. The roadmap is clean text. Notes may be anything.
//  5. The commit.md of a commit ends with the entry that Context-Id names, or left that out with
//     entries of its parents, which package loss restores; Context-Branch is a valid branch name, and
//     Code-Commit is a full hash.
//  6. At most context.maxNewEntries steps and commits, told apart by their ids, in files that are
//     new (so those that a new log.md repeats count), and objects and bytes in proportion; folders, messages,
//     revisions of main.md and files of entries as many bytes as the number of commits allows.
//
// It costs one rev-list, the running cat-file, and as much memory as the largest file and a few
// words for each new object. Adopting 10,000 commits with 100,000 steps takes about three
// seconds.
func Arrived(ctx context.Context, s *store.Store, in Refs, reader Reader) ([]*Commit, error) {
	tips := in.tips()
	if len(tips) == 0 {
		return nil, nil
	}
	limit, err := maxNewEntries(ctx, s)
	if err != nil {
		return nil, err
	}
	latest, err := Latest(s)
	if err != nil {
		return nil, err
	}
	c := NewInspection(s.Repo(), limit, latest)
	c.Reader = reader
	if err := c.tips(ctx, tips); err != nil {
		return nil, err
	}
	commits, err := c.walk(ctx, tips)
	if err != nil {
		return nil, err
	}
	if err := c.checkKnown(ctx, tips, commits); err != nil {
		return nil, err
	}
	meter := s.Repo().Meter("Checking what came", len(commits))
	defer meter.End()
	for chunk := range slices.Chunk(commits, ChunkSize) {
		if err := c.CheckCommits(ctx, chunk); err != nil {
			return nil, err
		}
		meter.Add(len(chunk))
	}
	return commits, nil
}

// Latest returns the latest time that an id may have. An invalid GIT_COMMITTER_DATE is an error.
func Latest(s *store.Store) (time.Time, error) {
	now, err := s.Moment()
	if t := s.Clock(); t.After(now) { // GIT_COMMITTER_DATE may be long ago
		now = t
	}
	return now.Add(MaxAhead), err
}

// Tip is a ref to check and the role of its commit.
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

// Commit is a commit under inspection.
type Commit struct {
	ID      git.ID
	Parents []git.ID
	Tree    git.ID // "" until it was read
	Roles   Role   // in which refs reach it
	Ref     string // a ref that brings it

	EntryID string // the id of its entry, on a branch; "" for none
}

// Inspection is one check of a set of commits. The exported fields below the maps must be set
// before CheckCommits.
type Inspection struct {
	repo    *git.Repo
	limit   int       // of entries, and of commits of branches
	walked  int       // of these
	latest  time.Time // of ids
	objects int       // that are left
	bytes   int64     // of files, that are left
	volumes volumes   // of what else comes
	entries map[EntryKey]struct{}
	ByID    map[git.ID]*Commit
	own     map[git.ID]git.ID   // trees of commits of our own, by commit
	trees   map[seenTree]string // that were checked: the path of the first one
	Files   map[FileKey]Ends    // that were checked
	Roots   map[git.ID]Root     // of branches, by tree
	newer   map[git.ID]string   // of commits that left out entries: the id of one
	reached map[git.ID]string   // of commits: the largest id in their history, see reach
	naming  map[git.ID]naming   // see namedBy
	looked  int                 // number of commits that leftOut looked at

	Reader Reader // receives what was read; may be nil

	// For a check of the repository's own memory:
	OnFlaw func(Flaw)      // receives every flaw; nil: the check ends at the first
	Absent map[git.ID]bool // objects that a partial clone may lack
}

// Reader receives the contents of valid files, each distinct file once. It must not keep the
// slices that it gets.
type Reader interface {
	Message(n *Commit, parsed *git.Commit)
	Log(f File, data []byte, list []doc.Step)
	CommitFile(f File, data []byte, list []doc.Commit)
	Note(f File, data []byte)
}

// NewInspection returns a check that allows limit new entries, as many commits of branches, and ids up to the time latest.
func NewInspection(repo *git.Repo, limit int, latest time.Time) *Inspection {
	return &Inspection{
		repo: repo, limit: limit, latest: latest, objects: objectsExtra + objectsPerEntry*limit,
		bytes: bytesExtra + bytesPerEntry*int64(limit), volumes: newVolumes(limit),
		entries: map[EntryKey]struct{}{}, ByID: map[git.ID]*Commit{}, own: map[git.ID]git.ID{},
		trees: map[seenTree]string{}, Files: map[FileKey]Ends{}, Roots: map[git.ID]Root{}, newer: map[git.ID]string{},
		reached: map[git.ID]string{}, naming: map[git.ID]naming{},
	}
}

// tips checks that every ref names an existing commit.
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
	commits := c.mark(tips, list)
	if c.objects -= len(commits); c.objects < 0 {
		return nil, c.tooMany(commits[0].Ref, fmt.Sprintf("more than %d objects", objectsExtra+objectsPerEntry*c.limit))
	}
	for _, n := range commits { // views walk past those without an entry, too
		if n.Roles&RoleBranch == 0 {
			continue
		}
		if c.walked++; c.walked > c.limit {
			return nil, c.tooMany(n.Ref, fmt.Sprintf("more than %d commits", c.limit))
		}
	}
	return commits, nil
}

// mark makes the commits of a list, children before their parents, known to the inspection, with the refs that reach
// them. It returns them parents first.
func (c *Inspection) mark(tips []Tip, list []git.NewCommit) []*Commit {
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
	return commits
}

// Reach records that a ref reaches the commit in a role. The first ref counts for messages.
func (n *Commit) Reach(r Role, ref string) {
	n.Roles |= r
	if n.Ref == "" {
		n.Ref = ref
	}
}

// brokenHistory returns why the new commits cannot be listed, and which ref leads to what is
// missing or broken. If our own memory is broken, it returns that error instead.
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

// rulesVersion is the version of what Check allows. Raise it with each change of that.
const rulesVersion = 3

// Rules returns, as one word, what [Check] depends on beside objects, refs and the clock: the version of its rules, and
// the setting that bounds them. What was refused may be allowed by other rules.
func Rules(ctx context.Context, s *store.Store) (string, error) {
	limit, err := maxNewEntries(ctx, s)
	return fmt.Sprintf("%d,%d", rulesVersion, limit), err
}

// maxNewEntries returns how many steps and commits may come from a remote at once.
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
		return 0, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(),
			fmt.Sprintf("git config %s %d", store.KeyMaxNewEntries, store.DefaultMaxNewEntries))
	}
	return n, nil
}
