package expunge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// finder searches the whole history of memory and local state for what is to be removed, and
// makes tombstones of what it finds. It keeps one object in memory at a time.
type finder struct {
	s        *store.Store
	match    matcher
	lower    matcher // of the text in lower case, as the names of topics contain it
	begun    beginnings
	id       string       // of the entry to remove, if there is no text
	limit    int          // of progress summaries
	named    doc.Expunged // names more entries to remove
	redacts  bool         // named names texts, too
	expunged doc.Expunged
	derived  doc.Expunged // what others may have made of what was found
	lines    wordLines    // of both, those that contain the text as a word
	found    map[string]Entry
	all      map[string]bool       // all steps and commits
	removed  map[string]doc.Commit // commits to remove, by id and words
	topics   map[string]bool
	hold     map[string]doc.Expunged    // if set, collects which of named act on what named entries say and keep
	touched  map[string]bool            // what has a text that named has: ids of entries that stay, paths of topics and notes
	judged   map[[sha256.Size]byte]bool // what touch has looked at

	fileHash   string              // with which the hash of an attachment to remove begins, if there is no text
	holders    map[string][]string // the steps that keep an attachment, by its hash
	topicNames []string            // that contain the text in lower case
	seen       places              // commits and files of memory
	topicFiles map[git.ID][]string // the paths of those that are topics
	matching   map[dirKey]bool     // files by kind, and commits: whether they contain the text
	objects    []git.ID            // unreachable objects of memory that contain it
	foreign    int                 // number of other unreachable objects that contain it
	hits       int                 // number of matches
	works      []string            // refs to handed over code that contains it
	inNames    []git.ID            // files that contain it only in parts that stay
	names      map[string]keptName // names that contain it, by label
}

// newFinder returns a finder that looks for nothing yet.
func newFinder(s *store.Store) *finder {
	return &finder{s: s, found: map[string]Entry{}, all: map[string]bool{}, removed: map[string]doc.Commit{},
		topics: map[string]bool{}, touched: map[string]bool{}, judged: map[[sha256.Size]byte]bool{}, seen: places{},
		topicFiles: map[git.ID][]string{}, matching: map[dirKey]bool{}, names: map[string]keptName{}, holders: map[string][]string{}}
}

// find searches everywhere.
func find(ctx context.Context, s *store.Store, o Options) (*finder, error) {
	f := newFinder(s)
	f.match, f.lower, f.id = newMatcher(o.Match), newMatcher(strings.ToLower(o.Match)), o.ID
	f.lines = newWordLines(f.match)
	var err error
	if f.limit, err = s.SummaryLimit(ctx); err != nil {
		return nil, err
	}
	if hash, ok := strings.CutPrefix(o.ID, doc.ArtifactDir+"/"); ok {
		f.id, f.fileHash = "", hash
	} else if o.ID != "" && !doc.ValidID(o.ID) {
		c, err := s.CommitMeant(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		f.id = c.Trailer(store.TrailerID)
	}
	v, _, err := listSound(ctx, s) // a run has dropped the others
	if err != nil {
		return nil, err
	}
	if err := f.history(ctx, v); err != nil {
		return nil, err
	}
	if err := f.local(ctx); err != nil {
		return nil, err
	}
	f.filesOfRemoved()
	if err := f.checkSize(ctx); err != nil {
		return nil, err
	}
	if err := f.quotes(ctx); err != nil {
		return nil, err
	}
	f.expunged, f.derived = f.tombstones()
	return f, f.strays(ctx)
}

// history searches every object that the refs of memory lead to. Documents come first, because
// the message of a removed commit goes too.
func (f *finder) history(ctx context.Context, v *Refs) error {
	noteTips := UniqueIDs(v.TrackingNotes)
	if v.Notes != "" {
		noteTips = append(noteTips, v.Notes)
	}
	kept, keptNotes, err := keptTips(ctx, f.s, v)
	if err != nil {
		return err
	}
	l, err := list(ctx, f.s, append(v.Tips(), kept...), append(noteTips, keptNotes...), f.path)
	if err != nil {
		return err
	}
	f.seen = l.paths
	if err := ReadObjects(ctx, f.s, l.files, f.file); err != nil {
		return err
	}
	if err := ReadObjects(ctx, f.s, l.commits, f.commit); err != nil {
		return err
	}
	if err := f.handedOver(ctx, v); err != nil {
		return err
	}
	f.checkRefNames(v)
	return f.checkFiles(ctx)
}

// path examines the path of a file.
func (f *finder) path(o git.NamedObject) {
	switch doc.KindOf(o.Path) {
	case doc.FileTopic:
		f.topicFiles[o.ID] = append(f.topicFiles[o.ID], o.Path)
		f.checkTopicName(topicName(o.Path))
	case doc.FileArtifact:
		hash, name, _ := doc.AttachmentAt(o.Path)
		f.attachmentName(hash, name)
	}
}

// topicName returns the name of the topic at a path.
func topicName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, doc.TopicDir+"/"), ".md")
}

// file searches one file of memory, in each way in which it is read.
func (f *finder) file(o git.Object) error {
	if o.Type != "blob" {
		return nil
	}
	all := f.hits
	for _, path := range f.seen[o.ID] {
		hits := f.hits
		if err := f.document(path, o); err != nil {
			return fmt.Errorf("'%s' (%s): %w", path, o.ID.Short(), err)
		}
		f.matching[dirKey{placeKind(path), o.ID}] = f.hits != hits || f.matches(path, o.Data)
	}
	if f.hits == all && placeKind(f.seen[o.ID][0]) != doc.ExpungedFile && f.match.raw(o.Data) {
		f.inNames = append(f.inNames, o.ID)
	}
	return nil
}

// document makes tombstones of what matches in a file.
func (f *finder) document(path string, o git.Object) error {
	data := o.Data
	switch kind := doc.KindOf(path); {
	case kind == doc.FileLog:
		steps, err := doc.ParseLog(data)
		for i := range steps {
			f.step(&steps[i])
		}
		return err
	case kind == doc.FileCommits:
		commits, err := doc.ParseCommits(data)
		for i := range commits {
			f.commitEntry(&commits[i])
		}
		return err
	case kind == doc.FileMetadata || kind == doc.FileTopic || path == doc.RoadmapFile:
		pieces, err := f.match.inFile(path, data)
		f.text(pieces...)
		switch {
		case kind == doc.FileTopic:
			for _, path := range f.topicFiles[o.ID] {
				if len(pieces) > 0 {
					f.topics[topicName(path)] = true
				}
				f.touch(path, string(data))
			}
		case path == doc.RoadmapFile && len(pieces) > 0:
			f.itemSubjects(data)
		case kind == doc.FileMetadata && len(pieces) > 0 && err == nil:
			err = f.keySubjects(data)
		}
		return err
	case kind == doc.FileArtifact:
		hash, _, _ := doc.AttachmentAt(path)
		f.attachment(hash, data)
	case path != doc.ExpungedFile:
		f.touch(path, f.noteLines(data)...)
	}
	return nil
}

// text adds pieces of text to the tombstones.
func (f *finder) text(pieces ...string) {
	for _, p := range pieces {
		f.hits++
		if !f.lines.add(p) {
			f.expunged.AddText(p)
		}
		f.begun.add(f.match, p)
	}
}

// wants reports whether an entry is removed because of its id.
func (f *finder) wants(id string) bool { return id == f.id || f.named.HasEntry(id) }

// step examines a step.
func (f *finder) step(s *doc.Step) {
	f.all[s.ID] = true
	f.checkBranchName(s.Origin)
	for _, a := range s.Attachments {
		f.holders[a.Hash] = append(f.holders[a.Hash], s.ID)
		if f.fileHash != "" && strings.HasPrefix(a.Hash, f.fileHash) { // its content may be lost
			f.removeFile(a.Hash)
		}
	}
	named := slices.ContainsFunc(s.Attachments, func(a doc.Attachment) bool { return f.match.in(a.Name) })
	f.holds(s.ID, s.Attachments, s.Observation, s.Thought, s.Action)
	if f.wants(s.ID) || named || f.match.in(s.Observation) || f.match.in(s.Thought) || f.match.in(s.Action) || f.match.in(s.Agent) {
		f.entry(Entry{ID: s.ID, Kind: "step", Branch: s.Origin, Time: s.Time})
		return
	}
	f.touch(s.ID, s.Observation, s.Thought, s.Action)
	f.texts(s.Session, s.Model, s.Source, doc.ExtraValues(s.Extra))
}

// commitEntry examines an entry of commit.md. A birth is never removed.
func (f *finder) commitEntry(m *doc.Commit) {
	f.checkBranchName(m.Origin)
	if m.Kind == doc.KindBirth {
		f.checkBirth(m)
		f.texts(ownWords(m))
	} else if f.all[m.ID] = true; f.wants(m.ID) || f.match.in(ownWords(m)) || f.match.in(m.Agent) {
		f.holds(m.ID, nil, append(doc.Quotes(*m, f.limit), ownWords(m))...)
		f.entry(Entry{ID: m.ID, Kind: "commit", Branch: m.Origin, Time: m.Time})
		form := m.ID + " " + ownWords(m) // another branch may have the entry with other words
		if _, known := f.removed[form]; !known {
			f.removed[form] = *m
			f.text(f.revealing(m, doc.Quotes(*m, f.limit))...)
			for _, q := range f.revealing(m, doc.RollbackQuotes(*m)) {
				f.derive(q)
			}
		}
	} else {
		f.touch(m.ID, ownWords(m))
	}
	f.texts(m.Goal, m.Purpose, m.Progress, m.Session, m.Model, m.Source, doc.ExtraValues(m.Extra))
}

// touch records what has a text that named has: one common line may be in everything. The same entry is in many files; another branch
// may have it with other words.
func (f *finder) touch(name string, texts ...string) {
	if !f.redacts || f.touched[name] {
		return
	}
	form := sha256.Sum256([]byte(name + "\x00" + strings.Join(texts, "\x00")))
	if f.judged[form] {
		return
	}
	f.judged[form] = true
	if slices.ContainsFunc(texts, func(t string) bool { return f.named.RedactText(t) != t }) {
		f.touched[name] = true
	}
}

// ownWords returns what the author of a commit wrote, as in its message: a text that spans lines
// may begin in the summary and end in the contribution.
func ownWords(m *doc.Commit) string { return m.Summary + "\n\n" + m.Contribution }

// entry records an entry to remove.
func (f *finder) entry(e Entry) {
	if f.hits++; f.expunged.AddEntry(e.ID) == nil {
		if _, known := f.found[e.ID]; !known {
			f.found[e.ID] = e
		}
	}
}

// texts adds the matching pieces of some texts.
func (f *finder) texts(texts ...string) {
	for _, t := range texts {
		f.text(f.match.pieces(t)...)
	}
}

// noteLines examines the lines of a note, JSON one by one, and what people and other programs
// wrote between them, and returns the texts. The note of a removed commit is removed as a whole elsewhere.
func (f *finder) noteLines(note []byte) (texts []string) {
	var plain strings.Builder
	add := func(s string) string {
		texts = append(texts, s)
		f.texts(s)
		return s
	}
	for line := range bytes.Lines(note) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
			plain.Write(line)
			continue
		}
		add(plain.String())
		plain.Reset()
		mapNoteTexts(string(line), add)
		f.noteNames(line)
	}
	add(plain.String())
	return texts
}

// noteNames examines what is kept of a line of JSON in a note: the name of a branch, and what is outside of strings.
func (f *finder) noteNames(line []byte) {
	if !f.match.raw(line) {
		return
	}
	for _, fact := range notes.Parse(line) {
		f.checkBranchName(fact.Branch)
	}
	if !json.Valid(line) {
		f.keep(keptName{label: "a line of a note that is no sound JSON", why: "what is outside of its strings stays"})
	}
}

// commit examines a commit's message, also of commits of the notes.
func (f *finder) commit(o git.Object) error {
	if o.Type != "commit" {
		return nil
	}
	c, err := git.ParseCommit(o.ID, o.Data)
	if err != nil {
		return err
	}
	f.message(c)
	f.matching[dirKey{"", o.ID}] = f.inMessage(c)
	f.checkCommitNames(c)
	return nil
}

// message adds the matching pieces of a message.
func (f *finder) message(c *git.Commit) {
	subject, body, trailers := c.Parts()
	if _, gone := f.found[c.Trailer(store.TrailerID)]; !gone {
		f.texts(subject + body)
		f.text(f.begun.inSubject(subject)...)
		f.text(f.begun.in(body)...)
		if slices.ContainsFunc(f.topicNames, func(key string) bool { return strings.Contains(subject, key) }) {
			f.text(strings.TrimSpace(subject))
		}
	}
	f.eachValue(trailers, func(value string) {
		f.texts(value)
		f.text(f.begun.in(value)...)
	})
}

// eachValue visits the values of trailers that contain people's words.
func (f *finder) eachValue(trailers string, visit func(string)) {
	for line := range strings.Lines(trailers) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case key == store.TrailerRemoves:
			for _, word := range removedKeys(value) {
				visit(word)
			}
		case !keptTrailer(key) && key != store.TrailerRoadmap:
			visit(value)
		}
	}
}

// quotes finds where documents and notes quote removed commits, or only the beginning of the
// text. Most lines occur in many files; it examines each line once.
func (f *finder) quotes(ctx context.Context) error {
	if len(f.removed) == 0 && f.begun.none() {
		return nil
	}
	var files []git.ID
	for id, paths := range f.seen {
		if slices.ContainsFunc(paths, mayQuote) {
			files = append(files, id)
		}
	}
	lines := map[string]bool{}
	err := ReadObjects(ctx, f.s, files, func(o git.Object) error {
		for _, path := range f.seen[o.ID] {
			if o.Type != "blob" || !mayQuote(path) {
				continue
			}
			texts, err := f.quoting(path, o.Data)
			if err != nil {
				return err
			}
			for _, text := range texts {
				for line := range strings.SplitSeq(text, "\n") {
					lines[line] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := strings.Join(slices.Sorted(maps.Keys(lines)), "\n")
	for _, m := range f.removed {
		f.text(f.revealing(&m, doc.QuotesIn(m, text))...)
	}
	f.text(f.begun.in(text)...)
	return nil
}

// mayQuote reports whether a file may quote removed commits.
func mayQuote(path string) bool {
	kind := doc.KindOf(path)
	return kind == doc.FileCommits || kind == doc.FileUnknown && path != "" && path != doc.ExpungedFile
}

// quoting returns the texts of a file that may quote others.
func (f *finder) quoting(path string, data []byte) (texts []string, err error) {
	if doc.KindOf(path) != doc.FileCommits {
		return []string{string(data)}, nil
	}
	commits, err := doc.ParseCommits(data)
	for _, m := range commits {
		if _, goes := f.found[m.ID]; !goes {
			texts = append(texts, m.Progress, m.Contribution, m.Summary, m.Goal, m.Purpose)
		}
	}
	return texts, err
}

// everything reports whether no step and no commit would be left.
func (f *finder) everything() bool { return len(f.found) > 0 && len(f.found) == len(f.all) }

// result fills in what was found, or returns an error if that is nothing.
func (f *finder) result(res *Result) error {
	if f.expunged.Empty() && len(f.objects) == 0 {
		if len(f.names) > 0 {
			return f.onlyNames()
		}
		if f.fileHash != "" {
			return fail.New(fail.ErrNotFound, fail.AttachmentNotFound,
				fmt.Sprintf("no attachment has the hash '%s'", f.fileHash), "git context --log", "git context show")
		}
		if f.id != "" {
			return fail.New(fail.ErrNotFound, fail.EntryNotFound,
				fmt.Sprintf("no step and no commit has the id '%s'", f.id), "git context log", "git context --log")
		}
		return fail.New(fail.ErrNotFound, fail.NothingHolds, "nothing in this repository's memory contains that text",
			"git context search WORDS")
	}
	f.entries(res)
	res.Attachments = len(f.expunged.Files())
	res.Texts = f.expunged.Texts() - res.Attachments + f.lines.more()
	f.expunged = f.expunged.Union(f.derived)
	res.Topics = slices.Sorted(maps.Keys(f.topics))
	res.Warnings = append(res.Warnings, f.nameWarnings()...)
	for _, ref := range f.works {
		res.Warnings = append(res.Warnings, "the uncommitted code of '"+ref+"' contains it: the ref is deleted")
	}
	if f.foreign > 0 {
		res.Warnings = append(res.Warnings, prose.Count(f.foreign, "object")+
			" that no ref reaches, and that may belong to the code, contain it; git gc --prune=now deletes unreachable objects, also those that another writer has just made")
	}
	return nil
}

// entries fills in which entries go.
func (f *finder) entries(res *Result) {
	res.Entries, res.All, res.IDs = len(f.found), len(f.all), []string{}
	res.Redacted = len(f.touched)
	res.Expunged = slices.SortedFunc(maps.Values(f.found), func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	for _, e := range res.Expunged {
		res.IDs = append(res.IDs, e.ID)
	}
}
