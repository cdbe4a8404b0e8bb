package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// floor is what an operation does that nothing can spare it: refs that move, objects
// that it makes.
type floor struct {
	refs, symbolic, objects int
	bytes                   int64
	commits                 [2]string
}

// floorOf looks what one run of an operation does.
func (r *repo) floorOf(run func() error) (floor, error) {
	objects, size, err := r.loose()
	if err != nil {
		return floor{}, err
	}
	refs, err := r.refs()
	if err != nil {
		return floor{}, err
	}
	head, err := r.head()
	if err != nil {
		return floor{}, err
	}
	if err := run(); err != nil {
		return floor{}, err
	}
	objectsNow, sizeNow, err := r.loose()
	if err != nil {
		return floor{}, err
	}
	refsNow, err := r.refs()
	if err != nil {
		return floor{}, err
	}
	maps.DeleteFunc(refsNow, func(name, id string) bool { return refs[name] == id })
	f := floor{refs: len(refsNow), objects: max(objectsNow-objects, 0), bytes: max(sizeNow-size, 0)}
	if now, err := r.head(); err != nil {
		return floor{}, err
	} else if now != head {
		f.symbolic = 1
	}
	for i := range 256 { // as objects of so many milestones have made them
		if err := os.MkdirAll(filepath.Join(r.own, ".git", "floor", fmt.Sprintf("%02x", i)), 0o777); err != nil {
			return floor{}, err
		}
	}
	for i, rev := range []string{"trunk", "trunk~1"} {
		cmd := r.command("git", "rev-parse", "--verify", rev)
		cmd.Dir = r.own
		out, err := cmd.Output()
		if err != nil {
			return floor{}, err
		}
		f.commits[i] = strings.TrimSpace(string(out))
	}
	return f, nil
}

// run does just that, beside git's own commands.
func (f floor) run(r *repo) (time.Duration, error) {
	each := f.bytes / int64(max(f.objects, 1))
	return r.time(r.own, r.b.floor, strconv.Itoa(f.refs), strconv.Itoa(f.symbolic), strconv.Itoa(f.objects),
		strconv.FormatInt(each, 10), f.commits[0], f.commits[1])
}

// loose counts the loose objects.
func (r *repo) loose() (n int, size int64, err error) {
	dir := filepath.Join(r.dir, ".git", "objects")
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(filepath.Base(filepath.Dir(path))) != 2 {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n, size = n+1, size+info.Size()
		}
		return err
	})
	return n, size, err
}

// head is the branch that is current in memory.
func (r *repo) head() (string, error) {
	out, err := r.command("git", "symbolic-ref", "CONTEXT_HEAD").Output()
	return string(out), err
}

// refs lists all refs.
func (r *repo) refs() (map[string]string, error) {
	out, err := r.command("git", "for-each-ref", "--format=%(refname) %(objectname)").Output()
	list := map[string]string{}
	for line := range bytes.Lines(out) {
		name, id, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		list[name] = id
	}
	return list, err
}
