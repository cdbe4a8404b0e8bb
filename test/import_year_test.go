//go:build linux

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What an import of a year of one developer's transcripts may take, on a machine that does nothing else.
const (
	yearSize = 100 << 20
	yearTime = 10 * time.Second
	yearPeak = 200 << 10 // KiB of the largest process
)

// publicTranscripts are real sessions, where this machine has them; the samples are shorter.
const (
	publicTranscripts = "../../shared/data/claude/session*.jsonl"
	sampleTranscripts = "../hooks/claudecode/testdata/main.jsonl"
)

// A year of transcripts is imported within bounds, and again adds nothing.
func TestImportYear(t *testing.T) {
	t.Parallel()
	size := int64(2 << 20)
	if soaking() {
		size = yearSize
	}
	w := newWorld(t)
	claude := filepath.Join(w.dir, "..", "claude")
	y := makeYear(t, filepath.Join(claude, "projects", "p"), w.dir, size)
	w.env = append(w.env, "CLAUDE_CONFIG_DIR="+claude)
	begin := time.Now()
	peak, out := w.measured("import", "--all", "--json")
	took := time.Since(begin)
	var first, second, third struct{ Sessions, Commits, Steps, Skipped, Broken int }
	unmarshal(t, out, &first)
	t.Logf("%d MiB in %d sessions: %d commits and %d steps in %v, %d MiB of memory",
		y.size>>20, y.sessions, first.Commits, first.Steps, took.Round(time.Millisecond), peak>>10)
	if first.Sessions != y.sessions || first.Commits < y.sessions || first.Broken != 0 {
		t.Errorf("%d sessions became %+v", y.sessions, first)
	}
	if peak > yearPeak {
		t.Errorf("%d MiB of memory", peak>>10)
	}
	if soaking() && took > yearTime {
		t.Errorf("it took %v", took)
	}
	tip := w.tip("main")
	peak, out = w.measured("import", "--all", "--json")
	if unmarshal(t, out, &second); second.Commits+second.Steps+second.Sessions != 0 || second.Skipped != first.Steps || w.tip("main") != tip {
		t.Errorf("again: %+v after %+v", second, first)
	}
	if peak > yearPeak {
		t.Errorf("again: %d MiB of memory", peak>>10)
	}

	// One more day is one more session.
	y.write(t)
	if unmarshal(t, w.ok("import", "--all", "--json"), &third); third.Sessions != 1 || third.Skipped != first.Steps {
		t.Errorf("one more: %+v", third)
	}
	if out := w.ok("search", fmt.Sprintf("quokka%d", y.sessions/2), "--json"); !bytes.Contains(out, []byte(fmt.Sprintf("quokka%d", y.sessions/2))) {
		t.Errorf("a search finds %s", out)
	}
	w.sound()
}

func unmarshal(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// year is transcripts of many sessions of a repository, two a day, made from few.
type year struct {
	dir, repo string
	bases     []*baseSession
	sessions  int
	size      int64
}

// baseSession is a transcript that others are made from.
type baseSession struct {
	text  string
	ids   []string // of session, records, messages and calls
	cwd   string
	begin time.Time
}

// makeYear writes transcripts of about that size in total.
func makeYear(t *testing.T, dir, repo string, size int64) *year {
	t.Helper()
	files, err := filepath.Glob(publicTranscripts)
	if err != nil || len(files) == 0 {
		files = []string{sampleTranscripts}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	y := &year{dir: dir, repo: repo}
	for _, file := range files {
		y.bases = append(y.bases, readBase(t, file))
	}
	for y.size < size {
		y.write(t)
	}
	return y
}

var (
	idMember   = regexp.MustCompile(`"(?:uuid|sessionId|id|tool_use_id|requestId|promptId)":"([^"]{8,})"`)
	timeMember = regexp.MustCompile(`"timestamp":"([^"]+)"`)
	cwdMember  = regexp.MustCompile(`"cwd":"([^"]+)"`)
	saidMember = regexp.MustCompile(`("role":"user","content":"|"content":\[\{"type":"text","text":")`)
)

func readBase(t *testing.T, file string) *baseSession {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := &baseSession{text: string(data)}
	seen := map[string]bool{}
	for _, m := range idMember.FindAllStringSubmatch(b.text, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			b.ids = append(b.ids, m[1])
		}
	}
	if m := cwdMember.FindStringSubmatch(b.text); m != nil {
		b.cwd = m[1]
	}
	for _, m := range timeMember.FindAllStringSubmatch(b.text, -1) {
		if at, err := time.Parse(time.RFC3339Nano, m[1]); err == nil && (b.begin.IsZero() || at.Before(b.begin)) {
			b.begin = at
		}
	}
	return b
}

// write adds a session: its ids are its own, and its texts have a word that no other has.
func (y *year) write(t *testing.T) {
	t.Helper()
	b := y.bases[y.sessions%len(y.bases)]
	begin := time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(y.sessions) * 12 * time.Hour)
	swap := []string{b.cwd, y.repo}
	for _, id := range b.ids {
		swap = append(swap, `"`+id+`"`, fmt.Sprintf(`"%s-%d"`, id, y.sessions))
	}
	text := strings.NewReplacer(swap...).Replace(b.text)
	text = timeMember.ReplaceAllStringFunc(text, func(member string) string {
		at, err := time.Parse(time.RFC3339Nano, timeMember.FindStringSubmatch(member)[1])
		if err != nil {
			return member
		}
		return `"timestamp":"` + begin.Add(at.Sub(b.begin)).Format(time.RFC3339Nano) + `"`
	})
	text = saidMember.ReplaceAllString(text, fmt.Sprintf("${1}quokka%d ", y.sessions))
	if err := os.WriteFile(filepath.Join(y.dir, fmt.Sprintf("s%d.jsonl", y.sessions)), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	y.sessions++
	y.size += int64(len(text))
}
