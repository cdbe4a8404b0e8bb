package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
)

// Limits of a result, in bytes of JSON: 2,000 tokens of 4 bytes, less the names around the content.
const (
	mostBytes = 7600
	mostText  = 1500 // of one text in a list
	mostSaid  = 8    // messages
	mostLine  = 300  // of a message
)

// size returns the bytes of a value in JSON.
func size(v any) int {
	data, err := json.Marshal(v)
	if err != nil { // results always have a form in JSON
		return 0
	}
	return len(data)
}

// clip shortens a text, and says how much is missing.
func clip(s string) string {
	head := doc.ShortText(s, mostText)
	if len(head) == len(s) {
		return s
	}
	return fmt.Sprintf("%s … (%d bytes more)", head, len(s)-len(head))
}

// short shortens messages; none are nil.
func short(said []string) []string {
	said = said[:min(len(said), mostSaid)]
	for i, text := range said {
		said[i] = doc.ShortText(text, mostLine)
	}
	return said
}

// cut returns the first elements of a list, which is not nil.
func cut[T any](all []T, most int) []T {
	return append([]T{}, all[:min(len(all), most)]...)
}

// cursor is where a result goes on: a position, and a checksum of what precedes it.
func cursor(at int, before string) string {
	sum := sha256.Sum256([]byte(before))
	return strconv.Itoa(at) + "-" + hex.EncodeToString(sum[:6])
}

// position reads a cursor. before returns what precedes a position; false if there is no such position.
func position(c string, before func(at int) (string, bool)) (int, error) {
	if c == "" {
		return 0, nil
	}
	number, _, _ := strings.Cut(c, "-")
	at, err := strconv.Atoi(number)
	if err == nil && at >= 0 {
		if text, ok := before(at); ok && cursor(at, text) == c {
			return at, nil
		}
	}
	return 0, &failure{&cmd.Refusal{
		Code: fail.Stale, Message: "the cursor '" + doc.ShortText(c, 60) + "' is of a result that has changed since",
		Hint: "call again without a cursor",
	}}
}

// pageText returns the part of a text from a cursor on that needs at most so many bytes in JSON, in whole lines
// if one fits, and the next cursor.
func pageText(text, from string, most int) (part, next string, err error) {
	at, err := position(from, func(at int) (string, bool) { return text[:min(at, len(text))], at <= len(text) })
	if err != nil {
		return "", "", err
	}
	end := at
	for line := range strings.Lines(text[at:]) {
		if size(text[at:end+len(line)]) > most {
			break
		}
		end += len(line)
	}
	if end == at && at < len(text) {
		part = doc.ShortText(text[at:], most)
		for size(part) > most {
			part = doc.ShortText(part, len(part)*3/4)
		}
		end = at + len(part)
	}
	if end < len(text) {
		next = cursor(end, text[:end])
	}
	return text[at:end], next, nil
}

// pageList returns the elements from a cursor on that need at most so many bytes in JSON, but at least one, and
// the next cursor. trim shortens the texts of an element.
func pageList[T any](all []T, from string, most int, trim func(*T)) (part []T, next string, err error) {
	before := func(at int) (string, bool) {
		if at > len(all) {
			return "", false
		}
		data, err := json.Marshal(all[:at])
		return string(data), err == nil
	}
	for i := range all {
		trim(&all[i])
	}
	at, err := position(from, before)
	if err != nil {
		return nil, "", err
	}
	part = []T{}
	for ; at < len(all); at++ {
		if most -= size(all[at]) + 1; most < 0 && len(part) > 0 {
			text, _ := before(at)
			return part, cursor(at, text), nil
		}
		part = append(part, all[at])
	}
	return part, "", nil
}
