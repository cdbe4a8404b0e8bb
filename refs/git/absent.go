package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// Absent lists what tips reach and a partial clone has not fetched yet, without fetching
// it; nil where this is no partial clone. Whoever looks at everything must not ask for
// these: git would fetch them one by one.
func (r *Repo) Absent(ctx context.Context, tips []ID) (map[ID]bool, error) {
	promised, err := disk.Glob(filepath.Join(r.objectDir, "pack"), "*.promisor")
	if err != nil || len(promised) == 0 || len(tips) == 0 {
		return nil, err
	}
	var in bytes.Buffer
	for _, id := range tips {
		fmt.Fprintln(&in, id)
	}
	absent := map[ID]bool{}
	out := &lines{each: func(line []byte) error {
		if id, missing := bytes.CutPrefix(line, []byte("?")); missing {
			absent[ID(id)] = true
		}
		return nil
	}}
	err = r.stream(ctx, command{args: []string{"rev-list", "--objects", "--no-object-names", "--missing=print", "--stdin"}, stdin: in.Bytes()}, out)
	return absent, err
}

// Shallow lists the commits whose parents a shallow clone leaves out.
func (r *Repo) Shallow() (map[ID]bool, error) {
	data, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	edge := map[ID]bool{}
	for line := range strings.Lines(string(data)) {
		edge[ID(strings.TrimSpace(line))] = true
	}
	return edge, err
}

// LooseFile is the file that an object is in, if it is in one of its own here.
func (r *Repo) LooseFile(id ID) (string, bool) {
	if !isHex(string(id), r.hexLen()) {
		return "", false
	}
	path := r.loosePath(id)
	_, err := os.Lstat(path)
	return path, err == nil
}
