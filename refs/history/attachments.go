package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// shortestHash is how many digits of a hash name an attachment.
const shortestHash = 4

// kept is an attachment of a branch: in its tree, or of a pending step.
type kept struct {
	doc.Attachment        // without its size, if it is in the tree
	blob           git.ID // "" for a pending one
}

// ReadAttachment finds an attachment of a branch, also of a pending step, and reads it. It is named by its
// path in the tree, its own name, or at least 4 digits of its hash; artifacts/ may be before each.
// fail.ErrNotFound where there is none, git.ErrAmbiguous where the name means several contents.
func ReadAttachment(ctx context.Context, s *store.Store, t *store.Tip, name string) (doc.Attachment, []byte, error) {
	all, err := attachmentsOf(ctx, s, t)
	if err != nil {
		return doc.Attachment{}, nil, err
	}
	found := map[string]kept{} // by hash
	for path, k := range all {
		if k.isNamed(path, name) {
			found[k.Hash] = k
		}
	}
	short := strings.TrimPrefix(name, doc.ArtifactDir+"/")
	if len(found) == 0 {
		return doc.Attachment{}, nil, fail.New(fail.ErrNotFound, fail.AttachmentNotFound,
			fmt.Sprintf("branch '%s' has no attachment '%s'", t.Name(), short),
			"git context --log", "git ls-tree -r "+string(t.Commit().ID.Short())+" "+doc.ArtifactDir)
	}
	if len(found) > 1 {
		var hints []string
		for _, hash := range slices.Sorted(maps.Keys(found)) {
			hints = append(hints, "git context show "+doc.ArtifactDir+"/"+hash[:12])
		}
		return doc.Attachment{}, nil, fail.New(git.ErrAmbiguous, fail.Ambiguous,
			fmt.Sprintf("%d attachments of branch '%s' are named '%s'", len(found), t.Name(), short),
			hints[:min(len(hints), 10)]...)
	}
	for _, k := range found {
		data, err := k.read(ctx, s)
		return doc.NewAttachment(k.Name, data), data, err
	}
	return doc.Attachment{}, nil, nil
}

// NamedAttachments lists the names of a branch's attachments, sorted, as ReadAttachment takes them.
func NamedAttachments(ctx context.Context, s *store.Store, t *store.Tip) ([]string, error) {
	all, err := attachmentsOf(ctx, s, t)
	names := map[string]bool{}
	for _, k := range all {
		names[doc.ArtifactDir+"/"+k.Name] = true
	}
	return slices.Sorted(maps.Keys(names)), err
}

func (k kept) isNamed(path, name string) bool {
	if path == name {
		return true
	}
	short := strings.TrimPrefix(name, doc.ArtifactDir+"/")
	return k.Name == short || strings.HasSuffix(path, "/"+short) || len(short) >= shortestHash && strings.HasPrefix(k.Hash, short)
}

func (k kept) read(ctx context.Context, s *store.Store) ([]byte, error) {
	if k.blob != "" {
		return s.Repo().Blob(ctx, k.blob)
	}
	data, err := git.ReadCacheFile(s.AttachedPath(k.Hash))
	if err != nil || !k.Matches(data) {
		return nil, fail.New(fail.ErrNotFound, fail.AttachmentNotFound,
			"the content of attachment '"+k.Name+"' is lost", "git context fsck")
	}
	return data, nil
}

// attachmentsOf lists the attachments of a branch by path.
func attachmentsOf(ctx context.Context, s *store.Store, t *store.Tip) (map[string]kept, error) {
	all := map[string]kept{}
	p, err := s.Pending(ctx, t)
	if err != nil {
		return nil, err
	}
	waiting, err := s.WaitingSteps(ctx, t.Name(), p)
	if err != nil {
		return nil, err
	}
	for _, step := range waiting {
		for _, a := range step.Attachments {
			all[a.Path()] = kept{Attachment: a}
		}
	}
	ids, err := store.ArtifactIDs(ctx, t, nil)
	for path, id := range ids {
		hash, name, _ := doc.AttachmentAt(path)
		all[path] = kept{doc.Attachment{Name: name, Hash: hash}, id}
	}
	return all, err
}

// NewAttachments lists the attachments that a commit has and another one lacks, in the order of their paths.
func NewAttachments(ctx context.Context, s *store.Store, from, to *git.Commit) ([]doc.Attachment, error) {
	list, ids := []doc.Attachment{}, []git.ID{}
	now, before := s.TipOf("", to), s.TipOf("", from)
	all, err := store.ArtifactIDs(ctx, now, before)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		_, had, err := before.Entry(ctx, path)
		if err != nil {
			return nil, err
		}
		if hash, name, _ := doc.AttachmentAt(path); !had {
			list, ids = append(list, doc.Attachment{Name: name, Hash: hash}), append(ids, all[path])
		}
	}
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, info := range infos {
		list[i].Size = info.Size
	}
	return list, nil
}
