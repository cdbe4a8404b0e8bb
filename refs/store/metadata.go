package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/detect"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// The subjects of memory commits that change a key of metadata.yaml, in front of its path.
const (
	SubjectSet   = "Set "
	SubjectUnset = "Unset "
)

// SetMetadata sets a key path of the current branch's metadata to a YAML value and commits
// that. A value that is set already makes no commit.
// fail.ErrNotFound for a segment that neither the branch nor GCC has, unless it may be new: most likely
// its name is misspelled.
func (s *Store) SetMetadata(ctx context.Context, w Writer, path, value string, mayBeNew bool) (Change, error) {
	replaced, err := s.Clean(ctx, &path)
	if err != nil {
		return Change{}, err
	}
	did, err := s.CleanValue(ctx, path, &value)
	if err != nil {
		return Change{}, err
	}
	if err := checkOwned(path); err != nil {
		return Change{}, err
	}
	ch, err := s.editMetadata(ctx, w, path, SubjectSet+path, func(m *doc.Metadata) error {
		if segment, _, _ := strings.Cut(path, "."); !mayBeNew && !slices.Contains(segments(m), segment) {
			return unknownSegment(m, segment)
		}
		return m.Set(path, value)
	})
	ch.Replaced = replaced || did
	return ch, err
}

// UnsetMetadata removes a key path of the current branch's metadata.
func (s *Store) UnsetMetadata(ctx context.Context, w Writer, path string) (Change, error) {
	if err := checkOwned(path); err != nil {
		return Change{}, err
	}
	return s.editMetadata(ctx, w, path, SubjectUnset+path, func(m *doc.Metadata) error {
		found, err := m.Unset(path)
		if err == nil && !found {
			return fail.New(fail.ErrNotFound, fail.SegmentNotFound, fmt.Sprintf("'%s' is not in the metadata", path), segmentHint(m, path))
		}
		return err
	})
}

// checkOwned refuses key paths that the program keeps: what it counts, what it
// finds out and what a branch is. Its purpose is people's.
func checkOwned(path string) error {
	if path == "branch.purpose" {
		return nil
	}
	for _, own := range []string{"version", "branch", "totals", detect.KeyFrom, detect.KeyTree, detect.KeyEnv, detect.KeyDependencies} {
		if path == own || strings.HasPrefix(path, own+".") {
			return fail.New(fail.ErrRefused, fail.MetadataOwned, fmt.Sprintf("only git-context writes '%s'", prose.OneLine(path, 100)),
				"git context metadata set branch.purpose TEXT", "git context metadata refresh")
		}
	}
	return nil
}

// segments returns the segments of a branch and those that GCC names.
func segments(m *doc.Metadata) []string {
	return append(m.Keys(), "file_structure", "env_config", "dependencies", "interfaces")
}

func unknownSegment(m *doc.Metadata, segment string) error {
	hints := []string{"add --new to begin a segment of that name"}
	if near := doc.Nearest(segment, segments(m)); near != "" {
		hints = append([]string{fmt.Sprintf("did you mean '%s'?", near)}, hints...)
	}
	return fail.New(fail.ErrNotFound, fail.SegmentNotFound, fmt.Sprintf("there is no segment '%s'", prose.OneLine(segment, 100)), hints...)
}

// segmentHint names the nearest top-level segment.
func segmentHint(m *doc.Metadata, path string) string {
	if near := doc.Nearest(path, m.Keys()); near != "" {
		return fmt.Sprintf("did you mean '%s'?", near)
	}
	return "git context metadata"
}

// RefreshMetadata finds out anew what the code repository looks like, also where
// its tree has not changed.
func (s *Store) RefreshMetadata(ctx context.Context, w Writer) (Change, error) {
	return s.changeBranch(ctx, w, "metadata.yaml", func(ctx context.Context, tx *Transaction, tip *Tip) (*Draft, error) {
		c, err := tx.Follow(ctx, tip, "Refresh metadata")
		if err != nil {
			return nil, err
		}
		before, err := c.Meta.Bytes()
		if err != nil {
			return nil, err
		}
		if c.Code == "" {
			return nil, nil // no code commit yet
		}
		if err := detect.Refresh(ctx, s.repo, c.Meta, c.Code, ""); err != nil {
			return nil, err
		}
		after, err := c.Meta.Bytes()
		if err != nil || string(after) == string(before) {
			return nil, err
		}
		return c, nil
	})
}

// editMetadata commits one change of metadata.yaml, unless it changes nothing.
func (s *Store) editMetadata(ctx context.Context, w Writer, path, subject string, edit func(*doc.Metadata) error) (Change, error) {
	return s.changeBranch(ctx, w, path, func(ctx context.Context, tx *Transaction, tip *Tip) (*Draft, error) {
		c, err := tx.Follow(ctx, tip, prose.OneLine(subject, 200))
		if err != nil {
			return nil, err
		}
		before, err := c.Meta.Bytes()
		if err != nil {
			return nil, err
		}
		if err := edit(c.Meta); err != nil {
			return nil, metadataError(path, err)
		}
		after, err := c.Meta.Bytes()
		if err != nil {
			return nil, metadataError(path, err)
		}
		if string(after) == string(before) {
			return nil, nil
		}
		if len(after) > max(doc.MetadataRoom, len(before)) {
			return nil, metadataError(path, fmt.Errorf("metadata of %d bytes is %w of %d for edits", len(after), doc.ErrOverLimit, doc.MetadataRoom))
		}
		was, err := doc.ParseMetadata(before)
		if err != nil {
			return nil, err
		}
		return c, c.RecordRemovedKeys(was)
	})
}

// metadataError puts what the document says of a path or a value into our words.
func metadataError(path string, err error) error {
	if _, ok := err.(*fail.Error); ok {
		return err
	}
	return &fail.Error{Code: fail.MetadataInvalid, Kind: fail.ErrInvalid, Err: err, Hints: []string{"git context metadata"},
		Message: fmt.Sprintf("cannot change '%s'", prose.OneLine(path, 100))}
}

// changeBranch makes one memory commit on the current branch that is no
// commit. build returns nil where there is nothing to change.
func (s *Store) changeBranch(ctx context.Context, w Writer, path string,
	build func(context.Context, *Transaction, *Tip) (*Draft, error)) (Change, error) {
	return OnBranch(ctx, s, "", func(branch string) (Change, error) { return s.ChangeBranch(ctx, branch, w, path, build) })
}

// ChangeBranch makes one memory commit without an entry on a branch, for one path. build makes it on
// top of the tip, and is called again if the branch has moved; nil is no change.
func (s *Store) ChangeBranch(ctx context.Context, branch string, w Writer, path string,
	build func(context.Context, *Transaction, *Tip) (*Draft, error)) (Change, error) {
	tx, err := s.Begin(ctx, w, "change: "+prose.OneLine(path, 100), branch)
	if err != nil {
		return Change{}, err
	}
	defer tx.Close()
	res := Change{Branch: branch, Path: path}
	var p Pending
	newest := ""
	err = tx.Swap(ctx, func(ctx context.Context) error {
		tip, err := s.Tip(ctx, branch)
		if err != nil {
			return err
		}
		c, err := build(ctx, tx, tip)
		if err != nil {
			return err
		}
		if res.Unchanged = c == nil; res.Unchanged {
			res.Commit = tip.commit.ID
			return ErrNothing
		}
		if p, err = s.Pending(ctx, tip); err != nil {
			return err
		}
		commit, err := tx.Write(ctx, c, tip.commit.ID)
		if err != nil {
			return err
		}
		res.Commit, res.Subject = commit.ID, c.Subject
		if c.Restores != "" { // it has entries that were not there before
			newest = c.Newest
		}
		return nil
	})
	if err != nil || res.Unchanged {
		return res, err
	}
	res.Warnings = tx.LateWarnings(tx.Mark(ctx, branch, p.Untouched(), res.Commit, 0, newest), nil)
	return res, nil
}

// Change is the answer of every command that made one memory commit for one
// path: a key path of metadata.yaml, a topic, a tag.
type Change struct {
	Commit git.ID `json:"commit"`
	Branch string `json:"branch"`
	Path   string `json:"path"`

	Subject   string   `json:"-"` // of the commit that was made; "" for a tag
	Unchanged bool     `json:"-"`
	Replaced  bool     `json:"-"`
	Warnings  []string `json:"-"`
}
