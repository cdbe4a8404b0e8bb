package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// alternates are the object directories that this repository borrows from, at any
// remove. lost is what git says of one that it cannot use, and passes over: it may be on
// a disk that is not mounted.
func (r *Repo) alternates(ctx context.Context) (dirs []string, lost string, err error) {
	_, err = os.Stat(filepath.Join(r.objectDir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) && r.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES") == "" {
		return nil, "", nil
	}
	var said tail
	out, err := r.start(ctx, command{env: r.childEnv, args: []string{"count-objects", "-v"}, said: &said})
	if err != nil {
		return nil, "", err
	}
	for line := range strings.Lines(string(out)) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "alternate: "); ok {
			if plain, err := strconv.Unquote(dir); err == nil {
				dir = plain // git quotes odd names as C does
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs, complaint(said.String()), nil
}

// missing says what it means that git has no object of an id: ErrNotFound, as err says,
// unless it may stand where objects are borrowed from and nobody can look now. Absent and
// not to be read are different things: refs were moved back else, topics forgotten.
func (r *Repo) missing(ctx context.Context, id string, err error) error {
	_, lost, asked := r.alternates(ctx)
	switch {
	case asked != nil:
		return fmt.Errorf("cannot read '%s': %w", shown(id), asked)
	case lost != "":
		return fmt.Errorf("cannot read '%s', which may be borrowed: %s", shown(id), lost)
	}
	return err
}
