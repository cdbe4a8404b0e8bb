package merge

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// refuseRewritten refuses a merge in which both sides have an entry with two contents, unless both say that it is of the branch that is
// merged into, the source only has less of it, with "(expunged)", or the merge prefers a side. Somebody has rewritten it, on the
// side that is merged or, under an id that he has read there, on the other one; and the words of the source would be in no view
// once it is closed.
func refuseRewritten(k store.EntryKind, ours, theirs doc.Entries, ids []string, both sides) error {
	if both.prefer != "" || both.show {
		return nil
	}
	have, err := contentsOf(k, ours, ids)
	if err != nil {
		return err
	}
	come, err := contentsOf(k, theirs, ids)
	if err != nil {
		return err
	}
	target := both.ours.Name()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		own := have[id].origin == target && come[id].origin == target
		return own || doc.Hides(string(come[id].text), string(have[id].text))
	})
	return contentsDiffer(k, both, ids)
}

// settleContents unites both sides where some entries have two contents: it takes that of the source if the merge prefers that, else ours.
func settleContents(k store.EntryKind, ours, theirs doc.Entries, ids []string, prefer string) (r mergedEntries, err error) {
	if prefer == SettleTheirs {
		if r.replaced, err = countOf(k, ours, ids); err == nil {
			ours, err = without(k, ours, ids)
		}
	} else {
		theirs, err = without(k, theirs, ids)
	}
	if err == nil {
		r.Union, err = k.Union(ours, theirs)
	}
	r.theirs = theirs
	return r, err
}

// countOf counts some entries of a side by their origins, as their totals do.
func countOf(k store.EntryKind, side doc.Entries, ids []string) (map[string]doc.OriginTotals, error) {
	n := map[string]doc.OriginTotals{}
	if k.File == doc.CommitFile {
		_, err := commitsOf(side, slices.Sorted(slices.Values(ids)), n)
		return n, err
	}
	return n, eachOf(k, side, ids, func(h doc.EntryHead, _ []byte) {
		n[h.Origin] = doc.OriginTotals{Steps: n[h.Origin].Steps + 1}
	})
}

// contentsDiffer refuses a merge in which entries have two contents.
func contentsDiffer(k store.EntryKind, both sides, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	source, target := both.theirs.Name(), both.ours.Name()
	what := "step"
	if k.File == doc.CommitFile {
		what = "commit"
	}
	return fail.New(fail.ErrRefused, fail.MergeContents, fmt.Sprintf("'%s' and '%s' have different contents of %s, the first of them %s; "+
		"somebody has rewritten them in one of both: -X theirs takes those of '%s', -X ours keeps those of '%s'",
		source, target, prose.Count(len(ids), what), ids[0], source, target), "git context search --all "+ids[0])
}

// hintPrefer adds to such a refusal the merge that takes the source's contents.
func hintPrefer(err error, o store.MergeOptions) error {
	var why *fail.Error
	if errors.As(err, &why) && why.Code == fail.MergeContents {
		into := ""
		if o.Into != "" {
			into = " --into " + prose.ShellWord(o.Into)
		}
		why.Hints = append(why.Hints, "git context merge "+prose.ShellWord(o.Source)+into+" -X theirs")
	}
	return err
}

// content is one of those that an entry has.
type content struct {
	origin string
	text   []byte
}

// contentsOf returns the contents of some entries of a side.
func contentsOf(k store.EntryKind, side doc.Entries, ids []string) (map[string]content, error) {
	found := make(map[string]content, len(ids))
	return found, eachOf(k, side, ids, func(h doc.EntryHead, text []byte) { found[h.ID] = content{h.Origin, bytes.Clone(text)} })
}

// eachOf visits some entries of a side.
func eachOf(k store.EntryKind, side doc.Entries, ids []string, visit func(doc.EntryHead, []byte)) error {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	for _, f := range append([]doc.File{{Data: side.Live}}, side.Segments...) {
		err := doc.EachEntry(k.File, f.Data, func(h doc.EntryHead, text []byte) {
			if wanted[h.ID] {
				visit(h, text)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// without leaves some entries out of a side.
func without(k store.EntryKind, side doc.Entries, ids []string) (doc.Entries, error) {
	drop := make(map[string]bool, len(ids))
	for _, id := range ids {
		drop[id] = true
	}
	return doc.RemoveEntries(k.File, side, drop)
}
