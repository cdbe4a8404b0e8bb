package expunge

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// TagsName is the file of local state that lists the commits that tags named here before an expunge moved them, one on each line. The
// names of the tags are not in it: a name may be what was expunged. When somebody refuses to forget something, a tag goes back to one of
// these commits only, because a teammate can make a commit and tombstones that fit each other.
const TagsName = "tags"

// Tagged returns the commits that tags named here before an expunge moved them.
func Tagged(s *store.Store) (map[git.ID]bool, error) {
	lines, err := readTagged(s)
	tagged := map[git.ID]bool{}
	for _, line := range lines {
		tagged[git.ID(strings.TrimSuffix(line, "\n"))] = true
	}
	return tagged, err
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
