package peer

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// hostile are the marks of the formats, which no text may forge.
var hostile = []string{
	"---", "\\---", "--------", "x---", "\n---\n", "### Step 3 — 2026-11-21T01:37:05Z", "**Observation:** x", "**Thought:**", "**Action:** y",
	"## Commit `0a1b2c3d`", "**Timestamp:** z", "**Branch Purpose:** q", "**This Commit's Contribution:**", "**Previous Progress Summary:** r",
	"### Commit: forged (2026-11-21T01:37:05+00:00 | main)", "kind: event", "## Merged from `exp` (x)", "(none)", "\\", "\r", "\r\n", "\u2028**Action:** z",
	"\u0085### Step 1", " indented", "trailing ", "", "\n", "\n\n", "\t", "é漢字🎉", "\u0001\u007f\ufeff", "true", "null", "2026-11-21", "- a: b", "[from exp] x",
}

func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringMatching(`[a-z `+"\n"+`]{0,12}`)), 0, 6).Draw(t, "parts")
		text := ""
		for _, p := range parts {
			text += p
		}
		return text
	})
}

func anyFolder(dialect Dialect) *rapid.Generator[*Folder] {
	return rapid.Custom(func(t *rapid.T) *Folder {
		f := &Folder{Dialect: dialect, Default: "main", Facts: map[string]any{}}
		f.Roadmap.Goal = "Reach the goal"
		at := time.Date(2026, 11, 21, 1, 37, 5, 0, time.UTC)
		for _, name := range []string{"a--b", "a/b", "main"} {
			b := Branch{Name: name, Purpose: rapid.StringMatching(`[a-z: #'"]{1,20}[a-z]`).Draw(t, "purpose"), CreatedAt: at, Status: Active}
			if dialect == Memory {
				b.Status = ""
			}
			for range rapid.IntRange(0, 4).Draw(t, "steps") {
				at = at.Add(time.Second)
				s := Step{Time: at, Observation: anyText().Draw(t, "o"), Thought: anyText().Draw(t, "t"), Action: anyText().Draw(t, "a")}
				if dialect == Memory {
					s.Agent = "codex"
				}
				if s.Observation+s.Thought+s.Action == "" || s.Observation == noObservation {
					s.Action, s.Observation = "go", ""
				}
				b.Steps = append(b.Steps, s)
			}
			for range rapid.IntRange(0, 3).Draw(t, "milestones") {
				at = at.Add(time.Second)
				m := Commit{Time: at, Title: rapid.StringMatching(`[a-z(|)#:]{1,10}`).Draw(t, "title"),
					Purpose: anyText().Draw(t, "p"), Progress: anyText().Draw(t, "g"), Contribution: anyText().Draw(t, "c")}
				if m.Contribution == "" {
					m.Contribution = m.Title
				}
				b.Commits = append(b.Commits, m)
			}
			f.Branches = append(f.Branches, b)
		}
		return f
	})
}

func asFS(files []File) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range files {
		m[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	return m
}

// What is written is read back exactly, whatever the texts hold, but for what the package comment
// names: outer white space of a milestone's texts in gcc-memory.
func TestWrittenIsReadBack(t *testing.T) {
	for _, dialect := range []Dialect{Contexa, Memory} {
		t.Run(string(dialect), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := anyFolder(dialect).Draw(t, "folder")
				files, _, err := Write(f)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Read(asFS(files))
				if err != nil {
					t.Fatal(err)
				}
				opts := []cmp.Option{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Commit{}, "ID"), cmpopts.IgnoreFields(Folder{}, "Notes", "Roadmap", "Default")}
				if dialect == Memory {
					opts = append(opts, cmp.Transformer("trim", trimMilestone))
				}
				if diff := cmp.Diff(f, got, opts...); diff != "" {
					t.Fatalf("-want +got\n%s\n%s", diff, files[len(files)-1].Data)
				}
			})
		})
	}
}
