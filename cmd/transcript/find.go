package transcript

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/hooks/zst"
)

// Findable returns the names of the agents whose transcripts All finds.
func Findable() (names []string) {
	for _, c := range clients() {
		if c.place != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// All returns the transcripts that a client keeps in the user's directories, of whatever repository
// they are. The environment says where they are. A client that is not installed has none.
func All(name string, getenv func(string) string) (files []sessions.File, err error) {
	for _, c := range clients() {
		own, ok := settings.Find(c.name)
		dir := own.Dir(settings.Place{Getenv: getenv})
		if c.name != name || c.place == "" || !ok || dir == "" {
			continue
		}
		for place := range strings.SplitSeq(c.place, ":") {
			walk := func(path string, d fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
					return nil
				}
				if err == nil && strings.HasSuffix(strings.TrimSuffix(path, zst.Suffix), ".jsonl") && d.Type().IsRegular() {
					files = append(files, fileOf(c, path))
				}
				return err
			}
			if err := filepath.WalkDir(filepath.Join(dir, place), walk); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}
