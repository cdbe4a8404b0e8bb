package expunge

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// CleanState records which refs of a remote contain nothing that some tombstones name, which of its branches were
// refused and dropped, and of which refs git refused an object. Most remotes have branches that are not here, and a sync
// with nothing to do must neither read their history each time, nor fetch again what it drops. Its file is
//
//	tombstones <SHA-256 of all of them>
//	clean <ref> <id>
//	refused <ref> <id> <incoming.Rules> <seconds since 1970> <why, quoted as in Go>
//	unfetched <as refused, by git>
//	sifted=<id>,<id>... <as unfetched; these are valid below it; if it is one, the tracking ref is there>
type CleanState struct {
	Refused map[string]RefusedRef // by the names that they have here

	tombstones, rules string
	refs              map[string]git.ID // by the names that they have here
	file              string            // the bytes that were read
}

// RefusedRef is a branch of a remote that was refused and dropped, or a ref that git did not fetch. That is believed for a
// day: the clock here, and what this repository has, may have been the reason.
type RefusedRef struct {
	ID    git.ID
	At    time.Time
	Why   string
	ByGit bool // it did not come

	Sifted bool     // but what is valid below it did
	Tips   []git.ID // that
}

// MostNames is of how many names of one refused object an exchange tells more than that it is refused.
const MostNames = 3

const (
	refusedWord   = "refused"
	unfetchedWord = "unfetched"
	siftedWord    = "sifted"

	refusedFor       = 24 * time.Hour
	mostRefusedBytes = 1 << 19 // of lines in the file; the others are fetched each time
	mostWhy          = 200     // characters of what git said
	mostTips         = 64      // valid commits below one ref; of one with more they are looked for each time
)

// CleanStateName returns the name of a remote's CleanState in local state.
func CleanStateName(p remote.Remote) string { return cleanDir + "/" + git.FileName(p.Name, "") }

// HasCleanState reports whether there is a CleanState of a remote.
func HasCleanState(s *store.Store, p remote.Remote) (bool, error) {
	_, err := os.Lstat(s.StatePath(CleanStateName(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

const cleanDir = "clean"

// ReadCleanState reads what is known for these tombstones. A missing file, a damaged one and
// one for other tombstones count as empty; so do refusals by other rules, and old ones.
func ReadCleanState(ctx context.Context, s *store.Store, p remote.Remote, e doc.Expunged) (CleanState, error) {
	sum := sha256.Sum256(e.Bytes())
	c := CleanState{tombstones: hex.EncodeToString(sum[:]), refs: map[string]git.ID{}, Refused: map[string]RefusedRef{}}
	if p.IsFile() {
		return c, nil
	}
	var wrong error
	c.rules, wrong = incoming.Rules(ctx, s) // a wrong setting is an error of the check that needs it
	data, err := git.ReadStateFile(s.StatePath(CleanStateName(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.file = string(data)
	rest, ok := strings.CutPrefix(c.file, "tombstones "+c.tombstones+"\n")
	if !ok {
		return c, nil
	}
	for line := range strings.Lines(rest) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "clean" {
			c.refs[f[1]] = git.ID(f[2])
		} else if ref, r, ok := c.parseRefused(line); ok && wrong == nil && s.Clock().Sub(r.At).Abs() < refusedFor {
			c.Refused[ref] = r
		}
	}
	return c, nil
}

// parseRefused reads a line of a ref that was refused by the rules that are in force.
func (c CleanState) parseRefused(line string) (ref string, r RefusedRef, ok bool) {
	f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
	if len(f) != 6 || f[3] != c.rules {
		return "", r, false
	}
	word, list, sifted := strings.Cut(f[0], "=")
	if !slices.Contains([]string{refusedWord, unfetchedWord, siftedWord}, word) || sifted != (word == siftedWord) {
		return "", r, false
	}
	for id := range strings.SplitSeq(list, ",") {
		if id != "" {
			r.Tips = append(r.Tips, git.ID(id))
		}
	}
	at, badTime := strconv.ParseInt(f[4], 10, 64)
	why, badText := strconv.Unquote(f[5])
	_, isBranch := git.BranchName(f[1])
	r = RefusedRef{ID: git.ID(f[2]), At: time.Unix(at, 0), Why: why, ByGit: word != refusedWord, Sifted: word == siftedWord, Tips: r.Tips}
	return f[1], r, (isBranch || r.ByGit) && badTime == nil && badText == nil
}

// word begins the line of a ref that git refused.
func (r RefusedRef) word() string {
	if !r.Sifted {
		return unfetchedWord
	}
	list := make([]string, len(r.Tips))
	for i, id := range r.Tips {
		list[i] = string(id)
	}
	return siftedWord + "=" + strings.Join(list, ",")
}

// Contains reports whether a ref is known to be clean at id.
func (c CleanState) Contains(ref string, id git.ID) bool { return id != "" && c.refs[ref] == id }

// WriteCleanState adds the refs that were found clean, drops those that the remote moved or
// deleted, and replaces those that are refused.
func WriteCleanState(s *store.Store, p remote.Remote, known CleanState, found []git.Ref, theirs *remote.RefSet) error {
	if p.IsFile() {
		return nil
	}
	now := maps.Clone(known.refs)
	for _, r := range found {
		now[r.Name] = r.ID
	}
	maps.DeleteFunc(now, func(ref string, id git.ID) bool { return RefID(theirs, ref) != id })
	if len(now)+len(known.Refused) == 0 {
		return removeState(s, CleanStateName(p))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tombstones %s\n", known.tombstones)
	for _, ref := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "clean %s %s\n", ref, now[ref])
	}
	left := mostRefusedBytes
	type names struct {
		id   git.ID
		tags bool // or handed over code
	}
	byGit := map[names]int{}
	for _, ref := range slices.Sorted(maps.Keys(known.Refused)) {
		r := known.Refused[ref]
		word := refusedWord
		if r.ByGit {
			_, isWork := git.WorkBranch(ref)
			of := names{r.ID, isWork || strings.HasPrefix(ref, git.TagPrefix)}
			if !r.Sifted && byGit[of] == MostNames || len(r.Tips) > mostTips { // these say it of all
				continue
			}
			if !r.Sifted {
				byGit[of]++
			}
			word, r.Why = r.word(), prose.OneLine(r.Why, mostWhy)
		}
		line := fmt.Sprintf("%s %s %s %s %d %s\n", word, ref, r.ID, known.rules, r.At.Unix(), strconv.Quote(r.Why))
		if left -= len(line); left < 0 {
			break
		}
		b.WriteString(line)
	}
	if b.String() == known.file {
		return nil
	}
	return s.Repo().WriteStateFile(CleanStateName(p), []byte(b.String()))
}

// DirtyState records which refs of a remote led to old history when it was last asked, and
// which objects of that are still to be deleted here. Its file is
//
//	held <ref> <what the remote has> <that without what was expunged, or ->
//	purge <id>
//
// A ref is not fetched again while the remote has the first id and the tracking ref the second:
// fetching would bring old objects only to delete them.
type DirtyState struct {
	Refs  map[string]DirtyRef // by the names that they have here
	Purge []git.ID
}

// DirtyRef is a ref of a remote that leads to old history.
type DirtyRef struct {
	Ref      string // by the name that it has here
	Old, Now git.ID // now is "" of notes of which nothing is left
}

// DirtyStateName returns the name of a remote's DirtyState in local state.
func DirtyStateName(p remote.Remote) string { return "held/" + git.FileName(p.Name, "") }

// List returns the refs sorted by name.
func (h *DirtyState) List() []DirtyRef {
	var list []DirtyRef
	for _, ref := range slices.Sorted(maps.Keys(h.Refs)) {
		list = append(list, h.Refs[ref])
	}
	return list
}

// ReadDirtyState reads a remote's state; a missing file is empty. A file that it cannot parse
// is an error.
func ReadDirtyState(s *store.Store, p remote.Remote) (DirtyState, error) {
	h := DirtyState{Refs: map[string]DirtyRef{}}
	data, err := git.ReadStateFile(s.StatePath(DirtyStateName(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[0] == "held":
			h.Refs[f[1]] = DirtyRef{f[1], git.ID(f[2]), git.ID(strings.TrimPrefix(f[3], "-"))}
		case len(f) == 2 && f[0] == "purge":
			h.Purge = append(h.Purge, git.ID(f[1]))
		default:
			return h, fmt.Errorf("'%s': cannot understand '%s'", s.StatePath(DirtyStateName(p)),
				prose.OneLine(line, 100))
		}
	}
	return h, nil
}

// WriteDirtyState replaces a remote's state, and removes the file of an empty one.
func WriteDirtyState(s *store.Store, p remote.Remote, h DirtyState) error {
	if len(h.Refs)+len(h.Purge) == 0 {
		return removeState(s, DirtyStateName(p))
	}
	var b strings.Builder
	for _, r := range h.List() {
		fmt.Fprintf(&b, "held %s %s %s\n", r.Ref, r.Old, cmp.Or(r.Now, "-"))
	}
	for _, id := range h.Purge {
		fmt.Fprintf(&b, "purge %s\n", id)
	}
	return s.Repo().WriteStateFile(DirtyStateName(p), []byte(b.String()))
}

// ForgetHeld drops what is known of old history on remotes, after something was refused: under other tombstones the next fetch finds it
// again. A remote that is not configured at the moment may be again. What is to be purged stays.
func ForgetHeld(s *store.Store) error {
	return (&Operation{Store: s}).eachFile("held", func(path string, data []byte) error {
		defer fault.Point("held-forgotten")
		var left []byte
		for line := range bytes.Lines(data) {
			if bytes.HasPrefix(line, []byte("purge ")) {
				left = append(left, line...)
			}
		}
		if len(left) == 0 {
			return os.Remove(path)
		}
		return s.Repo().WriteStateFile("held/"+filepath.Base(path), left)
	})
}

// removeState removes a file of local state that may be gone.
func removeState(s *store.Store, name string) error {
	err := os.Remove(s.StatePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
