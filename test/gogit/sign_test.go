//go:build unix

package gogit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const signer = "zoe@example.com"

// signed writes commits, a branch and a merge, all signed, and returns those memory commits.
func (w *world) signed() (*reader, []*object.Commit) {
	w.t.Helper()
	w.memory("commit", "-m", "Signed", "-m", hostile()[14], "-S")
	w.git("config", "context.gpgSign", "true")
	w.memory("branch", "b")
	w.memory("commit", "-m", "Signed on b", "-m", "  é\n\n\n"+hostile()[15])
	w.memory("switch", "main")
	w.memory("merge", "b")
	r := readMemory(w.t, w.dir)
	r.sameAsGit(w)
	r.sameAsJSON(w)
	var verified struct {
		Commits []struct{ Commit, Status string }
	}
	w.json(&verified, "verify", "main~2..main")
	var commits []*object.Commit
	for _, v := range verified.Commits {
		c := r.commits[plumbing.NewHash(v.Commit)]
		if v.Status != "good" || c == nil || c.PGPSignature == "" {
			w.t.Fatalf("git-context says %+v", v)
		}
		commits = append(commits, c)
	}
	if len(commits) < 3 {
		w.t.Fatalf("%d signed commits", len(commits))
	}
	return r, commits
}

// go-git accepts the OpenPGP signatures of memory commits, refuses them for any other message, and
// refuses those of a key that it is not given.
func TestOpenPGP(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("*** SKIPPED: no gpg, so that OpenPGP signatures are not tested ***")
	}
	w := newWorld(t)
	// Not in the test's own directory: a socket's path may have 107 bytes.
	home, err := os.MkdirTemp("", "gpg")
	if err != nil {
		t.Fatal(err)
	}
	w.env = []string{"GNUPGHOME=" + home}
	defer func() {
		w.run("", "gpgconf", "--kill", "all")
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	}()
	for _, who := range []string{signer, "other@example.com"} {
		w.run("", "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", who, "ed25519", "sign", "never")
	}
	w.git("config", "user.signingKey", signer)
	ring := string(w.run("", "gpg", "--armor", "--export", signer))
	other := string(w.run("", "gpg", "--armor", "--export", "other@example.com"))
	_, commits := w.signed()
	for _, c := range commits {
		key, err := c.Verify(ring)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Hash, err, c.PGPSignature)
		} else if _, ok := key.Identities[signer]; !ok && key.Identities["<"+signer+">"] == nil {
			t.Errorf("%s is signed by %v", c.Hash, key.Identities)
		}
		if _, err := c.Verify(other); err == nil {
			t.Errorf("%s has a good signature of a key that did not sign it", c.Hash)
		}
		altered := *c
		altered.Message += "x"
		if _, err := altered.Verify(ring); err == nil {
			t.Errorf("%s: another message is accepted", c.Hash)
		}
	}
}

// The SSH signature that go-git reads is one that ssh-keygen accepts, of what go-git says was signed.
func TestSSH(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("*** SKIPPED: no ssh-keygen, so that SSH signatures are not tested ***")
	}
	w := newWorld(t)
	keys := t.TempDir()
	key, allowed := filepath.Join(keys, "key"), filepath.Join(keys, "signers")
	w.run("", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(allowed, append([]byte(signer+" "), public...), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"gpg.format": "ssh", "user.signingKey": key + ".pub", "gpg.ssh.allowedSignersFile": allowed,
	} {
		w.git("config", name, value)
	}
	r, commits := w.signed()
	signature := filepath.Join(keys, "signature")
	for _, c := range commits {
		if !strings.HasPrefix(c.PGPSignature, "-----BEGIN SSH SIGNATURE-----\n") {
			t.Errorf("%s: not an SSH signature:\n%s", c.Hash, c.PGPSignature)
		}
		if err := os.WriteFile(signature, []byte(c.PGPSignature), 0o666); err != nil {
			t.Fatal(err)
		}
		var payload plumbing.MemoryObject
		if err := c.EncodeWithoutSignature(&payload); err != nil {
			t.Fatal(err)
		}
		content, err := contentOf(&payload)
		if err != nil {
			t.Fatal(err)
		}
		verify := []string{"-Y", "verify", "-n", "git", "-I", signer, "-f", allowed, "-s", signature}
		r.t.Logf("%s", w.run(string(content), "ssh-keygen", verify...))
		refused := exec.Command("ssh-keygen", verify...)
		refused.Stdin = strings.NewReader(string(content) + "x")
		if out, err := refused.CombinedOutput(); err == nil {
			t.Errorf("%s: another message is accepted: %s", c.Hash, out)
		}
	}
}
