package process

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

	"github.com/git-context/git-context/refs/git/disk"
)

// ticks is how many units of /proc/<pid>/stat make a second, on every Linux of the last
// decade.
const ticks = 100

// clockSlack is how far the clocks of a file system and of processes may differ.
const clockSlack = 10 * time.Second

// UsesLock reports whether a process other than this one may own a lock file of git's:
// it existed when the file was made, age ago, and has the file open, or is a git that
// works in one of the places (directories, or files below them). It sees the processes
// of this user on this machine only; on systems other than Linux it reports false, and
// the age of a lock file must do.
func UsesLock(lock string, places []string, age time.Duration) (bool, error) {
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
		if !p.read() {
			continue
		}
		if p.mayBeAsOld(age, up) && p.uses(places, lock) {
			return true, nil
		}
	}
	return false, nil
}

// process is an entry of /proc.
type process struct {
	dir     string
	name    string
	args    []string
	started time.Duration // after the system
}

// read reads the name, the arguments and the start of a process. It reports false for a
// process that has ended, or belongs to another user.
func (p *process) read() bool {
	stat, err := os.ReadFile(filepath.Join(p.dir, "stat"))
	if err != nil {
		return false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')') // a name may contain either
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

// mayBeAsOld reports whether the process may have existed age ago. One that starts after
// now belongs to a container with a clock of its own, so its age is unknown.
func (p *process) mayBeAsOld(age, now time.Duration) bool {
	lived := now - p.started
	return lived < -clockSlack || lived >= age-clockSlack
}

// uses reports whether a process has the lock file open, or is a git whose directory, or
// one of whose open files, is in one of the places.
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

// onlyReads reports whether a git lives long and moves no ref, like those that editors
// keep running: cat-file, the file system monitor.
func (p *process) onlyReads() bool {
	return slices.ContainsFunc(p.args, func(arg string) bool { return arg == "cat-file" || arg == "fsmonitor--daemon" })
}

func belowAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return disk.Within(path, dir) })
}

// uptime returns how long the system has been running.
func uptime() (time.Duration, error) {
	data, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(data), " ")
	return time.ParseDuration(first + "s")
}
