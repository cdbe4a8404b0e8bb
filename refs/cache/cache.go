// Package cache keeps small files of local state that repeat what immutable objects say: the
// files of a tree, the terms of a blob, the memory commit of an entry. A file that is missing or
// damaged, or cannot be written, is no error: its reader asks git instead. So is one that was
// not written here, see [Seal].
package cache

import (
	"crypto/sha256"
	"encoding/hex"
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
	seal := Seal(repo, false)
	if seal == "" || sum != checksum(name, seal, text) {
		return ""
	}
	return text
}

// Write replaces a small file of the cache: a line with the checksum of the rest, and the
// text. It reports no error, because a lost file costs the next reader only time.
func Write(repo *git.Repo, name, text string) {
	if seal := Seal(repo, true); seal != "" {
		_ = repo.WriteStateFile(Dir+"/"+name, []byte(checksum(name, seal, text)+"\n"+text))
	}
}

// here is the file of the cache whose origin seals the others.
const here = "here"

// Seal returns 16 hexadecimal digits that only files of this cache contain, because they are
// unknown before an empty file of it is made on this machine. So a cache that came with an archive
// from elsewhere, whose texts may be anything, is not believed. A copy of the repository begins a
// cache of its own. It is "" if there is no such file, and with create if none can be made.
func Seal(repo *git.Repo, create bool) string {
	origin := repo.StateOrigin(Dir+"/"+here, create)
	if origin == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("git-context " + origin))
	return hex.EncodeToString(sum[:8])
}

// checksum is the first line of a file: its name, the version of the format, the length of its
// text, and the CRC-32C of the seal and the text.
func checksum(name, seal, text string) string {
	sum := crc32.Checksum([]byte(seal+text), crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf("git-context %s 1 %d %08x", name, len(text), sum)
}
