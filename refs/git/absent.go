package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// Partial reports whether objects may be missing because a remote promises them.
func (r *Repo) Partial() (bool, error) {
	found, err := disk.Glob(filepath.Join(r.objectDir, "pack"), "*.promisor")
	return len(found) > 0, err
}

// Absent lists the objects that tips reach and a partial clone has not fetched, without
// fetching them; nil where this is no partial clone. A caller that looks at everything
// must not ask for these: git would fetch them one by one. After [Repo.TellLost] lost objects are not among them.
func (r *Repo) Absent(ctx context.Context, tips []ID) (map[ID]bool, error) {
	partial, err := r.Partial()
	if err != nil || !partial || len(tips) == 0 {
		return nil, err
	}
	if !r.promises.tell.Load() {
		return r.notHere(ctx, tips)
	}
	absent, err := r.notHere(ctx, tips)
	if ExitCode(err) > 0 { // a commit is lost
		commits, failed := r.commitsHere(ctx, tips)
		if failed != nil {
			return nil, failed
		}
		ids := make([]ID, len(commits))
		for i, c := range commits {
			ids[i] = c.ID
		}
		absent, err = r.notHere(ctx, ids, "--no-walk=unsorted")
	}
	if err != nil {
		return nil, err
	}
	lost, err := r.unpromised(ctx, absent)
	for id := range lost {
		delete(absent, id)
	}
	return absent, err
}

// Lost lists the objects that tips reach and that do not exist, and those that are promised by a remote only before [Repo.TellLost].
func (r *Repo) Lost(ctx context.Context, tips []ID) (map[ID]bool, error) {
	lost, err := r.notHere(ctx, tips)
	if err != nil || !r.promises.tell.Load() {
		return lost, err
	}
	return r.unpromised(ctx, lost)
}

// ReflogsWhole reports whether everything is here that reflogs lead to and no ref does, apart from what a remote promises: git gc fails
// if it is not. git ignores a line whose object does not exist.
func (r *Repo) ReflogsWhole(ctx context.Context) (bool, error) {
	args := []string{"rev-list", "--objects", "--quiet", "--reflog", "--not", "--all"}
	if partial, err := r.Partial(); err != nil {
		return false, err
	} else if partial {
		args = slices.Insert(args, 1, "--exclude-promisor-objects")
	}
	_, err := r.Run(ctx, args...)
	if ExitCode(err) > 0 {
		return false, nil
	}
	return err == nil, err
}

// notHere lists the objects that tips reach and that do not exist.
func (r *Repo) notHere(ctx context.Context, tips []ID, args ...string) (map[ID]bool, error) {
	absent := map[ID]bool{}
	if len(tips) == 0 {
		return absent, nil
	}
	args = append([]string{"rev-list", "--objects", "--no-object-names", "--missing=print"}, args...)
	err := r.EachLine(ctx, LineOptions{Input: idLines(tips)}, func(line []byte) error {
		if id, missing := bytes.CutPrefix(line, []byte("?")); missing {
			absent[ID(id)] = true
		}
		return nil
	}, append(args, "--stdin")...)
	return absent, err
}

// Hollow lists the trees and files of commits that do not exist, in one child; the history of the
// commits is not looked at. A damaged file counts as existing. nil where a remote may promise
// them; after [Repo.TellLost], those that it does not.
func (r *Repo) Hollow(ctx context.Context, commits []ID) (map[ID]bool, error) {
	partial, err := r.Partial()
	if err != nil || partial && !r.promises.tell.Load() || len(commits) == 0 {
		return nil, err
	}
	absent, err := r.notHere(ctx, commits, "--no-walk")
	if err == nil && partial {
		absent, err = r.unpromised(ctx, absent)
	}
	if err != nil {
		return nil, err
	}
	for id := range absent {
		if _, here := r.LooseFile(id); here {
			delete(absent, id)
			continue
		}
		if err := r.missing(ctx, string(id), nil); err != nil { // it may be borrowed
			return nil, err
		}
	}
	return absent, nil
}

// Shallow lists the commits whose parents a shallow clone leaves out; nil where this is
// no shallow clone.
func (r *Repo) Shallow() (map[ID]bool, error) {
	data, err := disk.ReadFollowed(filepath.Join(r.commonDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	edge := map[ID]bool{}
	for line := range strings.Lines(string(data)) {
		edge[ID(strings.TrimSpace(line))] = true
	}
	return edge, err
}

// Alternates lists the object directories that this repository borrows from, directly
// or through one of them. lost is git's complaint about one that it cannot use and
// passes over, as one on a disk that is not mounted; else "".
func (r *Repo) Alternates(ctx context.Context) (dirs []string, lost string, err error) {
	_, err = os.Stat(filepath.Join(r.objectDir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) && r.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES") == "" {
		return nil, "", nil
	}
	var said tail
	out, err := r.start(ctx, command{env: r.childEnv, args: []string{"count-objects", "-v"}, said: &said})
	if err != nil {
		return nil, "", err
	}
	for line := range strings.Lines(string(out)) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "alternate: "); ok {
			if plain, err := strconv.Unquote(dir); err == nil {
				dir = plain // git quotes odd names as C does
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs, complaint(said.String()), nil
}

// missing returns the error for an object that git does not find: err, which is
// ErrNotFound, unless the object may be in an alternate that cannot be read now, or was
// not fetched. An object taken for absent would have refs moved back and topics forgotten.
func (r *Repo) missing(ctx context.Context, id string, err error) error {
	_, lost, asked := r.Alternates(ctx)
	switch {
	case asked != nil:
		return fmt.Errorf("cannot read '%s': %w", Shown(id), asked)
	case lost != "":
		return fmt.Errorf("cannot read '%s', which may be borrowed: %s", Shown(id), lost)
	}
	promised, unknown := r.mayBePromised(ctx, ID(id))
	switch {
	case unknown != nil:
		return fmt.Errorf("cannot read '%s': %w", Shown(id), unknown)
	case promised:
		return fmt.Errorf("cannot read '%s': %w", Shown(id), ErrNotFetched)
	}
	return err
}

// mayBePromised reports whether a remote promises a missing object, or may do so before [Repo.TellLost].
func (r *Repo) mayBePromised(ctx context.Context, id ID) (bool, error) {
	partial, err := r.Partial()
	if err != nil || !partial || !r.promises.tell.Load() {
		return partial, err
	}
	lost, err := r.unpromised(ctx, map[ID]bool{id: true})
	return !lost[id], err
}
