package expunge

import (
	"context"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// refuseUnverified refuses a revision that brings a commit which no known signer has signed, or
// warns of it, as context.<remote>.verify says.
func refuseUnverified(ctx context.Context, s *store.Store, at git.Ref) error {
	demand, err := remote.VerifyFor(ctx, s, at.Name)
	if err != nil || demand == remote.VerifyOff {
		return err
	}
	return incoming.CheckSigned(ctx, s, at.ID, "'"+at.Name+"'", demand == remote.VerifyWarn, "")
}
