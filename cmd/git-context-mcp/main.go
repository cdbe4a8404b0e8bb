// Command git-context-mcp serves the memory of git repositories to coding agents by the Model Context
// Protocol, on standard input and output. 'git context mcp' runs it.
package main

import "github.com/git-context/git-context/cmd/mcp"

func main() {
	mcp.Main()
}
