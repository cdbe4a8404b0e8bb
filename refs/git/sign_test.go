package git

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// sshKey makes an SSH key in a sandbox, and returns its public half's path. Git signs
// with it there.
func (s *sandbox) sshKey(name string) string {
	s.T.Helper()
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		s.T.Skip("*** SKIPPED: no ssh-keygen, so that SSH signatures are not tested ***")
	}
	out, err := exec.Command(program, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", s.Path(name)).CombinedOutput()
	if err != nil {
		s.T.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	s.Git("", "config", "--global", "gpg.format", "ssh")
	s.Git("", "config", "--global", "user.signingKey", s.Path(name+".pub"))
	return s.Path(name + ".pub")
}

// allow writes the file of known signers.
func (s *sandbox) allow(who, key string) {
	s.T.Helper()
	line := ""
	if key != "" {
		line = who + " " + string(ok(os.ReadFile(key))(s.T))
	}
	s.Write("signers", "# nobody else\n"+line)
	s.Git("", "config", "--global", "gpg.ssh.allowedSignersFile", s.Path("signers"))
}

// gnupg makes a home for GnuPG with a key for each person, whose programs all end
// with the test; env is for git.
func (s *sandbox) gnupg(people ...string) (env string) {
	s.T.Helper()
	if _, err := exec.LookPath("gpg"); err != nil {
		s.T.Skip("*** SKIPPED: no gpg, so that OpenPGP signatures are not tested ***")
	}
	// Not in the test's own directory: a socket's path may have 107 bytes.
	home := ok(os.MkdirTemp("", "gpg"))(s.T)
	env = "GNUPGHOME=" + home
	s.T.Cleanup(func() {
		s.gpg(env, "gpgconf", "--kill", "all")
		must(s.T, os.RemoveAll(home))
	})
	for _, who := range people {
		s.gpg(env, "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", who, "ed25519", "sign", "never")
	}
	return env
}

func (s *sandbox) gpg(env, program string, args ...string) string {
	s.T.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(s.Env[:len(s.Env):len(s.Env)], env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.T.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// unsigned is a commit to sign, on a tree that stands.
func unsigned(t *testing.T, r *Repo, message string, parents ...ID) *Commit {
	t.Helper()
	who := Signature{"Zoë <An> Agent", "agent@example.com", gittest.Time()}
	tree := ok(r.WriteTree(t.Context(), []TreeEntry{{ModeBlob, "log.md", ok(r.WriteBlob(t.Context(), []byte(message)))(t)}}))(t)
	return &Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message}
}

// Signing adds a header and changes nothing else.
func TestSignedCommitIsTheCommit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		s, r := newRepo(t, "--object-format="+format)
		s.allow("agent@example.com", s.sshKey("k"))
		// None of these may reach the commit.
		s.Git("r", "config", "i18n.commitEncoding", "ISO-8859-1")
		s.Git("r", "config", "core.commentChar", "o")
		tx := ok(r.Begin(t.Context(), TxOptions{Message: "test"}))(t) // so that trees are written behind
		defer tx.Close()
		var parents []ID
		for _, message := range []string{"one\n", "no newline", "two\n\n\n\n", "# three\n\n-- \n\tüñ€\r\n", "\n\nfour", ""} {
			c := unsigned(t, r, message, parents...)
			plain := ok(r.Commit(t.Context(), ok(r.WriteCommit(t.Context(), c))(t)))(t)
			signed := ok(r.SignCommit(t.Context(), c, ""))(t)
			if !signed.signed() || plain.signed() {
				t.Errorf("Signed() = %v, and %v of the plain one", signed.signed(), plain.signed())
			}
			bare := *signed
			bare.Extra = nil
			if want := plain.Encode(); !bytes.Equal(bare.Encode(), want) {
				t.Errorf("%s: signed\n%s\nwant\n%s", format, bare.Encode(), want)
			}
			s.Git("r", "verify-commit", string(signed.ID))
			parents = append([]ID{signed.ID}, parents...)[:min(2, len(parents)+1)]
		}
		c := ok(r.SignCommit(t.Context(), unsigned(t, r, "a\ufffeb\U0010ffffc\ufdd0d\n"), ""))(t)
		if want := "a\ufffdb\ufffdc\ufffdd\n"; c.Message != want {
			t.Errorf("%s: message %q, want %q", format, c.Message, want)
		}
		s.Git("r", "fsck", "--strict", "--no-dangling")
	}
}

func TestSignWithAKeyOfOnesChoice(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	other := s.sshKey("other")
	s.sshKey("k")
	s.allow("agent@example.com", other)
	c := ok(r.SignCommit(t.Context(), unsigned(t, r, "x"), other))(t)
	s.Git("r", "verify-commit", string(c.ID))
	_, err := r.SignCommit(t.Context(), unsigned(t, r, "x"), s.Path("nobody.pub"))
	if err == nil || !strings.Contains(err.Error(), "git commit-tree: ") || !strings.Contains(err.Error(), "nobody.pub") {
		t.Errorf("signing with a key that is not there: %v", err)
	}
	if _, err := r.SignCommit(t.Context(), &Commit{Tree: "x"}, ""); err == nil {
		t.Error("a commit without a tree was signed")
	}
}

// verdicts is what VerifyCommits says of each: letter, whether git accepts it, signer.
func verdicts(t *testing.T, r *Repo, ids ...ID) string {
	t.Helper()
	var out []string
	for i, c := range ok(r.VerifyCommits(t.Context(), ids))(t) {
		if c.ID != ids[i] {
			t.Errorf("commit %d is %s, want %s", i, c.ID, ids[i])
		}
		word := string(c.Verdict)
		if c.Accepted {
			word += "+"
		}
		out = append(out, word+cmp.Or(c.Signer, "-"))
	}
	return strings.Join(out, " ")
}

func (s *sandbox) wantVerdicts(r *Repo, want string, ids ...ID) {
	s.T.Helper()
	if got := verdicts(s.T, r, ids...); got != want {
		s.T.Errorf("verdicts %s; want %s", got, want)
	}
}

// wantKnown checks whether `git merge --verify-signatures` takes a commit, and that we say so.
func (s *sandbox) wantKnown(r *Repo, id ID, want bool) {
	s.T.Helper()
	if got := ok(r.VerifyCommits(s.T.Context(), []ID{id}))(s.T)[0].Known; got != want {
		s.T.Errorf("%s: known = %v, want %v", id, got, want)
	}
	side := strings.TrimSpace(s.Git("r", "commit-tree", "-m", "ours", string(id)+"^{tree}"))
	s.Git("r", "checkout", "-q", "--detach", "-f", side)
	_, err := r.RunEnv(s.T.Context(), nil, nil, "-c", "user.name=x", "-c", "user.email=x@y",
		"merge", "-q", "--verify-signatures", "--allow-unrelated-histories", string(id))
	if (err == nil) != want {
		s.T.Errorf("git merge --verify-signatures of %s: %v", id, err)
	}
}

// tamper stores a commit with another's signature.
func tamper(t *testing.T, r *Repo, c *Commit) ID {
	t.Helper()
	forged := *c
	forged.Message = "forged"
	return ok(r.WriteCommit(t.Context(), &forged))(t)
}

func TestVerifySSH(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	stranger := s.sshKey("stranger")
	key := s.sshKey("k")
	strange := ok(r.SignCommit(t.Context(), unsigned(t, r, "strange"), stranger))(t).ID
	good := ok(r.SignCommit(t.Context(), unsigned(t, r, "good"), ""))(t)
	forged, plain := tamper(t, r, good), ok(r.WriteCommit(t.Context(), unsigned(t, r, "plain")))(t)
	all := []ID{good.ID, strange, forged, plain}

	s.wantVerdicts(r, "E- E- E- N-", all...) // no file of signers
	if c := ok(r.VerifyCommits(t.Context(), all[:1]))(t)[0]; !c.NoSigners || !strings.Contains(c.Problem, "gpg.ssh.allowedSignersFile") {
		t.Errorf("without a file of signers: %+v", c)
	}
	s.allow("", "")
	s.wantVerdicts(s.open("r"), "U- U- B- N-", all...)
	s.allow("ada@example.com", key)
	s.wantVerdicts(s.open("r"), "G+ada@example.com U- B- N-", all...)
	c := ok(s.open("r").VerifyCommits(t.Context(), all[:2]))(t)
	if c[0].Subject != "good" || !strings.HasPrefix(c[1].Key, "SHA256:") {
		t.Errorf("%+v", c)
	}

	s.Write("plain", "no program")
	for _, program := range []string{"no-such-program", s.Path("none"), s.Path("plain")} {
		s.Git("r", "config", "gpg.ssh.program", program)
		s.wantVerdicts(s.open("r"), "E- E- E- N-", all...)
	}
	s.wantVerdicts(r, "", []ID{}...)
}

// An expired key signed in time is not good any more; one of nobody that we trust is,
// unless gpg.minTrustLevel says otherwise; one that is not here cannot be checked.
func TestVerifyOpenPGP(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	home := s.gnupg("Ada <ada@example.com>")
	s.gpg(home, "gpg", "--batch", "--quiet", "--passphrase", "", "--faked-system-time", "20200101T000000",
		"--quick-gen-key", "Old <old@example.com>", "ed25519", "sign", "1d")
	s.Write("then", "#!/bin/sh\nexec gpg --faked-system-time 20200101T000001 \"$@\"\n")
	must(t, os.Chmod(s.Path("then"), 0o755))
	r := s.open("r", home)
	good := ok(r.SignCommit(t.Context(), unsigned(t, r, "good"), "ada@example.com"))(t)
	s.Git("r", "config", "gpg.program", s.Path("then"))
	old := ok(s.open("r", home).SignCommit(t.Context(), unsigned(t, r, "old"), "old@example.com"))(t).ID
	s.Git("r", "config", "--unset", "gpg.program")
	forged := tamper(t, r, good)
	s.wantVerdicts(s.open("r", home), "G+Ada <ada@example.com> YOld <old@example.com> BAda <ada@example.com>", good.ID, old, forged)

	key := filepath.Join(s.Dir, "key")
	s.gpg(home, "gpg", "--export", "-o", key, "ada@example.com")
	away := s.gnupg()
	s.wantVerdicts(s.open("r", away), "E- E-", good.ID, old)
	s.gpg(away, "gpg", "--quiet", "--import", key)
	s.wantVerdicts(s.open("r", away), "U+Ada <ada@example.com>", good.ID)
	s.wantKnown(s.open("r", away), good.ID, false)
	s.Git("r", "config", "gpg.minTrustLevel", "Undefined")
	s.wantVerdicts(s.open("r", away), "U+Ada <ada@example.com>", good.ID)
	s.wantKnown(s.open("r", away), good.ID, true)
	s.Git("r", "config", "gpg.minTrustLevel", "marginal")
	s.wantVerdicts(s.open("r", away), "UAda <ada@example.com>", good.ID)
	s.wantKnown(s.open("r", away), good.ID, false)
	s.wantKnown(s.open("r", home), good.ID, true)
	s.wantVerdicts(s.open("r", home), "G+Ada <ada@example.com>", good.ID)
	s.Git("r", "config", "gpg.program", s.Path("none"))
	s.wantVerdicts(s.open("r", home), "E-", good.ID)
}

// A key of one known person is no signature for another, and one is for whom nobody knows.
func TestVerifyOtherAuthor(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	home := s.gnupg("Ada <ada@example.com>", "Bob <bob@example.com>")
	r := s.open("r", home)
	for author, known := range map[string]bool{"bob@example.com": false, "Bob@Example.com": false, "ada@example.com": true, "agent@example.com": true} {
		c := unsigned(t, r, "by "+author)
		c.Author.Email = author
		signed := ok(r.SignCommit(t.Context(), c, "ada@example.com"))(t)
		checked := ok(r.VerifyCommits(t.Context(), []ID{signed.ID}))(t)[0]
		if !checked.Accepted || checked.Known != known || known != (checked.Owner == "") {
			t.Errorf("%s: %+v", author, checked)
		}
		if text := checked.Complaint("it"); !known && text != "it is signed by Ada <ada@example.com>, and not by the key of "+author {
			t.Error(text)
		}
	}

	// A program that lists no keys has not said that an address is nobody's.
	s.Write("mute", "#!/bin/sh\ncase \"$*\" in *--list-keys*) exit 1 ;; esac\nexec gpg \"$@\"\n")
	must(t, os.Chmod(s.Path("mute"), 0o755))
	other := unsigned(t, r, "by Bob, it says")
	other.Author.Email = "bob@example.com"
	forged := ok(r.SignCommit(t.Context(), other, "ada@example.com"))(t)
	s.Git("r", "config", "gpg.program", s.Path("mute"))
	if _, err := s.open("r", home).VerifyCommits(t.Context(), []ID{forged.ID}); err == nil {
		t.Error("keys that cannot be listed are no error")
	}
	s.Git("r", "config", "--unset", "gpg.program")

	// What the file of SSH keys gives counts for OpenPGP keys, and the other way around.
	ssh := s.sshKey("zoe")
	s.allow("zoe@example.com", ssh)
	by := func(author, format, key string) CheckedCommit {
		s.Git("r", "config", "gpg.format", format)
		r := s.open("r", home)
		c := unsigned(t, r, format+" by "+author)
		c.Author.Email = author
		return ok(r.VerifyCommits(t.Context(), []ID{ok(r.SignCommit(t.Context(), c, key))(t).ID}))(t)[0]
	}
	for _, c := range []struct {
		author, format, key string
		known               bool
	}{
		{"zoe@example.com", "openpgp", "ada@example.com", false}, {"ada@example.com", "openpgp", "ada@example.com", true},
		{"ada@example.com", "ssh", ssh, false}, {"zoe@example.com", "ssh", ssh, true}, {"agent@example.com", "ssh", ssh, true},
	} {
		if checked := by(c.author, c.format, c.key); checked.Known != c.known {
			t.Errorf("%s of %s: %+v", c.format, c.author, checked)
		}
	}
	away := "GNUPGHOME=" + s.Path("none")
	home, away = away, home
	if checked := by("ada@example.com", "ssh", ssh); !checked.Known {
		t.Errorf("without GnuPG: %+v", checked)
	}
	if _, err := os.Stat(s.Path("none")); err == nil {
		t.Error("GnuPG was called, and made a home")
	}
	home = away
	s.Git("r", "config", "gpg.format", "openpgp")

	s.gpg(home, "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-add-uid", "ada@example.com", "Ada <bob@example.com>")
	c := unsigned(t, r, "by a person with two addresses")
	c.Author.Email = "bob@example.com"
	signed := ok(r.SignCommit(t.Context(), c, "ada@example.com"))(t)
	if checked := ok(r.VerifyCommits(t.Context(), []ID{signed.ID}))(t)[0]; !checked.Known {
		t.Errorf("with both addresses: %+v", checked)
	}
}

// A user id that the owner of a key has added proves nothing, also if it is the first one, and if gpg.program sets another home.
func TestVerifyFirstUserID(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	const ada, eve = "Ada <ada@example.com>", "Eve <eve@example.com>"
	home, hers, forger := s.gnupg("Wes <wes@example.com>"), s.gnupg(ada), s.gnupg(eve)
	bring := func(from string) {
		file := filepath.Join(t.TempDir(), "key")
		s.gpg(from, "gpg", "--quiet", "--export", "-o", file)
		s.gpg(home, "gpg", "--quiet", "--import", file)
	}
	for from, who := range map[string]string{hers: "ada@example.com", forger: "eve@example.com"} {
		bring(from)
		_, rest, _ := strings.Cut(s.gpg(home, "gpg", "--with-colons", "--list-keys", who), "\nfpr:")
		s.gpg(home, "gpg", "--batch", "--quiet", "--yes", "--passphrase", "", "--quick-lsign-key", strings.Trim(rest[:strings.Index(rest, "\n")], ":"))
	}
	s.gpg(forger, "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-add-uid", "eve@example.com", ada)
	s.gpg(forger, "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-set-primary-uid", "eve@example.com", ada)
	bring(forger)

	c := unsigned(t, s.open("r", home), "by Ada")
	c.Author.Email = "ada@example.com"
	ids := []ID{
		ok(s.open("r", hers).SignCommit(t.Context(), c, "ada@example.com"))(t).ID,
		ok(s.open("r", forger).SignCommit(t.Context(), c, "eve@example.com"))(t).ID,
	}
	check := func(env string) {
		t.Helper()
		list := ok(s.open("r", env).VerifyCommits(t.Context(), ids))(t)
		if !list[0].Known || list[1].Known || list[1].Owner != "ada@example.com" {
			t.Errorf("%+v", list)
		}
		if text, want := list[1].Complaint("it"), "it is signed by the key "+list[1].Key+", and not by that of ada@example.com"; text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
	check(home)
	s.Write("wrapper", "#!/bin/sh\nexport "+home+"\nexec gpg \"$@\"\n")
	must(t, os.Chmod(s.Path("wrapper"), 0o755))
	s.Git("r", "config", "gpg.program", s.Path("wrapper"))
	check("GNUPGHOME=" + s.Path("none"))
}

// Neither a key with the user id of a signer, nor one that was revoked, makes its owner known, whatever
// is set for the trust of others.
func TestVerifyImpostors(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	const ada = "Ada <ada@example.com>"
	home, away := s.gnupg(ada, "Old <old@example.com>"), s.gnupg(ada)
	fingerprint := func(home, who string) string {
		_, rest, _ := strings.Cut(s.gpg(home, "gpg", "--with-colons", "--list-keys", "="+who), "\nfpr:")
		return strings.Trim(rest[:strings.Index(rest, "\n")], ":")
	}
	from := func(home, key string) ID {
		r := s.open("r", home)
		c := unsigned(t, r, "by Ada")
		c.Author.Email = "ada@example.com"
		return ok(r.SignCommit(t.Context(), c, key))(t).ID
	}
	old := fingerprint(home, "Old <old@example.com>")
	ids := []ID{from(home, fingerprint(home, ada)), from(away, fingerprint(away, ada)), from(home, old)}
	s.gpg(away, "gpg", "--quiet", "--export", "-o", s.Path("other"))
	s.gpg(home, "gpg", "--quiet", "--import", s.Path("other"))
	revocation := string(ok(os.ReadFile(strings.TrimPrefix(home, "GNUPGHOME=") + "/openpgp-revocs.d/" + old + ".rev"))(t))
	s.Write("revoked", strings.Replace(revocation, ":-----BEGIN", "-----BEGIN", 1))
	s.gpg(home, "gpg", "--quiet", "--import", s.Path("revoked"))
	for _, least := range []string{"", "marginal", "ultimate"} {
		if least != "" {
			s.Git("r", "config", "gpg.minTrustLevel", least)
		}
		list := ok(s.open("r", home).VerifyCommits(t.Context(), ids))(t)
		if !list[0].Known || list[1].Known || list[2].Known || list[2].Verdict != 'R' {
			t.Errorf("with '%s': %+v", least, list)
		}
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	a := commit(t, r, "a")
	b := commit(t, r, "b", a)
	c := commit(t, r, "c", b)
	d := commit(t, r, "d", b)
	for _, test := range []struct {
		from ID
		dots string
		to   ID
		want []ID
	}{{a, "..", c, []ID{c, b}}, {c, "..", a, nil}, {c, "..", d, []ID{d}}, {c, "...", a, []ID{c, b}}, {a, "...", a, nil}} {
		if got := ok(r.Between(t.Context(), test.from, test.dots, test.to))(t); !slices.Equal(got, test.want) {
			t.Errorf("%s = %v, want %v", test.dots, got, test.want)
		}
	}
	if got := ok(r.Between(t.Context(), c, "...", d))(t); len(got) != 2 || !slices.Contains(got, c) || !slices.Contains(got, d) {
		t.Errorf("both sides: %v", got)
	}
}

// Signing a commit takes two processes; so that one sees what it costs.
func BenchmarkSignCommit(b *testing.B) {
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		b.Skip("*** SKIPPED: no ssh-keygen ***")
	}
	dir := b.TempDir()
	if out, err := exec.Command(program, "-q", "-t", "ed25519", "-N", "", "-f", dir+"/k").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("git", "init", "-q", dir+"/r").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	r, err := Open(b.Context(), Options{Dir: dir + "/r", Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=gpg.format", "GIT_CONFIG_VALUE_0=ssh",
		"GIT_CONFIG_KEY_1=user.signingKey", "GIT_CONFIG_VALUE_1=" + dir + "/k.pub"}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	who := Signature{"Ada", "ada@example.com", time.Unix(1, 0)}
	tree, err := r.WriteTree(b.Context(), nil)
	for b.Loop() {
		if err == nil {
			_, err = r.SignCommit(b.Context(), &Commit{Tree: tree, Author: who, Committer: who, Message: "m\n"}, "")
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}
