package cmd

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// captureState is what the hooks of agents keep of a turn, and where that goes.
type captureState struct {
	Mode     string `json:"mode"`      // context.capture
	Commit   string `json:"commit"`    // context.autoCommit
	Push     bool   `json:"push"`      // context.push
	AutoSync bool   `json:"auto_sync"` // context.autoSync
}

// readCapture returns nil beside an error.
func readCapture(ctx context.Context, s *refs.Store) (*captureState, error) {
	var v captureState
	var err error
	if v.Mode, v.Commit, err = capture.Settings(ctx, s); err != nil {
		return nil, err
	}
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	if v.Push, err = cfg.Bool(store.KeyPush, false); err != nil {
		return nil, err
	}
	if v.AutoSync, err = cfg.Bool(store.KeyAutoSync, false); err != nil {
		return nil, err
	}
	return &v, nil
}

// text tells the state in three lines: what is kept, when it is committed, and who gets it.
func (v *captureState) text() string {
	recorded := map[string]string{
		"full":    "each turn's prompt, words, actions and results",
		"actions": "what the agent does, without prompts, words and results",
		"off":     "nothing",
	}[v.Mode]
	committed := map[string]string{
		"turn":    "each turn that changed something",
		"session": "each session that changed something",
		"off":     "nothing by itself",
	}[v.Commit]
	kept := "in this repository; '" + self + " push' and 'sync' share it"
	switch {
	case v.AutoSync:
		kept = "in this repository, and synced after each such commit (context.autoSync)"
	case v.Push:
		kept = "in this repository, and pushed with the code (context.push)"
	}
	return fmt.Sprintf("recorded: %s (context.capture %s)\ncommitted: %s (context.autoCommit %s)\nkept: %s",
		recorded, v.Mode, committed, v.Commit, kept)
}
