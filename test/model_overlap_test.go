//go:build unix

package test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// overlaps are the orders in which exchanges with the hub do it in halves: -1-i is the
// moment at which command i asks, and looks what there is.
func overlaps(round []played) [][]int {
	var halves []int
	for i, p := range round {
		if p.ask != nil {
			halves = append(halves, i)
		}
	}
	if len(halves) == 0 {
		return nil
	}
	all := orders(len(round))
	for _, i := range halves {
		var more [][]int
		for _, o := range all {
			for at := range slices.Index(o, i) + 1 {
				more = append(more, slices.Insert(slices.Clone(o), at, -1-i))
			}
		}
		all = more
	}
	return all
}

// errOverlap ends a sequence behind commands at once that no order explains, because an
// exchange among them went around more than once: it took some refs the first time, and
// others after the commands beside it.
var errOverlap = errors.New("an exchange overlapped with others")

// wentAround reports an exchange that somebody was faster than.
func (p played) wentAround() bool {
	var v struct{ Attempts int }
	return p.ask != nil && p.answer.said(&v) == nil && v.Attempts > 1
}

// overlapped holds of such commands what holds whatever their order was: all is sound, and
// what was acknowledged is there.
func (g *game) overlapped(round []played) error {
	for _, place := range modelPlaces() {
		if place.worktree > 0 {
			continue
		}
		if _, err := g.w.view(place, "fsck"); err != nil {
			return err
		}
		if err := g.sound(place.dir); err != nil {
			return err
		}
	}
	for _, p := range round {
		id, err := p.answer.id()
		if err != nil || p.answer.exit != exitDone || p.git || !slices.Contains(p.args, "record") && !slices.Contains(p.args, "commit") {
			continue // it told no id, or one that is not its own
		}
		out, err := g.w.git(p.place.dir, "", "log", "--all", "--format=%B", "-p")
		if err != nil {
			return err
		}
		dir, err := g.w.git(p.place.dir, "", "rev-parse", "--path-format=absolute", "--git-common-dir") // of all worktrees
		if err != nil {
			return err
		}
		journals, err := filepath.Glob(filepath.Join(strings.TrimSpace(dir), "context", "journal", "*"))
		if err != nil {
			return err
		}
		for _, j := range journals {
			data, err := os.ReadFile(j)
			if err != nil {
				return err
			}
			out += string(data)
		}
		if !strings.Contains(out, id) {
			return fmt.Errorf("%s is lost, which was acknowledged: %s", id, p.modelCommand)
		}
	}
	g.figures.overlaps++
	return errOverlap
}
