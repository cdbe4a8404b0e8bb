package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ticks is how many of the units of /proc/<pid>/stat make a second, on every Linux that
// is not many years old.
const ticks = 100

// clockSlack is how much the clock of a file system and that of processes may differ.
const clockSlack = 10 * time.Second

// inUseFor reports whether a process may still own a lock file: it was there when the file
// was made, so long ago, and holds it open, or is one of git's that works in this
// repository. Those of other users cannot be seen, nor those on other machines.
func (r *Repo) inUseFor(lock string, age time.Duration) (bool, error) {
	worktrees, err := r.HeadNames()
	if err != nil {
		return false, err
	}
	places := []string{r.commonDir, r.gitDir}
	for _, h := range worktrees {
		places = append(places, h.Path)
	}
	if r.workTree != "" {
		places = append(places, r.workTree)
	}
	list, err := os.ReadDir("/proc")
	if errors.Is(err, fs.ErrNotExist) { // not mounted
		return false, nil
	}
	if err != nil {
		return false, err
	}
	up, err := uptime()
	if err != nil {
		return false, err
	}
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		p := process{dir: filepath.Join("/proc", e.Name())}
		// What vanishes while it is looked at, or is another user's, is passed over.
		if !p.read() {
			continue
		}
		if p.mayBeAsOld(age, up) && p.uses(places, lock) {
			return true, nil
		}
	}
	return false, nil
}

// process is what /proc says of one.
type process struct {
	dir     string
	name    string
	args    []string
	started time.Duration // after the system
}

// read reads the process's name, its arguments and when it was started; false where it is
// gone, or somebody else's.
func (p *process) read() bool {
	stat, err := os.ReadFile(filepath.Join(p.dir, "stat"))
	if err != nil {
		return false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')') // a name may hold either
	if open < 0 || end < open {
		return false
	}
	p.name = string(stat[open+1 : end])
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 {
		return false
	}
	begin, err := strconv.ParseInt(fields[19], 10, 64) // the 22nd of all
	if err != nil {
		return false
	}
	p.started = time.Duration(begin) * (time.Second / ticks)
	line, err := os.ReadFile(filepath.Join(p.dir, "cmdline"))
	p.args = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	return err == nil
}

// mayBeAsOld reports whether the process was there so long ago, or cannot be told: one
// that begins only after now belongs to a container that has a time of its own.
func (p *process) mayBeAsOld(age, now time.Duration) bool {
	lived := now - p.started
	return lived < -clockSlack || lived >= age-clockSlack
}

// uses reports whether a process has the lock file open, or is git's and stands in one of
// the places of a repository or holds files there open.
func (p *process) uses(places []string, lock string) bool {
	git := strings.HasPrefix(p.name, "git") && !p.onlyReads()
	if git {
		if cwd, err := os.Readlink(filepath.Join(p.dir, "cwd")); err == nil && belowAny(cwd, places) {
			return true
		}
	}
	files, err := os.ReadDir(filepath.Join(p.dir, "fd"))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(files, func(e os.DirEntry) bool {
		name, err := os.Readlink(filepath.Join(p.dir, "fd", e.Name()))
		return err == nil && (name == lock || git && belowAny(name, places))
	})
}

// onlyReads reports whether a process of git's lives long and moves no ref, as those that
// editors keep: cat-file, the file system's watcher.
func (p *process) onlyReads() bool {
	return slices.ContainsFunc(p.args, func(arg string) bool { return arg == "cat-file" || arg == "fsmonitor--daemon" })
}

func belowAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
}

// uptime is for how long the system runs.
func uptime() (time.Duration, error) {
	data, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(data), " ")
	return time.ParseDuration(first + "s")
}
