package git

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/git-context/git-context/refs/git/process"
)

// StartBehind starts a program that goes on when this process has ended: in a session of
// its own, with no terminal, no output and no open file of ours, and so with none of our
// locks. args begin with its name. It sees the repository that was found. What becomes of
// it is not known here; it is waited for, should this process outlive it.
func (r *Repo) StartBehind(path string, args ...string) error {
	cmd := exec.Command(path)
	cmd.Args, cmd.Dir, cmd.Env = args, r.gitDir, r.childEnv
	process.OwnSession(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// LooseEstimate is about how many loose objects there are, by how many stand in the same
// folder as one of them: they are spread evenly.
func (r *Repo) LooseEstimate(id ID) int {
	if !isHex(string(id), r.hexLen()) {
		return 0
	}
	dir, err := os.Open(filepath.Dir(r.LoosePath(id)))
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0
	}
	return 256 * len(names)
}
