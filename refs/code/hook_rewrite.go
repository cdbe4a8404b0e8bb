package code

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// CarryRewritten is what the hook post-rewrite does: it reads which commits stand in
// the place of which, `<old> <new>` on each line of in, and carries their links over. by
// is the command that wrote them: what a rebase amends on its way is left to its end, when
// git says all of it.
func CarryRewritten(ctx context.Context, s *store.Store, w store.Writer, by string, in io.Reader) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, postRewriteLimit)
	defer cancel()
	pairs, err := readRewritten(in)
	if len(pairs) == 0 || err != nil {
		return 0, err
	}
	if by == "amend" {
		if midway, err := midRebase(ctx, s); midway || err != nil {
			return 0, err
		}
	}
	if _, err := s.Tip(ctx, ""); err != nil { // without memory nothing is linked
		return 0, err
	}
	return CarryLinks(ctx, s, w, pairs)
}

// midRebase reports whether a rebase itself amended a commit (squash, fixup) just now.
// What a person amends while one stands still may be known to nobody else.
func midRebase(ctx context.Context, s *store.Store) (bool, error) {
	rebasing, err := s.Repo().Rebasing()
	if !rebasing || err != nil {
		return false, err
	}
	last, err := s.Repo().LastMove(ctx)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return strings.HasPrefix(last.Reason, "rebase (squash)") || strings.HasPrefix(last.Reason, "rebase (fixup)") ||
		strings.HasPrefix(last.Reason, "rebase -i (squash)") || strings.HasPrefix(last.Reason, "rebase -i (fixup)"), err
}

// readRewritten reads what git gives the hook. Something may follow the second name.
func readRewritten(in io.Reader) ([]Rewritten, error) {
	var pairs []Rewritten
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 2 || !git.IsID(fields[0]) || !git.IsID(fields[1]) {
			return nil, fmt.Errorf("'%s' does not name two commits", prose.OneLine(lines.Text(), 100))
		}
		pairs = append(pairs, Rewritten{Old: git.ID(fields[0]), New: git.ID(fields[1])})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read which commits were rewritten: %w", err)
	}
	return pairs, nil
}
