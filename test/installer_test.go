//go:build unix

package test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// releases is a server with two releases of git-context, as make dist would make them for
// this system, and a user who installs from it.
type releases struct {
	*world
	dir, url string
}

// newReleases makes v1.2.3 and v1.2.4, of which each has a page that the other lacks, and
// v1.2.5, which does not run.
func newReleases(t *testing.T) releases {
	t.Helper()
	for _, name := range []string{"tar", "gzip", "sha256sum", "curl", "wget"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("*** SKIPPED %s: no %s is installed", t.Name(), name)
		}
	}
	r := releases{world: newHome(t), dir: t.TempDir()}
	r.release("v1.2.3", "older", r.bin)
	r.release("v1.2.4", "newer", r.bin)
	r.release("v1.2.5", "broken", "/bin/false")
	server := httptest.NewServer(http.FileServer(http.Dir(r.dir)))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// release makes the archive and SHA256SUMS of one release.
func (r releases) release(version, page, program string) {
	r.t.Helper()
	stem := "git-context-" + version + "-" + runtime.GOOS + "-" + runtime.GOARCH
	root := filepath.Join(r.t.TempDir(), stem)
	for _, name := range []string{"man/man1/git-context.1", "man/man1/git-context-" + page + ".1", "man/man5/gitcontext-formats.5",
		"man/man7/gitcontext-errors.7", "completion/git-context.bash", "completion/git-context.zsh", "completion/git-context.fish",
		"git-context-mcp", "git-context-web", "LICENSE", "README.md", "CHANGELOG.md"} {
		putFile(r.t, filepath.Join(root, name), version+" "+name+"\n")
	}
	if err := os.Symlink(program, filepath.Join(root, "git-context")); err != nil {
		r.t.Fatal(err)
	}
	putFile(r.t, filepath.Join(r.dir, version, "SHA256SUMS"), "")
	script := `tar -chf - -C "$1" "$2" | gzip -1 >"$3/$2.tar.gz" && cd "$3" && sha256sum *.tar.gz >SHA256SUMS`
	out, err := r.command(nil, "sh", "-c", script, "sh", filepath.Dir(root), stem, filepath.Join(r.dir, version)).CombinedOutput()
	if err != nil {
		r.t.Fatalf("packing %s: %v\n%s", version, err, out)
	}
}

func putFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// installer is install.sh for one prefix, which does not exist yet, nor the folder around it.
type installer struct {
	releases
	t          *testing.T
	tmp, place string
	env        []string
}

func (r releases) installer(t *testing.T) *installer {
	place := t.TempDir()
	i := &installer{releases: r, t: t, tmp: t.TempDir(), place: place}
	i.env = []string{"PREFIX=" + i.prefix(), "TMPDIR=" + i.tmp}
	return i
}

// The prefix has a space, as a user's folder may have.
func (i *installer) prefix() string { return filepath.Join(i.place, "opt", "of mine") }

// script is install.sh; args are settings, such as VERSION=v1.2.3, and options.
func (i *installer) script(args ...string) *exec.Cmd {
	i.t.Helper()
	path, err := filepath.Abs("../internal/dist/install.sh")
	if err != nil {
		i.t.Fatal(err)
	}
	env, line := slices.Clone(i.env), []string{path}
	for _, a := range args {
		if strings.Contains(a, "=") {
			env = append(env, a)
		} else {
			line = append(line, a)
		}
	}
	return i.command(env, "sh", line...)
}

func (i *installer) from(version string) []string {
	return []string{"VERSION=" + version, "FROM=" + i.url + "/" + version}
}

func (i *installer) ok(args ...string) string {
	i.t.Helper()
	out, err := i.script(args...).CombinedOutput()
	if err != nil {
		i.t.Fatalf("install.sh %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// refused runs it, and expects an error that says so, and nothing that is left.
func (i *installer) refused(want string, args ...string) {
	i.t.Helper()
	out, err := i.script(args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "install.sh: error: ") || !strings.Contains(string(out), want) {
		i.t.Errorf("install.sh %s: %v, want an error with %q\n%s", args, err, want, out)
	}
	i.nothing("opt")
}

// nothing reports what is left below the place of the prefix, but for what is said, and in
// the directory of temporary files.
func (i *installer) nothing(but string) {
	i.t.Helper()
	left := slices.DeleteFunc(below(i.t, i.place), func(name string) bool { return name == but || name == "." })
	if len(left) > 0 {
		i.t.Errorf("left: %v", left)
	}
	if left := below(i.t, i.tmp); !slices.Equal(left, []string{"."}) {
		i.t.Errorf("left in TMPDIR: %v", left)
	}
}

// installed are the files that a release brings, with the script's own list of them.
func installed(page string) []string {
	files := []string{"bin/git-context", "bin/git-context-mcp", "bin/git-context-web", "share/man/man1/git-context.1", "share/man/man1/git-context-" + page + ".1",
		"share/man/man5/gitcontext-formats.5", "share/man/man7/gitcontext-errors.7", "share/bash-completion/completions/git-context",
		"share/zsh/site-functions/_git-context", "share/fish/vendor_conf.d/git-context.fish", "share/doc/git-context/LICENSE",
		"share/git-context/manifest"}
	slices.Sort(files)
	return files
}

// has compares what is installed.
func (i *installer) has(page string) {
	i.t.Helper()
	if got, want := below(i.t, i.prefix()), installed(page); !slices.Equal(got, want) {
		i.t.Errorf("installed is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// install.sh installs what SHA256SUMS says or nothing, and takes away what it installed.
func TestInstaller(t *testing.T) {
	t.Parallel()
	r := newReleases(t)
	for name, test := range map[string]func(*installer){
		"comes and goes": installsAndRemoves, "refuses": refusesToInstall, "newer": installsNewer,
		"strangers": keepsStrangers, "killed": isKilled, "interrupted": isInterrupted,
		"two at once": runsBesideAnother, "overtaken": isOvertaken, "wget": installsWithWget,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(r.installer(t))
		})
	}
}

func installsAndRemoves(i *installer) {
	for range 2 {
		out := i.ok(i.from("v1.2.3")...)
		if !strings.HasPrefix(out, "git-context version ") || !strings.Contains(out, "\nhint: add "+i.prefix()+"/bin to PATH\n") {
			i.t.Errorf("install.sh says\n%s", out)
		}
		i.has("older")
	}
	if info, err := os.Stat(filepath.Join(i.prefix(), "share/man/man1/git-context.1")); err != nil || info.Mode() != 0o644 {
		i.t.Errorf("a page is %v (%v)", info, err)
	}
	i.ok("--uninstall")
	i.nothing("")
	i.refused("nothing", "--uninstall")

	// What others have put there stays, and with it the directories around it.
	theirs := filepath.Join(i.prefix(), "share/man/man1/theirs.1")
	putFile(i.t, theirs, "Theirs\n")
	i.ok("VERSION=v1.2.3", "FROM="+filepath.Join(i.dir, "v1.2.3"))
	i.ok("--uninstall")
	i.nothing("opt/of mine/share/man/man1/theirs.1")
}

func refusesToInstall(i *installer) {
	damaged := i.t.TempDir()
	if err := os.CopyFS(damaged, os.DirFS(filepath.Join(i.dir, "v1.2.3"))); err != nil {
		i.t.Fatal(err)
	}
	archives, err := filepath.Glob(damaged + "/*.tar.gz")
	if err != nil || len(archives) != 1 {
		i.t.Fatal(archives, err)
	}
	f, err := os.OpenFile(archives[0], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		i.t.Fatal(err)
	}
	fmt.Fprint(f, "more")
	if err := f.Close(); err != nil {
		i.t.Fatal(err)
	}
	i.refused("the checksum of "+filepath.Base(archives[0]), "VERSION=v1.2.3", "FROM="+damaged)
	putFile(i.t, damaged+"/SHA256SUMS", strings.Repeat("0", 64)+"  other.tar.gz\n")
	i.refused("SHA256SUMS does not list", "VERSION=v1.2.3", "FROM="+damaged)
	i.refused("does not run on this machine", i.from("v1.2.5")...)
	i.refused("cannot download", "VERSION=v9.9.9", "FROM="+i.url+"/v9.9.9")
	i.refused("cannot download", "VERSION=v1.2.4", "FROM="+i.url+"/v1.2.3")
	i.refused("has no SHA256SUMS", "VERSION=v1.2.3", "FROM="+i.place)
	i.refused("neither a directory nor a URL", "VERSION=v1.2.3", "FROM="+i.place+"/none")
	i.refused("VERSION is not set")
	i.refused("is not a release", "VERSION=v1.2.3/../..", "FROM="+i.url)
	i.refused("is not a release", "VERSION=12 (bookworm)", "FROM="+i.url)
	if out, err := i.script("--unistall").CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "usage: ") {
		i.t.Errorf("an unknown option: %v\n%s", err, out)
	}
}

func installsNewer(i *installer) {
	i.ok(i.from("v1.2.3")...)
	i.ok(i.from("v1.2.4")...)
	i.has("newer")
	if text := readPage(i.t, i.prefix()+"/share/man/man1/git-context.1"); !strings.HasPrefix(text, "v1.2.4 ") {
		i.t.Errorf("the page is %q", text)
	}
	// One that cannot be had, or does not run, changes nothing.
	for _, version := range []string{"v9.9.9", "v1.2.5"} {
		if out, err := i.script(i.from(version)...).CombinedOutput(); err == nil {
			i.t.Errorf("%s is installed\n%s", version, out)
		}
	}
	i.has("newer")
	i.ok("--uninstall")
	i.nothing("")
}

func keepsStrangers(i *installer) {
	theirs := filepath.Join(i.prefix(), "bin", "git-context")
	putFile(i.t, theirs, "Theirs\n")
	out, err := i.script(i.from("v1.2.3")...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "'"+theirs+"' exists, and this script did not install it") {
		i.t.Errorf("%v\n%s", err, out)
	}
	i.nothing("opt/of mine/bin/git-context")
	if text := readPage(i.t, theirs); text != "Theirs\n" {
		i.t.Errorf("it is %q", text)
	}
}

// signalled is install.sh which gets a signal when it runs a program for the nth time.
func (i *installer) signalled(signal, name string, n int) *exec.Cmd {
	i.t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		i.t.Fatal(err)
	}
	dir := i.t.TempDir()
	count := dir + "/count"
	putFile(i.t, dir+"/"+name, fmt.Sprintf("#!/bin/sh\necho >>'%s'\n[ $(wc -l <'%s') -ne %d ] || kill -%s $PPID\nexec %s \"$@\"\n", count, count, n, signal, path))
	if err := os.Chmod(dir+"/"+name, 0o755); err != nil {
		i.t.Fatal(err)
	}
	return i.script(append(i.from("v1.2.3"), "PATH="+dir+":"+os.Getenv("PATH"))...)
}

// isInterrupted stops install.sh where it has made directories alone, or files, or all.
func isInterrupted(i *installer) {
	for name, n := range map[string]int{"mkdir": 1, "cp": 2, "mv": 10} {
		cmd := i.signalled("TERM", name, n)
		if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 143 {
			i.t.Errorf("%s %d: %v\n%s", name, n, err, out)
		}
		i.nothing("")
	}
}

// isKilled kills install.sh before it renames its first and its last file to their places,
// and its list: then it can be removed, or installed again.
func isKilled(i *installer) {
	for _, n := range []int{1, 9, 10} {
		for _, again := range []bool{false, true} {
			cmd := i.signalled("KILL", "mv", n)
			if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != -1 {
				i.t.Fatalf("it was not killed: %v\n%s", err, out)
			}
			if again {
				i.ok(i.from("v1.2.4")...)
				i.has("newer")
			}
			i.ok("--uninstall")
			// What a killed process downloaded is in TMPDIR, which the system clears.
			left, err := filepath.Glob(i.tmp + "/git-context.*")
			if err != nil || len(left) != 1 || os.RemoveAll(left[0]) != nil {
				i.t.Errorf("in TMPDIR is %v (%v)", left, err)
			}
			i.nothing("")
		}
	}
}

// Of several at once, at least one installs, and each other says why it does not.
func runsBesideAnother(i *installer) {
	type result struct {
		out string
		err error
	}
	results := make(chan result)
	for range 4 {
		cmd := i.script(i.from("v1.2.3")...)
		go func() {
			out, err := cmd.CombinedOutput()
			results <- result{string(out), err}
		}()
	}
	done := 0
	for range 4 {
		r := <-results
		if r.err == nil {
			done++
		} else if !strings.Contains(r.out, " is at work in ") {
			i.t.Errorf("%v\n%s", r.err, r.out)
		}
	}
	if done == 0 {
		i.t.Error("none has installed it")
	}
	i.has("older")
	i.ok("--uninstall")
	i.nothing("")
}

// isOvertaken makes the directories, and then another run is faster with the lock. Of these
// directories, too, nothing is left.
func isOvertaken(i *installer) {
	// The first waits in mkdir until the second is at work, which then takes a while.
	slow := func(program, script string) string {
		dir := i.t.TempDir()
		putFile(i.t, filepath.Join(dir, program), "#!/bin/sh\n"+script)
		if err := os.Chmod(filepath.Join(dir, program), 0o755); err != nil {
			i.t.Fatal(err)
		}
		return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")
	}
	made, locked := filepath.Join(i.t.TempDir(), "made"), filepath.Join(i.t.TempDir(), "locked")
	first := i.script(append(i.from("v1.2.3"), slow("mkdir", fmt.Sprintf(
		"/bin/mkdir \"$@\" || exit\n[ -e %[1]s ] || { touch %[1]s; until [ -e %[2]s ]; do sleep 0.01; done; }\n", made, locked)))...)
	second := i.script(append(i.from("v1.2.3"), slow("chmod", fmt.Sprintf(
		"[ -e %[1]s ] || { touch %[1]s; sleep 1; }\nexec /bin/chmod \"$@\"\n", locked)))...)
	done := make(chan error)
	go func() {
		out, err := first.CombinedOutput()
		if err != nil && strings.Contains(string(out), " is at work in ") {
			err = nil
		}
		done <- err
	}()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(made); err == nil {
			break
		}
		if time.Since(begin) > time.Minute {
			i.t.Fatal("the first has made no directory")
		}
	}
	if out, err := second.CombinedOutput(); err != nil {
		i.t.Errorf("the second: %v\n%s", err, out)
	}
	putFile(i.t, locked, "") // also if it came to nothing
	if err := <-done; err != nil {
		i.t.Errorf("the first: %v", err)
	}
	i.has("older")
	i.ok("--uninstall")
	i.nothing("")
}

// installsWithWget has neither curl nor sha256sum, as some systems.
func installsWithWget(i *installer) {
	dir := i.t.TempDir()
	for _, name := range []string{"sh", "awk", "cat", "chmod", "cp", "cut", "dirname", "grep", "gzip", "mkdir", "mktemp", "mv", "rm", "rmdir",
		"sed", "sort", "tar", "uname", "wget", "perl", "shasum", "git"} {
		path, err := exec.LookPath(name)
		if err != nil {
			i.t.Skipf("*** SKIPPED %s: no %s is installed", i.t.Name(), name)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			i.t.Fatal(err)
		}
	}
	i.ok(append(i.from("v1.2.3"), "PATH="+dir)...)
	i.has("older")
	i.ok("--uninstall", "PATH="+dir)
	i.nothing("")
}

// The formula has every archive that Homebrew can install, with its sum.
func TestFormula(t *testing.T) {
	t.Parallel()
	want, lines := map[string]string{}, ""
	for _, system := range []string{"darwin-amd64.tar.gz", "darwin-arm64.tar.gz", "linux-amd64.tar.gz", "linux-arm64.tar.gz", "windows-amd64.zip"} {
		name := "git-context-v1.2.3-" + system
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
		lines += sum + "  " + name + "\n"
		if strings.HasSuffix(name, ".gz") {
			want["https://github.com/git-context/git-context/releases/download/v1.2.3/"+name] = sum
		}
	}
	sums := filepath.Join(t.TempDir(), "SHA256SUMS")
	putFile(t, sums, lines)
	out, err := exec.Command("sh", "../internal/dist/formula.sh", "v1.2.3", sums).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := regexp.MustCompile(`url "(.*)"\n *sha256 "(.*)"`).FindAllStringSubmatch(string(out), -1)
	for _, m := range found {
		if want[m[1]] != m[2] {
			t.Errorf("the sum of %s is %s, not %s", m[1], m[2], want[m[1]])
		}
	}
	if len(found) != len(want) || !strings.Contains(string(out), "\n  version \"1.2.3\"\n") {
		t.Errorf("the formula is\n%s", out)
	}
	if out, err := exec.Command("sh", "../internal/dist/formula.sh", "v1.2.4", sums).CombinedOutput(); err == nil {
		t.Errorf("a release without archives has a formula:\n%s", out)
	}
}
