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

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// Ref is a ref and the object it names.
type Ref struct {
	Name string
	ID   ID
}

// maxSymrefs is how many symbolic refs git follows.
const maxSymrefs = 5

// Ref returns the object that a full ref name ("refs/…", "HEAD",
// "CONTEXT_HEAD") names, through symbolic refs. ErrNotFound: there is no such
// ref, or a symbolic ref leads to one that does not exist yet. The object is
// not looked at.
func (r *Repo) Ref(ctx context.Context, name string) (ID, error) {
	if err := checkRefName(name); err != nil {
		return "", err
	}
	if !r.format.refFiles {
		return r.askRef(ctx, name)
	}
	for range maxSymrefs {
		value, err := r.readRef(name)
		if errors.Is(err, errUnusual) {
			return r.askRef(ctx, name)
		}
		if err != nil {
			return "", err
		}
		target, symbolic := symrefTarget(value)
		if !symbolic {
			return r.refID(name, value)
		}
		if name = target; checkRefName(name) != nil {
			return r.askRef(ctx, name)
		}
	}
	return "", fmt.Errorf("ref '%s': too many symbolic refs", name)
}

// refID reads the content of a ref's file. A file cut short (a crash of another
// writer) is not an absent ref.
func (r *Repo) refID(name, value string) (ID, error) {
	id := value[:min(len(value), r.hexLen())]
	rest := value[len(id):]
	if !r.IsID(id) || rest != "" && !strings.ContainsAny(rest[:1], " \t\n\r") {
		return "", fmt.Errorf("ref '%s' %w", name, ErrBroken)
	}
	return ID(id), nil
}

// readRef returns the content of a ref: its own file, else its line in
// packed-refs (in this order: packing writes the line before it removes the
// file). It returns errUnusual if git must be asked.
func (r *Repo) readRef(name string) (string, error) {
	path, shared, ok := r.refPath(name)
	if !ok {
		return "", errUnusual
	}
	data, err := disk.ReadFollowed(path)
	if err == nil {
		return string(data), nil
	}
	if !disk.IsAbsent(err) {
		return "", fmt.Errorf("cannot read ref '%s': %w", name, err)
	}
	if !shared {
		return "", fmt.Errorf("ref '%s': %w", name, ErrNotFound)
	}
	return r.packedRef(name)
}

// refPath returns the file of a ref, and whether the ref is shared between
// worktrees, and so perhaps packed.
func (r *Repo) refPath(name string) (path string, shared, ok bool) {
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			return "", false, false
		}
	}
	switch {
	case strings.HasPrefix(name, "refs/"):
		return filepath.Join(r.commonDir, filepath.FromSlash(name)), true, true
	case !strings.Contains(name, "/"):
		return filepath.Join(r.gitDir, name), false, true
	}
	// Another worktree's: main-worktree/NAME, worktrees/<id>/NAME.
	at := strings.LastIndexByte(name, '/')
	dir, file := name[:at], name[at+1:]
	if dir == "main-worktree" {
		return filepath.Join(r.commonDir, file), false, true
	}
	if id, ok := strings.CutPrefix(dir, "worktrees/"); ok && !strings.Contains(id, "/") {
		return filepath.Join(r.commonDir, filepath.FromSlash(name)), false, true
	}
	return "", false, false
}

// checkRefName refuses a name that must never become a path or an argument: it is not the
// whole of git-check-ref-format(1).
func checkRefName(name string) error {
	if name == "" || name[0] == '-' || name[0] == '/' || strings.Contains(name, "..") ||
		strings.Contains(name, "//") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".lock") ||
		strings.ContainsAny(name, " \t\n\r\x00\\:~^?*[\x7f") {
		return fmt.Errorf("'%s' is no ref name", Shown(name))
	}
	return nil
}

// askRef asks git for a ref, exactly by its name: a revision could mean another
// one, and show-ref fails where the object of the ref is missing.
func (r *Repo) askRef(ctx context.Context, name string) (ID, error) {
	if strings.HasPrefix(name, "refs/") {
		return r.askListed(ctx, name)
	}
	// for-each-ref takes no other names. Most are symbolic.
	target, err := r.askSymbolicRef(ctx, name)
	if err == nil {
		return r.askRef(ctx, target)
	}
	if !errors.Is(err, ErrNotFound) {
		return "", err
	}
	out, err := r.Run(ctx, "rev-parse", "--verify", "--end-of-options", name)
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && failed.Code == 128 && strings.Contains(failed.Stderr, "Needed a single revision") {
			return "", fmt.Errorf("ref '%s': %w", name, ErrNotFound)
		}
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !r.IsID(id) {
		return "", fmt.Errorf("ref '%s': cannot understand '%s'", name, Shown(id))
	}
	return ID(id), nil
}

// askListed asks git for a ref below refs/.
func (r *Repo) askListed(ctx context.Context, name string) (ID, error) {
	list, err := r.Refs(ctx, name)
	if err != nil {
		return "", err
	}
	for _, ref := range list {
		if ref.Name == name {
			return ref.ID, nil
		}
	}
	return "", fmt.Errorf("ref '%s': %w", name, ErrNotFound)
}

// Refs lists refs whose names are one of prefixes, or begin with one up to a
// slash, in the order of their names; all refs without a prefix.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	for tries := mostListed; ; tries-- {
		l, err := r.ListRefs(ctx, prefixes...)
		if err != nil {
			return nil, err
		}
		if len(l.Broken) == 0 {
			return l.Refs, nil
		}
		// git leaves a damaged ref out and only warns; that would make it absent. It says the same of one that is deleted
		// while it lists them.
		if tries == 1 || slices.ContainsFunc(l.Broken, r.broken) {
			return nil, fmt.Errorf("ref '%s' %w", l.Broken[0], ErrBroken)
		}
	}
}

// mostListed is how often refs are listed while others delete some.
const mostListed = 10

// symrefTarget returns what the content of a symbolic ref's file names.
func symrefTarget(content string) (string, bool) {
	target, ok := strings.CutPrefix(content, "ref:")
	return strings.TrimSpace(target), ok
}

// SymbolicRef returns the ref that a symbolic ref names, which need not exist:
// "CONTEXT_HEAD" (this worktree's), "main-worktree/CONTEXT_HEAD", "HEAD".
// ErrNotFound: there is none, or it names an object (a detached HEAD).
func (r *Repo) SymbolicRef(ctx context.Context, name string) (string, error) {
	if err := checkRefName(name); err != nil {
		return "", err
	}
	path, _, ok := r.refPath(name)
	if !r.format.refFiles || !ok {
		return r.askSymbolicRef(ctx, name)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := disk.CheckNoPipe(path); err != nil {
			return "", fmt.Errorf("cannot read ref '%s': %w", name, err)
		}
		return r.askSymbolicRef(ctx, name) // an old symbolic link
	}
	data, err := disk.ReadFollowed(path)
	if disk.IsAbsent(err) {
		return "", fmt.Errorf("symbolic ref '%s': %w", name, ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("cannot read ref '%s': %w", name, err)
	}
	target, symbolic := symrefTarget(string(data))
	if !symbolic {
		if _, err := r.refID(name, string(data)); err != nil {
			return "", err
		}
		return "", fmt.Errorf("symbolic ref '%s': %w: it names an object", name, ErrNotFound)
	}
	if checkRefName(target) != nil {
		return "", fmt.Errorf("ref '%s' %w", name, ErrBroken)
	}
	return target, nil
}

func (r *Repo) askSymbolicRef(ctx context.Context, name string) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "--quiet", name)
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 1 {
		return "", fmt.Errorf("symbolic ref '%s': %w", name, ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// SetSymbolicRef makes a symbolic ref name a ref; reason goes to its reflog, if
// it has one. It may be another worktree's, as for [Repo.SymbolicRef].
func (r *Repo) SetSymbolicRef(ctx context.Context, name, target, reason string) error {
	for _, ref := range []string{name, target} {
		if err := checkRefName(ref); err != nil {
			return err
		}
	}
	gitDir, name := r.worktreeOf(name)
	_, err := r.RunEnv(ctx, []string{"GIT_DIR=" + gitDir}, nil, "symbolic-ref", "-m", reason, name, target)
	fault.Point("after-symref")
	return err
}

// DeleteSymbolicRef deletes a symbolic ref, which may be another worktree's.
func (r *Repo) DeleteSymbolicRef(ctx context.Context, name string) error {
	if err := checkRefName(name); err != nil {
		return err
	}
	gitDir, name := r.worktreeOf(name)
	_, err := r.RunEnv(ctx, []string{"GIT_DIR=" + gitDir}, nil, "symbolic-ref", "--delete", name)
	fault.Point("after-symref")
	return err
}

// worktreeOf returns the git directory of the worktree whose ref a name means, and its name there: since
// 2.46 git writes symbolic refs of no worktree but the one that it runs in.
func (r *Repo) worktreeOf(name string) (gitDir, local string) {
	at := strings.LastIndexByte(name, '/')
	if at <= 0 || strings.HasPrefix(name, "refs/") {
		return r.gitDir, name
	}
	gitDir = filepath.Join(r.commonDir, filepath.FromSlash(name[:at]))
	if filepath.Base(gitDir) == "main-worktree" {
		gitDir = r.commonDir
	}
	return gitDir, name[at+1:]
}

// Listed are the refs that git lists, and the files that it leaves out of its lists.
type Listed struct {
	Refs   []Ref
	Broken []string // their files name no object: empty, cut short, all zeros
	Misfit []string // files among the refs whose names git takes for no ref's
}

// ListRefs lists refs as [Repo.Refs] does, and besides what git passes over. Broken refs
// are no error. Whether the objects exist is not checked.
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
		if !ok || !r.IsID(id) {
			return l, fmt.Errorf("git for-each-ref: cannot understand '%s'", Shown(line))
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

// ReplaceBroken gives a ref whose file names no object a value, or removes the file for
// "": git's own commands can neither move nor delete such a ref. It takes the ref's lock
// meanwhile. ErrStale: the ref is not broken (any more), or it is locked.
func (r *Repo) ReplaceBroken(name string, id ID) error {
	if !strings.HasPrefix(name, "refs/") {
		return fmt.Errorf("ref '%s' has no file", name)
	}
	return r.replaceBroken(name, string(id))
}

// RestoreSymbolicRef is [Repo.SetSymbolicRef] for a symbolic ref that may be broken. A newer git
// (2.55) reads the old value first, and fails if the file names neither an object nor a ref; the
// file is then replaced as by [Repo.ReplaceBroken], whose errors it returns.
func (r *Repo) RestoreSymbolicRef(ctx context.Context, name, target, reason string) error {
	if err := checkRefName(target); err != nil {
		return err
	}
	if _, ok := r.RefFile(name); !ok || !r.broken(name) {
		return r.SetSymbolicRef(ctx, name, target, reason)
	}
	return r.replaceBroken(name, "ref: "+target)
}

// replaceBroken replaces the content of a broken ref's file, or removes the file for "". At each
// moment the file has the old content or the new one.
func (r *Repo) replaceBroken(name, content string) (err error) {
	if err := checkRefName(name); err != nil {
		return err
	}
	path, ok := r.RefFile(name)
	if !ok {
		return fmt.Errorf("ref '%s' has no file", name)
	}
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("ref '%s': %w: it is locked", name, ErrStale)
	}
	if err != nil {
		return err
	}
	fault.Point("after-ref-lock")
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(lock.Name()))
		}
	}()
	if _, err = fmt.Fprintln(lock, content); err == nil {
		err = lock.Sync()
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return err
	}
	if !r.broken(name) {
		return fmt.Errorf("ref '%s': %w: it can be read", name, ErrStale)
	}
	if content == "" {
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
