package expunge

import (
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// leastHash is how many digits of its hash name an attachment to remove.
const leastHash = 12

// attachment examines the content of an attachment. It goes as a whole: no other content may have its name.
func (f *finder) attachment(hash string, data []byte) {
	if f.match.raw(data) {
		f.removeFile(hash)
	}
}

// attachmentName examines how an attachment is named.
func (f *finder) attachmentName(hash, name string) {
	wanted := f.fileHash != "" && strings.HasPrefix(hash, f.fileHash)
	if wanted || f.named.HasFile(hash) || f.match.in(name) {
		f.removeFile(hash)
	}
}

func (f *finder) removeFile(hash string) {
	if f.expunged.AddFile(hash) == nil {
		f.hits++
	}
}

// filesOfRemoved removes the attachments that only removed steps keep.
func (f *finder) filesOfRemoved() {
	for hash, steps := range f.holders {
		if !slices.ContainsFunc(steps, func(id string) bool { _, goes := f.found[id]; return !goes }) {
			f.removeFile(hash)
		}
	}
}

// attached removes the attached files in local state that are expunged. The steps that are pending stay as they
// are where nothing is forgotten for good, or a remote alone asks for it.
func (op *Operation) attached() error {
	return op.Store.DropAttached(func(hash string, data []byte) bool {
		r, err := op.intent.pending.Redact(doc.Attachment{Hash: hash, Name: "file"}.Path(), data)
		return err == nil && r.Gone
	})
}
