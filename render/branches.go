package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/store"
)

// BranchesText lists branches one a line, as `git branch -v` does and in its
// colours: the current one marked, name, tip, what is not ordinary about it, its
// newest subject, which only a terminal cuts. What remotes have stands last.
func BranchesText(p *Printer, list []store.Branch) {
	width := 0
	for _, b := range list {
		width = max(width, p.column(listedName(b)))
	}
	for _, remote := range []bool{false, true} {
		for _, b := range list {
			if remote == (b.Remote != "") {
				p.listedBranch(b, width)
			}
		}
	}
}

func (p *Printer) listedBranch(b store.Branch, width int) {
	mark, name := "  ", listedName(b)
	gap, rest := pad(name, width)+" ", b.Tip.Short()+" "+listedRemarks(b)
	if p.Width > 0 {
		rest += p.fit(b.Summary, cells(mark+name+gap+rest))
	} else { // nothing stands behind the subject: a tab in it moves nothing
		rest += strings.ReplaceAll(b.Summary, "\n", " ")
	}
	var line []piece
	switch {
	case b.Current:
		mark = "* "
		line = []piece{plain(mark), green(name), plain(gap + rest)}
	case b.Status != statusActive && b.Status != "":
		line = []piece{plain(mark), dim(name + gap + rest)}
	case b.Remote != "":
		line = []piece{plain(mark), red(name), plain(gap + rest)}
	default:
		line = []piece{plain(mark + name + gap + rest)}
	}
	// The space before a subject stays where there is none: scripts split at it.
	p.write(p.styled(line) + "\n")
}

func listedName(b store.Branch) string {
	if b.Remote == "" {
		return b.Name
	}
	return "remotes/" + b.Name
}

// listedRemarks gives "[merged, 3 pending] ", or nothing for an ordinary branch.
func listedRemarks(b store.Branch) string {
	var all []string
	if b.Status != statusActive && b.Status != "" {
		all = append(all, b.Status)
	}
	if b.Pending > 0 {
		all = append(all, fmt.Sprintf("%d pending", b.Pending))
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "] "
}
