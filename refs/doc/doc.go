// Package doc reads, writes and merges the documents of a memory branch: log.md,
// commit.md and their sealed segments, metadata.yaml, main.md and topics.
package doc
