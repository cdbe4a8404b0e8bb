package agents

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// sweep ends the processes that a client left behind, by the home directory in their environment, and
// returns their command lines: a client runs commands in sessions of their own, which its death leaves alone.
func (w *world) sweep() (left []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, name := range environments {
		env, err := os.ReadFile(name)
		if err != nil || !strings.Contains("\x00"+string(env), "\x00HOME="+w.home+"\x00") {
			continue // it has ended, or is another user's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline")) // for the message only
		left = append(left, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")))
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	return left
}
