package child

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/git-context/git-context/hooks/agent"
)

const (
	// limit is what is kept of an output, in bytes: half from its beginning, half from its end.
	limit = agent.MaxField - 160 // with the status, and the note of what is missing

	// window is how much of each end is searched for secrets before it is cut: half of a secret
	// would not be recognized.
	window = 64 << 10
)

// Keep keeps the beginning and the end of an output, in constant memory. What is missing between
// them is a note with its length and the beginning of its SHA-256. Of an output that begins with
// binary data it keeps the length and the hash. Its methods may be called concurrently.
type Keep struct {
	Clean func(text string) string // applied to both ends before they are cut

	mu      sync.Mutex
	begin   []byte // at most window
	end     []byte // what may be the last window
	full    bool   // begin is complete, and was cut
	binary  bool
	head    string // what is kept of begin
	hash    hash.Hash
	missing int
}

func (k *Keep) write(p []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if room := window - len(k.begin); len(p) <= room {
		k.begin = append(k.begin, p...)
		return
	} else if !k.full {
		k.begin, p = append(k.begin, p[:room]...), p[room:]
		k.cutBegin()
	}
	if k.end = append(k.end, p...); len(k.end) > 2*window {
		k.drop(len(k.end) - window)
	}
}

// cutBegin is called once the beginning is complete.
func (k *Keep) cutBegin() {
	k.full, k.hash = true, sha256.New()
	if k.binary = bytes.IndexByte(k.begin, 0) >= 0; k.binary {
		k.skip(k.begin)
		return
	}
	text := k.Clean(string(k.begin))
	k.head = text[:before(text, limit/2)]
	rest := text[len(k.head):]
	from := max(0, len(rest)-window/2) // the end may be shorter than what is kept of it
	k.skip([]byte(rest[:from]))
	k.end = append(k.end, rest[from:]...)
}

func (k *Keep) skip(p []byte) {
	k.hash.Write(p)
	k.missing += len(p)
}

func (k *Keep) drop(n int) {
	k.skip(k.end[:n])
	k.end = k.end[:copy(k.end, k.end[n:])]
}

// Text is what is kept. Nothing may be written after it.
func (k *Keep) Text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.full {
		if bytes.IndexByte(k.begin, 0) >= 0 {
			return binaryNote(len(k.begin), sha256.Sum256(k.begin))
		}
		text := strings.TrimRight(k.Clean(string(k.begin)), "\r\n")
		if len(text) <= limit {
			return text
		}
		k.hash = sha256.New()
		k.head = text[:before(text, limit/2)]
		return k.join(text[len(k.head):])
	}
	if k.binary {
		k.skip(k.end)
		return binaryNote(k.missing, [32]byte(k.hash.Sum(nil)))
	}
	if len(k.end) > window {
		k.drop(len(k.end) - window)
	}
	return k.join(strings.TrimRight(k.Clean(string(k.end)), "\r\n"))
}

// join puts the end of a text behind the beginning, and the note between them.
func (k *Keep) join(text string) string {
	from := max(0, len(text)-limit/2)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	k.skip([]byte(text[:from]))
	return k.head + agent.Missing(k.missing, k.hash.Sum(nil)) + "\n" + text[from:]
}

// before is where a text is cut to at most n bytes, between two characters.
func before(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func binaryNote(size int, sum [32]byte) string {
	return fmt.Sprintf("Binary output, %d bytes, sha256 %.6x", size, sum)
}
