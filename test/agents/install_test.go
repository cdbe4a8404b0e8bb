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
	"strings"
	"sync"
	"time"
)

// installLimit is how long npm may take for one client.
const installLimit = 4 * time.Minute

// install installs with npm the clients that are not there yet, two at a time. Of one that cannot be
// installed it leaves the reason in a file.
func install(all string) {
	wanted := wanted()
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, c := range clients() {
		if _, err := os.Stat(c.path(all)); err == nil || !wanted.MatchString(c.name) {
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			begin := time.Now()
			err := c.install(all)
			fmt.Printf("install %s %s: %.0f s\n", c.pkg, c.version, time.Since(begin).Seconds())
			if err != nil {
				_ = os.WriteFile(c.folder(all)+".failed", []byte(err.Error()), 0o666) // the client is missing in any case
			}
		})
	}
	group.Wait()
}

// wanted matches the names of the clients that the flag -run selects.
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
func (c client) install(all string) error {
	part := c.folder(all) + ".part"
	if err := errors.Join(os.RemoveAll(part), os.RemoveAll(c.folder(all)), os.MkdirAll(part, 0o777)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", part, "--no-audit", "--no-fund", "--no-update-notifier",
		"--engine-strict", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", c.pkg+"@"+c.version)
	npm.Dir, npm.WaitDelay = part, 5*time.Second
	out, err := npm.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, tail(string(out), 15))
	}
	return os.Rename(part, c.folder(all))
}

// missing returns why a client cannot be run; "" if it can.
func (c client) missing(all string) string {
	if _, err := os.Stat(c.path(all)); err == nil {
		return ""
	}
	why, err := os.ReadFile(c.folder(all) + ".failed")
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
