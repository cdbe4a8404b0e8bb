//go:build unix

package cmd

import (
	"os/signal"
	"syscall"
)

// outliveSizeLimit makes a write beyond the limit on the size of files (ulimit -f) an
// error, for this process and for git, which inherits it. The signal would end git in
// the middle of a transaction, and its lock files would stay.
func outliveSizeLimit() { signal.Ignore(syscall.SIGXFSZ) }
