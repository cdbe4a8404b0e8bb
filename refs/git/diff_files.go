package git

import (
	"context"
	"fmt"
	"strings"
)

// ChangedFile is a file that a commit changes.
type ChangedFile struct {
	Commit ID
	Path   string
	New    ID   // "" if the commit removes it
	Old    []ID // its contents in the parents that have it
}

// ChangedFiles visits the files of some commits that differ from those of all parents of the
// commit, with one git diff-tree. The commits must exist. The commit of a submodule is no file.
func (r *Repo) ChangedFiles(ctx context.Context, commits []ID, visit func(ChangedFile) error) error {
	var in strings.Builder
	for _, id := range commits {
		in.WriteString(string(id) + "\n")
	}
	fields, err := zList(r.RunInput(ctx, []byte(in.String()),
		"diff-tree", "-r", "-z", "-c", "--root", "--no-renames", "--stdin"))
	if err != nil {
		return err
	}
	var commit ID
	for at := 0; at < len(fields); at++ {
		if id := strings.TrimSuffix(fields[at], "\n"); r.IsID(id) {
			commit = ID(id)
			continue
		}
		f := ChangedFile{Commit: commit}
		ids, ok := r.rawIDs(fields[at])
		if at++; !ok || at == len(fields) || commit == "" {
			return fmt.Errorf("git diff-tree: cannot understand '%s'", Shown(fields[at-1]))
		}
		f.Path = fields[at]
		for _, id := range ids[:len(ids)-1] {
			if !id.IsZero() {
				f.Old = append(f.Old, id)
			}
		}
		if last := ids[len(ids)-1]; !last.IsZero() {
			f.New = last
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// rawIDs reads the ids of git's raw format: ":MODE MODE ID ID STATUS", with a colon, a mode and an id
// more for each further parent.
func (r *Repo) rawIDs(line string) ([]ID, bool) {
	rest := strings.TrimLeft(line, ":")
	n := len(line) - len(rest) + 1
	parts := strings.Fields(rest)
	if n < 2 || len(parts) != 2*n+1 {
		return nil, false
	}
	ids := make([]ID, n)
	for i, part := range parts[n : 2*n] {
		if !r.IsID(part) {
			return nil, false
		}
		if ids[i] = ID(part); parts[i] == "160000" { // the commit of a submodule is no file
			ids[i] = r.ZeroID()
		}
	}
	return ids, true
}
