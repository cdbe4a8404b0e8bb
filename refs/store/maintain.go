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
	if !sampled(id) {
		return
	}
	least, index := s.gcInBackground()
	if index || least > 0 && s.repo.LooseEstimate(id) >= least {
		s.startGC()
	}
}

// IndexBehind starts a gc in the background, which updates the index of searches, unless
// IndexesBehind is false: after a command that brought many entries at once, and after a
// search that found the index far behind.
func (s *Store) IndexBehind() {
	if s.IndexesBehind() {
		s.startGC()
	}
}

// IndexesBehind reports whether the index of searches is updated in the background. It is not
// where context.search.background or the gc in the background is turned off, and for an
// hour after a gc that failed.
func (s *Store) IndexesBehind() bool {
	_, index := s.gcInBackground()
	return index
}

// gcInBackground returns the number of loose objects from which a gc in the background is
// due, 0 for never, and whether one may start earlier to update the index.
func (s *Store) gcInBackground() (least int, index bool) {
	// Another program has not taken in the objects of a quarantine yet.
	if s.program == "" || s.repo.Getenv("GIT_OBJECT_DIRECTORY") != "" {
		return 0, false
	}
	cfg, err := s.repo.Config(context.Background()) // it is known by now
	if err != nil {
		return 0, false
	}
	if least, err = GCThreshold(cfg); err != nil || least == 0 {
		return 0, false
	}
	if info, err := os.Stat(s.StatePath(GCLog)); err == nil && s.Clock().Sub(info.ModTime()) < gcPause {
		return 0, false
	}
	return least, SearchBehind(cfg)
}

func (s *Store) startGC() {
	if err := s.repo.StartBehind(s.program, "git-context", "gc", "--auto"); err != nil {
		_ = s.LogGC(err) // there is no one else to tell
	}
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
