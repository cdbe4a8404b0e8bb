package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Date reads a time in git's words for dates ("yesterday", "2026-11-21 10:00"). git takes what it does not understand for now.
func (r *Repo) Date(ctx context.Context, words string) (time.Time, error) {
	out, err := r.View(ctx, "rev-parse", "--before="+words)
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(string(out), "--min-age=")), 10, 64)
	return time.Unix(seconds, 0), err
}

// NamedObject is an object, and the path at which it was found first: "" for a commit
// and for the tree of one.
type NamedObject struct {
	ID   ID
	Path string
}

// History lists the commits that tips reach, parents before their children, with their
// parents (those beyond the edge of a shallow clone left out). It is one child, and takes
// a few words of memory for each commit.
func (r *Repo) History(ctx context.Context, tips []ID) ([]NewCommit, error) {
	out, err := r.reach(ctx, tips, "--topo-order", "--parents")
	if err != nil {
		return nil, err
	}
	list, err := r.parentLines(out)
	slices.Reverse(list)
	return list, err
}

// Objects lists every object that tips reach and those of not do not, each once, with one of the paths that trees give it.
func (r *Repo) Objects(ctx context.Context, tips, not []ID) ([]NamedObject, error) {
	all := slices.Clone(tips)
	for _, id := range not {
		all = append(all, "^"+id)
	}
	out, err := r.reach(ctx, all, "--objects")
	if err != nil {
		return nil, err
	}
	list := make([]NamedObject, 0, bytes.Count(out, []byte("\n")))
	for line := range strings.Lines(string(out)) {
		id, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !r.IsID(id) {
			return nil, fmt.Errorf("git rev-list: cannot understand '%s'", Shown(line))
		}
		list = append(list, NamedObject{ID(id), path})
	}
	return list, nil
}

// Hands lists who made the commits that tips reach and those of not do not, and when. Tips that do not exist are passed over.
func (r *Repo) Hands(ctx context.Context, tips, not []ID) (map[string]bool, error) {
	all := slices.Clone(tips)
	for _, id := range not {
		all = append(all, "^"+id)
	}
	out, err := r.reach(ctx, all, "--ignore-missing", "--no-commit-header", "--format=%an <%ae> %at %cn <%ce> %ct")
	hands := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		hands[line] = true
	}
	return hands, err
}

// Beyond returns the commits that tips reach and those of not do not. Tips that do not exist are passed over.
func (r *Repo) Beyond(ctx context.Context, tips, not []ID) (map[ID]bool, error) {
	all := slices.Clone(tips)
	for _, id := range not {
		all = append(all, "^"+id)
	}
	out, err := r.reach(ctx, all, "--ignore-missing")
	if err != nil {
		return nil, err
	}
	list := map[ID]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		list[ID(id)] = true
	}
	return list, nil
}

// reach runs rev-list from tips; a tip that begins with '^' is left out, with all that
// it reaches.
func (r *Repo) reach(ctx context.Context, tips []ID, args ...string) ([]byte, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	for _, id := range tips {
		if !isHex(strings.TrimPrefix(string(id), "^"), r.hexLen()) {
			return nil, fmt.Errorf("'%s' is no object id", Shown(string(id)))
		}
		fmt.Fprintln(&in, id)
	}
	return r.RunInput(ctx, in.Bytes(), append(append([]string{"rev-list"}, args...), "--stdin")...)
}

// Touching counts the commits that head reaches and base does not, and that change a path or what is
// below it, up to two; "." is every path. Where only one side of a merge changed it, the other is not
// followed.
func (r *Repo) Touching(ctx context.Context, base, head ID, path string) (int, error) {
	args := []string{"--literal-pathspecs", "rev-list", "--max-count=2", string(head), "^" + string(base), "--"}
	if path != "." {
		args = append(args, path)
	}
	out, err := r.View(ctx, args...)
	return bytes.Count(out, []byte("\n")), err
}

// Unreachable lists the objects that no ref and no index leads to, in no order; what
// only a reflog leads to is among them. It walks the whole repository once, as
// `git fsck --connectivity-only` does, and does not mind what else is wrong there.
func (r *Repo) Unreachable(ctx context.Context) ([]ID, error) {
	out, err := r.Run(ctx, "fsck", "--unreachable", "--no-reflogs", "--connectivity-only", "--no-progress", "--no-dangling")
	if code := ExitCode(err); err != nil && (code <= 0 || code >= 128) {
		return nil, err
	}
	var ids []ID
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "unreachable" && r.IsID(f[2]) {
			ids = append(ids, ID(f[2]))
		}
	}
	return r.unreached(ctx, ids)
}

// UnreachableInfos is Unreachable with what the objects are.
func (r *Repo) UnreachableInfos(ctx context.Context) ([]ObjectInfo, error) {
	ids, err := r.Unreachable(ctx)
	if err != nil {
		return nil, err
	}
	return r.Infos(ctx, ids)
}

// unreached removes from ids what refs and indexes reach after all, and fetches
// nothing: `git fsck` follows no commit that a remote promises.
func (r *Repo) unreached(ctx context.Context, ids []ID) ([]ID, error) {
	partial, err := r.Partial()
	if err != nil || !partial || len(ids) == 0 {
		return ids, err
	}
	reached := map[ID]bool{}
	reach := func(id ID) { reached[id] = true }
	err = r.EachReachable(ctx, nil, reach, "--missing=allow-any", "--all", "--indexed-objects")
	if ExitCode(err) > 0 { // a commit is lost
		err = r.reachedBroken(ctx, reach)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id ID) bool { return reached[id] }), nil
}

// reachedBroken hands each what refs and indexes reach that is here.
func (r *Repo) reachedBroken(ctx context.Context, each func(ID)) error {
	refs, err := r.Refs(ctx)
	if err != nil {
		return err
	}
	ids := make([]ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	commits, err := r.commitsHere(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range commits {
		ids = append(ids, c.ID)
	}
	return r.EachReachable(ctx, ids, each, "--ignore-missing", "--missing=allow-any", "--no-walk=unsorted", "--indexed-objects")
}

// EachReachable hands each every object that tips, and what args add in the words of
// git-rev-list(1) ("--all", "--reflog"), reach, each object once and in no order. It is
// one child, and takes no memory for what it lists.
func (r *Repo) EachReachable(ctx context.Context, tips []ID, each func(ID), args ...string) error {
	full := append([]string{"rev-list", "--objects", "--no-object-names"}, args...)
	return r.EachLine(ctx, LineOptions{Input: idLines(tips)}, func(line []byte) error {
		if !r.IsID(string(line)) {
			return fmt.Errorf("git rev-list: cannot understand '%s'", Shown(string(line)))
		}
		each(ID(line))
		return nil
	}, append(full, "--stdin")...)
}

// EachExisting is EachReachable for ids that no ref may lead to: it passes over what is missing,
// and over what lies behind an object that git cannot read. It fetches nothing, and may hand out an object twice.
func (r *Repo) EachExisting(ctx context.Context, ids []ID, each func(ID)) error {
	if len(ids) == 0 {
		return nil
	}
	lenient := []string{"--ignore-missing", "--missing=allow-any"}
	err := r.EachReachable(ctx, ids, each, lenient...)
	if ExitCode(err) <= 0 {
		return err
	}
	// git stops at a commit that is missing, and has not listed the tree of its child by then.
	if ids, err = r.historyHere(ctx, ids); err != nil {
		return err
	}
	lenient = append(lenient, "--no-walk=unsorted")
	if err := r.EachReachable(ctx, ids, each, lenient...); ExitCode(err) <= 0 {
		return err
	}
	for _, id := range ids {
		if err := r.EachReachable(ctx, []ID{id}, each, lenient...); err != nil && ExitCode(err) <= 0 {
			return err
		}
	}
	return nil
}

// historyHere adds to some objects those ancestors of them that exist here.
func (r *Repo) historyHere(ctx context.Context, ids []ID) (all []ID, err error) {
	seen := map[ID]bool{}
	for todo := ids; len(todo) > 0; {
		infos, err := r.InfosHere(ctx, todo)
		if err != nil {
			return nil, err
		}
		var commits []ID
		for _, info := range infos {
			if info.Type != "" && !seen[info.ID] {
				seen[info.ID], all = true, append(all, info.ID)
				if info.Type == "commit" {
					commits = append(commits, info.ID)
				}
			}
		}
		todo = nil
		err = r.ReadAll(ctx, commits, func(o Object) error {
			c, err := ParseCommit(o.ID, o.Data)
			if err == nil { // else it leads nowhere
				todo = append(todo, c.Parents...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// idLines is an id on each line, for a command's --stdin.
func idLines(ids []ID) *bytes.Buffer {
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	return &in
}

// NewCommit is a commit that this repository's own memory does not reach.
type NewCommit struct {
	ID      ID
	Parents []ID // without those beyond the edge of a shallow clone
}

// NewCommits lists the commits that tips reach and the repository's own memory (branches,
// roadmap, tags, deleted branches, notes) does not, children before their parents, most of
// them at most. Memory of remotes does not count as own. It is one child, whose cost is
// that of what is new. A commit that is missing or cannot be parsed is an *Error that
// names it in git's words. Tips that are no commits are passed over.
func (r *Repo) NewCommits(ctx context.Context, tips []ID, most int) ([]NewCommit, error) {
	var in bytes.Buffer
	for _, id := range tips {
		if !r.IsID(string(id)) {
			return nil, fmt.Errorf("'%s' is no object id", Shown(string(id)))
		}
		fmt.Fprintln(&in, id)
	}
	// Tips are read before --not, which has no effect on them. A glob without a
	// wildcard would be taken for a folder.
	out, err := r.RunInput(ctx, in.Bytes(), "rev-list", "--topo-order", "--parents", fmt.Sprintf("--max-count=%d", most),
		"--stdin", "--not", "--glob="+BranchPrefix+"*", "--glob="+RoadmapRef+"*", "--glob="+TagPrefix+"*",
		"--glob="+DeletedPrefix+"*", "--glob="+NotesRef+"*")
	if err != nil {
		return nil, err
	}
	return r.parentLines(out)
}

// AheadCommit is a commit of [Repo.Ahead].
type AheadCommit struct {
	NewCommit
	Tree ID
}

// Ahead lists the commits that a tip reaches and another one does not, children before their
// parents.
func (r *Repo) Ahead(ctx context.Context, tip, other ID) ([]AheadCommit, error) {
	return r.ahead(ctx, string(tip), "^"+string(other))
}

// AheadOfRefs lists the commits that the refs below a prefix reach and those below another one do not, children
// before their parents.
func (r *Repo) AheadOfRefs(ctx context.Context, prefix, others string) ([]AheadCommit, error) {
	return r.ahead(ctx, "--glob="+prefix+"*", "--not", "--glob="+others+"*")
}

// AheadOfOthers lists the commits that a tip reaches, and that no ref below a prefix reaches which does not contain the tip, children
// before their parents.
func (r *Repo) AheadOfOthers(ctx context.Context, tip ID, prefix string) ([]AheadCommit, error) {
	others, err := r.Run(ctx, "for-each-ref", "--no-contains="+string(tip), "--format=^%(objectname)", prefix)
	if err != nil {
		return nil, err
	}
	return r.aheadOf(ctx, LineOptions{Input: bytes.NewReader(others)}, string(tip), "--stdin")
}

// HistoryTrees is History with the tree of each commit, children before their parents.
func (r *Repo) HistoryTrees(ctx context.Context, tips []ID) ([]AheadCommit, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	for _, id := range tips {
		if !r.IsID(string(id)) {
			return nil, fmt.Errorf("'%s' is no object id", Shown(string(id)))
		}
		fmt.Fprintln(&in, id)
	}
	return r.aheadOf(ctx, LineOptions{Input: &in}, "--stdin")
}

func (r *Repo) ahead(ctx context.Context, revs ...string) ([]AheadCommit, error) {
	return r.aheadOf(ctx, LineOptions{}, revs...)
}

func (r *Repo) aheadOf(ctx context.Context, o LineOptions, revs ...string) ([]AheadCommit, error) {
	var list []AheadCommit
	err := r.EachLine(ctx, o, func(line []byte) error {
		ids := strings.Fields(string(line))
		if len(ids) < 2 || slices.ContainsFunc(ids, func(id string) bool { return !r.IsID(id) }) {
			return fmt.Errorf("git rev-list: cannot understand '%s'", Shown(string(line)))
		}
		c := AheadCommit{Tree: ID(ids[0]), NewCommit: NewCommit{ID: ID(ids[1])}}
		for _, id := range ids[2:] {
			c.Parents = append(c.Parents, ID(id))
		}
		list = append(list, c)
		return nil
	}, append([]string{"rev-list", "--topo-order", "--no-commit-header", "--format=%T %H %P"}, revs...)...)
	return list, err
}

// NewObjects lists the objects that tips reach and known ones do not, with a path of each in its tree, "" for
// commits. Known ids that are empty or do not exist here have no effect.
func (r *Repo) NewObjects(ctx context.Context, tips, known []ID) (map[ID]string, error) {
	var in bytes.Buffer
	for _, id := range tips {
		fmt.Fprintln(&in, id)
	}
	for _, id := range known {
		if id != "" {
			fmt.Fprintln(&in, "^"+id)
		}
	}
	out, err := r.RunInput(ctx, in.Bytes(), "rev-list", "--objects", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, err
	}
	objects := make(map[ID]string, bytes.Count(out, []byte("\n")))
	for line := range strings.Lines(string(out)) {
		id, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !r.IsID(id) {
			return nil, fmt.Errorf("git rev-list: cannot understand '%s'", Shown(line))
		}
		objects[ID(id)] = path
	}
	return objects, nil
}

// parentLines reads what `git rev-list --parents` prints.
func (r *Repo) parentLines(out []byte) ([]NewCommit, error) {
	list := make([]NewCommit, 0, bytes.Count(out, []byte("\n")))
	for line := range strings.Lines(string(out)) {
		var c NewCommit
		for i, id := range strings.Fields(line) {
			if !r.IsID(id) {
				return nil, fmt.Errorf("git rev-list: cannot understand '%s'", Shown(line))
			}
			if i == 0 {
				c.ID = ID(id)
			} else {
				c.Parents = append(c.Parents, ID(id))
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// Between lists the commits of a range, newest first: those that to reaches and from
// does not for "..", those that only one of them reaches for "...".
func (r *Repo) Between(ctx context.Context, from ID, dots string, to ID) ([]ID, error) {
	out, err := r.Run(ctx, "rev-list", "--end-of-options", string(from)+dots+string(to), "--")
	if err != nil {
		return nil, err
	}
	var ids []ID
	for id := range strings.FieldsSeq(string(out)) {
		ids = append(ids, ID(id))
	}
	return ids, nil
}

// An object that is not in this repository's own directory may be borrowed from an
// alternate, promised by a remote (a partial clone), or beyond the edge of a shallow
// clone.

// StoredBytes returns how many bytes the objects that revisions reach take on the disk, as `git rev-list` takes
// revisions.
func (r *Repo) StoredBytes(ctx context.Context, revisions ...string) (int64, error) {
	out, err := r.View(ctx, append([]string{"rev-list", "--objects", "--disk-usage"}, revisions...)...)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("git rev-list: no size: %w", err)
	}
	return n, nil
}
