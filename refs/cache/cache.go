// Package cache keeps small files of local state that repeat what immutable objects say: the
// files of a tree, the terms of a blob, the memory commit of an entry. A file that is missing or
// damaged, or cannot be written, is no error: its reader asks git instead.
package cache

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// Dir is the folder of the cache in local state, with slashes.
const Dir = "cache/search"

// Read returns the text of a small file of the cache, and "" where there is none or its
// checksum does not match. name is a file name without slashes.
func Read(repo *git.Repo, name string) string {
	data, err := git.ReadCacheFile(filepath.Join(repo.StateDir(), filepath.FromSlash(Dir), name))
	if err != nil {
		return ""
	}
	sum, text, _ := strings.Cut(string(data), "\n")
	if sum != checksum(name, text) {
		return ""
	}
	return text
}

// Write replaces a small file of the cache: a line with the checksum of the rest, and the
// text. It reports no error, because a lost file costs the next reader only time.
func Write(repo *git.Repo, name, text string) {
	_ = repo.WriteStateFile(Dir+"/"+name, []byte(checksum(name, text)+"\n"+text))
}

// checksum is the first line of a file: its name, the version of the format, and the length
// and CRC-32C of its text.
func checksum(name, text string) string {
	sum := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf("git-context %s 1 %d %08x", name, len(text), sum)
}
