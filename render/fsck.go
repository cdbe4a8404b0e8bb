package render

import (
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/prose"
)

// ProblemsText shows the problems that fsck found, one on a line, and below each the
// repair, unless it was repaired.
func ProblemsText(p *Printer, problems []refs.Problem) {
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
