package doc

import (
	"fmt"
	"testing"
	"time"
)

// plainSteps returns steps like those of an agent at work, about 400 bytes each.
func plainSteps(t testing.TB, n int) []Step {
	t.Helper()
	steps := make([]Step, n)
	id := baseID
	for i := range steps {
		id = testID(t, id)
		steps[i] = Step{ID: id, Number: i + 1, Time: testTime().Add(time.Duration(i) * time.Second), Agent: "claude-code", Session: "7f3a2c", Origin: "main",
			Observation: "API returns 500 on /users\n\n    panic: runtime error\n    goroutine 12 [running]",
			Thought:     fmt.Sprintf("The pool may not be initialised before the router asks for a connection (%d)", i),
			Action:      "go test ./store -run Pool"}
	}
	return steps
}

func BenchmarkParseLive(b *testing.B) {
	steps := plainSteps(b, 30)
	data := FormatLog(steps)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := ParseLog(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrowLog(b *testing.B) {
	steps := plainSteps(b, 30)
	live := FormatLog(steps[:20])
	for b.Loop() {
		if _, err := GrowLog(live, steps[20:]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse100000Steps(b *testing.B) {
	data := FormatLog(plainSteps(b, 100000))
	for b.Loop() {
		if _, err := ParseLog(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/step")
}

func BenchmarkUnion(b *testing.B) {
	all := plainSteps(b, 1030)
	ours := Entries{Live: FormatLog(all[:20])}
	theirs := Entries{Live: FormatLog(all[1020:])}
	for i := 20; i < 1020; i += 20 {
		theirs.Segments = append(theirs.Segments, File{SegmentPath("log", all[i].ID), FormatLog(all[i : i+20])})
	}
	for b.Loop() {
		if _, err := UnionLog(ours, theirs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1030, "ns/step")
}

// treeMetadata is a metadata.yaml with a tree of 200 entries, as COMMIT finds it.
func treeMetadata(t testing.TB) []byte {
	t.Helper()
	m := NewMetadata()
	tree := make([]string, 200)
	for i := range tree {
		tree[i] = fmt.Sprintf("cmd/dir%d/file_%d.go", i/10, i)
	}
	err := m.SetBranch(BranchFacts{Name: "main", Purpose: "build the thing", CreatedAt: testTime(), Status: StatusActive})
	if err == nil {
		err = m.SetValue("file_structure.tree", tree)
	}
	if err == nil {
		err = m.SetValue("dependencies.detected", map[string]any{"go.mod": map[string]any{"module": "example.com/x", "require": []string{"a v1.0.0", "b v2.1.0"}}})
	}
	if err == nil {
		err = m.SetTotals(Totals{10, 2, map[string]OriginTotals{"main": {10, 2}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func BenchmarkSetTotals(b *testing.B) {
	data := treeMetadata(b)
	for b.Loop() {
		m, err := ParseMetadata(data)
		if err != nil {
			b.Fatal(err)
		}
		t := m.Totals()
		t.Steps++
		if err := m.SetTotals(t); err != nil {
			b.Fatal(err)
		}
		if _, err := m.Bytes(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBranchFacts(b *testing.B) {
	data := treeMetadata(b)
	for b.Loop() {
		m, err := ParseMetadata(data)
		if err != nil {
			b.Fatal(err)
		}
		if m.Branch().Name != "main" {
			b.Fatal("no branch")
		}
	}
}

// BenchmarkParseRichMetadata is what a file costs that is not plain.
func BenchmarkParseRichMetadata(b *testing.B) {
	data := append(treeMetadata(b), "note: >\n  folded\n  text\n"...)
	for b.Loop() {
		if _, err := ParseMetadata(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRoadmap(b *testing.B) {
	r := NewRoadmap()
	r.SetGoal("Ship it")
	for i := range 100 {
		r.AddTodo(fmt.Sprintf("thing %d to do", i))
	}
	data := r.Bytes()
	for b.Loop() {
		r := ParseRoadmap(data)
		r.AddTodo("another")
		if len(r.Bytes()) < len(data) {
			b.Fatal("too short")
		}
	}
}

func BenchmarkNextProgress(b *testing.B) {
	m := Commit{Number: 3, Summary: "Pool is initialised before the router", Contribution: "The router asked first."}
	for b.Loop() {
		m.Progress = NextProgress(m, 1500)
	}
}
