package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
)

// checkHoles reports objects that are lost below tips that are whole, where no fetch can bring them back, see
// [remake.Holes]. What is lost elsewhere, checkDocuments reports.
func checkHoles(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	if dropped, err := c.dropDamagedFiles(ctx, v); c.blocked || err != nil {
		return err
	} else if dropped {
		c.loaded = nil
		if err := checkRefs(ctx, c); c.blocked || err != nil { // tips may be lost now
			return err
		}
		if v, err = c.memory(ctx); err != nil {
			return err
		}
	}
	isHole := func(f incoming.Flaw) bool { return f.Kind == incoming.FlawMissing && v.isOwnFlaw(f) }
	first := slices.IndexFunc(v.flaws, isHole)
	if first < 0 {
		if whole, err := c.othersWhole(ctx); whole || err != nil {
			return err
		}
	}
	at := git.NotesRef
	if first >= 0 {
		at = v.flaws[first].At.Ref
	}
	if rebuilt, err := c.rebuildBelow(ctx, at); err != nil {
		return err
	} else if rebuilt {
		return checkHoles(ctx, c)
	}
	h, err := remake.FindHoles(ctx, c.s)
	if err != nil {
		return err
	}
	if h == nil {
		if err := c.hiddenElsewhere(ctx, v); err != nil {
			return err
		}
		return c.notesElsewhere(ctx, v)
	}
	refs, names := refsOf(h)
	lacks := fmt.Sprintf("the history of %s lacks %s, which no remote is known to have", shownNames(names), prose.Count(len(h.Objects), "object"))
	c.holes = h.Objects
	said := "the repair makes the commits since again, with what newer or earlier documents say"
	if len(h.Gone) > 0 {
		said = fmt.Sprintf("of what is hidden of %s nothing can come back; the repair makes again what else there is", shownNames(h.Gone))
	}
	c.report(ctx, func(ctx context.Context) error { return c.mendHoles(ctx, h, refs) },
		Problem{Kind: "history-lost", Object: names[0].Name, Repair: FixCommand,
			Message: lacks + "; " + said + "; lost: " + shownObjects(h.Objects, h.Paths())})
	if c.deferred && c.found[len(c.found)-1].Fixed {
		c.deferred = false
		return checkRefs(ctx, c)
	}
	return nil
}

// refsOf returns the refs that lead to what is lost, and with the requests that keep such history.
func refsOf(h *remake.Holes) (refs, names []git.Ref) {
	refs = slices.Clone(h.Refs)
	if h.Notes != nil {
		refs = append(refs, *h.Notes)
	}
	names = slices.Clone(refs)
	for _, r := range h.Requests {
		names = append(names, git.Ref{Name: r.Ref, ID: r.ID})
	}
	return refs, names
}

// notesElsewhere reports what is lost of the history of notes and comes back by a command: checkDocuments looks at the newest notes alone.
func (c *checker) notesElsewhere(ctx context.Context, v *memory) error {
	tip, err := c.s.NotesTip(ctx)
	if tip == "" || err != nil {
		return err
	}
	lost, err := c.s.Repo().Lost(ctx, []git.ID{tip})
	if git.ExitCode(err) > 0 { // a commit is lost: git names it
		lost, err = c.lostIn(ctx, err)
	}
	for _, f := range v.flaws {
		delete(lost, f.ID)
	}
	if len(lost) == 0 || err != nil {
		return err
	}
	first := slices.Min(slices.Collect(maps.Keys(lost)))
	repair, err := v.bringBack(ctx, incoming.Flaw{Spot: incoming.Spot{ID: first}})
	if err != nil {
		return err
	}
	c.holes = lost // after checkDocuments, no check can run: git log fails over it
	c.report(ctx, nil, Problem{Kind: string(incoming.FlawMissing), Object: string(first), Repair: repair,
		Message: fmt.Sprintf("the history of '%s' lacks %s: %s", git.NotesRef, prose.Count(len(lost), "object"), shownObjects(lost, nil))})
	return nil
}

// hiddenElsewhere reports what is lost of the history that requests keep where objects are borrowed: the lender may have them again, and
// no other check reads that history. A remote that asks to forget it has it no more.
func (c *checker) hiddenElsewhere(ctx context.Context, v *memory) error {
	dirs, away, err := c.s.Repo().Alternates(ctx)
	if len(dirs) == 0 && away == "" || err != nil {
		return err
	}
	requests, err := expunge.ReadableRequests(ctx, c.s)
	if err != nil {
		return err
	}
	said := map[git.ID]bool{}
	for _, f := range v.flaws {
		said[f.ID] = true
	}
	for _, r := range requests {
		lost, err := c.s.Repo().Lost(ctx, expunge.UniqueIDs(r.Memory()))
		if git.ExitCode(err) > 0 { // a commit is lost: git names it
			lost, err = c.lostIn(ctx, err)
		}
		if err != nil {
			return err
		}
		maps.DeleteFunc(lost, func(id git.ID, _ bool) bool { return said[id] })
		if len(lost) == 0 {
			continue
		}
		repair := FixCommand
		if c.fix {
			repair = fetchFromClone
		}
		maps.Copy(said, lost)
		c.report(ctx, nil, Problem{Kind: string(incoming.FlawMissing), Object: r.Ref, Repair: repair,
			Message: fmt.Sprintf("what '%s' asks to forget is hidden here, and lacks %s: %s", incoming.Printable(r.Remote),
				prose.Count(len(lost), "object"), shownObjects(lost, nil))})
	}
	return nil
}

// mendHoles makes history again, and cleans the reflogs of the refs that are moved.
func (c *checker) mendHoles(ctx context.Context, h *remake.Holes, refs []git.Ref) error {
	replaced, err := h.Mend(ctx, c.w, func() error {
		c.notesWere = h.Notes.ID
		err := c.notesAgain(ctx)
		c.notesWere = ""
		return err
	})
	if err != nil {
		return err
	}
	c.loaded, c.holes = nil, nil // the checks that follow read what is there now
	for _, r := range refs {
		if err := c.dropLostMoves(ctx, r.Name, replaced...); err != nil {
			return err
		}
	}
	for _, r := range h.Requests { // each has been made again
		if err := c.dropLostMoves(ctx, r.Ref, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// shownNames quotes the names of refs.
func shownNames(refs []git.Ref) string {
	var names []string
	for _, r := range refs {
		names = append(names, "'"+incoming.Printable(r.Name)+"'")
	}
	return atMost(names, maxNamed)
}

// shownObjects lists objects with the path that each has in some commit, if that is known.
func shownObjects(objects map[git.ID]bool, paths map[git.ID]string) string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(objects)) {
		text := string(id)
		if path := paths[id]; path != "" {
			text += " (" + incoming.Printable(path) + ")"
		}
		list = append(list, text)
	}
	return atMost(list, 2)
}

// atMost joins the first few names of a list, and says how many more there are.
func atMost(list []string, most int) string {
	if n := len(list); n > most {
		list = append(list[:most:most], fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(list, ", ")
}

// isOwnFlaw reports whether a flaw is in what a ref of our own leads to.
func (v *memory) isOwnFlaw(f incoming.Flaw) bool {
	at := f.At
	if child := v.in.ByID[v.childOf[at.ID]]; child != nil {
		at = child
	}
	return isOwn(at.Ref)
}

// othersWhole reports whether the history of the notes is here, and what requests hide, apart from what remotes have.
func (c *checker) othersWhole(ctx context.Context) (bool, error) {
	tip, err := c.s.NotesTip(ctx)
	if err != nil {
		return false, err
	}
	requests, err := expunge.ReadableRequests(ctx, c.s)
	if err != nil {
		return false, err
	}
	var tips []git.ID
	for _, r := range requests {
		tips = append(tips, expunge.UniqueIDs(r.Memory())...)
	}
	if tip != "" {
		tips = append(tips, tip)
	}
	return c.wholeBelow(ctx, tips)
}

// wholeBelow reports whether all is here that some commits lead to, and these.
func (c *checker) wholeBelow(ctx context.Context, tips []git.ID) (bool, error) {
	if len(tips) == 0 {
		return true, nil
	}
	lost, err := c.s.Repo().Lost(ctx, tips)
	if len(lost) == 0 && git.ExitCode(err) <= 0 {
		return err == nil, err
	}
	// One of them is lost, or something is damaged.
	split, err := c.splitPacksOf(ctx, lost, err)
	if !split || err != nil {
		return false, err
	}
	return c.wholeBelow(ctx, tips)
}
