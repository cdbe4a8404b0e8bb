package doc

import "slices"

// The paths of the documents in the tree of a memory branch; RoadmapFile is in the
// roadmap's tree.
const (
	CommitFile   = "commit.md"
	LogFile      = "log.md"
	MetadataFile = "metadata.yaml"
	RoadmapFile  = "main.md"
	CommitDir    = "commit" // sealed segments of commits
	LogDir       = "log"    // sealed segments of steps
	TopicDir     = "topics"
)

// EmptyLog returns the log.md of a branch without steps: only its origin tag.
func EmptyLog(branch string) []byte { return []byte(tagPrefix + branch + tagSuffix + "\n") }

// EntryHead identifies an entry.
type EntryHead struct{ ID, Origin string }

// EntryHeads lists the entries of LogFile, CommitFile or a segment of either (file selects
// the format), in the order of the document. It reads only their headings.
func EntryHeads(file string, data []byte) ([]EntryHead, error) {
	entries, err := splitEntries(data, headingOf(file))
	if err != nil {
		return nil, err
	}
	heads := make([]EntryHead, len(entries))
	for i, e := range entries {
		heads[i] = EntryHead{e.id, e.origin}
	}
	return heads, nil
}

// EachEntry calls each for the entries of such a document in order, with the text from the
// heading to the end of the last line. The text is only valid during the call.
func EachEntry(file string, data []byte, each func(h EntryHead, text []byte)) error {
	entries, err := splitEntries(data, headingOf(file))
	for _, e := range entries {
		each(EntryHead{e.id, e.origin}, e.text)
	}
	return err
}

func headingOf(file string) string {
	if file == CommitFile {
		return commitHeading
	}
	return logHeading
}

// WithoutEntries returns a side of a union without the entries whose ids are in drop. A
// segment that loses its first entry gets a new name; one that loses all entries is left
// out. Files that lose nothing stay byte for byte.
func WithoutEntries(file string, e Entries, drop map[string]bool) (Entries, error) {
	live, _, err := withoutEntries(file, e.Live, drop)
	if err != nil {
		return Entries{}, err
	}
	out := Entries{Live: live}
	for _, f := range e.Segments {
		data, first, err := withoutEntries(file, f.Data, drop)
		if err != nil {
			return Entries{}, err
		}
		if first != "" {
			out.Segments = append(out.Segments, File{SegmentPath(dirOf(file), first), data})
		}
	}
	return out, nil
}

func dirOf(file string) string {
	if file == CommitFile {
		return CommitDir
	}
	return LogDir
}

// withoutEntries returns the rest of a document and its first id.
func withoutEntries(file string, data []byte, drop map[string]bool) (left []byte, first string, err error) {
	entries, err := splitEntries(data, headingOf(file))
	if err != nil {
		return nil, "", err
	}
	kept := slices.DeleteFunc(slices.Clone(entries), func(e rawEntry) bool { return drop[e.id] })
	if len(kept) == 0 {
		return nil, "", nil
	}
	if len(kept) == len(entries) {
		return data, kept[0].id, nil
	}
	var t tagger
	for _, e := range kept {
		left = append(t.append(left, e.origin), e.text...)
	}
	return left, kept[0].id, nil
}

// Nearest returns the name most similar to the given one; "" if none is similar.
func Nearest(name string, names []string) string {
	items := make([]itemAt, len(names))
	for i, n := range names {
		items[i].Text = n
	}
	return nearest(name, items)
}
