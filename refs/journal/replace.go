package journal

import (
	"errors"
	"fmt"
	"os"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
)

// CompactAt is the size in bytes above which a COMMIT replaces the journal. Below it a mark
// is enough: replacing a file costs a millisecond, a mark nothing. What is carried on stays
// below it, so that as much is dropped each time.
const CompactAt = 2 * KeepBytes

// Compact replaces the journal by a new one that contains the lines after m.Upto, and m as its
// newest mark. Before them it carries on up to [KeepBytes] of what commits took. The lock need
// not be moved: a writer that waits for the old file finds that the path no longer names it.
//
// It fails on a journal with two names, which an interrupted rename leaves.
func (j *Journal) Compact(journal string, m Mark) error {
	c, bad, err := j.pending(m.Upto)
	if err != nil {
		return err
	}
	m.fit()
	h := Head{Journal: journal, Committed: m.Committed, Step: max(m.Step, j.step), ID: max(m.ID, j.id)}
	n := &Mended{Head: h, Bad: bad, said: m.Said} // unreadable lines are kept for fsck and for people
	for _, l := range c.Lines {
		n.Lines = append(n.Lines, l.Raw)
	}
	if n.past, err = j.past(h, m.Upto); err != nil {
		return err
	}
	return j.mend(n)
}

// replace writes a new file beside the old one and renames it over the old one. Only the
// owner of the lock does this, so that the new file can have a fixed name.
func (j *Journal) replace(data []byte) (err error) {
	info, err := j.f.Stat()
	if err != nil {
		return err
	}
	tmp := j.path + ".new"
	f, err := git.OpenStateFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	if err = f.Chmod(info.Mode().Perm()); err == nil { // independent of this process's umask
		_, err = f.Write(data)
	}
	if err == nil && j.sync {
		err = syncData(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		fault.Point("before-journal-rename")
		err = os.Rename(tmp, j.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replace journal: %w", err), os.Remove(tmp))
	}
	return nil
}

// Empty removes all lines from the journal; their content must be in git. A writer that
// waits for the lock treats the journal as missing.
func (j *Journal) Empty() error {
	if err := j.f.Truncate(0); err != nil {
		return fmt.Errorf("empty journal: %w", err)
	}
	j.size = 0
	return nil
}

// Restart writes the first line into an emptied journal.
func (j *Journal) Restart(h Head) error {
	line, err := jsonLine(h)
	if err != nil {
		return err
	}
	j.step, j.id = h.Step, h.ID
	return j.write(line)
}

// Remove deletes the locked journal. A writer that waits for the lock treats it as missing.
func (j *Journal) Remove() error {
	err := os.Remove(j.path)
	fault.Point("after-journal-removed")
	return err
}

// Filter replaces the journal by a new one that begins with h and contains the steps after
// upto as keep returns them: the same line, another line with the same end (see the package
// comment), or nil for a step to expunge, whose number and id are not given to other steps.
// Lines that cannot be parsed and the ".torn" file are dropped, because their content is
// unknown.
//
// As with Compact, the lock need not be moved. It fails on a journal with two names, which
// an interrupted rename leaves.
func (j *Journal) Filter(h Head, upto int64, keep func(Line) ([]byte, error)) error {
	c, err := j.Since(upto)
	if err != nil {
		return err
	}
	m := &Mended{Head: h}
	m.Head.Step, m.Head.ID = max(h.Step, j.step), max(h.ID, j.id)
	for _, l := range c.Lines {
		raw, err := keep(l)
		if err != nil {
			return err
		}
		if raw != nil {
			m.Lines = append(m.Lines, raw)
		}
	}
	return j.mend(m)
}
