package render

import (
	"fmt"

	"github.com/git-context/git-context/refs/maintain"
)

// GCText shows what a gc did: what was packed, each thing that was dropped, and how much
// is free now.
func GCText(p *Printer, res maintain.Result) {
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
		case d.Kind == maintain.GCTemp:
			temp++
		case d.When.IsZero():
			p.line(plain(fmt.Sprintf("Dropped %s '%s'", d.Kind, flat(d.Name))))
		default:
			p.line(plain(fmt.Sprintf("Dropped %s '%s' of %s", d.Kind, flat(d.Name), day(d.When))))
		}
	}
	if temp > 0 {
		p.line(plain(fmt.Sprintf("Dropped %d %s", temp, plural(temp, string(maintain.GCTemp)))))
	}
	if res.Bytes > 0 {
		p.line(plain("Freed " + size(res.Bytes)))
	}
}
