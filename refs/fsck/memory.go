package fsck

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// memory is what memory contains, read once for all checks: every commit that branches, tags,
// the roadmap, deleted branches and tracking refs lead to, and each file once. 10,000 commits
// with 100,000 steps take about as long as adopting them.
type memory struct {
	s     *store.Store
	in    *incoming.Inspection
	flaws []incoming.Flaw

	tips       []incoming.Tip // those that name a commit, our own first
	ends       map[git.ID]bool
	commits    []*incoming.Commit
	statements map[git.ID]*statement // by commit, of branches
	childOf    map[git.ID]git.ID     // of commits that are lost
	foreign    bool                  // the commits being read are a remote's alone
	fix        bool                  // repairs are made
	clean      *string               // see withoutDamaged; nil: not asked yet

	index   map[entryID]int32
	entries []memoryEntry
	// The files that steps keep, by the blob of a log.md or a segment, and by step; none for most.
	attached map[git.ID]map[string][]doc.Attachment

	logs    map[git.ID][]int32  // the entries of a log.md or a segment, by blob
	records map[git.ID]record   // of a commit.md or a segment
	sums    map[git.ID][]uint64 // of the contents of its entries, by blob
	origins map[string]string   // one copy of each name
	twice   []int32             // entries that have several contents
	others  map[int32][]variant // the further contents of those, at most mostVariants and one more

	noteText map[git.ID]*noteLines   // by blob
	noted    map[git.ID][]notes.Fact // by object
	unread   map[git.ID]bool         // objects of whose notes not all could be read
}

// memoryEntry is a step or a commit.
type memoryEntry struct {
	id, origin string
	number     int
	sum        uint64 // of its content
	file       git.ID // where it was read first
	step       bool
	birth      bool // an entry of commit.md that describes the branch's birth
	imported   bool // its number may be another tool's
	differs    bool // it has several contents
}

// variant is a content of an entry, and a file that has it.
type variant struct {
	sum    uint64
	file   git.ID
	origin string
}

// mostVariants limits how many contents of an entry are compared.
const mostVariants = 8

// record is what a commit.md contains.
type record struct {
	entries []int32
	steps   string // of the last commit, in the form of a trailer
	newest  string // the summary of the last commit that is no birth
}

// statement is what the message of a memory commit says.
type statement struct {
	at       *incoming.Commit
	branch   string
	steps    string
	roadmap  git.ID
	journal  string            // that the newest steps of its branch were taken from
	parents  []git.ID          // as the commit has them, also behind the edge of a shallow clone
	trailers map[string]string // of a branch's tip
	fact     notes.Fact        // what the note of the commit must say
	link     git.ID            // the code commit that was made with it
}

// memory reads all of memory, once.
func (c *checker) memory(ctx context.Context) (*memory, error) {
	if c.loaded != nil {
		return c.loaded, nil
	}
	v, err := readMemory(ctx, c.s)
	if err == nil {
		v.fix, c.loaded = c.fix, v
	}
	return v, err
}

func readMemory(ctx context.Context, s *store.Store) (*memory, error) {
	latest, err := incoming.Latest(s)
	if err != nil {
		return nil, err
	}
	v := &memory{s: s, in: incoming.NewInspection(s.Repo(), math.MaxInt32, latest),
		ends: map[git.ID]bool{}, childOf: map[git.ID]git.ID{}, statements: map[git.ID]*statement{},
		sums: map[git.ID][]uint64{}, index: map[entryID]int32{}, others: map[int32][]variant{}, logs: map[git.ID][]int32{}, attached: map[git.ID]map[string][]doc.Attachment{},
		records: map[git.ID]record{}, noteText: map[git.ID]*noteLines{}, origins: map[string]string{}}
	v.in.OnFlaw = func(f incoming.Flaw) { v.flaws = append(v.flaws, f) }
	v.in.Reader = v
	if v.tips, err = memoryTips(ctx, s); err != nil {
		return nil, err
	}
	ids := make([]git.ID, len(v.tips))
	for i, t := range v.tips {
		ids[i], v.ends[t.ID] = t.ID, true
	}
	if v.in.Absent, err = s.Repo().Absent(ctx, ids); err != nil {
		return nil, err
	}
	if v.commits, err = v.walk(ctx); err != nil {
		return nil, err
	}
	meter := s.Repo().Meter("Checking commits", len(v.commits))
	defer meter.End()
	own := slices.IndexFunc(v.commits, func(n *incoming.Commit) bool { return !isOwn(n.Ref) })
	if own < 0 {
		own = len(v.commits)
	}
	for _, part := range [][]*incoming.Commit{v.commits[:own], v.commits[own:]} {
		for chunk := range slices.Chunk(part, incoming.ChunkSize) {
			v.foreign = !isOwn(chunk[0].Ref)
			if err := v.in.CheckCommits(ctx, chunk); err != nil {
				return nil, err
			}
			meter.Add(len(chunk))
		}
	}
	return v, nil
}

// memoryTips returns the refs to read, our own first. Of the notes only the newest commit is
// read, because git keeps their history. checkRefs reports refs that name no commit.
func memoryTips(ctx context.Context, s *store.Store) ([]incoming.Tip, error) {
	list, err := s.Repo().Refs(ctx, git.Root, git.NotesRef)
	if err != nil {
		return nil, err
	}
	remotes, err := s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	var ours, theirs []incoming.Tip
	for _, ref := range list {
		switch r := roleOf(ref.Name, remotes); {
		case r == 0:
		case isOwn(ref.Name):
			ours = append(ours, incoming.Tip{Ref: ref, Role: r})
		default:
			theirs = append(theirs, incoming.Tip{Ref: ref, Role: r})
		}
	}
	return onlyCommits(ctx, s, append(ours, theirs...))
}

// roleOf returns the role of a ref's commit; 0 for a ref that is not read.
func roleOf(ref string, remotes []string) incoming.Role {
	for _, prefix := range []string{git.BranchPrefix, git.TagPrefix, git.DeletedPrefix} {
		if strings.HasPrefix(ref, prefix) {
			return incoming.RoleBranch
		}
	}
	for _, remote := range remotes {
		for _, t := range []git.Tracking{git.RemoteTracking(remote), git.OtherTracking(remote)} {
			switch {
			case strings.HasPrefix(ref, t.Branches()), strings.HasPrefix(ref, t.Tags()):
				return incoming.RoleBranch
			case ref == t.Roadmap():
				return incoming.RoleRoadmap
			}
		}
	}
	switch ref {
	case git.RoadmapRef:
		return incoming.RoleRoadmap
	case git.NotesRef:
		return incoming.RoleNotes
	}
	return 0
}

func onlyCommits(ctx context.Context, s *store.Store, tips []incoming.Tip) ([]incoming.Tip, error) {
	ids := make([]git.ID, len(tips))
	for i, t := range tips {
		ids[i] = t.ID
	}
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var list []incoming.Tip
	for i, t := range tips {
		if infos[i].Type == "commit" {
			list = append(list, t)
		}
	}
	return list, nil
}

// isOwn reports whether a ref of memory is this repository's own.
func isOwn(ref string) bool {
	return !strings.HasPrefix(ref, git.RemotePrefix) && !strings.HasPrefix(ref, git.OtherPrefix) && !strings.HasPrefix(ref, git.SeenPrefix)
}

// Message records what the message of a memory commit says.
func (v *memory) Message(n *incoming.Commit, parsed *git.Commit) {
	_, _, block := parsed.Parts()
	t := store.ParseTrailers(strings.Clone(block))
	took, _ := store.ParseJournalMark(t[store.TrailerJournal]) // another value is one of none
	roadmap, _, _ := strings.Cut(t[store.TrailerRoadmap], " ")
	x := &statement{at: n, branch: v.name(t[store.TrailerBranch]), steps: t[store.TrailerSteps],
		journal: v.name(took.Journal), roadmap: git.ID(roadmap), parents: parsed.Parents}
	if v.ends[n.ID] {
		x.trailers = t
	}
	if doc.ValidID(t[store.TrailerID]) {
		x.fact, x.link = store.Fact(parsed), git.ID(t[store.TrailerLink])
	}
	v.statements[n.ID] = x
}

// name returns the one copy of a branch's name.
func (v *memory) name(s string) string {
	if have, ok := v.origins[s]; ok {
		return have
	}
	s = strings.Clone(s)
	v.origins[s] = s
	return s
}

// Log records the steps of a log.
func (v *memory) Log(f incoming.File, data []byte, list []doc.Step) {
	ids := make([]int32, len(list))
	v.each(f, doc.LogFile, data, func(i int, e *memoryEntry) {
		e.step, e.number, e.imported = true, list[i].Number, strings.HasPrefix(list[i].Source, folder.SourcePrefix)
	}, ids)
	v.logs[f.ID] = ids
	for _, step := range list {
		if len(step.Attachments) == 0 {
			continue
		}
		if v.attached[f.ID] == nil {
			v.attached[f.ID] = map[string][]doc.Attachment{}
		}
		v.attached[f.ID][strings.Clone(step.ID)] = cloned(step.Attachments)
	}
}

// CommitFile records the entries of a commit.md.
func (v *memory) CommitFile(f incoming.File, data []byte, list []doc.Commit) {
	r := record{entries: make([]int32, len(list))}
	v.each(f, doc.CommitFile, data, func(i int, e *memoryEntry) {
		e.birth, e.number, e.imported = list[i].Kind == doc.KindBirth, list[i].Number,
			strings.HasPrefix(list[i].Source, folder.SourcePrefix)
	}, r.entries)
	for _, m := range slices.Backward(list) {
		if m.Kind != doc.KindBirth {
			r.newest = strings.Clone(prose.OneLine(m.Summary, store.PurposeLimit))
			break
		}
	}
	if n := len(list); n > 0 {
		r.steps = store.FormatSteps(store.StepRange(list[n-1].Steps))
	}
	v.records[f.ID] = r
}

// entryID identifies an entry by its document, too: who may push can give a step the id of a commit, which is then two entries.
type entryID struct {
	kind string
	id   incoming.EntryKey
}

// each cuts a document into entries and records new ones. It compares the contents of a known
// entry, unless one comes from a remote alone: that may be what was expunged here.
func (v *memory) each(f incoming.File, kind string, data []byte, fill func(int, *memoryEntry), ids []int32) {
	n, sums := 0, make([]uint64, len(ids))
	// It has been parsed, so that cutting cannot fail.
	_ = doc.EachEntry(kind, data, func(h doc.EntryHead, text []byte) {
		sum := loss.SumOf(h, text)
		key := entryID{kind, incoming.EntryKey([]byte(h.ID))}
		at, known := v.index[key]
		if !known {
			at = int32(len(v.entries))
			e := memoryEntry{id: strings.Clone(h.ID), origin: v.name(h.Origin), sum: sum, file: f.ID}
			fill(n, &e)
			v.index[key] = at
			v.entries = append(v.entries, e)
		} else if e := &v.entries[at]; e.sum != sum && !v.foreign {
			if !e.differs {
				e.differs = true
				v.twice = append(v.twice, at)
			}
			has := func(o variant) bool { return o.sum == sum }
			if all := v.others[at]; len(all) <= mostVariants && !slices.ContainsFunc(all, has) {
				v.others[at] = append(all, variant{sum, f.ID, v.name(h.Origin)})
			}
		}
		ids[n], sums[n] = at, sum
		n++
	})
	v.sums[f.ID] = sums
}

// cloned returns attachments that do not keep their document in memory.
func cloned(list []doc.Attachment) []doc.Attachment {
	list = slices.Clone(list)
	for i := range list {
		list[i].Name, list[i].Hash = strings.Clone(list[i].Name), strings.Clone(list[i].Hash)
	}
	return list
}
