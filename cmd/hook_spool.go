package cmd

import (
	"context"
	"errors"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/payload"
	"github.com/git-context/git-context/refs"
)

// workSpooled is work for a client whose turns are collected from its events.
func (h *agentHook) workSpooled(ctx context.Context, s *refs.Store, t capture.Turn, events []agent.Event) (string, error) {
	e := h.event
	if t.Session == "" {
		if e.Kind == payload.Start {
			return h.onStart(ctx, s, t)
		}
		return "", nil
	}
	t.Spooled, t.Subagent = true, e.Subagent
	t.Transcript = capture.SpoolPath(s, t)
	if e.Kind == payload.Start {
		if t.Subagent != "" {
			return "", nil
		}
		return h.onStart(ctx, s, t)
	}
	full, err := capture.Spool(ctx, s, t, events)
	switch e.Kind {
	case payload.Prompt:
		if t.Subagent != "" || h.client == payload.Cursor { // which takes no text there
			return "", err
		}
		text, failed := h.onPrompt(ctx, s, t)
		return text, errors.Join(err, failed)
	case payload.Activity:
		if t.Goes = true; !full {
			return "", err
		}
	case payload.TurnEnd, payload.SubagentEnd:
		t.Ends = t.Subagent != ""
	case payload.End:
		t.Ends = true
	}
	return "", errors.Join(err, h.record(ctx, s, t, capture.Record))
}
