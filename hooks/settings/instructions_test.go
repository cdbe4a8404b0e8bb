package settings_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/settings"
)

const (
	agentsBlock = "<!-- git-context:begin v1 -->\n## Memory"
	importBlock = "<!-- git-context:begin v1 -->\n@AGENTS.md\n<!-- git-context:end -->\n"
)

func clients(t *testing.T, names ...string) (all []settings.Client) {
	t.Helper()
	for _, name := range names {
		c, known := settings.Find(name)
		if !known {
			t.Fatal(name)
		}
		all = append(all, c)
	}
	return all
}

// effects returns what a change did, as a text: the effect and the path of each file.
func (w *world) effects(changes []settings.Change, err error) string {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	var words []string
	for _, c := range changes {
		path, err := filepath.Rel(w.root, c.Path)
		if err != nil {
			w.t.Fatal(err)
		}
		words = append(words, string(c.Effect)+" "+filepath.ToSlash(path))
	}
	return strings.Join(words, ", ")
}

func (w *world) tell(names ...string) string {
	w.t.Helper()
	return w.effects(settings.InstallInstructions(w.place, clients(w.t, names...)...))
}

func (w *world) untell(names ...string) string {
	w.t.Helper()
	return w.effects(settings.UninstallInstructions(w.place, clients(w.t, names...)...))
}

// states returns the states of the instructions of some clients.
func (w *world) states(names ...string) string {
	w.t.Helper()
	var words []string
	for _, s := range settings.InstructionsStatus(w.place, clients(w.t, names...)...) {
		words = append(words, s.State)
	}
	return strings.Join(words, " ")
}

// files returns the paths of all files of the worktree.
func (w *world) files() string {
	w.t.Helper()
	var all []string
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if path != w.root {
			rel, _ := filepath.Rel(w.root, path) // it is below
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (w *world) equal(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s: %s\nwant %s", what, got, want)
	}
}

func TestInstructionsComeAndGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const skill = "git-context/SKILL.md"
	w.equal("before", w.states("claude-code"), "absent absent absent absent")
	w.equal("install", w.tell("claude-code", "gemini"), "installed AGENTS.md, installed .agents/skills/"+skill+
		", installed CLAUDE.md, installed .claude/skills/"+skill+", installed GEMINI.md")
	w.equal("again", w.tell("codex"), "unchanged AGENTS.md, unchanged .agents/skills/"+skill)
	w.equal("state", w.states("claude-code"), "installed installed installed installed")
	w.equal("CLAUDE.md", w.read(filepath.Join(w.root, "CLAUDE.md")), importBlock)
	w.equal("the skill", w.read(filepath.Join(w.root, ".claude/skills", skill)), settings.Skill())

	// What agents share stays while the hooks of one are installed.
	w.install(clients(t, "codex")[0], settings.Project)
	w.equal("uninstall", w.untell("claude-code"), "removed CLAUDE.md, removed .claude/skills/"+skill)
	w.equal("again", w.untell("claude-code"), "")
	if _, err := settings.Uninstall(clients(t, "codex")[0], w.place, settings.Project); err != nil {
		t.Fatal(err)
	}
	w.equal("the last", w.untell("codex", "gemini"), "removed AGENTS.md, removed .agents/skills/"+skill+", removed GEMINI.md")
	w.equal("left", w.files(), "")
}

// The hooks of a user install nothing in the project, and keep nothing there.
func TestUserLevelNeedsNoInstructions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tell("codex")
	w.install(clients(t, "codex")[0], settings.User)
	w.untell("codex")
	w.equal("left", w.files(), "")
	w.place.Root = ""
	w.equal("no worktree", w.tell("codex"), "")
}

func TestTextsOfOthersStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# Ours", "# Ours\n", "# Ours\r\nmore", "# Ours\r\nmore\r\n", "\xef\xbb\xbf# Ours\r\n", "a\n\n\n"} {
		w := newWorld(t)
		path := filepath.Join(w.root, "AGENTS.md")
		w.write(path, text, 0o640)
		w.equal("install", w.tell("pi"), "installed AGENTS.md, installed .agents/skills/git-context/SKILL.md")
		added := w.read(path)
		if !strings.HasPrefix(added, text) || !strings.Contains(added, "<!-- git-context:end -->") {
			t.Errorf("%q becomes %q", text, added)
		}
		if n := strings.Count(text, "\r\n"); n > 0 && strings.Count(added, "\n") != strings.Count(added, "\r\n") {
			t.Errorf("the line ends of %q become %q", text, added)
		}
		w.tell("pi")
		w.equal("again", w.read(path), added)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("the mode: %v, %v", info, err)
		}
		w.untell("pi")
		w.equal("uninstall", w.read(path), text)
	}

	// What was written around the block since stays too.
	w := newWorld(t)
	path := filepath.Join(w.root, "AGENTS.md")
	w.tell("pi")
	block := w.read(path)
	for around, want := range map[[2]string]string{
		{"# Ours\n", ""}:       "# Ours\n",
		{"# Ours\n\n", "more"}: "# Ours\nmore",
		{"", "\nmore\n"}:       "\nmore\n",
		{"# Ours\n\n", "\n\n"}: "# Ours\n\n\n",
	} {
		w.write(path, around[0]+block+around[1], 0o644)
		w.tell("pi")
		w.equal("install", w.read(path), around[0]+block+around[1])
		w.untell("pi")
		w.equal("uninstall", w.read(path), want)
	}
}

func TestOtherVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tell("pi")
	agents, skill := filepath.Join(w.root, "AGENTS.md"), filepath.Join(w.root, ".agents/skills/git-context/SKILL.md")
	block, whole := w.read(agents), w.read(skill)
	for _, changed := range []string{
		strings.Replace(block, "begin v1", "begin v0", 1), strings.Replace(block, "Before you leave", "Never", 1),
		strings.Replace(block, " v1 ", " ", 1),
	} {
		w.write(agents, "# Ours\n"+changed+"more\n", 0o644)
		w.equal("state", w.states("pi"), "outdated installed")
		w.equal("install", w.tell("pi"), "mended AGENTS.md, unchanged .agents/skills/git-context/SKILL.md")
		w.equal("AGENTS.md", w.read(agents), "# Ours\n"+block+"more\n")
	}
	newer := strings.Replace(strings.Replace(block, "begin v1", "begin v99", 1), "Before you leave", "At the end", 1)
	w.write(agents, newer, 0o644)
	w.equal("newer", w.states("pi"), "installed installed")
	w.equal("newer", w.tell("pi"), "unchanged AGENTS.md, unchanged .agents/skills/git-context/SKILL.md")

	// The checksum is of the other lines, so that the version alone may differ.
	for version, want := range map[string]string{"v0": "outdated", "v99": "installed"} {
		other := strings.Replace(whole, "git-context: v1", "git-context: "+version, 1)
		w.write(skill, other, 0o644)
		w.equal(version, w.states("pi"), "installed "+want)
		if w.tell("pi"); (w.read(skill) == other) != (want == "installed") {
			t.Errorf("%s: the skill is %s", version, w.read(skill))
		}
	}

	w.write(skill, strings.ReplaceAll(whole, "\n", "\r\n"), 0o644)
	w.equal("line ends", w.tell("pi"), "unchanged AGENTS.md, unchanged .agents/skills/git-context/SKILL.md")
	w.write(skill, whole+"Mine.\n", 0o644)
	w.equal("edited", w.tell("pi"), "unchanged AGENTS.md, left .agents/skills/git-context/SKILL.md")
	w.equal("edited", w.untell("pi"), "removed AGENTS.md, left .agents/skills/git-context/SKILL.md")
	w.write(skill, "---\nname: git-context\n---\n", 0o644)
	w.equal("foreign", w.states("pi"), "absent absent")
	w.refuses("is not git-context's", "pi")
	w.equal("foreign", w.untell("pi"), "")
}

// refuses expects that an install is refused and changes nothing.
func (w *world) refuses(why string, names ...string) {
	w.t.Helper()
	before := w.files()
	changes, err := settings.InstallInstructions(w.place, clients(w.t, names...)...)
	if err == nil || !strings.Contains(err.Error(), why) || len(changes) > 0 {
		w.t.Errorf("it is not refused because it %s: %v, %v", why, changes, err)
	}
	w.equal("after a refusal", w.files(), before)
}

func TestDamagedBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tell("pi")
	path := filepath.Join(w.root, "AGENTS.md")
	block := w.read(path)
	for _, text := range []string{
		block + block, strings.Replace(block, "<!-- git-context:end -->\n", "", 1),
		strings.Replace(block, "<!-- git-context:begin v1 -->\n", "", 1),
	} {
		w.write(path, text, 0o644)
		w.refuses("has a damaged block of git-context: it has ", "pi")
		w.equal("state", w.states("pi"), "unreadable installed")
		changes, err := settings.UninstallInstructions(w.place, clients(t, "pi")...)
		if err != nil || changes[0].Effect != settings.Left || !strings.Contains(changes[0].Note, "damaged") {
			t.Errorf("uninstall: %v, %v", changes, err)
		}
		w.equal("AGENTS.md", w.read(path), text)
		w.tellSkill()
	}
}

// tellSkill installs the skill again, beside an AGENTS.md that cannot be edited.
func (w *world) tellSkill() {
	w.write(filepath.Join(w.root, ".agents/skills/git-context/SKILL.md"), settings.Skill(), 0o644)
}

func TestLinkedInstructions(t *testing.T) {
	t.Parallel()
	link := func(w *world, target, name string) {
		w.t.Helper()
		path := filepath.Join(w.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			w.t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			w.t.Skip("*** SKIPPED: no symbolic links ***")
		}
	}
	const claude = "installed AGENTS.md, installed .agents/skills/git-context/SKILL.md"
	const own = ", installed .claude/skills/git-context/SKILL.md"

	// An import of AGENTS.md into itself is never added, whichever of the two is the link.
	for _, names := range [][2]string{{"AGENTS.md", "CLAUDE.md"}, {"CLAUDE.md", "AGENTS.md"}} {
		w := newWorld(t)
		w.write(filepath.Join(w.root, names[0]), "# Ours\n", 0o644)
		link(w, names[0], names[1])
		w.equal("install", w.tell("claude-code"), claude+own)
		if text := w.read(filepath.Join(w.root, names[0])); !strings.HasPrefix(text, "# Ours\n\n"+agentsBlock) || strings.Contains(text, "@AGENTS") {
			t.Errorf("%s is %s", names[0], text)
		}
		w.untell("claude-code")
		w.equal(names[0], w.read(filepath.Join(w.root, names[0])), "# Ours\n")
		if target, err := os.Readlink(filepath.Join(w.root, names[1])); err != nil || target != names[0] {
			t.Errorf("the link leads to %s, %v", target, err)
		}
	}
	w := newWorld(t)
	link(w, "AGENTS.md", "CLAUDE.md")
	w.equal("a link to what does not exist yet", w.tell("claude-code"), claude+own)
	w.untell("claude-code")
	w.equal("left", w.files(), "CLAUDE.md")

	// Skills of two clients may be one folder: it goes with the last of them.
	w = newWorld(t)
	w.write(filepath.Join(w.root, ".agents/skills/mine/SKILL.md"), "", 0o644)
	link(w, "../.agents/skills", ".claude/skills")
	w.tell("claude-code", "codex")
	w.install(clients(t, "codex")[0], settings.Project)
	w.equal("one of two", w.untell("claude-code"), "removed CLAUDE.md")
	w.equal("the skill", w.read(filepath.Join(w.root, ".claude/skills/git-context/SKILL.md")), settings.Skill())

	// Nothing is written outside of the worktree, in git's directory or to a link that leads to nothing.
	for target, why := range map[string]string{
		w.home + "/AGENTS.md": "is outside of the worktree", ".git/hooks/post-commit": "is in git's directory",
		"gone.md": "is a symbolic link to nothing",
	} {
		w := newWorld(t)
		w.write(filepath.Join(w.root, ".git/hooks/post-commit"), "#!/bin/sh\n", 0o755)
		if filepath.IsAbs(target) {
			w.write(target, "x", 0o644)
		}
		link(w, target, "AGENTS.md")
		w.refuses(why, "pi")
		w.equal("uninstall", w.untell("pi"), "")
	}
}

// A person's own import is enough, and stays.
func TestImportsOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ client, path, text string }{
		{"claude-code", "CLAUDE.md", "# Rules\n@AGENTS.md\n"}, {"claude-code", ".claude/CLAUDE.md", "@../AGENTS.md"},
		{"gemini", "GEMINI.md", "@./AGENTS.md"},
		{"gemini", ".gemini/settings.json", `{"context": {"fileName": ["AGENTS.md"]}} /* ours */`},
	} {
		w := newWorld(t)
		path := filepath.Join(w.root, c.path)
		w.write(path, c.text, 0o644)
		if did := w.tell(c.client); strings.Contains(did, "installed CLAUDE.md") || strings.Contains(did, "GEMINI.md") {
			t.Errorf("%s: %s", c.path, did)
		}
		w.untell(c.client)
		w.equal(c.path, w.read(path), c.text)
	}
	w := newWorld(t)
	w.write(filepath.Join(w.root, "CLAUDE.md"), "see `@AGENTS.md`", 0o644)
	if !settings.HidesClaude(w.place) {
		t.Error("that AGENTS.md is new is not noticed")
	}
	w.tell("claude-code")
	if text := w.read(filepath.Join(w.root, "CLAUDE.md")); text != "see `@AGENTS.md`\n\n"+strings.TrimSuffix(importBlock, "\n") {
		t.Errorf("CLAUDE.md is %q", text)
	}
	if settings.HidesClaude(w.place) {
		t.Error("AGENTS.md is not new")
	}
}
