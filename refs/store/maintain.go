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

// maintain starts a gc in the background, if one is due after a change that made id. It
// costs one change in 32 the listing of a folder, and one in a hundred or so the start of
// a process; neither delays what was asked for by more than that, and nothing that fails
// here concerns it.
func (s *Store) maintain(id git.ID) {
	if s.program == "" || !sampled(id) {
		return
	}
	if s.repo.Getenv("GIT_OBJECT_DIRECTORY") != "" { // objects that somebody has not taken in yet
		return
	}
	cfg, err := s.repo.Config(context.Background()) // it is known by now
	if err != nil {
		return
	}
	least, err := GCThreshold(cfg)
	if err != nil || least == 0 || s.repo.LooseEstimate(id) < least {
		return
	}
	if info, err := os.Stat(s.StatePath(GCLog)); err == nil && s.Clock().Sub(info.ModTime()) < gcPause {
		return
	}
	if err := s.repo.StartBehind(s.program, "git-context", "gc", "--auto"); err != nil {
		_ = s.LogGC(err) // there is no one else to tell
	}
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
