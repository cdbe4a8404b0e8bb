package share

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
)

// BriefKey is the key of the topic that keeps what the user wants.
const BriefKey = "brief"

// checkBrief refuses to replace a brief before anything is made.
func (i *initialization) checkBrief(ctx context.Context, branch string) error {
	if i.o.Brief == "" {
		return nil
	}
	if there, err := i.s.HasBranch(ctx, branch); err != nil || !there {
		return err
	}
	tip, err := i.s.Tip(ctx, branch)
	if err != nil {
		return err
	}
	data, err := tip.OptionalDocument(ctx, doc.TopicPath(BriefKey))
	if err != nil || data == nil {
		return err
	}
	if t, err := doc.ParseTopic(data); err == nil && t.Text == i.o.Brief {
		return nil
	}
	return fail.New(fail.ErrExists, fail.BriefExists, "branch '"+branch+"' has a brief already",
		"git context remember "+BriefKey+" TEXT")
}

// writeBrief keeps the brief as a pinned topic.
func (i *initialization) writeBrief(ctx context.Context, branch string) error {
	if i.o.Brief == "" {
		return nil
	}
	pin := true
	ch, err := i.s.Remember(ctx, store.TopicOptions{Writer: i.o.Writer, Branch: branch, Key: BriefKey, Text: i.o.Brief, Pin: &pin})
	if err != nil || ch.Unchanged {
		return err
	}
	i.res.Head = ch.Commit
	i.res.Did = append(i.res.Did, "topic '"+BriefKey+"'")
	i.res.Warnings = append(i.res.Warnings, ch.Warnings...)
	return nil
}
