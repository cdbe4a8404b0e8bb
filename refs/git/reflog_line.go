package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// MoveTo returns the newest line of a ref's reflog that goes to an object, and who moved the ref and when; false for none. The object
// may be gone. Where refs are no files, git does not tell who made such a line, or when and why: then who is zero and the reason "".
func (r *Repo) MoveTo(ctx context.Context, ref string, id ID) (m RefMove, who Signature, found bool, err error) {
	moves, err := r.Moves(ctx, ref)
	if err != nil {
		return m, who, false, err
	}
	for _, move := range slices.Backward(moves) {
		if found = move.New == id; found {
			m = move
			break
		}
	}
	if !found || !r.format.refFiles {
		return m, who, found, nil
	}
	data, err := disk.ReadFollowed(filepath.Join(r.commonDir, "logs", filepath.FromSlash(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return m, who, found, nil
	}
	if err != nil {
		return m, who, found, fmt.Errorf("cannot read the reflog of '%s': %w", ref, err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(line, " ", 3)
		if len(f) < 3 || ID(f[1]) != id {
			continue
		}
		by, _, _ := strings.Cut(strings.TrimSuffix(f[2], "\n"), "\t")
		if at, err := parseSignature(by); err == nil { // git leaves out a line that cannot be read
			who = at
		}
	}
	return m, who, found, nil
}

// CommitID returns the id that a commit has or would have.
func (r *Repo) CommitID(c *Commit) ID { return hashObject("commit", c.Encode(), r.hexLen()) }
