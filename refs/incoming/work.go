package incoming

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// CheckWork returns nil if a ref names code that git context has handed over: a commit in the form of an
// entry of git stash, by its parents and its subject, whose contents are here and have at most
// [store.MaxWork] bytes in [git.MostStashFiles] files. Otherwise it returns a refusal as [Check] does. The code commits beneath
// are not looked at: git checks them, and no command of memory reads them.
func CheckWork(ctx context.Context, s *store.Store, ref git.Ref) error {
	no := func(what string, cause error) error {
		return refuse(ref.Name, what, cause, show(ref.ID))
	}
	st, err := s.Repo().ReadStash(ctx, ref.ID)
	switch {
	case Unreadable(err):
		return no("its commit cannot be read", err)
	case err != nil && ctx.Err() == nil:
		return no("it is no handed over code", err)
	case err != nil:
		return err
	case !strings.HasSuffix(st.Subject, store.WorkSubject):
		return no(fmt.Sprintf("its subject '%s' is not that of handed over code", git.Shown(st.Subject)), nil)
	}
	content, err := s.Repo().StashContent(ctx, st)
	switch {
	case Unreadable(err):
		return no("its contents cannot be read", err)
	case errors.Is(err, git.ErrStashTooLarge):
		return no(err.Error(), nil)
	case err != nil:
		return err
	case content.Bytes > store.MaxWork:
		return no(fmt.Sprintf("it has %d bytes; at most %d are allowed", content.Bytes, store.MaxWork), nil)
	}
	return nil
}
