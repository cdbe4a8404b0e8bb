package index

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The classes of the labelled pairs; testdata/recall/README.md says what they are.
const (
	duplicate   = "duplicate"
	paraphrase  = "paraphrase"
	sameSubject = "same-subject"
	unrelated   = "unrelated"
)

type labelledCase struct {
	ID, Subject, Kind            string
	Summary, Contribution        string // of a commit
	Key, Text                    string // of a topic
	Observation, Thought, Action string // of a step
}

// split gives a case as Similarity.To takes it.
func (c labelledCase) split() (title, text string) {
	switch c.Kind {
	case "topic":
		return c.Key, c.Text
	case "step":
		return c.Observation, c.Thought + "\n" + c.Action
	}
	return c.Summary, c.Contribution
}

type labelledPair struct {
	ID, Class, Case, Text string
	Short                 bool
}

func (p labelledPair) same() bool { return p.Class == duplicate || p.Class == paraphrase }

func lines[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "recall", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s, line %d: %v", name, len(list)+1, err)
		}
		list = append(list, v)
	}
	return list
}

// The two parts: the line and the threshold come from the first, the second was
// written afterwards and is only ever measured.
const (
	calibration = "calibration"
	heldOut     = "held-out"
)

func labelled(t *testing.T, part string) (map[string]labelledCase, []labelledPair) {
	t.Helper()
	cases := map[string]labelledCase{}
	for _, c := range lines[labelledCase](t, filepath.Join(part, "cases.jsonl")) {
		cases[c.ID] = c
	}
	return cases, lines[labelledPair](t, filepath.Join(part, "pairs.jsonl"))
}

type judged struct {
	labelledPair
	similarity float64
}

func judge(t *testing.T, part string, stats Stats) []judged {
	t.Helper()
	cases, pairs := labelled(t, part)
	list := make([]judged, len(pairs))
	for i, p := range pairs {
		c, ok := cases[p.Case]
		if !ok {
			t.Fatalf("pair %s names no case", p.ID)
		}
		list[i] = judged{p, NewSimilarity(p.Text, stats).To(c.split())}
	}
	return list
}

// figures are what a threshold does to some pairs.
type figures struct {
	count, above map[string]int
}

func figuresOf(pairs []judged, threshold float64) figures {
	f := figures{map[string]int{}, map[string]int{}}
	for _, p := range pairs {
		f.count[p.Class]++
		if p.similarity >= threshold {
			f.above[p.Class]++
		}
	}
	return f
}

func (f figures) recall(class string) float64 {
	return float64(f.above[class]) / float64(f.count[class])
}

func (f figures) precision() float64 {
	right := f.above[duplicate] + f.above[paraphrase]
	return float64(right) / float64(right+f.above[sameSubject]+f.above[unrelated])
}

func (f figures) print(t *testing.T, name string) {
	t.Helper()
	t.Logf("%-18s at %.2f: precision %.3f, recall of duplicates %.3f (%d of %d), of paraphrases %.3f (%d of %d); "+
		"wrong: same subject %d of %d, unrelated %d of %d", name, DuplicateAt, f.precision(),
		f.recall(duplicate), f.above[duplicate], f.count[duplicate],
		f.recall(paraphrase), f.above[paraphrase], f.count[paraphrase],
		f.above[sameSubject], f.count[sameSubject], f.above[unrelated], f.count[unrelated])
}

// ofLength gives the pairs of short texts, or the others.
func ofLength(pairs []judged, short bool) []judged {
	return slices.DeleteFunc(slices.Clone(pairs), func(p judged) bool { return p.Short != short })
}

// leastPrecision is what the threshold was chosen for, on the calibration part: more
// than the 0.95 that are asked of the held-out part, because it was chosen there.
const leastPrecision = 0.97

// The threshold is the lowest similarity of a calibration pair from which on precision
// holds, of long and of short texts each: on the scale that is DuplicateAt.
func TestThresholdIsTheOneChosen(t *testing.T) {
	t.Parallel()
	pairs := judge(t, calibration, nil)
	slices.SortFunc(pairs, func(a, b judged) int { return cmp.Compare(b.similarity, a.similarity) })
	right, all, lowest := map[bool]int{}, map[bool]int{}, math.Inf(1)
	precise := func(short bool) bool { return float64(right[short]) >= leastPrecision*float64(all[short]) }
	for _, p := range pairs {
		all[p.Short]++
		if p.same() {
			right[p.Short]++
		}
		if precise(true) && precise(false) {
			lowest = p.similarity
		}
	}
	i := slices.IndexFunc(pairs, func(p judged) bool { return p.similarity < lowest })
	if next := pairs[i].similarity; lowest < DuplicateAt || next >= DuplicateAt {
		t.Errorf("the threshold stands between %.4f and %.4f, not at %.2f", next, lowest, DuplicateAt)
	}
}

// What is asked of the pairs that the measure was not made with. Duplicates are to be
// found; of paraphrases a measure of words finds those that kept most of them.
func TestDuplicatesAreTold(t *testing.T) {
	t.Parallel()
	for _, part := range []string{calibration, heldOut} {
		pairs := judge(t, part, nil)
		for _, c := range []struct {
			name                               string
			pairs                              []judged
			precision, duplicates, paraphrases float64
		}{
			{"all", pairs, 0.95, 0.97, 0.3},
			{"long", ofLength(pairs, false), 0.95, 0.97, 0.3},
			{"short", ofLength(pairs, true), 0.95, 0.9, 0.3},
		} {
			f := figuresOf(c.pairs, DuplicateAt)
			f.print(t, part+", "+c.name)
			if f.precision() < c.precision || f.recall(duplicate) < c.duplicates || f.recall(paraphrase) < c.paraphrases {
				t.Errorf("%s, %s: below %.2f, %.2f or %.2f", part, c.name, c.precision, c.duplicates, c.paraphrases)
			}
			if f.above[unrelated] > 0 {
				t.Errorf("%s, %s: %d unrelated pairs are called duplicates", part, c.name, f.above[unrelated])
			}
		}
	}
}

// A memory is no pair: each text meets cases of every other subject.
func TestNoOtherSubjectIsADuplicate(t *testing.T) {
	t.Parallel()
	cases, pairs := labelled(t, heldOut)
	met := 0
	for i, p := range pairs {
		if p.Class == unrelated || i%4 != 0 {
			continue
		}
		s := NewSimilarity(p.Text, nil)
		for id, c := range cases {
			if id == p.Case {
				continue
			}
			met++
			if got := s.To(c.split()); got >= DuplicateAt {
				t.Errorf("%s is %.3f near to %s", p.ID, got, id)
			}
		}
	}
	t.Logf("%d pairs of two subjects, none a duplicate", met)
}

// A text that stands in the memory is the same as itself, whole or by its title or its
// text alone, and no other order of its words is nearer.
func TestSimilarityToItself(t *testing.T) {
	t.Parallel()
	long := strings.Join(strings.Fields("pool "+alphabet(300)), " ")
	cases := map[string]labelledCase{"long": {Kind: "commit", Summary: "Say the alphabet to the parrot", Contribution: long}}
	for _, part := range []string{calibration, heldOut} {
		more, _ := labelled(t, part)
		maps.Copy(cases, more)
	}
	for id, c := range cases {
		title, text := c.split()
		for _, query := range []string{title, text, title + "\n" + text, title + "\n\n" + text} {
			same := NewSimilarity(query, nil)
			if same.whole.count < minCommonWords {
				continue
			}
			near := same.To(title, text)
			words := strings.Fields(query)
			slices.Reverse(words)
			if mixed := NewSimilarity(strings.Join(words, " "), nil).To(title, text); near < 0.99 || mixed > near {
				t.Errorf("%s: '%.60s' is %.4f near to itself, %.4f in another order", id, query, near, mixed)
			}
		}
	}
}

// alphabet is a text of so many different words.
func alphabet(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(string([]byte{'b' + byte(i%20), 'a', 'k' + byte(i/20%15), 'o', 'n' + byte(i/7%9)}) + " ")
	}
	return b.String()
}

// In a title one word that differs makes another problem, though a near one.
func TestAnotherWordIsAnotherProblem(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Handle SIGTERM in the worker", "Handle SIGINT in the worker"},
		{"Add retry to the upload of large files", "Add retry to the download of large files"},
		{"Upgrade the linter to version 2", "Upgrade the compiler to version 2"},
		{"Upgrade the linter to version 2", "Upgrade the linter to version 3"},
		{"Do not leak order ids", "Do not leak customer ids"},
		{"Show the key on the receipt", "Show the basket on the receipt"},
		{"Retry a charge after a minute", "Retry a refund after a minute"},
		{"Open the gate before the train", "Close the gate before the train"},
	} {
		if got := NewSimilarity(c[1], nil).To(c[0], ""); got >= DuplicateAt || got < 0.1 {
			t.Errorf("'%s' is %.3f near to '%s'", c[1], got, c[0])
		}
	}
}

func TestFewWordsTellOfNoProblem(t *testing.T) {
	t.Parallel()
	const title, text = "Guard the metrics map with a mutex", "metrics.Registry got a mutex"
	for _, query := range []string{"Guard", "mutex", "the mutex", "metrics map", "metrics.Registry", "all of the mutex, because", "mutex mutex mutex"} {
		for _, c := range [][2]string{{title, text}, {query, ""}, {"", query}} {
			if got := NewSimilarity(query, nil).To(c[0], c[1]); got >= DuplicateAt {
				t.Errorf("'%s' is %.3f near to %q", query, got, c)
			}
		}
		if got := NewSimilarity(title+". "+text, nil).To(query, ""); got >= DuplicateAt {
			t.Errorf("a text is %.3f near to the title '%s'", got, query)
		}
	}
}

// Three words that a longer text holds, too, are not its problem.
func TestAFewWordsOfManyAreNotTheProblem(t *testing.T) {
	t.Parallel()
	const title, text = "Fix the flaky test of the session store", "The test slept for 10 ms; it waits for the event now."
	const few = "Fix the flaky test"
	if got := NewSimilarity(few, nil).To(title, text); got >= DuplicateAt {
		t.Errorf("'%s' is %.3f near to '%s'", few, got, title)
	}
	if got := NewSimilarity(title+". "+text, nil).To(few, ""); got >= DuplicateAt {
		t.Errorf("'%s' is %.3f near to '%s'", title, got, few)
	}
}

// A young memory says nothing about words, a large one takes weight from the words that
// it is full of; neither may move what is a duplicate by much.
func TestStatsOfSmallAndLargeMemories(t *testing.T) {
	t.Parallel()
	three := func(string) (int, int) { return 3, 3 }
	rare := func(string) (int, int) { return 1, 10_000 }
	plain := judge(t, heldOut, nil)
	for name, stats := range map[string]Stats{"three milestones": three, "10,000, every word rare": rare} {
		for i, p := range judge(t, heldOut, stats) {
			if math.Abs(p.similarity-plain[i].similarity) > 0.03 {
				t.Errorf("%s: %s is %.3f near, not %.3f", name, p.ID, p.similarity, plain[i].similarity)
			}
		}
	}
	everywhere := func(term string) (int, int) {
		if term == "router" || term == "store" {
			return 6_000, 10_000
		}
		return 10, 10_000
	}
	const title, text = "router, store and gate", ""
	const query = "the store has a router and a gate, a lamp, a ladder and a bucket"
	if NewSimilarity(query, everywhere).To(title, text) >= NewSimilarity(query, nil).To(title, text) {
		t.Error("words that are everywhere weigh as much as others")
	}
}

func TestSimilarityBounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "?!", "the of and", "a", "é", "\xff\xfe", "0", "😀"} {
		for _, other := range []string{"", "the", "pool", text} {
			got := NewSimilarity(text, nil).To(other, other)
			if !(got >= 0 && got <= 1) {
				t.Errorf("%q and %q: %v", text, other, got)
			}
		}
	}
}

// A case is found inside of a long text, and a text by its first paragraph.
func TestSimilarityOfLongTexts(t *testing.T) {
	t.Parallel()
	const problem = "TestShutdown reports leaked goroutines, the pool waits for active connections and never closes idle ones"
	long := ""
	_, pairs := labelled(t, calibration)
	for _, p := range pairs[200:260] {
		long += p.Text + "\n"
	}
	if got := NewSimilarity(problem, nil).To("Look at the build", long+problem+"\n"+long); got < 0.7 {
		t.Errorf("in the middle of a long text it is %.3f near", got)
	}
	if got := NewSimilarity(problem, nil).To(long+problem+long, ""); got < 0.7 {
		t.Errorf("in the middle of a long title it is %.3f near", got)
	}
	if got := NewSimilarity(problem, nil).To("", strings.Repeat(long, 200)); got >= 0.5 {
		t.Errorf("a text of a megabyte is %.3f near", got)
	}
	if got := NewSimilarity(problem+"\n\n"+long, nil).To(problem, problem); got < DuplicateAt {
		t.Errorf("by its first paragraph it is %.3f near", got)
	}
	if got := NewSimilarity(problem, nil).To("Look at the build", long); got >= 0.5 {
		t.Errorf("a long text on other things is %.3f near", got)
	}
}

func BenchmarkSimilarity(b *testing.B) {
	const text = "go test -race ./metrics prints DATA RACE in (*Registry).Inc, map read and write from two handlers"
	s := NewSimilarity(text, nil)
	for b.Loop() {
		s.To("Guard the metrics map with a mutex", text+" Registry got an RWMutex, Snapshot copies under the read lock")
	}
}
