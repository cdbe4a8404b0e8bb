package doc

// Kinds of conflicts.
const (
	ConflictContent      = "content"       // both changed the same lines
	ConflictAddAdd       = "add/add"       // both added it, with different text
	ConflictModifyDelete = "modify/delete" // one changed what the other removed
	ConflictKey          = "key"           // both set one key of metadata.yaml to different values
	ConflictProse        = "prose"         // both rewrote the same prose of main.md
)

// Conflict is one place where two sides of a merge say different things.
type Conflict struct {
	// Path is "topics/<key>.md", "metadata.yaml#<dotted path>" or "main.md#<section>".
	Path, Kind string
	// What stands there in the base and on the two sides: the text, or for a key its
	// value as YAML. nil: nothing stands there.
	Base, Ours, Theirs *string
}

// TextMerge merges two changes of one text by lines, as `git merge-file` does. A base that
// is empty stands for none.
type TextMerge func(base, ours, theirs []byte) (merged []byte, conflict bool, err error)
