package store

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// maintain starts a gc in the background after one change in 32, chosen by what it made.
// That costs the change the start of a process, or the listing of a folder where the index
// of searches does not grow in the background and the gc is not due. Nothing that fails
// here concerns the change.
func (s *Store) maintain(id git.ID) {
	if s.program == "" || !sampled(id) {
		return
	}
	s.startGC(func(cfg *git.Config, least int) bool {
		return SearchBehind(cfg) || s.repo.LooseEstimate(id) >= least
	})
}

// IndexBehind starts a gc in the background, which updates the index of searches, and
// reports whether it could: after a command that brought many entries at once, and for a
// search that finds the index far behind. It starts none where context.search.background
// or the gc in the background is turned off.
func (s *Store) IndexBehind() bool {
	return s.program != "" && s.startGC(func(cfg *git.Config, _ int) bool { return SearchBehind(cfg) })
}

// startGC starts a gc in the background and reports whether it did. It starts none that is
// turned off, that is not due, or soon after one that failed.
func (s *Store) startGC(due func(cfg *git.Config, least int) bool) bool {
	if s.repo.Getenv("GIT_OBJECT_DIRECTORY") != "" { // objects that somebody has not taken in yet
		return false
	}
	cfg, err := s.repo.Config(context.Background()) // it is known by now
	if err != nil {
		return false
	}
	least, err := GCThreshold(cfg)
	if err != nil || least == 0 || !due(cfg, least) {
		return false
	}
	if info, err := os.Stat(s.StatePath(GCLog)); err == nil && s.Clock().Sub(info.ModTime()) < gcPause {
		return false
	}
	if err := s.repo.StartBehind(s.program, "git-context", "gc", "--auto"); err != nil {
		_ = s.LogGC(err) // there is no one else to tell
		return false
	}
	return true
}

// SearchBehind returns context.search.background. A value that git cannot read turns it off:
// a change of memory must not fail for it.
func SearchBehind(cfg *git.Config) bool {
	on, err := cfg.Bool(KeySearchBehind, true)
	return err == nil && on
}

// GCThreshold returns how many loose objects start a gc; 0 for never. Turning off git's own
// maintenance turns off ours.
func GCThreshold(cfg *git.Config) (int, error) {
	n, err := cfg.Int(keyGCAuto, defaultGCAuto)
	if err != nil {
		return 0, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), "git config "+keyGCAuto+" "+strconv.Itoa(defaultGCAuto))
	}
	theirs, err := cfg.Int("gc.auto", 1)
	if err != nil {
		return 0, err
	}
	wanted, err := cfg.Bool("maintenance.auto", true)
	if n <= 0 || theirs <= 0 || !wanted {
		return 0, err
	}
	return n, err
}

// LogGC writes why a gc in the background failed, for `git context gc` and fsck to report.
func (s *Store) LogGC(err error) error {
	return s.repo.WriteStateFile(GCLog, []byte(prose.OneLine(err.Error(), 1000)+"\n"))
}

// GCLog is the file of local state with the error of the last gc in the background.
const GCLog = "gc.log"

// gcPause is how long none is started after one that failed.
const gcPause = time.Hour

// sampled chooses one change in 32 by the hash of what it made, so that the others pay
// nothing and no counter is kept. A change writes about ten objects: a thousand are found
// out long before the user's gc begins at 6,700 of them.
func sampled(id git.ID) bool {
	if len(id) < 2 {
		return false
	}
	n, err := strconv.ParseUint(string(id[len(id)-2:]), 16, 8)
	return err == nil && n%32 == 0
}
