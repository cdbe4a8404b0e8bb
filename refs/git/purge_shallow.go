package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
)

// forgetShallow takes commits that are gone off the list of those whose parents are
// not here: a fetch that deepens a shallow clone would stumble over them.
func (p *purge) forgetShallow() error {
	path := filepath.Join(p.repo.commonDir, "shallow")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || len(p.doomed) == 0 {
		return nil
	}
	there := map[ID]bool{}
	for _, k := range p.res.Kept {
		for _, id := range k.Objects {
			there[id] = true
		}
	}
	// Git's own lock: whoever fetches holds it, and does not wait either.
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("cannot lock '%s': %w", path, err)
	}
	defer os.Remove(lock.Name()) // of no effect once renamed
	data, err := os.ReadFile(path)
	var rest strings.Builder
	for line := range strings.Lines(string(data)) {
		if id := ID(strings.TrimSpace(line)); !p.doomed[id] || there[id] {
			rest.WriteString(line)
		}
	}
	if err == nil {
		_, err = lock.WriteString(rest.String())
	}
	if err1 := lock.Close(); err == nil {
		err = err1
	}
	switch {
	case err != nil:
		return err
	case rest.Len() == len(data):
		return nil
	case rest.Len() == 0:
		return os.Remove(path)
	}
	if err := p.repo.sharing().Adjust(lock.Name()); err != nil {
		return err
	}
	fault.Point("before-shallow-rename")
	return os.Rename(lock.Name(), path)
}
