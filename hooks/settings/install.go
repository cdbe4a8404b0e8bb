package settings

import "fmt"

// Effect is the effect on the file of a client.
type Effect string

// The effects of Install and Uninstall.
const (
	Installed Effect = "installed"
	Mended    Effect = "mended" // entries were missing or double, or the plugin was of another version
	Unchanged Effect = "unchanged"
	Removed   Effect = "removed"
	Left      Effect = "left" // something of ours remains, which Note names
)

// Change is the effect on one file.
type Change struct {
	Name   string `json:"name"` // of the client, or NameInstructions or NameSkill
	Path   string `json:"path"`
	Effect Effect `json:"did"`
	Owner  string `json:"owner"` // see State
	Level  Level  `json:"level"`
	Note   string `json:"note,omitempty"`
}

// Check returns why Install would refuse; nil if it would not. It changes nothing. The error is an
// *Error.
func Check(c Client, p Place, level Level) error {
	at, err := c.main(p, level)
	if err != nil {
		return err
	}
	if err := c.elsewhere(p, at); err != nil {
		return err
	}
	if err := at.mayWrite(c.locations(p, User)); err != nil {
		return err
	}
	f, err := load(at.path)
	if err == nil {
		_, err = c.install(f)
	}
	return err
}

// Install adds the entries of a client to its file of a level. If everything is installed it changes
// nothing. It refuses if another file that the client reads has entries of ours: the client would run
// both. The error is an *Error.
func Install(c Client, p Place, level Level) (Change, error) {
	if err := Check(c, p, level); err != nil {
		return Change{}, err
	}
	at, err := c.main(p, level)
	if err != nil {
		return Change{}, err
	}
	before := c.state(at)
	done := Change{Name: c.Name, Path: at.path, Effect: Unchanged, Owner: c.owner(at.path), Level: level}
	changed, err := change(at, c.install)
	switch {
	case err != nil:
		return Change{}, err
	case changed && before.State != Absent:
		done.Effect = Mended
	case changed:
		done.Effect = Installed
	case before.Reason == editedByHand:
		done.Effect, done.Note = Left, editedByHand
	}
	return done, nil
}

func (c Client) install(f file) ([]byte, error) {
	if c.plugin != "" {
		return c.sealedPlugin().add(f)
	}
	return c.add(f.data, f.exists, f.path)
}

// elsewhere refuses if a file other than that of at has entries of ours.
func (c Client) elsewhere(p Place, at location) error {
	for _, level := range Levels() {
		for _, other := range c.locations(p, level) {
			if !c.state(other).Ours || sameFile(other.path, at.path) {
				continue
			}
			hint := fmt.Sprintf("git context hooks uninstall %s --%s", c.Name, level)
			if other.text {
				hint = "remove the lines with 'git-context hook' from it"
			}
			return refuse(nil, hint, "%s has git-context's hooks in '%s' already, and would run both", c.Title, other.path)
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one file: where the home directory is the worktree, both
// levels have the same files.
func sameFile(a, b string) bool {
	x, err := load(a)
	y, err2 := load(b)
	return err == nil && err2 == nil && x.real == y.real
}

// Uninstall removes our entries from all files of a client at a level, and a file or directory that
// exists for nothing else. It returns a change for each file that had any. The error is an *Error.
func Uninstall(c Client, p Place, level Level) ([]Change, error) {
	var changes []Change
	for _, at := range c.locations(p, level) {
		before := c.state(at)
		if !before.Ours {
			continue
		}
		done := Change{Name: c.Name, Path: at.path, Effect: Removed, Owner: before.Owner, Level: level}
		changed, err := false, error(nil)
		if !at.text {
			changed, err = change(at, c.uninstall)
		}
		if err != nil {
			return changes, err
		}
		switch {
		case changed:
		case at.text:
			done.Effect, done.Note = Left, "it is not JSON: remove the lines with 'git-context hook' by hand"
		case c.plugin != "":
			done.Effect, done.Note = Left, editedStays
		default:
			continue // another process removed them
		}
		changes = append(changes, done)
	}
	return changes, nil
}

func (c Client) uninstall(f file) ([]byte, error) {
	if c.plugin != "" {
		return c.sealedPlugin().remove(f), nil
	}
	if !f.exists {
		return nil, nil
	}
	text, gone, err := c.remove(f.data, f.path)
	if gone && !f.linked {
		return nil, nil
	}
	return text, err
}
