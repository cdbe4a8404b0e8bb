package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sassoftware/go-rpmutils"
)

var date = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// archived is what make dist puts into an archive, in small.
var archived = []struct{ name, text string }{
	{"git-context", "#!/bin/sh\necho git-context\n"},
	{"man/man1/git-context.1", ".TH GIT-CONTEXT 1\n"},
	{"man/man5/gitcontext-formats.5", ".TH GITCONTEXT-FORMATS 5\n"},
	{"man/man7/gitcontext-errors.7", ".TH GITCONTEXT-ERRORS 7\n"},
	{"completion/git-context.bash", "# bash\n"},
	{"completion/git-context.zsh", "# zsh\n"},
	{"completion/git-context.fish", "# fish\n"},
	{"LICENSE", "MIT\n"},
	{"git-context-mcp", "#!/bin/sh\necho git-context-mcp\n"},
	{"git-context-web", "#!/bin/sh\necho git-context-web\n"},
	{"README.md", "# git-context\n"},
	{"CHANGELOG.md", "# Changelog\n"},
}

// newRelease writes the archive of one processor into a directory of its own.
func newRelease(t *testing.T, version, arch string) string {
	t.Helper()
	dir, stem := t.TempDir(), "git-context-"+version+"-linux-"+arch
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	w := tar.NewWriter(z)
	for _, f := range archived {
		header := &tar.Header{Name: stem + "/" + f.name, Mode: 0o664, Size: int64(len(f.text)), ModTime: time.Now(), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stem+".tar.gz"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// packages makes them and returns their common name without the end.
func packages(t *testing.T, version, arch string) string {
	t.Helper()
	dir := newRelease(t, version, arch)
	if err := run(io.Discard, version, dir, date); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "git-context-"+version+"-linux-"+arch)
}

// The same files make the same packages, whenever and wherever they are made.
func TestPackagesAreReproducible(t *testing.T) {
	one := packages(t, "v1.2.3", "amd64")
	time.Sleep(1100 * time.Millisecond) // times in packages have seconds
	other := packages(t, "v1.2.3", "amd64")
	for _, end := range []string{".deb", ".rpm"} {
		a, err := os.ReadFile(one + end)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(other + end)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("two %s differ", end)
		}
	}
}

// An .rpm owns its files and every directory that may be missing without it.
func TestRPM(t *testing.T) {
	f, err := os.Open(packages(t, "v1.2.3", "arm64") + ".rpm")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rpm, err := rpmutils.ReadRpm(f)
	if err != nil {
		t.Fatal(err)
	}
	nevra, err := rpm.Header.GetNEVRA()
	if err != nil {
		t.Fatal(err)
	}
	if got := nevra.String(); got != "git-context-0:1.2.3-1.aarch64.rpm" {
		t.Errorf("the package is %s", got)
	}
	if needs, err := rpm.Header.GetStrings(rpmutils.REQUIRENAME); err != nil || !slices.Contains(needs, "git-core") {
		t.Errorf("it needs %v (%v)", needs, err)
	}
	if host, err := rpm.Header.GetString(rpmutils.BUILDHOST); err != nil || host != "localhost" {
		t.Errorf("it was built on %q (%v)", host, err)
	}
	for _, tag := range []int{rpmutils.PREIN, rpmutils.POSTIN, rpmutils.PREUN, rpmutils.POSTUN} {
		if script, err := rpm.Header.GetString(tag); err == nil {
			t.Errorf("it runs %q", script)
		}
	}
	all, err := rpm.Header.GetFiles()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range all {
		mode := fs.FileMode(file.Mode() & 0o777)
		if file.Mode()&0o170000 == 0o040000 {
			mode |= fs.ModeDir
		}
		got = append(got, mode.String()+" "+file.UserName()+" "+file.Name())
	}
	slices.Sort(got)
	want := []string{
		"-rw-r--r-- root /usr/share/bash-completion/completions/git-context",
		"-rw-r--r-- root /usr/share/doc/git-context/CHANGELOG.md.gz",
		"-rw-r--r-- root /usr/share/fish/vendor_conf.d/git-context.fish",
		"-rw-r--r-- root /usr/share/licenses/git-context/LICENSE",
		"-rw-r--r-- root /usr/share/man/man1/git-context.1.gz",
		"-rw-r--r-- root /usr/share/man/man5/gitcontext-formats.5.gz",
		"-rw-r--r-- root /usr/share/man/man7/gitcontext-errors.7.gz",
		"-rw-r--r-- root /usr/share/zsh/site-functions/_git-context",
		"-rwxr-xr-x root /usr/bin/git-context",
		"-rwxr-xr-x root /usr/bin/git-context-mcp",
		"-rwxr-xr-x root /usr/bin/git-context-web",
		"drwxr-xr-x root /usr/share/bash-completion",
		"drwxr-xr-x root /usr/share/bash-completion/completions",
		"drwxr-xr-x root /usr/share/doc/git-context",
		"drwxr-xr-x root /usr/share/fish",
		"drwxr-xr-x root /usr/share/fish/vendor_conf.d",
		"drwxr-xr-x root /usr/share/licenses/git-context",
		"drwxr-xr-x root /usr/share/zsh",
		"drwxr-xr-x root /usr/share/zsh/site-functions",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	payload, err := rpm.PayloadReaderExtended()
	if err != nil {
		t.Fatal(err)
	}
	for {
		file, err := payload.Next()
		if err == io.EOF {
			t.Error("its payload has no program")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if file.Name() == "/usr/bin/git-context" {
			if text, err := io.ReadAll(payload); err != nil || string(text) != archived[0].text {
				t.Errorf("the program is %q (%v)", text, err)
			}
			return
		}
	}
}

// dpkg runs a tool of dpkg's, or skips the test where there is none.
func dpkg(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("*** SKIPPED %s: no %s is installed", t.Name(), name)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A .deb is what dpkg expects, and pages in it are readable.
func TestDeb(t *testing.T) {
	deb := packages(t, "v1.2.3", "amd64") + ".deb"
	fields := dpkg(t, "dpkg-deb", "--field", deb, "Package", "Version", "Architecture", "Depends", "Section")
	if want := "Package: git-context\nVersion: 1.2.3-1\nArchitecture: amd64\nDepends: git (>= 1:2.39)\nSection: vcs\n"; fields != want {
		t.Errorf("its fields are\n%swant\n%s", fields, want)
	}
	var got []string
	for line := range strings.Lines(dpkg(t, "dpkg-deb", "--contents", deb)) {
		if f := strings.Fields(line); !strings.HasPrefix(f[0], "d") {
			got = append(got, f[0]+" "+f[1]+" "+f[5])
		}
	}
	slices.Sort(got)
	want := []string{
		"-rw-r--r-- root/root ./usr/share/bash-completion/completions/git-context",
		"-rw-r--r-- root/root ./usr/share/doc/git-context/changelog.gz",
		"-rw-r--r-- root/root ./usr/share/doc/git-context/copyright",
		"-rw-r--r-- root/root ./usr/share/fish/vendor_conf.d/git-context.fish",
		"-rw-r--r-- root/root ./usr/share/man/man1/git-context.1.gz",
		"-rw-r--r-- root/root ./usr/share/man/man5/gitcontext-formats.5.gz",
		"-rw-r--r-- root/root ./usr/share/man/man7/gitcontext-errors.7.gz",
		"-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_git-context",
		"-rwxr-xr-x root/root ./usr/bin/git-context",
		"-rwxr-xr-x root/root ./usr/bin/git-context-mcp",
		"-rwxr-xr-x root/root ./usr/bin/git-context-web",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	dir := t.TempDir()
	dpkg(t, "dpkg-deb", "--extract", deb, dir)
	page, err := os.Open(filepath.Join(dir, "usr/share/man/man1/git-context.1.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	z, err := gzip.NewReader(page)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != archived[1].text {
		t.Errorf("the page is %q (%v)", text, err)
	}
}

// dpkg installs a package into a system that has nothing, and takes all of it away.
func TestDebGoesWithoutATrace(t *testing.T) {
	root, deb := t.TempDir(), packages(t, "v1.2.3", "amd64")+".deb"
	for _, dir := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	// There is neither git nor a shell in it, and the tests need not be root's.
	in := []string{"--root=" + root, "--log=/dev/null", "--force-depends", "--force-not-root", "--force-bad-path", "--force-architecture"}
	dpkg(t, "dpkg", append(in, "--install", deb)...)
	if info, err := os.Stat(filepath.Join(root, "usr/bin/git-context")); err != nil || info.Mode() != 0o755 {
		t.Fatalf("the program is not installed: %v, %v", info, err)
	}
	dpkg(t, "dpkg", append(in, "--purge", "git-context")...)
	if left, err := os.ReadDir(root); err != nil || len(left) != 1 || left[0].Name() != "var" {
		t.Errorf("it leaves %v (%v)", left, err)
	}
}

// Versions are ordered as the releases are: before a release what leads to it, after it
// what follows.
func TestVersions(t *testing.T) {
	var before string
	for _, c := range []struct{ version, deb string }{
		{"v0.0.0-20261121120000-0123456789ab", "0.0.0~20261121120000-0123456789ab-1"},
		{"v1.2.3-rc.1", "1.2.3~rc.1-1"},
		{"v1.2.3-rc.1-4-g0123456789ab", "1.2.3~rc.1+4.g0123456789ab-1"},
		{"v1.2.3", "1.2.3-1"},
		{"v1.2.3-4-g0123456789ab", "1.2.3+4.g0123456789ab-1"},
		{"v1.2.4", "1.2.4-1"},
	} {
		got := strings.TrimSpace(dpkg(t, "dpkg-deb", "--field", packages(t, c.version, "amd64")+".deb", "Version"))
		if got != c.deb {
			t.Errorf("%s is %s, want %s", c.version, got, c.deb)
		}
		if before != "" {
			dpkg(t, "dpkg", "--compare-versions", before, "lt", got)
		}
		before = got
	}
}

// A package that cannot be made is not left.
func TestRefusesAnArchiveWithoutProgram(t *testing.T) {
	dir := newRelease(t, "v1.2.3", "amd64")
	program := archived[0]
	archived[0].name = "other"
	defer func() { archived[0] = program }()
	other := newRelease(t, "v1.2.3", "amd64")
	if err := run(io.Discard, "v1.2.3", other, date); err == nil {
		t.Error("an archive without a program is packed")
	}
	text, err := os.ReadFile(filepath.Join(dir, "git-context-v1.2.3-linux-amd64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "git-context-v1.2.3-linux-amd64.tar.gz"), text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(io.Discard, "v1.2.3", dir, date); err == nil {
		t.Error("a torn archive is packed")
	}
	for _, dir := range []string{dir, other} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("it leaves %v (%v)", left, err)
		}
	}
}
