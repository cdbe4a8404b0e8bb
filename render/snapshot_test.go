package render

import (
	"context"
	"errors"
	"testing"
)

// A read that panics does so where the caller of all of them can recover, once they are
// done.
func TestTogetherPanicsAtItsCaller(t *testing.T) {
	ended := false
	defer func() {
		if p := recover(); p != "no" || !ended {
			t.Errorf("recovered %v; the other read ended: %v", p, ended)
		}
	}()
	err := concurrently(t.Context(), func(context.Context) error { panic("no") }, func(ctx context.Context) error {
		<-ctx.Done()
		ended = true
		return errors.New("other")
	})
	t.Errorf("it returned %v", err)
}
