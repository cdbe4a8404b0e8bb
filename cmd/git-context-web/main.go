// Command git-context-web serves the memory of a git repository as pages to a browser on the same machine, or
// writes it into one file of HTML. 'git context web' runs it.
package main

import "github.com/git-context/git-context/cmd/web"

func main() {
	web.Main()
}
