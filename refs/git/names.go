package git

import (
	"fmt"
	"strings"
)

// Every ref name of the memory. No other file spells one.
const (
	// HeadName is the symbolic ref, one per worktree, to the current branch.
	HeadName = "CONTEXT_HEAD"
	// mainHeadName is the main worktree's, seen from any worktree.
	mainHeadName = "main-worktree/" + HeadName

	// Root is what all refs but the notes begin with.
	Root = "refs/context/"
	// BranchPrefix is what memory branches begin with.
	BranchPrefix = Root + "heads/"
	// RoadmapRef is the commit chain that contains main.md.
	RoadmapRef = Root + "roadmap"
	// TagPrefix is what tags, names for memory commits, begin with.
	TagPrefix = Root + "tags/"
	// WorkPrefix is what refs to handed over code begin with, one for a branch.
	WorkPrefix = Root + "work/"
	// DeletedPrefix is where the tips of deleted branches go.
	DeletedPrefix = Root + "deleted/"
	// KeptPrefix is what refs to hidden history begin with: a remote asks to forget it, and nobody here
	// has said yes, or its time is not over.
	KeptPrefix = Root + "kept/"
	// RemotePrefix is what a remote's branches and roadmap begin with.
	RemotePrefix = Root + "remotes/"
	// OtherPrefix is what those begin with that a remote has under names that are not in use here.
	OtherPrefix = Root + "other/"
	// SeenPrefix is what those begin with that a fetch has replaced in tracking refs before a sync has read why.
	SeenPrefix = Root + "seen/"
	// OriginHead is the symbolic ref to what a clone took for the code's default branch.
	OriginHead = "refs/remotes/origin/HEAD"
	// PickedHead is what a cherry-pick is taken from, while it is under way.
	PickedHead = "CHERRY_PICK_HEAD"
	// NotesRef contains the metadata of memory and code commits.
	NotesRef = "refs/notes/context"
	// RemoteNotesPrefix is what the notes of remotes begin with.
	RemoteNotesPrefix = "refs/notes/remotes/"
)

// maxBranchName is the limit of a branch's name in bytes: the ref, its lock
// file and the journal named after it must fit every file system.
const maxBranchName = 200

// BranchRef returns the ref of a memory branch.
func BranchRef(branch string) string { return BranchPrefix + branch }

// BranchName returns the name of the memory branch a ref is, if it is one.
func BranchName(ref string) (string, bool) { return strings.CutPrefix(ref, BranchPrefix) }

// DisplayName returns a ref's name for people.
func DisplayName(ref string) string {
	if name, ok := BranchName(ref); ok {
		return name
	}
	return strings.TrimPrefix(ref, Root)
}

// CodeBranchName returns the name of the code branch a ref is, if it is one.
func CodeBranchName(ref string) (string, bool) { return strings.CutPrefix(ref, "refs/heads/") }

// LocalPrefixes are what refs of memory begin with that no remote should have: they are of one repository.
func LocalPrefixes() []string {
	return []string{DeletedPrefix, KeptPrefix, RemotePrefix, OtherPrefix, SeenPrefix, RemoteNotesPrefix}
}

// OriginBranchName returns the name of the code branch that [OriginHead] names.
func OriginBranchName(target string) (string, bool) {
	return strings.CutPrefix(target, "refs/remotes/origin/")
}

// TagRef returns the ref of a tag.
func TagRef(name string) string { return TagPrefix + name }

// WorkRef returns the ref of the uncommitted code that was handed over with a branch.
func WorkRef(branch string) string { return WorkPrefix + branch }

// WorkBranch returns the branch of such a ref, if it is one.
func WorkBranch(ref string) (string, bool) { return strings.CutPrefix(ref, WorkPrefix) }

// DeletedRef returns where the tip of a deleted branch goes; id is a ULID, so
// that a name may be deleted more than once.
func DeletedRef(branch, id string) string { return DeletedPrefix + branch + "-" + id }

// DeletedBranch returns the branch and the ULID of such a ref, if it is one.
func DeletedBranch(ref string) (branch, id string, ok bool) {
	rest, ok := strings.CutPrefix(ref, DeletedPrefix)
	at := strings.LastIndexByte(rest, '-')
	if !ok || at < 0 {
		return "", "", false
	}
	return rest[:at], rest[at+1:], true
}

// Tracking is where the refs of one other repository are kept, as it had them when
// it was last asked.
type Tracking struct{ memory, notes string }

// RemoteTracking is where those of a remote are.
func RemoteTracking(remote string) Tracking {
	return Tracking{memory: RemotePrefix + remote + "/", notes: RemoteNotesPrefix + remote + "/"}
}

// OtherTracking is where those of a remote are that it has under the names of the other mapping. The remote's
// name is one part of their names, so that these tell what they are.
func OtherTracking(remote string) Tracking {
	return Tracking{memory: OtherPrefix + strings.ReplaceAll(remote, "/", "%2F") + "/",
		notes: RemoteNotesPrefix + remote + otherNotes}
}

// SeenTracking is where a remote's branches are kept that a fetch has replaced. They have no notes.
func SeenTracking(remote string) Tracking {
	return Tracking{memory: SeenPrefix + strings.ReplaceAll(remote, "/", "%2F") + "/"}
}

// SeenRemote returns the remote of such a ref.
func SeenRemote(ref string) (string, bool) {
	rest, ok := strings.CutPrefix(ref, SeenPrefix)
	remote, _, _ := strings.Cut(rest, "/")
	return strings.ReplaceAll(remote, "%2F", "/"), ok
}

// OtherRef reads the name of such a ref, without notes: the remote, and what follows Root in its name here.
func OtherRef(ref string) (remote, rest string, ok bool) {
	rest, ok = strings.CutPrefix(ref, OtherPrefix)
	remote, rest, _ = strings.Cut(rest, "/")
	return strings.ReplaceAll(remote, "%2F", "/"), rest, ok
}

// OtherRoadmap reports whether a ref is the roadmap of such a side.
func OtherRoadmap(ref string) bool {
	_, rest, ok := OtherRef(ref)
	return ok && Root+rest == RoadmapRef
}

// otherNotes is in the names of such notes, behind the remote's.
const otherNotes = "/other/"

// OtherNotesRemote returns the remote of such notes.
func OtherNotesRemote(ref string) (string, bool) {
	rest, _ := strings.CutPrefix(ref, RemoteNotesPrefix)
	return strings.CutSuffix(rest, otherNotes+"context")
}

// BundleTracking is where those of a bundle are, until they are taken in.
func BundleTracking() Tracking {
	return Tracking{memory: Root + "bundle/", notes: "refs/notes/bundle/"}
}

// Branches is what the branches begin with.
func (t Tracking) Branches() string { return t.memory + "heads/" }

// TrackedBranch reads the ref of a branch that is kept of a remote.
func TrackedBranch(ref string) (remote, branch string, ok bool) {
	if rest, tracked := strings.CutPrefix(ref, RemotePrefix); tracked {
		return strings.Cut(rest, "/heads/")
	}
	return "", "", false
}

// TrackedWork reports whether a ref keeps handed over code of one of some remotes, of a bundle, or of a
// remote that is gone.
func TrackedWork(ref string, remotes []string) bool {
	if strings.HasPrefix(ref, BundleTracking().Works()) {
		return true
	}
	if _, rest, ok := OtherRef(ref); ok {
		return strings.HasPrefix(Root+rest, WorkPrefix)
	}
	for _, remote := range remotes {
		if t := RemoteTracking(remote); strings.HasPrefix(ref, t.memory) {
			return strings.HasPrefix(ref, t.Works())
		}
	}
	_, rest := GoneTracking(ref)
	return strings.HasPrefix(rest, "work/")
}

// GoneTracking splits a tracking ref of a remote that does not exist any more, so that nothing but the ref tells its
// name: at the first part that every memory has. rest begins with that part; "" for what is no such ref.
func GoneTracking(ref string) (remote, rest string) {
	name, tracked := strings.CutPrefix(ref, RemotePrefix)
	if !tracked {
		return "", ""
	}
	first := len(name)
	for _, part := range []string{"/heads/", "/tags/", "/work/"} {
		if at := strings.Index(name, part); at >= 0 {
			first = min(first, at)
		}
	}
	if first < len(name) {
		return name[:first], name[first+1:]
	}
	if remote, ok := strings.CutSuffix(name, "/roadmap"); ok {
		return remote, "roadmap"
	}
	return "", ""
}

// Tags is what the tags begin with.
func (t Tracking) Tags() string { return t.memory + "tags/" }

// Works is what the refs to handed over code begin with.
func (t Tracking) Works() string { return t.memory + "work/" }

// Roadmap is the roadmap's ref.
func (t Tracking) Roadmap() string { return t.memory + "roadmap" }

// Notes is the ref of the notes.
func (t Tracking) Notes() string { return t.notes + "context" }

// TrackedNotes reports whether a ref keeps the notes of memory that a remote has, and not those of another
// program.
func TrackedNotes(ref string) bool {
	return strings.HasPrefix(ref, RemoteNotesPrefix) && strings.HasSuffix(ref, "/context")
}

// Shared reports whether a ref of memory, by its name here, is one that remotes have.
func Shared(ref string) bool {
	return strings.HasPrefix(ref, BranchPrefix) || strings.HasPrefix(ref, TagPrefix) || strings.HasPrefix(ref, WorkPrefix) ||
		ref == RoadmapRef || ref == NotesRef
}

// All is what every ref of it begins with.
func (t Tracking) All() []string { return []string{t.memory, t.notes} }

// Has reports whether a ref is one of it.
func (t Tracking) Has(ref string) bool {
	return strings.HasPrefix(ref, t.memory) || strings.HasPrefix(ref, t.notes)
}

// Of returns where a ref of the memory is kept.
func (t Tracking) Of(ref string) string {
	if rest, ok := strings.CutPrefix(ref, NotesRef); ok {
		return t.Notes() + rest
	}
	return t.memory + strings.TrimPrefix(ref, Root)
}

// headsMapping is what the memory's refs begin with on a host that takes branches
// and tags alone.
const headsMapping = "refs/heads/context/"

// NameOn returns what a ref of the memory is called on a remote, which may take
// nothing but branches.
func NameOn(ref string, heads bool) string {
	if !heads {
		return ref
	}
	if rest, ok := strings.CutPrefix(ref, NotesRef); ok {
		return headsMapping + "notes" + rest
	}
	return headsMapping + strings.TrimPrefix(ref, Root)
}

// NameHere returns what a ref that NameOn made is called here.
func NameHere(ref string, heads bool) string {
	name, mapped := strings.CutPrefix(ref, headsMapping)
	switch {
	case !heads || !mapped:
		return ref
	case name == "notes":
		return NotesRef
	}
	return Root + name
}

// MappedTracking is where git itself keeps what a remote has of mapped memory: among its
// branches.
func MappedTracking(remote string) string { return "refs/remotes/" + remote + "/context/" }

// MappedRoadmap is the roadmap's among them.
func MappedRoadmap(remote string) string { return MappedTracking(remote) + "roadmap" }

// MappedWorks is what the refs to handed over code begin with among them.
func MappedWorks(remote string) string { return MappedTracking(remote) + "work/" }

// MappedNotes reports whether such a ref is that of the notes.
func MappedNotes(ref, remote string) bool { return ref == MappedTracking(remote)+"notes" }

// MemoryRefspecs returns what brings all of a repository's memory into tracking
// refs. The roadmap and the notes are patterns because an exact refspec makes a
// fetch fail where the other side lacks that ref.
func MemoryRefspecs(t Tracking, heads bool) []string {
	return append([]string{"+" + NameOn(BranchPrefix, heads) + "*:" + t.Branches() + "*"}, SideRefspecs(t, heads)...)
}

// SideRefspecs are those of it for what is no branch.
func SideRefspecs(t Tracking, heads bool) []string {
	return []string{
		"+" + NameOn(TagPrefix, heads) + "*:" + t.Tags() + "*",
		"+" + NameOn(RoadmapRef, heads) + "*:" + t.Roadmap() + "*",
		"+" + NameOn(NotesRef, heads) + "*:" + t.Notes() + "*",
	}
}

// WorkRefspecs returns what brings the handed over code of branches, which are names or patterns.
// They are no memory, so that a plain `git fetch` does not bring them. Names are patterns too, as in
// [MemoryRefspecs].
func WorkRefspecs(t Tracking, heads bool, branches ...string) []string {
	var list []string
	for _, b := range branches {
		if !strings.Contains(b, "*") {
			b += "*"
		}
		list = append(list, "+"+NameOn(WorkPrefix, heads)+b+":"+t.Works()+b)
	}
	return list
}

// FetchRefspecs returns what `remote.<remote>.fetch` needs so that a plain
// `git fetch` brings branches, roadmap and notes into tracking refs; see
// [MemoryRefspecs] for their form.
func FetchRefspecs(remote string) []string {
	t := RemoteTracking(remote)
	return []string{
		"+" + BranchPrefix + "*:" + t.Branches() + "*",
		"+" + RoadmapRef + "*:" + t.Roadmap() + "*",
		"+" + NotesRef + "*:" + t.Notes() + "*",
	}
}

// CheckBranchName returns nil when name may name a memory branch: at most 200
// bytes of letters, digits, '.', '_', '-' and '/', beginning with a letter or a
// digit, and what `git check-ref-format --branch` accepts. It is stricter than
// git, which accepts '-x', '$(id)' and names that turn the text around.
// Whether another branch differs by case only is not asked here.
func CheckBranchName(name string) error {
	if fault := branchNameFault(name); fault != "" {
		return fmt.Errorf("branch name '%s' %s", Shown(name), fault)
	}
	return nil
}

func branchNameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxBranchName:
		return fmt.Sprintf("is longer than %d bytes", maxBranchName)
	case name == "HEAD" || name == HeadName:
		return "is reserved"
	case !isAlnum(name[0]):
		return "must begin with a letter or a digit"
	}
	for i := range len(name) {
		if c := name[i]; !isAlnum(c) && strings.IndexByte("._-/", c) < 0 {
			return "may contain only letters, digits, '.', '_', '-' and '/'"
		}
	}
	if strings.Contains(name, "..") {
		return "may not contain '..'"
	}
	if strings.HasSuffix(name, ".") {
		return "may not end in '.'"
	}
	for part := range strings.SplitSeq(name, "/") {
		if fault := partFault(part); fault != "" {
			return fault
		}
	}
	return ""
}

// partFault checks one part between slashes.
func partFault(part string) string {
	switch {
	case part == "":
		return "may not hold an empty part: no '//' and no '/' at its end"
	case part[0] == '.':
		return "may not contain a part that begins with '.'"
	case strings.HasSuffix(strings.ToLower(part), ".lock"):
		// In upper and lower case: to some file systems x.LOCK is git's x.lock.
		return "may not contain a part that ends in '.lock'"
	}
	return ""
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
