package store

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
)

// The subjects of memory commits that change no topic's text, in front of its key. History dates a
// topic by the commit before a pin.
const (
	SubjectRemember = "Remember " // but this one writes a text
	SubjectPin      = "Pin "
	SubjectUnpin    = "Unpin "
	SubjectConfirm  = "Confirm "
)

// Pin pins a topic of the current branch, or removes its pin. Its text, its author and the code
// commit that it is compared with stay. fail.ErrNotFound: there is no such topic.
func (s *Store) Pin(ctx context.Context, w Writer, key string, pinned bool) (Change, error) {
	subject := SubjectUnpin
	if pinned {
		subject = SubjectPin
	}
	return s.markTopic(ctx, w, key, subject+key, func(t *doc.Topic) bool {
		changed := t.Pinned != pinned
		t.Pinned = pinned
		return changed
	})
}

// Confirm says that a topic is true of the code as it is now: from here on it is compared with the
// present code commit. Its text and paths stay. fail.ErrNotFound: there is no such topic;
// fail.ErrRefused: the code has no commit yet.
func (s *Store) Confirm(ctx context.Context, w Writer, key string) (Change, error) {
	code, err := s.CodeHead(ctx)
	if err != nil {
		return Change{}, err
	}
	if code == "" {
		return Change{}, fail.New(fail.ErrRefused, fail.CodeUnborn,
			"the code has no commit on this branch yet: there is nothing to confirm the topic for", "git commit")
	}
	var warnings []string
	ch, err := s.markTopic(ctx, w, key, SubjectConfirm+key, func(t *doc.Topic) bool {
		var edited []string
		edited, warnings = s.editedOf(ctx, t.Paths)
		t.Confirmed, t.Edited = string(code), edited
		return true
	})
	ch.Warnings = append(ch.Warnings, warnings...)
	return ch, err
}

// markTopic changes the marks of a topic, in a memory commit of its own. mark reports whether it
// changed one; it is called again if another writer was faster.
func (s *Store) markTopic(ctx context.Context, w Writer, key, subject string, mark func(*doc.Topic) bool) (Change, error) {
	if err := CheckTopic(key); err != nil {
		return Change{}, err
	}
	return s.changeBranch(ctx, w, key, func(ctx context.Context, tx *Transaction, tip *Tip) (*Draft, error) {
		data, err := tip.TopicBlob(ctx, key)
		if err != nil {
			return nil, err
		}
		t, err := doc.ParseTopic(data)
		if err != nil {
			return nil, fmt.Errorf("topic '%s' of branch '%s': %w", key, tip.Name(), err)
		}
		if !mark(&t) {
			return nil, nil
		}
		return tx.putTopic(ctx, tip, key, subject, t)
	})
}

// editedOf returns those of a topic's paths that have edits without a commit. What cannot be found out
// stops nothing.
func (s *Store) editedOf(ctx context.Context, paths []string) (edited, warnings []string) {
	edited, err := s.repo.EditedOf(ctx, paths)
	if err != nil {
		return nil, []string{"cannot tell whether the topic's paths are being edited: " + err.Error()}
	}
	return edited, nil
}
