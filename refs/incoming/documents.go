package incoming

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// FileKind says how a file is read.
type FileKind uint8

const (
	kindNote FileKind = iota
	kindLog
	// KindCommits is a commit.md or a segment of one.
	KindCommits
	// KindMetadata is a metadata.yaml.
	KindMetadata
	kindTopic
	kindRoadmap
	kindExpunged
	kindArtifact
)

// File is a blob to check, at the path where it was found.
type File struct {
	at   *Commit
	path string
	ID   git.ID
	kind FileKind
}

// FileKey identifies a file that was checked: a blob read as one kind.
type FileKey struct {
	Kind FileKind
	ID   git.ID
}

// Ends are the ids of a document's first and last entry. Of an attachment, first is the hash.
type Ends struct {
	first, Last string
	Bad         bool // a flaw of it was reported
}

// EntryKey is an entry's id as a value that does not keep the document in memory.
type EntryKey [26]byte

// checkFiles reads files that were not read as that kind before, and compares the names of
// segments with their first entries.
func (c *Inspection) checkFiles(ctx context.Context, files []File) error {
	var todo []File
	for _, f := range files {
		if !c.wasRead(f) {
			c.Files[FileKey{f.kind, f.ID}] = Ends{}
			todo = append(todo, f)
		}
	}
	if err := c.readFiles(ctx, todo); err != nil {
		return err
	}
	for _, f := range files {
		dir, _, deep := strings.Cut(f.path, "/")
		read := c.Files[FileKey{f.kind, f.ID}]
		if hash, _, ok := doc.AttachmentAt(f.path); ok && !read.Bad && read.first != "" && hash != read.first {
			if err := c.wrong(flawDocument, f, "its name is the hash of another content", nil); err != nil {
				return err
			}
		}
		if !deep || read.Bad || f.kind != kindLog && f.kind != KindCommits ||
			doc.SegmentPath(dir, read.first) == f.path {
			continue
		}
		if err := c.wrong(flawSegment, f, "the segment is not named by the id of its first entry", nil); err != nil {
			return err
		}
	}
	return nil
}

// readFiles asks for the sizes of all files, and then reads them in batches that fit into
// memory.
func (c *Inspection) readFiles(ctx context.Context, files []File) error {
	ids := make([]git.ID, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	infos, err := c.repo.Infos(ctx, ids)
	if err != nil {
		return err
	}
	sound, ids, sizes := files[:0:0], ids[:0], make([]int64, 0, len(ids))
	for i, info := range infos {
		kind, fault := files[i].fault(info)
		if fault == "" && files[i].kind == kindRoadmap && info.Size > store.MaxFile {
			if kind, fault, err = c.roadmapFault(ctx, files[i], info.Size); err != nil {
				return err
			}
		}
		if fault == "" {
			if c.bytes -= info.Size; c.bytes < 0 {
				return c.tooMany(files[i].at.Ref, fmt.Sprintf("more than %d MiB", (bytesExtra+bytesPerEntry*int64(c.limit))>>20))
			}
			if files[i].kind == kindLog || files[i].kind == KindCommits {
				if err := c.use(&c.volumes.entries, info.Size, files[i].at.Ref); err != nil {
					return err
				}
			}
			if files[i].kind == kindRoadmap {
				if err := c.use(&c.volumes.roadmaps, info.Size, files[i].at.Ref); err != nil {
					return err
				}
			}
			sound, ids, sizes = append(sound, files[i]), append(ids, info.ID), append(sizes, info.Size)
		} else if err := c.wrong(kind, files[i], fault, nil); err != nil {
			return err
		}
	}
	files = sound
	for from := 0; from < len(files); {
		end, total := from, int64(0)
		for end < len(files) && (end == from || total+sizes[end] <= maxWindow) {
			total += sizes[end]
			end++
		}
		batch := files[from:end]
		err := c.read(ctx, ids[from:end],
			func(i int, o git.Object) error { return c.document(batch[i], o.Data) },
			func(i int) placed { return batch[i] })
		if err != nil {
			return err
		}
		from = end
	}
	return nil
}

// fault returns why a file must not be read; "" if it may be.
func (f File) fault(info git.ObjectInfo) (FlawKind, string) {
	most := int64(store.MaxFile)
	switch f.kind {
	case kindNote:
		most = notes.MostBytes + notes.RoomBytes
	case KindMetadata:
		most = doc.MetadataMost
	case kindRoadmap:
		most = store.RoadmapMost
	case kindExpunged:
		most = doc.MaxExpunged
	case kindArtifact:
		most = doc.MaxAttachment
	}
	switch {
	case info.Type == "":
		return FlawMissing, "it is missing"
	case info.Type != "blob":
		return FlawTree, "it is a " + info.Type + ", not a file"
	case info.Size > most:
		return flawDocument, tooLarge(info.Size, most)
	}
	return "", ""
}

// roadmapFault returns why a main.md of more than [store.MaxFile] must not be read; "" if a merge has made it, or its commit
// does not make it larger. Of a parent that is not here it is not known.
func (c *Inspection) roadmapFault(ctx context.Context, f File, size int64) (FlawKind, string, error) {
	if len(f.at.Parents) > 1 {
		return "", "", nil
	}
	trees, err := c.parentTrees(ctx, f.at)
	if err != nil || len(f.at.Parents) == 1 && len(trees) == 0 {
		return "", "", err
	}
	for _, tree := range trees {
		e, has, err := c.repo.Edit(tree).Entry(ctx, doc.RoadmapFile)
		if Unreadable(err) {
			return "", "", nil // it is reported where it is checked
		}
		if err != nil {
			return "", "", err
		}
		if !has {
			break
		}
		infos, err := c.repo.Infos(ctx, []git.ID{e.ID})
		if err != nil || infos[0].Type == "" || infos[0].Size >= size {
			return "", "", err
		}
	}
	return flawDocument, tooLarge(size, store.MaxFile), nil
}

// document parses a whole file.
func (c *Inspection) document(f File, data []byte) error {
	var err error
	switch f.kind {
	case kindNote:
		const most = notes.MostLines + notes.RoomLines
		if n := notes.Lines(data); n > most {
			return c.wrong(flawDocument, f, fmt.Sprintf("it has %d lines; at most %d are allowed", n, most), nil)
		}
		if c.Reader != nil {
			c.Reader.Note(f, data)
		}
	case kindLog:
		var steps []doc.Step
		if steps, err = doc.ParseLog(data); err == nil {
			err := checkEntries(c, f, steps, func(s *doc.Step) (string, int64) {
				return s.ID, max(int64(s.Number), s.Tokens)
			})
			if c.Reader != nil && !c.Files[FileKey{f.kind, f.ID}].Bad {
				c.Reader.Log(f, data, steps)
			}
			return err
		}
	case KindCommits:
		var list []doc.Commit
		if list, err = doc.ParseCommits(data); err == nil {
			err := checkEntries(c, f, list, func(m *doc.Commit) (string, int64) {
				return m.ID, max(int64(m.Number), int64(m.Steps.Last), m.Tokens)
			})
			if c.Reader != nil && !c.Files[FileKey{f.kind, f.ID}].Bad {
				c.Reader.CommitFile(f, data, list)
			}
			return err
		}
	case KindMetadata:
		var m *doc.Metadata
		if m, err = doc.ParseMetadata(data); err == nil && !m.Plain() {
			if err := c.use(&c.volumes.yaml, int64(len(data)), f.at.Ref); err != nil {
				return err
			}
		}
		if err == nil && m.Totals().Highest() > doc.MaxNumber {
			return c.wrong(flawDocument, f, tooHigh, nil)
		}
		if err == nil {
			err = m.HasRoom()
		}
	case kindTopic:
		if n := doc.FrontSize(data); n > shortFront && !isPlain(data) {
			if err := c.use(&c.volumes.yaml, int64(n), f.at.Ref); err != nil {
				return err
			}
		}
		err = doc.CheckTopic(data)
	case kindExpunged:
		_, err = doc.ParseExpunged(data)
	case kindArtifact:
		c.Files[FileKey{f.kind, f.ID}] = Ends{first: doc.NewAttachment("", data).Hash}
	case kindRoadmap:
		if _, replaced := doc.Clean(string(data)); replaced {
			return c.wrong(flawDocument, f, "it is not UTF-8 without NUL", nil)
		}
	}
	if err != nil {
		return c.wrong(flawDocument, f, "it cannot be read", err)
	}
	return nil
}

// isPlain reports whether a topic is read without YAML.
func isPlain(topic []byte) bool {
	_, plain := doc.PlainTopic(topic)
	return plain
}

const tooHigh = "a number of more than 15 digits leaves no room to go on counting"

// checkEntries counts the entries of a document and checks their ids and numbers.
func checkEntries[E any](c *Inspection, f File, entries []E, idOf func(*E) (id string, number int64)) error {
	last := ""
	for i := range entries {
		id, number := idOf(&entries[i])
		if number > doc.MaxNumber {
			return c.wrong(flawDocument, f, tooHigh, nil)
		}
		if id <= last {
			return c.wrong(flawOrder, f, fmt.Sprintf("entry %s follows %s", id, last), nil)
		}
		if fault := c.idFault(id); fault != "" {
			return c.wrong(FlawAhead, f, fault, nil)
		}
		last = id
		c.entries[EntryKey([]byte(id))] = struct{}{}
		if len(c.entries) > c.limit {
			return c.tooMany(f.at.Ref, fmt.Sprintf("more than %d entries", c.limit))
		}
	}
	if last != "" { // the document itself need not stay
		first, _ := idOf(&entries[0])
		c.Files[FileKey{f.kind, f.ID}] = Ends{first: strings.Clone(first), Last: strings.Clone(last)}
	}
	return nil
}

// idFault returns why an id is refused; "" if it is not.
func (c *Inspection) idFault(id string) string {
	switch {
	case !doc.ValidID(id):
		return fmt.Sprintf("'%s' is not an id", git.Shown(id))
	case doc.IDTime(id).After(c.latest):
		return fmt.Sprintf("the id %s is of %s, more than %d hours ahead of the clock here", id,
			doc.IDTime(id).Format("2006-01-02"), int(MaxAhead.Hours()))
	}
	return ""
}
