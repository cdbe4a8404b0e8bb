package remote_test

import (
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/remote"
)

// A name that a remote may have counts as that remote's; what may be anybody's is judged by the
// strictest setting.
func TestVerifySettings(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	for _, name := range []string{"up", "hub", "hub/b"} {
		r.Git("config", "remote."+name+".url", "/nowhere/"+name) // newer git refuses to add hub/b beside hub
	}
	r.Git("config", "context.hub.verify", "warn")
	r.Git("config", "context.hub/b.verify", "require")
	s, ctx := r.Open(), t.Context()
	for _, c := range []struct {
		rev  string
		want remote.Verify
	}{
		{"up/main", remote.VerifyOff}, {"hub/main", remote.VerifyWarn}, {"hub/main~2", remote.VerifyWarn},
		{"hub/b/main", remote.VerifyRequire}, {"refs/context/remotes/hub/heads/x", remote.VerifyWarn},
		{"0123456789", remote.VerifyRequire}, {"hub", remote.VerifyRequire},
	} {
		if got := memtest.OK(remote.VerifyFor(ctx, s, c.rev))(t); got != c.want {
			t.Errorf("%s: %d, want %d", c.rev, got, c.want)
		}
	}
	for want, peer := range []remote.Remote{{Name: "up"}, {Name: "hub"}, {Name: "a/file", Bundle: true}} {
		if got := memtest.OK(remote.VerifyOf(ctx, s, peer))(t); got != remote.Verify(want) {
			t.Errorf("%+v: %d, want %d", peer, got, want)
		}
	}
	r.Git("config", "context.up.verify", "Require")
	s = r.Open()
	memtest.ErrorSays(t, memtest.Err(remote.Find(ctx, s, "up")), fail.ConfigInvalid, "context.up.verify is 'Require'")
	memtest.ErrorSays(t, memtest.Err(remote.VerifyFor(ctx, s, "hub/main")), fail.ConfigInvalid, "context.up.verify")
}
