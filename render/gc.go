package render

import (
	"fmt"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/prose"
)

// GCText shows the result of a gc: what it packed, everything that it dropped, and how much
// space it freed.
func GCText(p *Printer, res refs.GCResult) {
	if res.Packed == 0 && res.Dropped == 0 && res.Bytes <= 0 {
		p.line(plain("nothing to pack or drop"))
		return
	}
	if res.Packed > 0 {
		p.line(plain("Packed " + prose.Count(res.Packed, "object")))
	}
	temp := 0
	for _, d := range res.Drops {
		switch {
		case d.Kind == refs.GCTemp:
			temp++
		case d.When.IsZero():
			p.line(plain(fmt.Sprintf("Dropped %s '%s'", d.Kind, prose.Fold(d.Name))))
		default:
			p.line(plain(fmt.Sprintf("Dropped %s '%s' of %s", d.Kind, prose.Fold(d.Name), day(d.When))))
		}
	}
	if temp > 0 {
		p.line(plain("Dropped " + prose.Count(temp, string(refs.GCTemp))))
	}
	if res.Bytes > 0 {
		p.line(plain("Freed " + size(res.Bytes)))
	}
}
