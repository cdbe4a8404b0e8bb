package cmd

import "github.com/urfave/cli/v2"

// atFlag is --at, for everything that shows memory.
func atFlag(to *string) cli.Flag {
	return named(to, "--at C", "as it stood at C: a memory commit, or a commit or tag of the code")
}
