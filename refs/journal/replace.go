package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/git-context/git-context/refs/fault"
)

// CompactAt is the size past which a COMMIT replaces the journal. Below it a
// mark is enough: replacing a file costs a millisecond, a mark nothing.
const CompactAt = 64 << 10

// Compact replaces the journal by a new one that begins with h and keeps what
// stands behind upto. The lock moves to the new file's name by itself: a writer
// that waits for the old one finds that it is no longer the one by that name.
func (j *Journal) Compact(h Head, upto int64) error {
	h.Step, h.ID = max(h.Step, j.step), max(h.ID, j.id)
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	rest := make([]byte, j.size-upto)
	if _, err := j.f.ReadAt(rest, upto); err != nil {
		if len(rest) > 0 {
			return fmt.Errorf("read journal: %w", err)
		}
	}
	c, err := Parse(append(data, rest...))
	if err != nil {
		return err
	}
	if len(c.Bad) > 0 { // unreadable is not absent: kept for fsck and people
		if err := appendFile(j.path+".torn", rest); err != nil {
			return err
		}
	}
	for _, l := range c.Lines { // marks speak of the old file's offsets: steps only
		data = append(append(data, l.Raw...), '\n')
	}
	return j.replace(data)
}

// replace writes a new file beside the old one and renames it over. Only the
// holder of the lock does this, so that the name of the new file may be fixed.
func (j *Journal) replace(data []byte) (err error) {
	info, err := j.f.Stat()
	if err != nil {
		return err
	}
	tmp := j.path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	if err = f.Chmod(info.Mode().Perm()); err == nil { // whatever the umask of this process
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

// Empty takes every line out of the journal; what it held must be in git. A
// writer that waits for it finds it as good as missing.
func (j *Journal) Empty() error {
	if err := j.f.Truncate(0); err != nil {
		return fmt.Errorf("empty journal: %w", err)
	}
	j.size = 0
	return nil
}

// Restart writes the first line into a journal that was emptied.
func (j *Journal) Restart(h Head) error {
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	j.step, j.id = h.Step, h.ID
	return j.write(append(line, '\n'))
}

// Remove deletes the journal while it is locked: who waits for it finds it gone.
func (j *Journal) Remove() error {
	err := os.Remove(j.path)
	fault.Point("after-journal-removed")
	return err
}
