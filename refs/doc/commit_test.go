package doc

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func genMilestone(t *rapid.T, id string) Commit {
	m := Commit{
		ID: id, Number: rapid.IntRange(0, 1e9).Draw(t, "n"), Time: genTime().Draw(t, "time"), Agent: "a/b +c@d", Origin: genOrigin().Draw(t, "origin"),
		Session: genText(t, "session"), Model: genText(t, "model"), Source: genText(t, "source"), Kind: rapid.SampledFrom([]string{"", KindBirth, KindMerge, "new kind"}).Draw(t, "kind"),
		Goal: genText(t, "goal"), Purpose: genText(t, "purpose"), Summary: genText(t, "summary"),
		Progress: genText(t, "progress"), Contribution: genText(t, "contribution"),
		Extra: rapid.SampledFrom([]string{"", "- a-later-one: 3\n"}).Draw(t, "extra"),
	}
	if n := rapid.IntRange(0, 9).Draw(t, "steps"); n > 0 {
		m.Steps = Steps{4, 4 + n, n}
	}
	return m
}

func TestCommitsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms []Commit
		id := baseID
		for range rapid.IntRange(0, 4).Draw(t, "count") {
			id, _ = NextID(time.Unix(1, 0), id)
			ms = append(ms, genMilestone(t, id))
			if err := ms[len(ms)-1].Check(); err != nil {
				t.Fatal(err)
			}
		}
		data := FormatCommits(ms)
		got, err := ParseCommits(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(ms, got); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
		if again := FormatCommits(got); !bytes.Equal(data, again) {
			t.Fatal("formatting what was parsed gives other bytes")
		}
	})
}

func TestCommitsKeepHostileTexts(t *testing.T) {
	for _, text := range texts() {
		m := Commit{ID: baseID, Time: testTime(), Agent: "a", Origin: "main", Kind: text, Session: text, Model: text,
			Goal: text, Purpose: text, Summary: text, Progress: text, Contribution: text}
		data := FormatCommits([]Commit{m})
		got, err := ParseCommits(data)
		if err != nil {
			t.Errorf("%q: %v", clip(text), err)
			continue
		}
		if diff := cmp.Diff([]Commit{m}, got); diff != "" {
			t.Errorf("%q: %s", clip(text), diff)
		}
	}
}

const commitSample = `== Branch main ==

## Commit 7 · 2026-11-21T01:40:12.25Z · claude-code · 01JD5K0Z3V7Q3M9K2A4B5C6D7E
- session: 7f3a2c
- steps: 12-21 (10)
- future: kept

\# is escaped

**Branch Purpose**

> ship it
>
> soon

> pool first

**This Commit's Contribution**

> The pool comes first.

== Branch exp ==

## Commit 1 · 2026-11-21T01:41:12Z · a · 01JD5K0Z3V7Q3M9K2A4B5C6D7F
`

func TestParseCommitsSample(t *testing.T) {
	got, err := ParseCommits([]byte(commitSample))
	if err != nil {
		t.Fatal(err)
	}
	want := []Commit{{
		ID: baseID, Number: 7, Time: testTime().Add(3*time.Minute + 7250*time.Millisecond), Agent: "claude-code", Session: "7f3a2c", Origin: "main",
		Steps: Steps{12, 21, 10}, Extra: "- future: kept\n", Summary: "# is escaped", Goal: "ship it\n\nsoon", Purpose: "pool first",
		Contribution: "The pool comes first.",
	}, {ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7F", Number: 1, Time: testTime().Add(4*time.Minute + 7*time.Second), Agent: "a", Origin: "exp"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := FormatCommits(got); string(again) != commitSample {
		t.Errorf("formatted:\n%s", again)
	}
}

// Damage names the line on which it stands.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		old, new string
		line     int
	}{
		{"== Branch main ==\n", "", 1},
		{"== Branch main ==", "== Branch ma in ==", 1},
		{"main ==\n\n", "main ==\n", 2},
		{"## Commit 7", "## Commit 07", 3},
		{"2026-11-21T01:40:12.25Z", "2026-11-21T01:40:12.250Z", 3},
		{"2026-11-21T01:40:12.25Z", "2026-11-21T01:40:12,25Z", 3},
		{"2026-11-21T01:40:12.25Z", "2026-11-31T01:40:12Z", 3},
		{"claude-code", "claude·code", 3},
		{"D7E", "D7I", 3},
		{"- session: 7f3a2c\n", "- session: a\n- session: b\n", 5},
		{"- session: 7f3a2c", "- session:", 4},
		{"- session: 7f3a2c", `- session: \x`, 4},
		{"12-21 (10)", "21-12 (10)", 5},
		{"12-21 (10)", "12-21 (0)", 5},
		{`\# is`, "# is", 8},
		{`\# is`, "> is", 8},
		{`\# is escaped`, `is\`, 8},
		{"> ship it", "ship it", 12},
		{"> ship it", "> ", 12},
		{">\n> soon", "> \n> soon", 13},
		{"> soon", ">soon", 14},
		{"> pool first", "forged", 16},
		{"**Branch Purpose**", "**Branch purpose**", 10},
		{"Contribution**\n\n> The pool comes first.", "Contribution**\n\n>", 20},
		{"D7F\n", "D7F\n\n", 25},
		{"D7F\n", "D7F", 24},
		{"pool comes", "pool \x00 comes", 20},
		{"pool comes", "pool \xff comes", 20},
	} {
		text := strings.Replace(commitSample, c.old, c.new, 1)
		_, err := ParseCommits([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != c.line {
			t.Errorf("%q for %q: %v, want line %d", c.new, c.old, err, c.line)
		}
	}
}

func TestJoinedFilesAreOne(t *testing.T) {
	one, err := ParseCommits([]byte(commitSample))
	if err != nil {
		t.Fatal(err)
	}
	two, err := ParseCommits([]byte(commitSample + "== Branch none ==\n" + commitSample))
	if diff := cmp.Diff(append(one, one...), two); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestCheck(t *testing.T) {
	good := Step{ID: baseID, Time: testTime(), Agent: "a", Origin: "main"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(s *Step){
		"id": func(s *Step) { s.ID = "x" }, "number": func(s *Step) { s.Number = -1 }, "tokens": func(s *Step) { s.Tokens = -1 },
		"agent": func(s *Step) { s.Agent = "" }, "agent letters": func(s *Step) { s.Agent = "a\nb" }, "origin": func(s *Step) { s.Origin = "a ==\n" },
		"time": func(s *Step) { s.Time = s.Time.AddDate(9000, 0, 0) }, "text": func(s *Step) { s.Action = "\xff" }, "NUL": func(s *Step) { s.Session = "\x00" },
		"extra": func(s *Step) { s.Extra = "\n### Step" }, "known extra": func(s *Step) { s.Extra = "- model: x\n" }, "open extra": func(s *Step) { s.Extra = "- x: y" },
		"large": func(s *Step) { s.Number = 1e18 },
	} {
		s := good
		damage(&s)
		if s.Check() == nil {
			t.Errorf("%s: not noticed", name)
		}
		if _, err := GrowLog(nil, []Step{s}); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	m := Commit{ID: baseID, Time: testTime(), Agent: "a", Origin: "main", Steps: Steps{First: 3}}
	if m.Check() == nil {
		t.Error("a range of no steps")
	}
}

func TestAgentName(t *testing.T) {
	for in, want := range map[string]string{"claude-code": "claude-code", "José Núñez": "Jos- N-ez", "李雷": "", "  x ": "x", "a\nb": "a-b", "": "", "---": "", strings.Repeat("x", 200): strings.Repeat("x", 100)} {
		got := AgentName(in)
		if got != want || got != "" && CheckAgent(got) != nil {
			t.Errorf("AgentName(%q) = %q", in, got)
		}
	}
}
