//go:build unix

package test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Random commands of several processes in several clones and worktrees do what a simple
// model of GCC, without git, says that they do. A failure shrinks to few commands, printed
// as a script.
func TestModel(t *testing.T) {
	sequences, limit := 3, time.Minute
	if soaking() {
		sequences, limit = 600, 15*time.Minute
	}
	setFlags(t, map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "6m"})
	w := newModelTemplate(t)
	f := &modelFigures{}
	begin := time.Now()
	for seed := 1; f.sequences < sequences && time.Since(begin) < limit && !t.Failed(); seed++ {
		setFlags(t, map[string]string{"rapid.checks": "1", "rapid.seed": fmt.Sprint(seed)})
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			f.t = t
			defer func() {
				if t.Failed() {
					t.Logf("the smallest of %d that were tried: %s", f.sequences-f.first, f.failed)
				}
			}()
			rapid.Check(t, func(rt *rapid.T) {
				w.play(rt, genRounds(rt), rapid.IntRange(0, 3).Draw(rt, "forgets") == 3, f)
			})
		})
	}
	t.Logf("figures: %d sequences, %d commands, %d batches of several at once, %d looks at the whole state, %d that a sync overlapped with, losses 0, in %s",
		f.sequences, f.commands, f.batches, f.looks, f.overlaps, time.Since(begin).Round(time.Second))
}

// setFlags sets flags of rapid, which has no other way to be told, for one test.
func setFlags(t *testing.T, flags map[string]string) {
	t.Helper()
	for name, value := range flags {
		f := flag.Lookup(name)
		old := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(old) }) // it was its value before
	}
}

// modelFigures count what was played, and keep the smallest sequence that failed.
type modelFigures struct {
	sequences, commands, batches, looks int
	overlaps                            int // sequences that ended with one

	t      *testing.T
	failed string
	stage  string // of the first failure: shrinking follows that alone
	size   int
	first  int // sequences before the first failure
}

// fails keeps a failure, if it is smaller than the one before. The first is told at once.
func (f *modelFigures) fails(g *game, err error) {
	said := fmt.Sprintf("%s, after %d commands: %v\n%s", g.stage, g.n, err, g.script())
	if f.failed == "" {
		f.first, f.stage = f.sequences, g.stage
		f.t.Logf("sequence %d, which is shrunk now: %s", f.first, said)
	}
	if f.failed == "" || g.n <= f.size {
		f.failed, f.size = said, g.n
	}
}

// genRounds draws a sequence, of 24 rounds or so. Rapid's own lists are of six in the
// middle, whatever they may be: four of them make one, and each shrinks to none.
func genRounds(t *rapid.T) [][]modelOp {
	var rounds [][]modelOp
	for range 4 {
		rounds = append(rounds, rapid.SliceOfN(genRound(), 0, 12).Draw(t, "rounds")...)
	}
	return rounds
}

// genRound draws one command, or several at once.
func genRound() *rapid.Generator[[]modelOp] {
	number := rapid.IntRange(0, 23)
	op := rapid.Custom(func(t *rapid.T) modelOp {
		return modelOp{kind: rapid.IntRange(0, len(modelKinds())-1).Draw(t, "kind"), place: rapid.IntRange(0, len(modelPlaces())-1).Draw(t, "place"),
			a: number.Draw(t, "a"), b: number.Draw(t, "b"), c: number.Draw(t, "c"), view: rapid.IntRange(0, 5).Draw(t, "view") == 5}
	})
	return rapid.Custom(func(t *rapid.T) []modelOp {
		n := 1
		if rapid.IntRange(0, 3).Draw(t, "batch") == 3 {
			n = rapid.IntRange(2, 4).Draw(t, "at once")
		}
		return rapid.SliceOfN(op, n, n).Draw(t, "ops")
	})
}

// again is how often a sequence in which commands run at once is tried while a failure
// is shrunk: it may have to meet an order.
const again = 4

// play plays a sequence. What fails it is told apart by the stage alone: ids and times
// differ from run to run, and shrinking follows what fails alike.
func (w *modelWorld) play(rt *rapid.T, rounds [][]modelOp, forgets bool, f *modelFigures) {
	tries := 1
	if f.failed != "" && slices.ContainsFunc(rounds, func(ops []modelOp) bool { return len(ops) > 1 }) {
		tries = again
	}
	for range tries {
		g, err := w.playOnce(rounds, forgets, f)
		switch {
		case err == nil:
		case g == nil:
			rt.Fatal(err)
		case f.failed == "" || g.stage == f.stage:
			f.fails(g, err)
			rt.Fatalf("the model foretold something else %s", g.stage)
		}
	}
}

// playOnce plays a sequence in a copy of the world.
func (w *modelWorld) playOnce(rounds [][]modelOp, forgets bool, f *modelFigures) (*game, error) {
	dir, err := os.MkdirTemp(w.root, "play")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // else it is removed with all others
	own, err := w.copy(dir)
	if err != nil {
		return nil, err
	}
	g := &game{w: own, m: modelStart(), hashes: newModelHashes(), forgets: forgets, figures: f}
	f.sequences++
	for _, round := range rounds {
		if err := g.round(round); errors.Is(err, errOverlap) {
			return g, nil
		} else if err != nil {
			return g, err
		}
	}
	g.stage = "at the end"
	return g, g.end()
}

// game is one sequence under way.
type game struct {
	w       *modelWorld
	m       *model
	hashes  *modelHashes
	played  [][]played
	n       int
	stage   string
	forgets bool // at the end
	figures *modelFigures
}

// played is a command that was run, with its answer.
type played struct {
	modelCommand
	answer *answer
}

// round plays one command, or several at once.
func (g *game) round(ops []modelOp) error {
	var list []modelCommand
	for _, op := range ops {
		kinds := modelKinds()
		if len(ops) > 1 {
			kinds = beside()
		}
		g.n++
		k := player{m: g.m, op: op, n: g.n, place: modelPlaces()[op.place], at: int64(g.n), crowd: len(ops) > 1}
		list = append(list, kinds[op.kind%len(kinds)](k))
	}
	if g.stage = "after several commands at once"; len(list) == 1 {
		g.stage = "after " + list[0].name()
	}
	return g.run(list, len(ops) > 1 || ops[0].view)
}

// run runs commands at once, and holds them against the model.
func (g *game) run(list []modelCommand, view bool) error {
	answers, err := g.w.runAll(list)
	var round []played
	for i, c := range list {
		round = append(round, played{c, answers[i]})
	}
	g.played = append(g.played, round)
	g.figures.commands += len(list)
	if err != nil {
		return fmt.Errorf("%s: %w", list[0], err)
	}
	if len(list) > 1 {
		g.figures.batches++
		return g.explain(round)
	}
	if err := list[0].foretell(g.m, answers[0]); err != nil {
		return fmt.Errorf("%s: %w\n%s%s", list[0], err, answers[0].out, answers[0].errs)
	}
	r := g.m.repos[list[0].place.repo]
	if !view && !r.unseenUnion() && !list[0].looks {
		return nil
	}
	seen, err := g.look(round)
	if err != nil {
		return fmt.Errorf("after %s: %w", list[0], err)
	}
	if err := g.m.matches(seen, g.hashes); err != nil {
		return fmt.Errorf("after %s: %w", list[0], err)
	}
	return nil
}

// look reads the whole state of the repositories that commands were run in.
func (g *game) look(round []played) (map[int]*modelSeen, error) {
	all := map[int]*modelSeen{}
	for _, p := range round {
		if all[p.place.repo] != nil {
			continue
		}
		seen, err := g.w.look(p.place.repo)
		if err != nil {
			return nil, err
		}
		g.figures.looks++
		all[p.place.repo] = seen
	}
	return all, nil
}

// explain looks for an order of commands that ran at once in which the model comes to all
// their answers, and to what is seen afterwards.
func (g *game) explain(round []played) error {
	seen, err := g.look(round)
	if err != nil {
		return fmt.Errorf("after %d commands at once: %w", len(round), err)
	}
	var reasons []error
	for _, order := range append(orders(len(round)), overlaps(round)...) {
		m := g.m.clone()
		err := func() error {
			for _, i := range order {
				var err error
				if i < 0 {
					err = round[-1-i].ask(m)
				} else {
					err = round[i].foretell(m, round[i].answer)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", round[max(i, -1-i)].modelCommand, err)
				}
			}
			return m.matches(seen, g.hashes)
		}()
		if err == nil {
			g.m = m
			return nil
		}
		if len(order) == len(round) {
			reasons = append(reasons, fmt.Errorf("order %v: %w", order, err))
		}
	}
	if slices.ContainsFunc(round, played.wentAround) {
		return g.overlapped(round)
	}
	return fmt.Errorf("no order explains what %d commands at once came to: %w\n%s", len(round), errors.Join(reasons...), answersOf(round))
}

func answersOf(round []played) string {
	var b strings.Builder
	for _, p := range round {
		fmt.Fprintf(&b, "%s: exit %d\n%s%s", p.modelCommand, p.answer.exit, p.answer.out, p.answer.errs)
	}
	return b.String()
}

// orders are all orders of n things, the given one first.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, o := range orders(n - 1) {
		for at := n - 1; at >= 0; at-- {
			all = append(all, slices.Insert(slices.Clone(o), at, n-1))
		}
	}
	return all
}
