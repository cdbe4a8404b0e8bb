//go:build unix

// Package agents runs the released clients of coding agents with the hooks and the server of git-context, under a
// scripted model (package model), and checks what is in memory afterwards: `make agents`. The test is
// skipped without the variable GIT_CONTEXT_AGENTS, a folder into which the clients are installed from
// npm. Each client works in a home and a repository of its own; where the system allows it, in a
// network namespace that has nothing but loopback.
//
// A new release of a client is one line of clients_test.go. A check that a client cannot pass yet is
// turned off by a field there.
package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const (
	folderVariable = "GIT_CONTEXT_AGENTS"       // where the clients are
	readyVariable  = "GIT_CONTEXT_AGENTS_READY" // everything is installed: how the network is
)

func TestMain(m *testing.M) {
	if all := os.Getenv(folderVariable); all != "" && os.Getenv(readyVariable) == "" {
		if err := prepare(all); err != nil {
			fmt.Fprintln(os.Stderr, "agents:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// prepare installs what needs a network, and begins this program again without one.
func prepare(all string) error {
	all, err := filepath.Abs(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(all, 0o777); err != nil {
		return err
	}
	install(all)
	if err := build(all); err != nil {
		return err
	}
	if err := os.Setenv(folderVariable, all); err != nil {
		return err
	}
	return isolate()
}

func TestAgents(t *testing.T) {
	all := os.Getenv(folderVariable)
	if all == "" {
		t.Skip("*** SKIPPED AGENTS: 'make agents' installs and runs them")
	}
	t.Log("network: " + os.Getenv(readyVariable))
	for _, c := range clients() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if why := c.release().missing(all); why != "" {
				t.Skipf("*** SKIPPED %s %s: %s", c.name, c.version, why)
			}
			w := newWorld(t, c, all)
			w.install()
			for _, part := range scenes() {
				if part.of(c) {
					w.part(part.name, part.play)
				}
			}
			w.leaves()
			if c.captures {
				w.part("import", (*world).imported)
			}
		})
	}
}
