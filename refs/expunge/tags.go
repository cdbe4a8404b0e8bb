package expunge

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// TagsName is the file of local state that lists the commits that tags named here before an expunge moved them, one in a line; a tag's
// name may be what was expunged. What somebody refuses to forget comes back from there alone: a teammate can make tombstones and
// commits that fit each other.
const TagsName = "tags"

// Tagged reports whether a tag named a commit here before an expunge moved it.
func Tagged(s *store.Store, id git.ID) (bool, error) {
	lines, err := readTagged(s)
	return slices.Contains(lines, string(id)+"\n"), err
}

// listTagged adds the commits of the tags that are about to move.
func (op *Operation) listTagged(v *Refs, now map[git.ID]git.ID) error {
	var more []string
	for _, r := range v.Own() {
		if strings.HasPrefix(r.Name, git.TagPrefix) && now[r.ID] != r.ID {
			more = append(more, string(r.ID)+"\n")
		}
	}
	if len(more) == 0 {
		return nil
	}
	lines, err := readTagged(op.Store)
	if err != nil {
		return err
	}
	lines = append(lines, more...)
	slices.Sort(lines)
	return op.Store.Repo().WriteStateFile(TagsName, []byte(strings.Join(slices.Compact(lines), "")))
}

func readTagged(s *store.Store) ([]string, error) {
	data, err := git.ReadStateFile(s.StatePath(TagsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return slices.Collect(strings.Lines(string(data))), err
}
