package git

import (
	"slices"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// The user's filters stay, the repository's go, also where it replaces one of the user's.
func TestParseFilters(t *testing.T) {
	t.Parallel()
	list := "global\x00filter.lfs.clean\ngit-lfs clean\x00global\x00filter.lfs.required\ntrue\x00" +
		"global\x00filter.both.clean\nmine\x00local\x00filter.both.clean\ntheirs\x00worktree\x00filter.a=b.process\nthem\x00" +
		"local\x00core.bare\nfalse\x00local\x00filter.both.smudge\ntheirs\x00"
	own, ours, err := parseFilters(list)
	gittest.Must(t, err)
	if !slices.Equal(own, []string{"filter.both", "filter.a=b"}) || ours["filter.both.clean"] != "mine" || ours["filter.lfs.clean"] != "git-lfs clean" {
		t.Errorf("%q %q", own, ours)
	}
	if _, _, err := parseFilters("local"); err == nil {
		t.Error("half a variable is understood")
	}
}
