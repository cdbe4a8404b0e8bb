//go:build unix

package test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a code repository, or its user, may have set for good reasons of their
// own, and no view of memory may follow.
var settings = [][2]string{
	{"diff.external", "false"},
	{"core.pager", "false"},
	{"pager.log", "false"},
	{"log.showSignature", "true"},
	{"log.follow", "true"},
	{"log.date", "human"},
	{"log.mailmap", "true"},
	{"format.pretty", "fuller"},
	{"i18n.logOutputEncoding", "latin1"},
	{"i18n.commitEncoding", "latin1"},
	{"color.ui", "always"},
	{"core.abbrev", "4"},
	{"core.quotePath", "true"},
	{"core.notesRef", "refs/notes/other"},
	{"notes.displayRef", "*"},
	{"diff.noprefix", "true"},
	{"diff.mnemonicPrefix", "true"},
	{"trailer.separators", "="},
	{"core.commentChar", "A"},
	{"for-each-ref.sort", "refname"},
}

const attributes = "*.md -diff merge=binary -text\n*.yaml -diff filter=none\n* working-tree-encoding=UTF-16\n"

// ages is what a view says of the clock, and the column that it stands in.
var ages = regexp.MustCompile(`[0-9]+ (second|minute)s? ago *`)

// remembering is a world with two branches, a merge and pending steps, whose
// texts are not ASCII.
func remembering(t *testing.T) *world {
	w := newWorld(t)
	w.ok("record", "-o", "Zürich – 東京\r\nsecond line", "-a", "go test")
	w.ok("commit", "-m", "Grüße: the first milestone", "-m", "Ça marche — ✓")
	w.ok("branch", "try", "--purpose", "Prüfen = measure")
	w.ok("record", "-t", "naïve")
	w.ok("commit", "-m", "Naïve approach", "-m", "Key=value\n\nKey: value")
	w.ok("remember", "pool", "The pool — größer")
	w.ok("branch", "alone")
	w.ok("commit", "-m", "Nowhere else")
	w.ok("switch", "main")
	w.ok("merge", "try", "-m", "Übernommen")
	w.ok("branch", "open", "--no-switch", "--purpose", "Später")
	w.ok("record", "-o", "pending: ö")
	w.ok("tag", "best", "main")
	w.ok("bisect", "start", "main", "try~2")
	return w
}

// views is what every view of ours prints, with flags added to all of them.
func (w *world) views(flags ...string) map[string]string {
	all := map[string]string{}
	list := [][]string{
		{}, {"-k", "3"}, {"--branch", "main"}, {"--branch", "try", "--limit", "1"}, {"--commit", "main"}, {"--commit", "try~1"},
		{"--log"}, {"--log", "--steps", "2", "--skip", "1"}, {"--metadata"}, {"--metadata", "branch"},
		{"branch", "--all"}, {"branch", "--merged"}, {"roadmap"}, {"roadmap", "log"}, {"topics"}, {"topic", "pool"}, {"tag"},
		{"blame", "pool"}, {"search", "größer"},
		{"stats"}, {"bisect"}, {"--at", "HEAD"},
	}
	if len(flags) > 0 { // as text it is git's own, which looks as the user wants it
		list = append(list, []string{"log"}, []string{"log", "--all", "-n", "2", "--grep", "Grüße"}, []string{"diff", "main~1"})
	}
	for _, args := range list {
		name := "git context"
		for _, a := range args {
			name += " " + a
		}
		all[name] = ages.ReplaceAllString(string(w.ok(append(args, flags...)...)), "AGE ")
	}
	return all
}

// The code's attributes and the user's settings change no view by a byte.
func TestSettingsDoNotReachViews(t *testing.T) {
	t.Parallel()
	w := remembering(t)
	w.write(".gitattributes", "# none\n") // the brief names the file, whatever it says
	want, wantJSON := w.views(), w.views("--json")
	for _, file := range []string{".gitattributes", ".git/info/attributes"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, file)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.dir, file), []byte(attributes), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range settings {
		w.git("config", s[0], s[1])
	}
	if out, err := w.command(nil, w.bin, "branch", "-d", "alone").CombinedOutput(); err == nil {
		t.Errorf("a branch with a milestone of its own was deleted: %s", out)
	}
	if diff := cmp.Diff(want, w.views()); diff != "" {
		t.Errorf("-without +with the settings:\n%s", diff)
	}
	if diff := cmp.Diff(wantJSON, w.views("--json")); diff != "" {
		t.Errorf("JSON, -without +with the settings:\n%s", diff)
	}
	// One by one as well: one setting may hide what another does.
	for _, s := range settings {
		w.git("config", "--unset", s[0])
	}
	for _, s := range settings {
		w.git("config", s[0], s[1])
		if diff := cmp.Diff(want, w.views()); diff != "" {
			t.Errorf("-without +with %s=%s:\n%s", s[0], s[1], diff)
		}
		w.git("config", "--unset", s[0])
	}
}
