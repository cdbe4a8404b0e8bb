package render

import (
	"fmt"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/prose"
)

// ProblemsText shows the problems that fsck found, one on a line, and below each the
// repair, unless it was repaired.
func ProblemsText(p *Printer, problems []fsck.Problem) {
	for _, x := range problems {
		if x.Fixed {
			p.line(green("mended "), bold(prose.Fold(x.Kind)+": "), plain(prose.Fold(x.Message)))
			continue
		}
		p.line(red("problem "), bold(prose.Fold(x.Kind)+": "), plain(prose.Fold(x.Message)))
		p.line(dim("    repair: "), plain(prose.Fold(x.Repair)))
	}
	if len(problems) == 0 {
		p.line(plain("no problems"))
	}
}

// GCText shows the result of a gc: what it packed, everything that it dropped, and how much
// space it freed.
func GCText(p *Printer, res maintain.Result, would bool) {
	did := func(done, undone string) string {
		if would {
			return "Would " + undone
		}
		return done
	}
	if res.Packed == 0 && res.Dropped == 0 && res.Bytes <= 0 && len(res.Expunged) == 0 {
		p.line(plain("nothing to pack or drop"))
		return
	}
	if res.Packed > 0 {
		p.line(plain(did("Packed ", "pack ") + prose.Count(res.Packed, "object")))
	}
	for _, e := range res.Expunged {
		p.line(plain(fmt.Sprintf("%s %s that '%s' has expunged, kept here until %s", did("Deleted", "delete"),
			expunge.EntriesAndTexts(e.Entries, e.Texts), prose.Fold(e.Remote), day(e.Until))))
	}
	temp := 0
	for _, d := range res.Drops {
		switch {
		case d.Kind == maintain.DropTemp:
			temp++
		case d.When.IsZero():
			p.line(plain(fmt.Sprintf("%s %s '%s'", did("Dropped", "drop"), d.Kind, prose.Fold(d.Name))))
		default:
			p.line(plain(fmt.Sprintf("%s %s '%s' of %s", did("Dropped", "drop"), d.Kind, prose.Fold(d.Name), day(d.When))))
		}
	}
	if temp > 0 {
		p.line(plain(did("Dropped ", "drop ") + prose.Count(temp, string(maintain.DropTemp))))
	}
	if res.Bytes > 0 {
		p.line(plain(did("Freed ", "free ") + Size(res.Bytes)))
	}
}
