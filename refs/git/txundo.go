package git

import (
	"context"
	"errors"
	"fmt"
)

// takeBack makes nothing of a transaction that failed while its refs were being moved.
// git moves them one after another and writes each one's reflog first: on a disk that
// fills up meanwhile, one has moved and the next has not.
//
//  1. All have moved: it is done.
//  2. None has: it failed.
//  3. Some have: they are moved back, if nobody has moved them on. What the others
//     took of the disk is free again. Where even that fails the error names them.
func (tx *Tx) takeBack(queued []refChange, failure error) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitGrace)
	defer cancel()
	var moved []refChange
	for _, q := range queued {
		now, err := tx.repo.Ref(ctx, q.ref)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("failed while they were being moved, so that some may have: %w; which cannot be read: %w", failure, err)
		}
		if now == q.new {
			moved = append(moved, refChange{q.ref, q.old, q.new})
		}
	}
	switch len(moved) {
	case len(queued):
		return nil
	case 0:
		return failure
	}
	if err := tx.moveBack(ctx, moved); err != nil {
		return fmt.Errorf("failed while they were being moved, and %s cannot be moved back (%w): %w", refNames(moved), err, failure)
	}
	return failure
}

// moveBack is a transaction by a child of its own.
func (tx *Tx) moveBack(ctx context.Context, moved []refChange) error {
	input, err := tx.repo.encodeTx(moved)
	if err != nil {
		return err
	}
	s := tx.session()
	tx.s = nil
	err = s.wait()
	if err == nil {
		err = s.prepare(ctx, input)
	}
	if err == nil {
		err = s.decide()
	}
	if died := s.end(ctx); died != nil {
		return died
	}
	return err
}
