package doc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// What a remote may send is large, but its cost is not more than in proportion.
func TestLargeInputsAreQuick(t *testing.T) {
	var items, other bytes.Buffer
	items.WriteString("## To-Do\n\n")
	other.WriteString("## To-Do\n\n")
	for i := range 50000 {
		fmt.Fprintf(&items, "- [ ] item %d\n", i)
		fmt.Fprintf(&other, "- [ ] other %d\n", i)
	}
	for name, f := range map[string]func(){
		"roadmap": func() {
			merged, _, err := MergeRoadmap(nil, items.Bytes(), other.Bytes(), wholeText)
			if err != nil || len(ParseRoadmap(merged).Todo()) != 100000 {
				t.Error("items were lost", err)
			}
		},
		"merged sections": func() {
			sections := func(from, to int) []byte {
				var b bytes.Buffer
				for i := from; i < to; i++ {
					fmt.Fprintf(&b, "## s%d\n\ntext\n\n", i)
				}
				return b.Bytes()
			}
			// ours has removed the last 20,000, theirs the first, and added as many.
			merged, conflicts, err := MergeRoadmap(sections(0, 100000), sections(0, 80000), sections(20000, 120000), wholeText)
			want := string(sections(20000, 80000)) + string(sections(100000, 120000))
			got := strings.ReplaceAll(string(merged), "\n\n\n", "\n\n")
			if err != nil || len(conflicts) > 0 || strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Error("sections were lost or came back", len(merged), len(want), conflicts, err)
			}
		},
		"lost sections": func() {
			var b bytes.Buffer
			for i := range 100000 {
				fmt.Fprintf(&b, "## s%d\n\ntext\n\n", i)
			}
			if lost := ParseRoadmap(b.Bytes()[:b.Len()/2]).Lost(ParseRoadmap(b.Bytes())); len(lost) < 49000 {
				t.Error("only", len(lost), "sections are lost")
			}
		},
		"restored items": func() {
			r, all := ParseRoadmap([]byte("## To-Do\n")), ParseRoadmap(items.Bytes())
			var parts []Part
			for i := range 50000 {
				parts = append(parts, Part{Section: SectionTodo, Text: fmt.Sprintf("item %d", i)})
			}
			if left := r.Restore(parts, all); len(left) > 0 || len(r.Todo()) != 50000 {
				t.Error("items were not restored", len(left), len(r.Todo()))
			}
		},
		"sections": func() { ParseRoadmap([]byte(strings.Repeat("## a\n", 200000))).Bytes() },
		"one item": func() {
			ParseRoadmap([]byte("## Goal\n" + strings.Repeat("## To-Do\n- x\n", 1) + strings.Repeat("\n", 500000))).Todo()
		},
		"blank lines in items": func() { ParseRoadmap([]byte("## To-Do\n" + strings.Repeat("- x\n\n\n\n\n\n", 50000))).Todo() },
		"quotes": func() {
			_, _ = ParseLog([]byte("== Branch a ==\n\n### Step 1 · 2026-11-21T01:37:05Z · a · " + baseID + "\n\n**Action**\n\n" + strings.Repeat(">\n", 500000)))
		},
		"attributes": func() {
			_, _ = ParseLog([]byte("== Branch a ==\n\n### Step 1 · 2026-11-21T01:37:05Z · a · " + baseID + "\n" + strings.Repeat("- x: y\n", 20000)))
		},
		"metadata": func() { _, _ = ParseMetadata([]byte(strings.Repeat("[", MetadataLimit))) },
		"keys": func() {
			var b bytes.Buffer
			for i := range 7000 {
				fmt.Fprintf(&b, "k%d: |\n", i)
			}
			_, _ = ParseMetadata(b.Bytes())
		},
		"progress": func() {
			NextProgress(Commit{Summary: strings.Repeat("a ", 1e6), Progress: strings.Repeat("- x\n", 1e6)}, 1500)
		},
	} {
		start := gittest.CPU(t)
		f()
		d := gittest.CPU(t) - start
		if d > 5*time.Second {
			t.Errorf("%s: %v", name, d)
		}
		t.Log(name, d)
	}
}
