package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// The files of a project that tell agents of the memory. Their paths contain slashes.
const (
	agentsFile  = "AGENTS.md"
	agentSkills = ".agents/skills"
	skillFile   = "git-context/SKILL.md"
)

// The names of instructions in Change and State, where hooks have the name of their client.
const (
	NameInstructions = "instructions"
	NameSkill        = "skill"
)

// Outdated is the state of instructions that an install would replace.
const Outdated = "outdated"

// part is a file of instructions, or our block in one.
type part struct {
	name, path string
	location   location
	add        edit
	remove     func(file) ([]byte, error)
	state      func(file) (state, reason string)
}

// Reads returns the files of a project from which a client reads the instructions and the skill, once
// they are installed.
func (c Client) Reads() []string {
	skills := agentSkills
	if c.skills != "" {
		skills = c.skills
	}
	files := []string{agentsFile, skills + "/" + skillFile}
	if c.imports != "" {
		return append([]string{c.imports}, files...)
	}
	return files
}

// Imports returns the file by which a client reads AGENTS.md; "" if it reads that itself.
func (c Client) Imports() string { return c.imports }

// parts returns the parts of some clients, each once. Those that all agents share come first.
func (p Place) parts(clients []Client) []part {
	if len(clients) == 0 || p.Root == "" {
		return nil
	}
	all := []part{p.block(agentsFile, instructions), p.skill(agentSkills)}
	for _, c := range clients {
		if c.imports != "" && c.needsImport(p) {
			all = append(all, p.block(c.imports, ImportLine))
		}
		if c.skills != "" {
			all = append(all, p.skill(c.skills))
		}
	}
	return all
}

func (p Place) part(name, path string) part {
	return part{name: name, path: path, location: location{
		path: filepath.Join(p.Root, filepath.FromSlash(path)), stop: p.Root, level: Project,
	}}
}

func (p Place) block(path, text string) part {
	m, made := managed{text}, p.part(NameInstructions, path)
	made.add, made.remove = m.add, m.remove
	made.state = func(f file) (string, string) {
		s, found, err := find(string(f.data))
		switch {
		case err != nil:
			return Unreadable, "it has a damaged block: " + err.Error()
		case !found:
			return Absent, ""
		case m.outdated(string(f.data), s):
			return Outdated, otherVersion
		}
		return StateInstalled, ""
	}
	return made
}

func (p Place) skill(folder string) part {
	s, made := sealedSkill(), p.part(NameSkill, folder+"/"+skillFile)
	made.add, made.remove = s.add, func(f file) ([]byte, error) { return s.remove(f), nil }
	made.state = func(f file) (string, string) {
		if !f.exists {
			return Absent, ""
		}
		switch s.judge(f.data) {
		case foreign:
			return Absent, "the file is not git-context's"
		case edited:
			return StateInstalled, editedByHand
		case old:
			return Outdated, otherVersion
		}
		return StateInstalled, ""
	}
	return made
}

// load reads the file of a part, unless a link leads away.
func (t part) load() (file, error) {
	if away := t.away(); away != "" {
		return file{}, refuse(nil, "make it a file, or use --no-instructions", "'%s' %s", t.location.path, away)
	}
	return load(t.location.path)
}

// away returns what is wrong with a file that symbolic links lead out of the worktree, into git's
// directory, or to nothing; "" for others. Nothing is written there, because a cloned repository
// may contain such links.
func (t part) away() string {
	info, err := os.Lstat(t.location.path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && !disk.IsDir(t.location.path) {
		if _, err := os.Stat(t.location.path); errors.Is(err, fs.ErrNotExist) {
			return "is a symbolic link to nothing"
		}
	}
	rel, err := filepath.Rel(real(t.location.stop), real(t.location.path))
	if err != nil || !filepath.IsLocal(rel) {
		return "is outside of the worktree: a symbolic link leads away"
	}
	if strings.EqualFold(strings.Split(rel, string(filepath.Separator))[0], ".git") {
		return "is in git's directory: a symbolic link leads there"
	}
	return ""
}

// real returns a path with all symbolic links resolved. What does not exist yet has none.
func real(path string) string {
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return resolved
	}
	return filepath.Join(real(filepath.Dir(path)), filepath.Base(path))
}

// CheckInstructions returns why InstallInstructions would refuse; nil if it would not. It changes
// nothing. The error is an *Error, or several joined.
func CheckInstructions(p Place, clients ...Client) error {
	var errs []error
	for _, t := range p.parts(clients) {
		f, err := t.load()
		if err == nil {
			_, err = t.add(f)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// InstallInstructions adds the instructions of some clients to the project, or brings them to this
// version: our block in AGENTS.md, the skill, and what a client needs to read both. Beside an error it
// returns the changes made before it. The error is an *Error, or several joined.
func InstallInstructions(p Place, clients ...Client) ([]Change, error) {
	if err := CheckInstructions(p, clients...); err != nil {
		return nil, err
	}
	var changes []Change
	for _, t := range p.parts(clients) {
		done, err := t.install()
		if err != nil {
			return changes, err
		}
		changes = append(changes, done)
	}
	return changes, nil
}

func (t part) install() (Change, error) {
	done := t.done(Unchanged)
	before, reason := Absent, ""
	changed, err := change(t.location, func(f file) ([]byte, error) {
		before, reason = t.state(f)
		return t.add(f)
	})
	switch {
	case err != nil:
		return Change{}, err
	case changed && before == Absent:
		done.Effect = Installed
	case changed:
		done.Effect = Mended
	case reason == editedByHand:
		done.Effect, done.Note = Left, editedByHand
	}
	return done, nil
}

func (t part) done(e Effect) Change {
	return Change{Name: t.name, Path: t.location.path, Effect: e, Owner: "git-context", Level: Project}
}

// InProject returns the clients whose hooks are installed in the project.
func InProject(p Place) (all []Client) {
	for _, c := range Clients() {
		if slices.ContainsFunc(Status(c, p, Project), func(s State) bool { return s.Ours }) {
			all = append(all, c)
		}
	}
	return all
}

// UninstallInstructions removes the instructions of some clients, except those that another client
// needs whose hooks are installed in the project. It returns a change for each file that had any. What
// is damaged stays.
func UninstallInstructions(p Place, clients ...Client) ([]Change, error) {
	var needed []string
	for _, t := range p.parts(InProject(p)) {
		needed = append(needed, real(t.location.path))
	}
	var changes []Change
	for _, t := range p.parts(clients) {
		if slices.Contains(needed, real(t.location.path)) {
			continue
		}
		done, err := t.uninstall()
		if err != nil {
			return changes, err
		}
		if done.Effect != Unchanged {
			changes = append(changes, done)
		}
	}
	return changes, nil
}

func (t part) uninstall() (Change, error) {
	if t.away() != "" { // nothing was installed through such a link
		return t.done(Unchanged), nil
	}
	f, err := t.load()
	if err != nil {
		return t.done(Unchanged), err
	}
	done := t.done(Left)
	switch state, reason := t.state(f); {
	case state == Absent:
		done.Effect = Unchanged
	case state == Unreadable:
		done.Note = reason + "; remove it by hand"
	case reason == editedByHand:
		done.Note = editedStays
	default:
		done.Effect = Removed
		if changed, err := change(t.location, t.remove); err != nil || !changed {
			return t.done(Unchanged), err
		}
	}
	return done, nil
}

// InstructionsStatus returns the states of the instructions of some clients: StateInstalled, Outdated,
// Absent or Unreadable. It changes nothing.
func InstructionsStatus(p Place, clients ...Client) []State {
	var all []State
	for _, t := range p.parts(clients) {
		s := State{Name: t.name, Path: t.location.path, Level: Project}
		f, err := t.load()
		if err != nil {
			s.State, s.Reason = Unreadable, inRow(err, t.location.path)
		} else {
			s.State, s.Reason = t.state(f)
		}
		s.Ours = s.State != Absent && err == nil
		all = append(all, s)
	}
	return all
}

// HidesClaude reports whether an install would make AGENTS.md in a project that has a CLAUDE.md apart
// from it: OpenCode and pi read CLAUDE.md only where there is no AGENTS.md.
func HidesClaude(p Place) bool {
	claude, err := load(filepath.Join(p.Root, "CLAUDE.md"))
	return p.Root != "" && err == nil && claude.exists && !disk.Exists(filepath.Join(p.Root, agentsFile))
}
