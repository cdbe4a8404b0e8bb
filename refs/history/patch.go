package history

import (
	"bytes"
	"strconv"
	"strings"
)

// mostPatch is how many bytes of a patch a Comparison has.
const mostPatch = 4 << 20

// patchReader is the writer that reads a patch. It keeps the beginning, in whole lines, and counts
// the lines that the patch adds to and deletes from each of its files, in the order of files. --numstat does not
// count those of a file that the repository's attributes call binary, even with --text.
type patchReader struct {
	files   []FileDiff
	kept    []byte
	missing int

	file, left int    // left: remaining lines of the hunk, on both sides
	line       []byte // the beginning of the present line: what is counted, and the head of a hunk
}

// Write takes the next piece of the patch.
func (p *patchReader) Write(piece []byte) (int, error) {
	p.keep(piece)
	for rest := piece; len(rest) > 0; {
		line, more, ended := bytes.Cut(rest, []byte("\n"))
		const head = 200
		p.line = append(p.line, line[:min(len(line), max(0, head-len(p.line)))]...)
		if rest = more; ended {
			p.count(string(p.line))
			p.line = p.line[:0]
		}
	}
	return len(piece), nil
}

func (p *patchReader) keep(piece []byte) {
	if p.missing == 0 && len(p.kept)+len(piece) <= mostPatch {
		p.kept = append(p.kept, piece...)
		return
	}
	if p.missing == 0 {
		whole := bytes.LastIndexByte(p.kept, '\n') + 1
		p.missing = len(p.kept) - whole
		p.kept = p.kept[:whole]
	}
	p.missing += len(piece)
}

// count takes one line.
func (p *patchReader) count(line string) {
	var from, to int
	switch {
	case p.left > 0 && strings.HasPrefix(line, "\\"): // "\ No newline at end of file"
	case p.left > 0:
		switch {
		case strings.HasPrefix(line, "+"):
			p.files[p.file].Added++
			p.left--
		case strings.HasPrefix(line, "-"):
			p.files[p.file].Deleted++
			p.left--
		default:
			p.left -= 2
		}
	case strings.HasPrefix(line, "diff --git "):
		p.file++
	case p.file >= 0 && p.file < len(p.files) && hunk(line, &from, &to):
		p.left = from + to
	}
}

// hunk reads "@@ -5,3 +5,4 @@": the number of lines on both sides.
func hunk(line string, from, to *int) bool {
	f := strings.Fields(line)
	if len(f) < 4 || f[0] != "@@" || f[3] != "@@" {
		return false
	}
	for i, n := range []*int{from, to} {
		*n = 1
		if _, count, ok := strings.Cut(f[1+i], ","); ok {
			var err error
			if *n, err = strconv.Atoi(count); err != nil {
				return false
			}
		}
	}
	return true
}
