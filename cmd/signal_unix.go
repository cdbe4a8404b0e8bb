//go:build unix

package cmd

import (
	"os/signal"
	"syscall"
)

// OutliveSizeLimit turns a write beyond the limit on the size of files (ulimit -f) into an
// error, here and in git, which inherits it. The signal would end git in the middle of a
// transaction and leave its lock files.
func OutliveSizeLimit() { signal.Ignore(syscall.SIGXFSZ) }
