package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/refs/store"
)

func TestBranchesText(t *testing.T) {
	list := append(branches(same), store.Branch{Name: "origin/試す", Remote: "origin", Tip: id("f"), Status: "active"})
	const plain = `  try/lifo            bbbbbbbbbb Reuse the newest connection
* main                aaaaaaaaaa [3 pending] Close idle connections
  old                 dddddddddd [merged] Done
  dead                eeeeeeeeee [abandoned] No
  remotes/origin/試す ffffffffff 
`
	view := func(p *Printer) { BranchesText(p, list) }
	if diff := cmp.Diff(plain, show(view, false)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	colored := strings.NewReplacer(
		"* main  ", "* \x1b[32mmain\x1b[m  ",
		"  old                 dddddddddd [merged] Done", "  \x1b[2mold                 dddddddddd [merged] Done\x1b[m",
		"  dead                eeeeeeeeee [abandoned] No", "  \x1b[2mdead                eeeeeeeeee [abandoned] No\x1b[m",
		"remotes/origin/試す", "\x1b[31mremotes/origin/試す\x1b[m",
	).Replace(plain)
	if diff := cmp.Diff(colored, show(view, true)); diff != "" {
		t.Errorf("in colour, -want +got:\n%s", diff)
	}
}
