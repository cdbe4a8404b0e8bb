package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// release is what a package says of itself; arch is Go's name of the processor.
type release struct {
	version, arch string
	date          time.Time
}

// write makes one package. One that cannot be finished is not left.
func (r release) write(format, name string, from []unpacked) (err error) {
	info, err := r.info(format, from)
	if err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	return packager.Package(info, f)
}

// afterTag is what git describe adds to a tag: how many commits later, and which.
var afterTag = regexp.MustCompile(`-(\d+)-g([0-9a-f]+)$`)

// info describes the package, and not the machine that makes it. Debian's git has an
// epoch: to a dependency without one, every version of git would be new enough.
func (r release) info(format string, from []unpacked) (*nfpm.Info, error) {
	contents, err := r.contents(format, from)
	if err != nil {
		return nil, err
	}
	info := &nfpm.Info{
		Name: "git-context", Arch: r.arch, Platform: "linux",
		// v1.2.3-4-gabc comes after v1.2.3, v1.2.3-rc.1 before it.
		Version: afterTag.ReplaceAllString(r.version, "+$1.g$2"), Release: "1",
		Maintainer:      "The git-context authors <https://github.com/git-context/git-context/issues>",
		Description:     "memory for AI coding agents, stored in git\ngit context records what an agent observes, thinks and does, commits what it\nachieved, and shows it to the next one. Memory is in refs beside the code.",
		Homepage:        "https://github.com/git-context/git-context",
		License:         "MIT",
		Section:         "vcs",
		DisableGlobbing: true, MTime: r.date,
	}
	info.Contents = contents
	info.RPM.BuildHost = "localhost"
	info.Depends = []string{"git (>= 1:2.39)"}
	if format == "rpm" {
		info.Depends = []string{"git-core >= 2.39"} // which every package git depends on
	}
	return nfpm.WithDefaults(info), nil
}

// isProgram reports whether a file of the archive is a program.
func isProgram(name string) bool {
	return name == "git-context" || name == "git-context-mcp" || name == "git-context-web"
}

// places says where a package has a file of the archive.
func places(format string, u unpacked) (place, kind string) {
	const doc = "/usr/share/doc/git-context/"
	rpm := format == "rpm"
	switch dir, base := path.Split(u.name); {
	case isProgram(u.name):
		return "/usr/bin/" + u.name, files.TypeFile
	case u.name == "LICENSE" && rpm:
		return "/usr/share/licenses/git-context/LICENSE", files.TypeRPMLicence
	case u.name == "LICENSE":
		return doc + "copyright", files.TypeFile
	case u.name == "CHANGELOG.md" && rpm:
		return doc + "CHANGELOG.md.gz", files.TypeRPMDoc
	case u.name == "CHANGELOG.md":
		return doc + "changelog.gz", files.TypeFile
	case strings.HasPrefix(dir, "man/"):
		return "/usr/share/" + u.name + ".gz", files.TypeFile
	case base == "git-context.bash":
		return "/usr/share/bash-completion/completions/git-context", files.TypeFile
	case base == "git-context.zsh" && rpm:
		return "/usr/share/zsh/site-functions/_git-context", files.TypeFile
	case base == "git-context.zsh":
		return "/usr/share/zsh/vendor-completions/_git-context", files.TypeFile
	case base == "git-context.fish":
		// fish reads no other directory before it completes git itself.
		return "/usr/share/fish/vendor_conf.d/git-context.fish", files.TypeFile
	}
	return "", ""
}

// shared are directories that every system has.
var shared = []string{"/", "/usr", "/usr/bin", "/usr/share", "/usr/share/man", "/usr/share/man/man1", "/usr/share/man/man5",
	"/usr/share/man/man7", "/usr/share/doc", "/usr/share/licenses"}

// contents are the files of a package. rpm removes a directory only if a package owns it:
// all that may be missing without this one are listed. dpkg removes each that it leaves
// empty.
func (r release) contents(format string, from []unpacked) (files.Contents, error) {
	var all files.Contents
	dirs := map[string]bool{}
	for _, u := range from {
		place, kind := places(format, u)
		if place == "" {
			continue
		}
		mode := os.FileMode(0o644)
		if isProgram(u.name) {
			mode = 0o755
		}
		all = append(all, &files.Content{Source: u.path, Destination: place, Type: kind,
			FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.date}})
		for dir := path.Dir(place); !slices.Contains(shared, dir); dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	if !slices.ContainsFunc(all, func(c *files.Content) bool { return c.Destination == "/usr/bin/git-context" }) {
		return nil, fmt.Errorf("the archive has no program")
	}
	if format == "rpm" {
		for _, dir := range slices.Sorted(maps.Keys(dirs)) {
			all = append(all, &files.Content{Destination: dir, Type: files.TypeDir,
				FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.date}})
		}
	}
	return all, nil
}
