package doc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The limits of attachments.
const (
	MaxAttachment  = 1 << 20 // bytes of one file
	MaxAttachments = 16      // files of one step

	maxAttachmentName = 100 // bytes
)

// ArtifactDir contains the files that steps keep, by their content.
const ArtifactDir = "artifacts"

// Attachment is a file that a step keeps. Its content is a file of the branch's tree, at Path.
type Attachment struct {
	Name string `json:"name"` // see AttachmentName
	Size int64  `json:"size"` // in bytes, at most MaxAttachment
	Hash string `json:"hash"` // the SHA-256 of the content, in hex
}

// NewAttachment describes a file with a content.
func NewAttachment(name string, data []byte) Attachment {
	sum := sha256.Sum256(data)
	return Attachment{Name: AttachmentName(name), Size: int64(len(data)), Hash: hex.EncodeToString(sum[:])}
}

// Path returns where a tree has the file. The same content under the same name has one path, and no
// other content has it: two trees never have different files there.
func (a Attachment) Path() string {
	return ArtifactDir + "/" + a.Hash[:2] + "/" + a.Hash + "-" + a.Name
}

// Matches reports whether data is the content of the file.
func (a Attachment) Matches(data []byte) bool {
	return int64(len(data)) == a.Size && NewAttachment(a.Name, data).Hash == a.Hash
}

// AttachmentAt returns the hash and the name of the attachment at a path of a tree; false for another
// path.
func AttachmentAt(path string) (hash, name string, ok bool) {
	dir, file, _ := strings.Cut(path, "/")
	radix, file, _ := strings.Cut(file, "/")
	hash, name, _ = strings.Cut(file, "-")
	a := Attachment{Name: name, Hash: hash}
	return hash, name, dir == ArtifactDir && a.Check() == nil && radix == hash[:2]
}

// AttachmentName makes the name of an attachment of that of a file: each run of other characters than
// A-Z a-z 0-9 . _ - becomes one '-', the first character is a letter or a digit, and a long name loses
// its beginning. A name without letters and digits is "file".
func AttachmentName(file string) string {
	var b []byte
	for i := range len(file) {
		switch c := file[i]; {
		case alnum(c) || c == '.' || c == '_':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	name := strings.TrimRight(string(b), ".-_") // Windows has no file with a '.' at its end
	name = strings.TrimLeft(name[max(0, len(name)-maxAttachmentName):], ".-_")
	return cmp.Or(name, "file")
}

// Check reports why a step cannot keep such a file; nil if it can.
func (a Attachment) Check() error {
	switch {
	case len(a.Hash) != 2*sha256.Size || strings.Trim(a.Hash, "0123456789abcdef") != "":
		return fmt.Errorf("'%s' is no SHA-256", clip(a.Hash))
	case a.Name == "" || len(a.Name) > maxAttachmentName || AttachmentName(a.Name) != a.Name:
		return fmt.Errorf("'%s' is no name of an attachment", clip(a.Name))
	case a.Size < 0 || a.Size > MaxAttachment:
		return fmt.Errorf("the attachment '%s' has %d bytes; at most %d are allowed", a.Name, a.Size, MaxAttachment)
	}
	return nil
}

// checkAttachments checks those of one step.
func checkAttachments(list []Attachment) error {
	if len(list) > MaxAttachments {
		return fmt.Errorf("the step has %d attachments; at most %d are allowed", len(list), MaxAttachments)
	}
	for i, a := range list {
		if err := a.Check(); err != nil {
			return err
		}
		for _, other := range list[:i] {
			if other == a {
				return errors.New("an attachment occurs twice")
			}
		}
	}
	return nil
}

const attachmentKey = "attachment"

// appendAttachments writes a line "- attachment: HASH SIZE NAME" for each.
func appendAttachments(b []byte, list []Attachment) []byte {
	for _, a := range list {
		b = fmt.Appendf(b, "- %s: %s %d %s\n", attachmentKey, a.Hash, a.Size, a.Name)
	}
	return b
}

// parseAttachment reads the value of such a line.
func parseAttachment(value string) (Attachment, bool) {
	hash, rest, _ := strings.Cut(value, " ")
	size, name, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseInt(size, 10, 64)
	a := Attachment{Name: name, Size: n, Hash: hash}
	return a, err == nil && strconv.FormatInt(n, 10) == size && a.Check() == nil
}
