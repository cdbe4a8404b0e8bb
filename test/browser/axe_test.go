//go:build unix

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// axeVersion is the release of axe-core, from npm.
const axeVersion = "4.14.1"

const installLimit = 3 * time.Minute

// axe returns the script of axe-core. Where it is not there yet, npm installs it.
func axe(t *testing.T) string {
	t.Helper()
	all := os.Getenv("GIT_CONTEXT_BROWSER")
	if all == "" {
		t.Skip("*** SKIPPED AXE: 'make browser' installs axe-core")
	}
	folder := filepath.Join(all, "axe-core@"+axeVersion)
	script := filepath.Join(folder, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(script); err != nil {
		if err := install(folder); err != nil {
			t.Skipf("*** SKIPPED AXE: %v", err)
		}
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// install runs npm in a folder that gets its name when everything is in it.
func install(folder string) error {
	part := folder + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.MkdirAll(part, 0o777); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", part, "--ignore-scripts", "--no-audit", "--no-fund",
		"--no-update-notifier", "--fetch-retries=1", "axe-core@"+axeVersion)
	npm.Dir, npm.WaitDelay = part, 5*time.Second
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%.2000s", err, out)
	}
	return os.Rename(part, folder)
}

// violation is what axe-core finds: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#results-object
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

func TestPagesAreAccessible(t *testing.T) {
	script := axe(t)
	for _, name := range []string{"demo", "traces"} {
		t.Run(name, func(t *testing.T) {
			b := serve(t, memories()[name](t)).open()
			for i, path := range b.pages() {
				for _, scheme := range []string{"light", "dark"} {
					b.scheme(scheme)
					b.size([]int64{1280, 360}[i%2], 800)
					b.visit(path)
					for _, v := range b.violations(script) {
						report := t.Logf
						if v.Impact == "serious" || v.Impact == "critical" {
							report = t.Errorf
						}
						report("%s, %s: %s, %s: %s (%d times)\n%.300s\n%.600s",
							path, scheme, v.Impact, v.ID, v.Help, len(v.Nodes), v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
					}
				}
			}
		})
	}
}

// violations runs axe-core in the page.
func (b *tab) violations(script string) (list []violation) {
	b.t.Helper()
	if _, err := get(b, chromedp.Evaluate[chromedp.Void](script)); err != nil {
		b.t.Fatal(err)
	}
	text, err := get(b,
		chromedp.Evaluate[string](`axe.run().then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.t.Fatal(err)
	}
	return list
}
