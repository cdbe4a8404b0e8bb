package cmd

import (
	"os"
	"path/filepath"
)

// otherPrograms returns the paths of other programs that are called git-context and are on the PATH: those
// that come before this one, which `git context` runs instead of it, and those behind it. Other projects
// have a program of that name too.
func otherPrograms(env *Env) (before, behind []string) {
	self, err := os.Stat(env.Program)
	if err != nil { // Program is not known
		return nil, nil
	}
	found := false
	var seen []os.FileInfo
	for _, dir := range filepath.SplitList(env.getenv("PATH")) {
		path := filepath.Join(dir, "git-context")
		info, err := os.Stat(path)
		switch {
		case err != nil || info.IsDir() || info.Mode()&0o111 == 0:
			continue
		case os.SameFile(info, self):
			found = true
			continue
		case sameFile(seen, info): // a directory that is there twice, or a link to another
			continue
		}
		seen = append(seen, info)
		if found {
			behind = append(behind, path)
		} else {
			before = append(before, path)
		}
	}
	return before, behind
}

func sameFile(list []os.FileInfo, info os.FileInfo) bool {
	for _, other := range list {
		if os.SameFile(other, info) {
			return true
		}
	}
	return false
}

// warnShadowed says that `git context` runs another program than this one, if it does. That is no fault of
// the memory.
func (e *Env) warnShadowed() {
	if before, _ := otherPrograms(e); len(before) > 0 {
		e.warn("'git context' runs %s, not this program; put %s before %s in the PATH", before[0],
			filepath.Dir(e.Program), filepath.Dir(before[0]))
	}
}
