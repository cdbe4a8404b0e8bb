package doc

// The kinds of conflicts.
const (
	ConflictContent      = "content"       // both sides changed the same lines
	ConflictAddAdd       = "add/add"       // both sides added it, with different texts
	ConflictModifyDelete = "modify/delete" // one side changed what the other removed
	ConflictKey          = "key"           // both sides set one key of metadata.yaml to different values
	ConflictProse        = "prose"         // both sides rewrote the same prose of main.md
)

// Conflict is one place where the two sides of a merge contradict each other.
type Conflict struct {
	// Path is "topics/<key>.md", "metadata.yaml#<dotted path>" or "main.md#<section>".
	Path, Kind string
	// The text in the base and on the two sides; for a key, its value as YAML. nil means
	// absent.
	Base, Ours, Theirs *string
}

// TextMerge merges two changes of one text by lines, as git merge-file does. An empty base
// means that there is none.
type TextMerge func(base, ours, theirs []byte) (merged []byte, conflict bool, err error)
