//go:build unix

package agents

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// installLimit is how long npm may take for one release.
const installLimit = 4 * time.Minute

// release is a program from npm. Beside its own package there may be others that it needs.
type release struct {
	name, version, program string
	packages               []string
}

// releases are all that make agents runs.
func releases() (all []release) {
	for _, c := range clients() {
		all = append(all, c.release())
	}
	return append(all, inspector(), conformance())
}

// folder is where a release is installed.
func (r release) folder(all string) string { return filepath.Join(all, r.name+"-"+r.version) }

// path is its program.
func (r release) path(all string) string {
	return filepath.Join(r.folder(all), "node_modules", ".bin", r.program)
}

// install installs with npm the releases that are not there yet, two at a time. Of one that cannot be
// installed it leaves the reason in a file.
func install(all string) {
	wanted := wanted()
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, r := range releases() {
		if _, err := os.Stat(r.path(all)); err == nil || !wanted.MatchString(r.name) {
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			begin := time.Now()
			err := r.install(all)
			fmt.Printf("install %s: %.0f s\n", r.packages[0], time.Since(begin).Seconds())
			if err != nil {
				_ = os.WriteFile(r.folder(all)+".failed", []byte(err.Error()), 0o666) // it is missing in any case
			}
		})
	}
	group.Wait()
}

// wanted matches the names of the releases that the flag -run selects.
func wanted() *regexp.Regexp {
	flag.Parse()
	names := ".*"
	if f := flag.Lookup("test.run"); f != nil {
		if _, name, more := strings.Cut(f.Value.String(), "/"); more {
			names, _, _ = strings.Cut(name, "/")
		}
	}
	r, err := regexp.Compile(names)
	if err != nil {
		return regexp.MustCompile(".*") // package testing reports it
	}
	return r
}

// install runs npm in a folder that gets its name when everything is in it.
func (r release) install(all string) error {
	part := r.folder(all) + ".part"
	if err := errors.Join(os.RemoveAll(part), os.RemoveAll(r.folder(all)), os.MkdirAll(part, 0o777)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	args := []string{"install", "--prefix", part, "--no-audit", "--no-fund", "--no-update-notifier",
		fmt.Sprintf("--engine-strict=%v", !slices.Contains(r.packages, ownNode)), "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"}
	npm := exec.CommandContext(ctx, "npm", append(args, r.packages...)...)
	npm.Dir, npm.WaitDelay = part, 5*time.Second
	out, err := npm.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, tail(string(out), 15))
	}
	return os.Rename(part, r.folder(all))
}

// missing returns why a release cannot be run; "" if it can.
func (r release) missing(all string) string {
	if _, err := os.Stat(r.path(all)); err == nil {
		return ""
	}
	why, err := os.ReadFile(r.folder(all) + ".failed")
	if err != nil {
		return "it is not installed"
	}
	return string(why)
}

// build builds the programs that are tested.
func build(all string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	c := exec.Command("go", "build", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", all+string(filepath.Separator),
		"./cmd/git-context", "./cmd/git-context-mcp")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

func program(all string) string { return filepath.Join(all, "git-context") }

// tail is the end of a text.
func tail(text string, lines int) string {
	list := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(list[max(0, len(list)-lines):], "\n")
}
