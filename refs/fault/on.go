//go:build faults

package fault

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// wanted is GIT_CONTEXT_FAULT; skip is how many passings are still to be survived.
var wanted, skip = func() (string, *atomic.Int64) {
	name, n, _ := strings.Cut(os.Getenv("GIT_CONTEXT_FAULT"), ":")
	left, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		left = 0
	}
	skip := new(atomic.Int64)
	skip.Store(left)
	return name, skip
}()

// Point kills this process, as kill -9 would, where GIT_CONTEXT_FAULT says so. It
// may be called from any goroutine.
func Point(name string) {
	note(name)
	if name != wanted && wanted != "any" || skip.Add(-1) >= 0 {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGKILL)
	}
	if err != nil {
		os.Exit(137)
	}
	select {}
}

// note writes the name into the log, before this process can die of it.
func note(name string) {
	path := os.Getenv("GIT_CONTEXT_FAULT_LOG")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err == nil {
		_, err = f.WriteString(name + "\n")
		f.Close()
	}
	if err != nil {
		panic(err) // a harness that sees fewer points than there are proves nothing
	}
}
