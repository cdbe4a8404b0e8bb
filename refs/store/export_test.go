package store

import "context"

func (tx *Transaction) StillMemory(ctx context.Context) error { return tx.stillMemory(ctx) }
