//go:build unix

package test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// inetd answers each connection with a process of its own, as the super-server
// of that name does: no port is lost to another program between its choice and
// its use, and no process outlives its connection, even if the test is killed.
type inetd struct {
	t       testing.TB
	name    string
	args    []string
	env     []string
	accept  net.Listener
	clients sync.WaitGroup

	mu   sync.Mutex
	down bool
	live map[*exec.Cmd]bool
}

// listen serves s, until the test is over, and returns the port.
func listen(t testing.TB, s *server, env []string, name string, args ...string) (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	d := &inetd{t: t, name: name, args: args, env: env, accept: l, live: map[*exec.Cmd]bool{}}
	s.cut, s.mend = d.cut, d.mend
	d.clients.Go(d.loop)
	t.Cleanup(func() {
		_ = l.Close() // ends the loop
		d.cut()
		d.clients.Wait()
	})
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (d *inetd) loop() {
	for {
		conn, err := d.accept.Accept()
		if err != nil {
			return // closed
		}
		if err := d.answer(conn.(*net.TCPConn)); err != nil {
			d.t.Errorf("%s: %v", d.name, err)
		}
	}
}

// answer starts the process that speaks on conn, unless the server is down.
func (d *inetd) answer(conn *net.TCPConn) error {
	defer conn.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return nil
	}
	file, err := conn.File()
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := exec.Command(d.name, d.args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = file, file, d.t.Output(), d.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	d.live[cmd] = true
	d.clients.Go(func() {
		_ = cmd.Wait() // a client that goes away is no failure of the server's
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.live, cmd)
	})
	return nil
}

func (d *inetd) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = true
	for cmd := range d.live {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended by itself
	}
}

func (d *inetd) mend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = false
}

func gitDaemon(t testing.TB, s *server) error {
	path, err := gitProgram("git-daemon")
	if err != nil {
		return err
	}
	port, err := listen(t, s, serverEnv(s), path, "--inetd", "--export-all", "--enable=receive-pack",
		"--informative-errors", "--log-destination=none", "--base-path="+filepath.Dir(s.dir))
	s.url = fmt.Sprintf("git://127.0.0.1:%d/%s", port, filepath.Base(s.dir))
	return err
}

// sshdConfig works for any user: no PAM, nothing of the system's configuration,
// and a home of its own for the git that it starts.
const sshdConfig = `HostKey %[1]s/host
AuthorizedKeysFile %[1]s/client.pub
PermitRootLogin yes
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitUserRC no
PidFile none
LogLevel ERROR
AcceptEnv GIT_PROTOCOL
SetEnv %[2]s
`

// sshd is OpenSSH's, with keys made for the test. Run by root it wants /run/sshd.
func sshd(t testing.TB, s *server) error {
	path, err := exec.LookPath("sshd")
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			return fmt.Errorf("not installed")
		}
	}
	dir := t.TempDir()
	for _, key := range []string{"host", "client"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	config := filepath.Join(dir, "config")
	text := fmt.Sprintf(sshdConfig, dir, strings.Join(serverEnv(s), " "))
	if s.force != "" {
		text += "ForceCommand " + s.force + "\n"
	}
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		return err
	}
	if out, err := exec.Command(path, "-t", "-f", config).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	me, err := user.Current()
	if err != nil {
		return err
	}
	port, err := listen(t, s, serverEnv(s), path, "-i", "-e", "-f", config)
	if err != nil {
		return err
	}
	s.url = fmt.Sprintf("ssh://%s@127.0.0.1:%d%s", me.Username, port, s.dir)
	ssh := fmt.Sprintf("ssh -F none -i %[1]s/client -o IdentitiesOnly=yes -o BatchMode=yes -o LogLevel=ERROR "+
		"-o KexAlgorithms=curve25519-sha256 -o UserKnownHostsFile=%[1]s/known -o StrictHostKeyChecking=no", dir)
	s.env = []string{"GIT_SSH_COMMAND=" + ssh}
	if out, err := s.user(t).command(nil, "git", "ls-remote", s.url).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
