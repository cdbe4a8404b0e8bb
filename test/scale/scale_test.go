package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// even are costs at which times can be told by hand.
var even = costs{commit: 5, survey: 20, push: 30, merge: 10, answer: 10, offer: 5, receive: 25, news: fetched{1, 1, 1000},
	note: fetched{0.5, 0.5, 400}, fetchBytes: 500, pushBytes: 4000}

func TestOneAgentWaitsForNobody(t *testing.T) {
	t.Parallel()
	p := play(scene{agents: 1, rounds: 3, cores: 2, trip: 10}, even, 1)
	// survey 20, push 30, answer 10, offer 5, receive 25, and six trips of 10
	if want := 150.0; len(p.syncs) != 3 || p.syncs[0] != want || p.syncs[2] != want {
		t.Errorf("syncs took %v, not %v each", p.syncs, want)
	}
	if p.got != 3 || !reflect.DeepEqual(p.tries, []int{1, 1, 1}) {
		t.Errorf("%d milestones in %v tries", p.got, p.tries)
	}
	if want := 3 * 40.0; p.hostUsed != want {
		t.Errorf("the host worked for %v, not %v", p.hostUsed, want)
	}
}

func TestEveryMilestoneArrivesOnce(t *testing.T) {
	t.Parallel()
	for _, branches := range []int{0, 1, 3} {
		p := play(scene{agents: 12, branches: branches, rounds: 5, cores: 2, local: true}, even, 1)
		if p.made != 60 || p.got != 60 || len(p.waits) != 60 || p.gaveUp > 0 {
			t.Errorf("%d branches: %d milestones made, %d on the host, %d gave up", branches, p.made, p.got, p.gaveUp)
		}
		if p.tries[len(p.tries)-1] == 1 {
			t.Errorf("%d branches: nobody was ever too late", branches)
		}
	}
}

func TestTheSameSeedPlaysTheSame(t *testing.T) {
	t.Parallel()
	sc := usualScene("", 50, 1)
	if a, b := play(sc, even, 7), play(sc, even, 7); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func TestNotesAloneMakeOwnBranchesRace(t *testing.T) {
	t.Parallel()
	sc := scene{agents: 8, rounds: 4, cores: 2, local: true, noNotes: true}
	if p := play(sc, even, 1); quantile(p.tries, 1) != 1 {
		t.Errorf("without notes there were %v tries", p.tries)
	}
}

func TestAStationSharesItsCores(t *testing.T) {
	t.Parallel()
	e := newEngine(1)
	s := &station{e: e, cores: 2}
	var ended []float64
	for range 4 {
		s.do(100, func() { ended = append(ended, e.now) })
	}
	e.run(1e9)
	if len(ended) != 4 || ended[0] < 180 || ended[3] != 200 || s.used != 400 {
		t.Errorf("four jobs of 100 on two cores ended at %v, after %v of work", ended, s.used)
	}
}

func TestRowsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	l := rows{{"idle", viaDaemon, 1, "host fetch cpu ms", 2}, {"idle", viaDaemon, 11, "host fetch cpu ms", 4}, {"one, x", viaPath, 1, "wall ms", 0.25}}
	var text bytes.Buffer
	if err := l.write(&text); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := readRows(name)
	if err != nil || !reflect.DeepEqual(got, l) {
		t.Errorf("readRows = %v, %v", got, err)
	}
	for size, want := range map[float64]float64{1: 2, 6: 3, 11: 4, 21: 6} {
		if v, err := got.at("idle", viaDaemon, "host fetch cpu ms", size); err != nil || v != want {
			t.Errorf("at %v: %v, %v; want %v", size, v, err, want)
		}
	}
	if _, err := got.at("idle", viaDaemon, "no such", 1); err == nil {
		t.Error("what was not measured has a value")
	}
}

func TestTheTablesComeFromTheCommittedFigures(t *testing.T) {
	t.Parallel()
	l, err := readRows("../../docs/scale/measured.csv")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	measuredTables(&b, l)
	doc, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), strings.TrimSpace(b.String())) {
		t.Error("docs/scale.md does not hold the tables of docs/scale/measured.csv: go run ./test/scale simulate docs/scale/measured.csv docs/scale.md")
	}
}
