package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The modes of entries in a memory's trees.
const (
	ModeBlob uint32 = 0o100644
	ModeTree uint32 = 0o040000
)

// TreeEntry is one name in a tree.
type TreeEntry struct {
	Mode uint32
	Name string
	ID   ID
}

// IsTree reports whether the entry is a directory.
func (e TreeEntry) IsTree() bool { return e.Mode == ModeTree }

// ParseTree reads the content of a tree object whose ids are hashLen bytes long
// (20 or 32). Modes, names and order are given as they stand: a tree that came
// from elsewhere may hold anything.
func ParseTree(data []byte, hashLen int) ([]TreeEntry, error) {
	var entries []TreeEntry
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		if space < 0 {
			return nil, errors.New("tree is malformed: no mode")
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("tree is malformed: bad mode '%s'", shown(string(data[:space])))
		}
		data = data[space+1:]
		end := bytes.IndexByte(data, 0)
		if end < 0 || len(data) < end+1+hashLen {
			return nil, errors.New("tree is malformed: cut short")
		}
		entries = append(entries, TreeEntry{
			Mode: uint32(mode),
			Name: string(data[:end]),
			ID:   ID(hex.EncodeToString(data[end+1 : end+1+hashLen])),
		})
		data = data[end+1+hashLen:]
	}
	return entries, nil
}

// encodeTree writes the content of a tree object, its entries in git's order: a
// directory sorts as if its name ended in a slash.
func encodeTree(entries []TreeEntry, hexLen int) ([]byte, error) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b TreeEntry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var out []byte
	names := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		if err := e.check(hexLen); err != nil {
			return nil, err
		}
		if names[e.Name] {
			return nil, fmt.Errorf("tree has two entries '%s'", shown(e.Name))
		}
		names[e.Name] = true
		out = strconv.AppendUint(out, uint64(e.Mode), 8)
		out = append(append(append(out, ' '), e.Name...), 0)
		var err error
		if out, err = hex.AppendDecode(out, []byte(e.ID)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e TreeEntry) sortName() string {
	if e.IsTree() {
		return e.Name + "/"
	}
	return e.Name
}

// check refuses what git's fsck would complain of.
func (e TreeEntry) check(hexLen int) error {
	switch {
	case e.Name == "" || e.Name == "." || e.Name == ".." || strings.EqualFold(e.Name, ".git") || strings.ContainsAny(e.Name, "/\x00"):
		return fmt.Errorf("bad name '%s' in a tree", shown(e.Name))
	case !isHex(string(e.ID), hexLen) || e.ID.IsZero():
		return fmt.Errorf("bad object id '%s' for '%s' in a tree", shown(string(e.ID)), shown(e.Name))
	}
	return nil
}
