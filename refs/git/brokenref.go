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
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// ErrBroken: the file of a ref says neither an object nor a ref, or another file of the
// memory's is damaged. The error names it; fsck mends it.
var ErrBroken = errors.New("is malformed")

// Listed is what git lists of the refs, and what it leaves out of its lists.
type Listed struct {
	Refs   []Ref
	Broken []string // their files name no object: empty, cut short, all zeros
	Misfit []string // files among the refs whose names git takes for no ref's
}

// ListRefs lists as Refs does, and says besides what git passes over. Broken refs are
// no error. Whether the objects are there is not looked at.
func (r *Repo) ListRefs(ctx context.Context, prefixes ...string) (Listed, error) {
	var l Listed
	var said bytes.Buffer
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, prefixes...)
	out, err := r.start(ctx, command{env: r.childEnv, args: args, also: &said})
	if err != nil {
		return l, err
	}
	for line := range strings.Lines(said.String()) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "warning: ignoring broken ref "); ok {
			l.Broken = append(l.Broken, name)
		} else if name, ok := strings.CutPrefix(line, "warning: ignoring ref with broken name "); ok {
			l.Misfit = append(l.Misfit, name)
		}
	}
	// Git passes all files below a prefix that it walks, also those that do not match.
	other := func(name string) bool {
		return len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(p string) bool {
			return name == p || strings.HasPrefix(name, strings.TrimSuffix(p, "/")+"/")
		})
	}
	l.Broken, l.Misfit = slices.DeleteFunc(l.Broken, other), slices.DeleteFunc(l.Misfit, other)
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || !isHex(id, r.hexLen()) {
			return l, fmt.Errorf("git for-each-ref: cannot understand '%s'", shown(line))
		}
		l.Refs = append(l.Refs, Ref{Name: name, ID: ID(id)})
	}
	return l, nil
}

// RefFile is the file of a ref below the common git directory, which need not exist: the
// ref may be packed. ok is false where refs are no files.
func (r *Repo) RefFile(name string) (path string, ok bool) {
	path, _, ok = r.refPath(name)
	return path, ok && r.format.refFiles
}

// RefPast lists what a ref was, the newest first, by its reflog; none where there is
// none. The objects need not be there.
func (r *Repo) RefPast(name string) ([]ID, error) {
	if err := checkRefName(name); err != nil {
		return nil, err
	}
	if !r.format.refFiles {
		return nil, nil // such a store has no broken refs, and git reads its reflogs
	}
	data, err := os.ReadFile(filepath.Join(r.commonDir, "logs", filepath.FromSlash(name)))
	if disk.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the reflog of '%s': %w", name, err)
	}
	var past []ID
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(line, " ")
		now, _, _ := strings.Cut(rest, " ")
		if isHex(now, r.hexLen()) {
			past = append(past, ID(now))
		}
	}
	slices.Reverse(past)
	return past, nil
}

// DropLostMoves takes the lines out of a ref's reflog that name objects which are not
// here: git fsck complains of them, and a walk over the reflogs ends there.
func (r *Repo) DropLostMoves(ctx context.Context, name string) error {
	past, err := r.RefPast(name)
	if err != nil || len(past) == 0 {
		return err
	}
	infos, err := r.Infos(ctx, past)
	if err != nil {
		return err
	}
	args := []string{"reflog", "delete", "--rewrite"}
	for i, info := range slices.Backward(infos) { // what is older moves up
		if info.Type == "" && !info.ID.IsZero() {
			args = append(args, fmt.Sprintf("%s@{%d}", name, i))
		}
	}
	if len(args) > 3 {
		if _, err := r.Run(ctx, args...); err != nil {
			return err
		}
	}
	// What a line moves from is what the one before it moves to.
	_, err = r.Run(ctx, "reflog", "expire", "--rewrite", "--expire=never", "--expire-unreachable=never", name)
	return err
}

// ReplaceBroken gives a ref whose file names no object a value, or takes the file away
// for "", which git's own commands refuse to do: they can neither move nor delete such a
// ref. It holds the ref's lock meanwhile. ErrStale: the ref is not broken (any more), or
// it is locked.
func (r *Repo) ReplaceBroken(name string, id ID) (err error) {
	if err := checkRefName(name); err != nil {
		return err
	}
	path, ok := r.RefFile(name)
	if !ok || !strings.HasPrefix(name, "refs/") {
		return fmt.Errorf("ref '%s' has no file", name)
	}
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("ref '%s': %w: it is locked", name, ErrStale)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(lock.Name()))
		}
	}()
	if _, err = fmt.Fprintln(lock, id); err == nil {
		err = lock.Sync()
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return err
	}
	if !r.broken(name) {
		return fmt.Errorf("ref '%s': %w: it can be read", name, ErrStale)
	}
	if id == "" {
		return errors.Join(os.Remove(path), os.Remove(lock.Name()))
	}
	if err = r.Sharing().Adjust(lock.Name()); err != nil {
		return err
	}
	return os.Rename(lock.Name(), path)
}

// broken reports whether a ref's own file names no object.
func (r *Repo) broken(name string) bool {
	value, err := r.readRef(name)
	if err != nil {
		return false
	}
	if _, symbolic := symrefTarget(value); symbolic {
		return false
	}
	id, err := r.refID(name, value)
	return err != nil || id.IsZero()
}
