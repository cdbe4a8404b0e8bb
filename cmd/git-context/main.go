// Command git-context gives an AI coding agent a memory that is git all the
// way down. git runs it as `git context`; `git context -h` says more.
package main

import "github.com/git-context/git-context/cmd"

func main() {
	cmd.Main()
}
