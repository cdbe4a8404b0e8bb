package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"

	dialect "github.com/git-context/git-context/refs/peer"
)

// importBranch is a branch of the folder and the plan for it.
type importBranch struct {
	peer    *dialect.Branch
	name    string
	birth   *importEntry   // nil if the branch exists already
	entries []*importEntry // steps and commits in their order
	commits []datedCommit  // written so far, for the branches that start from it
}

type datedCommit struct {
	at     time.Time
	commit *git.Commit
}

// importEntry is a step or a commit.
type importEntry struct {
	key    string
	at     time.Time // displayed; without a time of its own, that of the previous entry
	order  time.Time // never before the previous entry
	step   *doc.Step
	commit *doc.Commit
	copied bool // recorded by another branch
}

// known is the contents of a branch before the import, by key.
type known struct {
	tip     git.ID
	steps   map[string]doc.Step
	commits map[string]bool
	entries [][]string // the keys of each step and commit
	pending bool
	last    int    // the highest number of its own steps
	newest  string // id
}

// SourcePrefix begins the source of an imported entry. The entry's own id in the folder
// follows a '#', if it had one.
const SourcePrefix = "folder:"

// plan reads what exists here, and gives every entry its place, number and id. A step in
// the logs of several branches gets one id in all of them.
func (m *folderImport) plan(ctx context.Context) error {
	m.known = map[string]known{}
	after := ""
	for _, b := range m.branches {
		k, err := knownOf(ctx, m.s, b.name)
		if err != nil {
			return err
		}
		m.known[b.name] = k
		after = max(after, k.newest)
	}
	if err := cleanValues(ctx, m.s, m.f.Facts); err != nil {
		return err
	}
	replaced, untimed := false, 0
	for _, b := range m.branches {
		did, err := cleanBranch(ctx, m.s, b.peer)
		if err != nil {
			return err
		}
		replaced = replaced || did
		n, err := m.planBranch(ctx, b)
		if err != nil {
			return err
		}
		untimed += n
	}
	if n := len(m.files.left); n > 0 {
		m.warn("attachments of %s left out: the folder lacks the content, or it has a secret that cannot be replaced; the first is '%s'",
			prose.Count(n, "step"), m.files.left[0])
	}
	if replaced {
		m.warn("NUL in a text was replaced by U+FFFD")
	}
	if untimed > 0 {
		m.warn("%s without a time that can be read: shown with that of the entry before", prose.Count(untimed, "entry"))
	}
	return m.number(after)
}

// cleanBranch makes the texts of a branch valid: YAML can contain characters that documents
// cannot.
func cleanBranch(ctx context.Context, s *store.Store, b *dialect.Branch) (replaced bool, err error) {
	clean := func(texts ...*string) (err error) {
		did, err := s.Clean(ctx, texts...)
		replaced = replaced || did
		return err
	}
	if err := clean(&b.Purpose); err != nil {
		return false, err
	}
	for i := range b.Steps {
		step := &b.Steps[i]
		if err := clean(&step.Observation, &step.Thought, &step.Action); err != nil {
			return false, err
		}
		if size := len(step.Observation) + len(step.Thought) + len(step.Action); size > store.MaxStep {
			return false, fail.New(fail.ErrInvalid, fail.StepTooLarge,
				fmt.Sprintf("step %d of branch '%s' has %d bytes; at most %d can be kept",
					i+1, prose.OneLine(b.Name, 100), size, store.MaxStep))
		}
	}
	for i := range b.Commits {
		m := &b.Commits[i]
		m.Title = cmp.Or(m.Title, strings.TrimSpace("Imported commit "+prose.OneLine(m.ID, 100)))
		did, err := s.CheckEntry(ctx, &m.Title, &m.Contribution, &m.Progress)
		if err != nil {
			return false, fmt.Errorf("commit %d of branch '%s': %w", i+1, prose.OneLine(b.Name, 100), err)
		}
		replaced = did || replaced
		if err := clean(&m.Purpose); err != nil {
			return false, err
		}
	}
	return replaced, errors.Join(cleanValues(ctx, s, b.Facts), cleanValues(ctx, s, b.Segments))
}

// cleanValues makes the texts of metadata fit.
func cleanValues(ctx context.Context, s *store.Store, values map[string]any) error {
	var errs []error
	for name, v := range values {
		var err error
		values[name], err = cleanedValue(ctx, s, name, v)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func cleanedValue(ctx context.Context, s *store.Store, name string, v any) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		_, err = s.CleanValue(ctx, name, &v)
		return v, err
	case map[string]any:
		return v, cleanValues(ctx, s, v)
	case []any:
		for i := range v {
			var failed error
			v[i], failed = cleanedValue(ctx, s, name, v[i])
			err = errors.Join(err, failed)
		}
	}
	return v, err
}

// planBranch makes the entries of one branch, and counts those without a time.
func (m *folderImport) planBranch(ctx context.Context, b *importBranch) (untimed int, err error) {
	seen := map[string]int{}
	key := func(kind, branch, print string) string {
		k := SourcePrefix + kind + ":" + branch + ":" + print
		if seen[k]++; seen[k] > 1 {
			return fmt.Sprintf("%s:%d", k, seen[k])
		}
		return k
	}
	at := b.peer.CreatedAt
	order := at
	add := func(e *importEntry, t time.Time) {
		if t.IsZero() {
			untimed++
		} else {
			at = t
		}
		if at.IsZero() {
			at = m.fallbackTime()
		}
		if at.After(order) {
			order = at
		}
		e.at, e.order = at, order
		b.entries = append(b.entries, e)
	}
	steps := b.peer.Steps
	for i := range b.peer.Commits {
		pm := &b.peer.Commits[i]
		for len(steps) > 0 && !pm.Time.IsZero() && !steps[0].Time.After(pm.Time) {
			if err := m.addStep(ctx, b, &steps[0], key, add); err != nil {
				return 0, err
			}
			steps = steps[1:]
		}
		e := &importEntry{key: key("m", b.name, pm.Fingerprint())}
		e.commit = m.newCommit(b, pm, e.key)
		add(e, pm.Time)
	}
	for i := range steps {
		if err := m.addStep(ctx, b, &steps[i], key, add); err != nil {
			return 0, err
		}
	}
	return untimed, nil
}

func (m *folderImport) addStep(ctx context.Context, b *importBranch, ps *dialect.Step, key func(kind, branch, print string) string,
	add func(*importEntry, time.Time)) error {
	origin := b.name
	if ps.Origin != "" {
		origin = m.name(ps.Origin)
	}
	e := &importEntry{key: key("s", origin, dialect.Fingerprint(*ps)), copied: origin != b.name}
	observation, files, err := m.files.take(ctx, ps.Observation)
	if err != nil {
		return err
	}
	e.step = &doc.Step{Agent: m.agent(ps.Agent), Session: cmp.Or(ps.Session, m.o.Session), Source: e.key, Origin: origin,
		Observation: observation, Thought: ps.Thought, Action: ps.Action, Extra: extraAttributes(ps.Attrs), Attachments: files}
	t := ps.Time
	if ps.Kept {
		t = at(b) // the folder does not record one
	}
	add(e, t)
	return nil
}

// at returns the time of the last entry of a branch so far.
func at(b *importBranch) time.Time {
	if n := len(b.entries); n > 0 {
		return b.entries[n-1].at
	}
	return b.peer.CreatedAt
}

// fallbackTime is the time of entries before the first one that has a time.
func (m *folderImport) fallbackTime() time.Time {
	now, err := m.s.Stamp()
	if err != nil { // the transaction will report it
		return time.Unix(0, 0).UTC()
	}
	return now
}

func (m *folderImport) agent(name string) string { return cmp.Or(doc.AgentName(name), m.o.Agent) }

// extraAttributes formats the attributes of a step that only its tool knows.
func extraAttributes(attrs []dialect.Attr) string {
	var b strings.Builder
	for _, a := range attrs {
		value, _ := doc.Clean(a.Value)
		fmt.Fprintf(&b, "- peer-%s: %s\n", a.Key, value)
	}
	return b.String()
}

func (m *folderImport) newCommit(b *importBranch, pm *dialect.Commit, key string) *doc.Commit {
	out := &doc.Commit{Agent: m.agent(pm.Agent), Session: m.o.Session, Source: key, Origin: b.name,
		Summary: pm.Title, Purpose: cmp.Or(pm.Purpose, b.peer.Purpose),
		Progress: pm.Progress, Contribution: pm.Contribution}
	if id := prose.OneLine(pm.ID, 100); id != "" && store.CheckLine("source", fail.SourceInvalid, id) == nil {
		out.Source += "#" + id
	}
	return out
}

// number sorts the entries of all branches by time and gives ids to those without one, so
// that all branches have them in that order.
func (m *folderImport) number(after string) error {
	first := m.canonical()
	all := m.births()
	last := map[string]int{}
	for _, b := range m.branches {
		last[b.name] = m.known[b.name].last
		all = append(all, b.entries...)
	}
	slices.SortStableFunc(all, func(a, b *importEntry) int { return a.order.Compare(b.order) })
	for _, e := range all {
		if e.step != nil {
			if e.step = first[e.key]; e.step.ID != "" {
				continue
			}
			last[e.step.Origin]++
			e.step.Number, e.step.Time = last[e.step.Origin], e.at
		}
		var err error
		if after, err = m.s.NewID(after); err != nil {
			return err
		}
		if e.step != nil {
			e.step.ID = after
		} else {
			e.commit.ID, e.commit.Time = after, e.at
		}
	}
	return nil
}

// canonical returns the one step for each key: the one that exists here, else that of its
// own branch, else a copy, which may lack a blank line.
func (m *folderImport) canonical() map[string]*doc.Step {
	first := map[string]*doc.Step{}
	offer := func(key string, step *doc.Step) {
		if first[key] == nil {
			first[key] = step
		}
	}
	for _, b := range m.branches {
		for _, e := range b.entries {
			if have, ok := m.known[b.name].steps[e.key]; ok && e.step != nil {
				offer(e.key, &have)
			}
		}
	}
	for _, copied := range []bool{false, true} {
		for _, b := range m.branches {
			for _, e := range b.entries {
				if e.step != nil && e.copied == copied {
					offer(e.key, e.step)
				}
			}
		}
	}
	return first
}

// births returns the births of the branches that have to be created.
func (m *folderImport) births() []*importEntry {
	var list []*importEntry
	for _, b := range m.branches {
		if m.known[b.name].tip != "" {
			continue
		}
		b.birth = &importEntry{at: b.peer.CreatedAt, order: b.peer.CreatedAt, commit: &doc.Commit{}}
		if len(b.entries) > 0 && (b.birth.order.IsZero() || b.birth.order.After(b.entries[0].order)) {
			b.birth.at, b.birth.order = b.entries[0].at, b.entries[0].order
		}
		list = append(list, b.birth)
	}
	return list
}

// knownOf reads the contents of a branch, pending steps included. An absent branch has no
// tip.
func knownOf(ctx context.Context, s *store.Store, branch string) (known, error) {
	k := known{steps: map[string]doc.Step{}, commits: map[string]bool{}}
	tip, err := s.Tip(ctx, branch)
	if errors.Is(err, fail.ErrNotFound) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	k.tip = tip.Commit().ID
	if k.newest, err = tip.NewestEntry(ctx); err != nil {
		return k, err
	}
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return k, err
	}
	if k.last, err = tip.LastNumber(ctx, meta.Totals().Origins[branch].Steps); err != nil {
		return k, err
	}
	p, err := s.Pending(ctx, tip)
	if err != nil {
		return k, err
	}
	waiting, err := s.WaitingSteps(ctx, branch, p)
	if err != nil {
		return k, err
	}
	seen, own := map[string]int{}, map[string]int{}
	if err := tip.EachLog(ctx, func(steps []doc.Step) { k.addSteps(branch, steps, seen, own) }); err != nil {
		return k, err
	}
	k.addSteps(branch, waiting, seen, own)
	if n := len(waiting); n > 0 {
		k.pending, k.last = true, max(k.last, waiting[n-1].Number)
	}
	return k, tip.SegmentsBackwards(ctx, doc.CommitFile, doc.CommitDir, func(data []byte) (bool, error) {
		ms, err := doc.ParseCommits(data)
		k.addCommits(branch, ms, seen)
		return true, err
	})
}

// addSteps adds a step by its source, and also as one of the branch itself: that is its key
// in a folder if the branch that recorded it is gone or was renamed.
func (k *known) addSteps(branch string, steps []doc.Step, seen, own map[string]int) {
	for _, s := range steps {
		print := dialect.Fingerprint(peerStep(s))
		keys := []string{sourceKey("s", s.Origin, s.Source, print, seen), sourceKey("s", branch, "", print, own)}
		for _, key := range keys {
			k.steps[key] = s
		}
		k.entries = append(k.entries, keys)
		k.newest = max(k.newest, s.ID)
	}
}

// addCommits adds commits as addSteps does steps.
func (k *known) addCommits(branch string, ms []doc.Commit, seen map[string]int) {
	for _, m := range ms {
		if m.Kind == doc.KindBirth {
			continue
		}
		print := peerCommit(m).Fingerprint()
		keys := []string{sourceKey("m", branch, "", print, seen), sourceKey("m", m.Origin, m.Source, print, map[string]int{})}
		for _, key := range keys {
			k.commits[key] = true
		}
		k.entries = append(k.entries, keys)
	}
}

// sourceKey returns the key of an entry that exists here: its source if that is a folder,
// else the source that it would have if it came from one.
func sourceKey(kind, origin, source, print string, seen map[string]int) string {
	if strings.HasPrefix(source, SourcePrefix) {
		key, _, _ := strings.Cut(source, "#")
		return key
	}
	key := SourcePrefix + kind + ":" + origin + ":" + print
	if seen[key]++; seen[key] > 1 {
		return fmt.Sprintf("%s:%d", key, seen[key])
	}
	return key
}

// Counts are the numbers of what an import brought.
type Counts struct {
	Branches int `json:"branches"`
	Commits  int `json:"commits"`
	Steps    int `json:"steps"`
	Skipped  int `json:"skipped"` // existed already
}
