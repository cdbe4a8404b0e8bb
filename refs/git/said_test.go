package git

import (
	"strings"
	"testing"
)

const cutOff = "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n"

// What hosts say when they refuse, to the letter.
func TestOverheard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stderr, text string
		said               string // the lines, joined by "|"
	}{
		{"gitolite", "FATAL: W any repo user DENIED by fallthru\n(or you mis-spelled the reponame)\n" + cutOff,
			"git push: Could not read from remote repository.", "FATAL: W any repo user DENIED by fallthru|(or you mis-spelled the reponame)"},
		{"GitLab over ssh", "remote: \nremote: ====\nremote: \nremote: ERROR: You are not allowed to push code.\nremote: \nremote: ====\nremote: \n" + cutOff,
			"git push: Could not read from remote repository.", "|====||ERROR: You are not allowed to push code.||====|"},
		{"ssh itself", "git@h: Permission denied (publickey).\r\n" + cutOff, "git push: git@h: Permission denied (publickey).", ""},
		{"a path", "fatal: '/x' does not appear to be a git repository\n" + cutOff, "git push: '/x' does not appear to be a git repository", ""},
		{"a line after git's", "one\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\ntwo\n",
			"git push: Could not read from remote repository.", "one|two"},
		{"an error among several lines", "error: quota\ncall us\n" + cutOff, "git push: Could not read from remote repository.", "error: quota|call us"},
		{"HTTP", "remote: You have no write access.        \nfatal: unable to access 'http://h/': The requested URL returned error: 403\n",
			"git push: unable to access 'http://h/': The requested URL returned error: 403: You have no write access.", ""},
		{"git daemon", "fatal: remote error: \n  You can't push to git://h/x\n  Use https://h/x\n", "git push: remote error", "|  You can't push to git://h/x|  Use https://h/x"},
		{"git daemon, one line", "fatal: remote error: access denied: /x\n", "git push: remote error: access denied: /x", ""},
		{"during a transfer", "Enumerating objects: 3, done.\nWriting objects: 100% (3/3), 210 bytes, done.\nTotal 3 (delta 0), reused 0 (delta 0)\n" +
			"bye\nConnection to h closed by remote host.\nsend-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly\n",
			"git push: the remote end hung up unexpectedly", "bye|Connection to h closed by remote host."},
		{"meters", "remote: Counting objects: 100% (3/3), done.        \rremote: disk 95% (full)        \nremote: Total of 3 rules        \nfatal: no\n", "git push: no", "disk 95% (full)|Total of 3 rules"},
		{"git's own", "warning: x\nfatal: bad revision\n", "git push: bad revision", ""},
	} {
		e := &Error{Args: []string{"push"}, Code: 128, Stderr: c.stderr}
		if got := e.Error(); got != c.text {
			t.Errorf("%s: %q, want %q", c.name, got, c.text)
		}
		if got := strings.Join(e.Said(), "|"); got != c.said {
			t.Errorf("%s: the remote said %q, want %q", c.name, got, c.said)
		}
	}
}
