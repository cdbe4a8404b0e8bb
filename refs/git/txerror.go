package git

import (
	"errors"
	"fmt"
	"strings"
)

// txError says whether a failed transaction may be tried again. git tells by
// its text alone: exit code 128 stands for all of these.
func (r *Repo) txError(queued []refChange, err error) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("cannot update %s: %w", refNames(queued), err)
	}
	if unsaidText(failed.Stderr) {
		if why := r.refused(queued); why != nil {
			return fmt.Errorf("cannot update %s: %w: %w", refNames(queued), err, why)
		}
	}
	if failed.Err != nil || !staleText(failed.Stderr) {
		return fmt.Errorf("cannot update %s: %w", refNames(queued), err)
	}
	if strings.Contains(failed.Stderr, ".lock': File exists") {
		return lockedError{err}
	}
	if locked, ok := r.reftableLocked(failed); ok {
		return locked
	}
	ref := refInText(failed.Stderr)
	if ref == "" {
		return fmt.Errorf("cannot update %s: %w: %w", refNames(queued), ErrStale, err)
	}
	return fmt.Errorf("ref '%s': %w: %w", ref, ErrStale, err)
}

// lockedError is ErrLocked in git's own words, which say it already.
type lockedError struct{ error }

func (e lockedError) Unwrap() []error { return []error{ErrStale, ErrLocked, e.error} }

// staleText reports whether update-ref failed because another process moved a
// ref, or held its lock, first. Everything else (a hook's refusal, a missing
// object, a directory in the way, no permission) will fail again.
func staleText(stderr string) bool {
	said := complaint(stderr)
	switch {
	case strings.Contains(said, "but expected"), // is at X; is missing
		strings.Contains(said, "reference already exists"):
		return true
	case strings.Contains(said, "unable to resolve reference"):
		// Gone, if nothing follows; else broken, or not to be read.
		return strings.HasSuffix(said, "'")
	case strings.Contains(said, ".lock'"):
		return strings.Contains(said, "File exists")
	}
	return strings.Contains(said, "cannot lock references") // reftable
}

// unsaidText reports whether update-ref could not write a file, or make a directory,
// and does not say why.
func unsaidText(stderr string) bool {
	said := complaint(stderr)
	return strings.Contains(said, "couldn't write '") || strings.Contains(said, "unable to create directory")
}

// refInText returns the ref that a complaint names.
func refInText(stderr string) string {
	_, rest, ok := strings.Cut(complaint(stderr), "cannot lock ref '")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "'")
	return name
}

// refNames lists the refs of a transaction, for people.
func refNames(queued []refChange) string {
	names := make([]string, len(queued))
	for i, q := range queued {
		names[i] = "'" + q.ref + "'"
	}
	return "ref " + strings.Join(names, ", ")
}
