//go:build !linux

package journal

func syncData(f interface{ Sync() error }) error { return f.Sync() }
