package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	if !isHex(id, r.hexLen()) || rest != "" && !strings.ContainsAny(rest[:1], " \t\n\r") {
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
	data, err := os.ReadFile(path)
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

// checkRefName refuses what must never become a path or an argument: it is not
// the whole of git-check-ref-format(1).
func checkRefName(name string) error {
	if name == "" || name[0] == '-' || name[0] == '/' || strings.Contains(name, "..") ||
		strings.Contains(name, "//") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".lock") ||
		strings.ContainsAny(name, " \t\n\r\x00\\:~^?*[\x7f") {
		return fmt.Errorf("'%s' is no ref name", shown(name))
	}
	return nil
}

// askRef asks git for a ref, exactly by its name: a revision could mean another
// one.
func (r *Repo) askRef(ctx context.Context, name string) (ID, error) {
	args := []string{"show-ref", "--verify", "--hash", "--", name}
	if !strings.HasPrefix(name, "refs/") {
		// show-ref takes no other names on 2.39. Most are symbolic.
		target, err := r.askSymbolicRef(ctx, name)
		if err == nil {
			return r.askRef(ctx, target)
		}
		if !errors.Is(err, ErrNotFound) {
			return "", err
		}
		args = []string{"rev-parse", "--verify", "--end-of-options", name}
	}
	out, err := r.Run(ctx, args...)
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && failed.Code == 128 && refIsAbsent(failed.Stderr) {
			return "", fmt.Errorf("ref '%s': %w", name, ErrNotFound)
		}
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !isHex(id, r.hexLen()) {
		return "", fmt.Errorf("ref '%s': cannot understand '%s'", name, shown(id))
	}
	return ID(id), nil
}

// refIsAbsent reads what show-ref and rev-parse say of a ref that is not there.
func refIsAbsent(stderr string) bool {
	return strings.Contains(stderr, "not a valid ref") || strings.Contains(stderr, "Needed a single revision")
}

// Refs lists refs whose names are one of prefixes, or begin with one up to a
// slash, in the order of their names; all refs without a prefix.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	l, err := r.ListRefs(ctx, prefixes...)
	if err != nil {
		return nil, err
	}
	// git leaves a damaged ref out and only warns; that would make it absent.
	if len(l.Broken) > 0 {
		return nil, fmt.Errorf("ref '%s' %w", l.Broken[0], ErrBroken)
	}
	return l.Refs, nil
}
