package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RefMove is one line of a ref's reflog. Old is zero where the ref was made.
type RefMove struct{ Old, New ID }

// Moves lists what became of a ref that all worktrees share, oldest first, as far as its
// reflog tells; none where git keeps none. Its objects may be gone. A line that cannot be
// read is left out, as git does.
func (r *Repo) Moves(ctx context.Context, ref string) ([]RefMove, error) {
	if !r.format.refFiles {
		return r.askRefMoves(ctx, ref)
	}
	data, err := os.ReadFile(filepath.Join(r.commonDir, "logs", filepath.FromSlash(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the reflog of '%s': %w", ref, err)
	}
	var moves []RefMove
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(line, " ", 3)
		if len(f) == 3 && isHex(f[0], r.hexLen()) && isHex(f[1], r.hexLen()) {
			moves = append(moves, RefMove{ID(f[0]), ID(f[1])})
		}
	}
	return moves, nil
}

// askRefMoves has git read a reflog that is no file: there each line begins where the one
// before it ended.
func (r *Repo) askRefMoves(ctx context.Context, ref string) ([]RefMove, error) {
	if _, err := r.Ref(ctx, ref); err != nil {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return nil, err
	}
	out, err := r.View(ctx, "log", "--walk-reflogs", "--format=%H", "--end-of-options", ref, "--")
	if err != nil {
		return nil, err
	}
	var moves []RefMove
	old := r.ZeroID()
	lines := strings.Fields(string(out)) // newest first
	for i := len(lines) - 1; i >= 0; i-- {
		if !isHex(lines[i], r.hexLen()) {
			return nil, fmt.Errorf("git log: cannot understand '%s'", shown(lines[i]))
		}
		moves = append(moves, RefMove{old, ID(lines[i])})
		old = ID(lines[i])
	}
	return moves, nil
}
