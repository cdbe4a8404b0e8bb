package render

import "github.com/git-context/git-context/refs/fsck"

// ProblemsText shows what fsck found: a line for each problem, and below it what mends it,
// or that it was mended.
func ProblemsText(p *Printer, problems []fsck.Problem) {
	for _, x := range problems {
		if x.Fixed {
			p.line(green("mended "), bold(flat(x.Kind)+": "), plain(flat(x.Message)))
			continue
		}
		p.line(red("problem "), bold(flat(x.Kind)+": "), plain(flat(x.Message)))
		p.line(dim("    repair: "), plain(flat(x.Repair)))
	}
	if len(problems) == 0 {
		p.line(plain("no problems"))
	}
}
