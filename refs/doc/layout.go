package doc

// Where the documents of a memory branch stand in its tree, and main.md in the
// roadmap's.
const (
	CommitFile   = "commit.md"
	LogFile      = "log.md"
	MetadataFile = "metadata.yaml"
	RoadmapFile  = "main.md"
	CommitDir    = "commit" // sealed milestone segments
	LogDir       = "log"    // sealed log segments
	TopicDir     = "topics"
)

// EmptyLog is the log.md of a branch without steps: its origin tag alone.
func EmptyLog(branch string) []byte { return []byte(tagPrefix + branch + tagSuffix + "\n") }

// EntryIDs lists the ids of the entries of LogFile, CommitFile or a segment of
// either, in the order of the document, without reading the entries themselves.
func EntryIDs(file string, data []byte) ([]string, error) {
	heading := logHeading
	if file == CommitFile {
		heading = commitHeading
	}
	entries, err := splitEntries(data, heading)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	return ids, nil
}

// Nearest returns the name most like the one given, "" where none is near.
func Nearest(name string, names []string) string {
	items := make([]itemAt, len(names))
	for i, n := range names {
		items[i].Text = n
	}
	return nearest(name, items)
}
