package render

import (
	"fmt"

	"github.com/git-context/git-context/refs"
)

// GCText shows the result of a gc: what it packed, everything that it dropped, and how much
// space it freed.
func GCText(p *Printer, res refs.GCResult) {
	if res.Packed == 0 && res.Dropped == 0 && res.Bytes <= 0 {
		p.line(plain("nothing to pack or drop"))
		return
	}
	if res.Packed > 0 {
		p.line(plain(fmt.Sprintf("Packed %d %s", res.Packed, plural(res.Packed, "object"))))
	}
	temp := 0
	for _, d := range res.Drops {
		switch {
		case d.Kind == refs.GCTemp:
			temp++
		case d.When.IsZero():
			p.line(plain(fmt.Sprintf("Dropped %s '%s'", d.Kind, flat(d.Name))))
		default:
			p.line(plain(fmt.Sprintf("Dropped %s '%s' of %s", d.Kind, flat(d.Name), day(d.When))))
		}
	}
	if temp > 0 {
		p.line(plain(fmt.Sprintf("Dropped %d %s", temp, plural(temp, string(refs.GCTemp)))))
	}
	if res.Bytes > 0 {
		p.line(plain("Freed " + size(res.Bytes)))
	}
}
