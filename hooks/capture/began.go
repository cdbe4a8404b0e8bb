package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/git-context/git-context/hooks/agent"
)

// What state.Began says of where a session began.
const (
	beganHere      = "here"
	beganElsewhere = "elsewhere"
)

// errElsewhere is the error for a session of another repository.
var errElsewhere = errors.New("the session began in another repository")

// checkBegan returns errElsewhere for a session that began in another repository. What is read of a
// transcript does not say it: the agent may be anywhere by then, and its client calls the hooks of where
// it is. The answer is remembered, because a transcript that was rewritten may begin elsewhere than the
// session did. Of a session whose transcript never says it, it is that it began here once something was read.
func (c *capturing) checkBegan(f file, r *agent.Report) error {
	switch {
	case c.turn.Spooled: // Spool has looked at Turn.Began
		return nil
	case c.state.Began == beganHere:
		return nil
	}
	dir, err := c.began(f)
	if err != nil {
		return err
	}
	here, err := c.here(dir)
	switch {
	case err != nil:
		return err
	case !here:
		return errElsewhere
	case dir != "" || len(r.Turns) > 0:
		c.state.Began = beganHere
	}
	return nil
}

// began returns the directory where a session began: a subagent's is that of its parent, whose agent
// may have been elsewhere when it started the subagent. It is "" if no transcript says it.
func (c *capturing) began(f file) (dir string, err error) {
	if c.turn.Subagent != "" && c.turn.Parent != "" {
		if dir, err = c.beganIn(c.turn.Parent); err != nil || dir != "" {
			return dir, err
		}
	}
	return c.beginning(f)
}

// beganIn is began for the transcript at a path, which may not exist.
func (c *capturing) beganIn(path string) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	return c.beginning(f)
}

// headSizes are how many bytes of a transcript are read to find out where its session began. The first
// records may be large: a client's instructions, or a picture in a prompt.
var headSizes = [...]int64{64 << 10, 2 << 20, 1 << 62}

// beginning returns the first directory that a transcript names.
func (c *capturing) beginning(f file) (string, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	for _, head := range headSizes {
		none := func(agent.Step) error { return nil }
		report, err := c.turn.Decode(io.NewSectionReader(f, 0, head), agent.Start{Session: c.turn.session()}, none)
		if err != nil && !errors.Is(err, agent.ErrForeign) { // of a part: its first line may be longer
			return "", err
		}
		if report.Dir != "" || head >= size {
			return report.Dir, nil
		}
	}
	return "", nil
}
