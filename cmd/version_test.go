package cmd

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	ours := func(version string) debug.Module { return debug.Module{Path: module, Version: version} }
	vcs := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0a1b2c"}}
	other := debug.Module{Path: "example.com/agent", Version: "v9.9.9"}
	dep := ours("v1.2.3")
	replaced := ours("v1.2.3")
	replaced.Replace = &debug.Module{Path: "../git-context"}
	forked := ours("v1.2.3")
	forked.Replace = &debug.Module{Path: "example.com/fork", Version: "v1.2.4"}
	for _, test := range []struct {
		name            string
		info            *debug.BuildInfo
		version, commit string // of the linker
		want, from      string
	}{
		{"make", &debug.BuildInfo{Main: ours("v1.2.4-0.20261121013705-0a1b2c"), Settings: vcs}, "v1.2.3", "ffff", "v1.2.3", "ffff"},
		{"go install MODULE@v1.2.3", &debug.BuildInfo{Main: ours("v1.2.3")}, "", "", "v1.2.3", ""},
		{"go build in a checkout", &debug.BuildInfo{Main: ours("v1.2.4-0.20261121013705-0a1b2c+dirty"), Settings: vcs}, "", "",
			"v1.2.4-0.20261121013705-0a1b2c+dirty", "0a1b2c"},
		{"go build -buildvcs=false", &debug.BuildInfo{Main: ours("(devel)")}, "", "", "devel", ""},
		{"another program", &debug.BuildInfo{Main: other, Settings: vcs, Deps: []*debug.Module{&other, &dep}}, "", "", "v1.2.3", ""},
		{"another program beside a checkout", &debug.BuildInfo{Main: other, Deps: []*debug.Module{&replaced}}, "", "", "devel", ""},
		{"another program with a fork", &debug.BuildInfo{Main: other, Deps: []*debug.Module{&forked}}, "", "", "v1.2.4", ""},
		{"no build information", nil, "", "", "devel", ""},
	} {
		got := runVersion(test.info, test.version, test.commit)
		from := ""
		if got.Commit != nil {
			from = *got.Commit
		}
		if got.Version != test.want || from != test.from || got.Go == "" {
			t.Errorf("%s: %q of commit %q, want %q of %q", test.name, got.Version, from, test.want, test.from)
		}
	}
}
