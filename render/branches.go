package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
)

// BranchesText lists branches on one line each, like `git branch -v` and in its colours: a
// mark for the current one, name, tip, status and pending steps if unusual, and the newest
// subject, which is shortened only for a terminal. Remote branches come last.
func BranchesText(p *Printer, list []refs.Branch) {
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

func (p *Printer) listedBranch(b refs.Branch, width int) {
	mark, name := "  ", listedName(b)
	gap, rest := pad(name, width)+" ", b.Tip.Short()+" "+listedRemarks(b)
	if p.Width > 0 {
		rest += p.fit(b.Summary, cells(mark+name+gap+rest))
	} else { // nothing follows the subject, so a tab in it cannot break the alignment
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
	// The space before a missing subject stays, because scripts split at it.
	p.write(p.styled(line) + "\n")
}

func listedName(b refs.Branch) string {
	if b.Remote == "" {
		return b.Name
	}
	return "remotes/" + b.Name
}

// listedRemarks returns "[merged, 3 pending] ", or "" for an ordinary branch.
func listedRemarks(b refs.Branch) string {
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
