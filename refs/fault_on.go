//go:build faults

package refs

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// faultPoint is GIT_CONTEXT_FAULT of a build with the tag faults: the name of a
// point, and after a colon how many times it is passed before it kills.
var faultPoint, faultSkip = func() (string, *atomic.Int64) {
	name, n, _ := strings.Cut(os.Getenv("GIT_CONTEXT_FAULT"), ":")
	skip, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		skip = 0
	}
	left := new(atomic.Int64)
	left.Store(skip)
	return name, left
}()

// fault kills this process, as kill -9 would, where GIT_CONTEXT_FAULT says so.
func fault(name string) {
	if name != faultPoint || faultSkip.Add(-1) >= 0 {
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
