package remake

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// metadata returns a metadata.yaml without the keys that the commits with the hole removed, and with what the first of them says of its
// branch: it may be that of another branch.
func (v *values) metadata(ctx context.Context, c *git.Commit, blob git.ID) (git.ID, error) {
	data, err := v.h.s.Repo().Blob(ctx, blob)
	if err != nil {
		return "", err
	}
	meta, err := doc.ParseMetadata(data)
	if err != nil {
		return blob, nil // the check of documents says what is wrong
	}
	keys, err := doc.NewMetadata().Lost(meta, false)
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		if !v.gone[store.KeyRecord(k.Path)] {
			continue
		}
		if _, err := meta.Unset(k.Path); err != nil {
			return "", err
		}
	}
	if err := v.keepChanged(ctx, meta); err != nil {
		return "", err
	}
	if err := setFacts(meta, c); err != nil {
		return "", err
	}
	if data, err = meta.Bytes(); err != nil {
		return "", err
	}
	return v.h.s.Repo().WriteBlob(ctx, data)
}

// key returns the path of the key that a commit changes, by its subject; "" if it says none.
func (c exit) key() string {
	if len(c.Parents) != 1 || c.Trailer(store.TrailerID) != "" {
		return ""
	}
	for _, subject := range []string{store.SubjectSet, store.SubjectUnset} {
		if key, ok := strings.CutPrefix(c.Subject(), subject); ok {
			return key
		}
	}
	return ""
}

// keepChanged sets the key that the only commit that follows changes, by its subject, to what it was before.
func (v *values) keepChanged(ctx context.Context, meta *doc.Metadata) error {
	if len(v.exits) != 1 {
		return nil
	}
	key, blob := v.exits[0].key(), v.before[strings.TrimPrefix(doc.MetadataFile, v.at.path)]
	if key == "" || blob == "" { // the first commit of all has none before it
		return nil
	}
	data, err := v.h.s.Repo().Blob(ctx, blob)
	if err != nil {
		return ignoreLost(err)
	}
	before, err := doc.ParseMetadata(data)
	if err != nil {
		return nil // the check of documents says what is wrong
	}
	text, has, err := before.YAML(key)
	if err != nil {
		return nil // a subject that was written by hand names no key
	}
	if has {
		return meta.Set(key, string(text))
	}
	_, err = meta.Unset(key)
	return err
}

// counted returns the metadata.yaml of a commit with made documents, which counts the entry that was made: that of the documents, or, of
// a commit in the place of a lost one, the chosen one with their counts.
func (v *values) counted(ctx context.Context, c *git.Commit, chosen git.ID) (git.ID, error) {
	made, err := v.h.below(ctx, v.h.docs[c.ID], doc.MetadataFile)
	if made[""] == "" || err != nil {
		return chosen, err
	}
	if !c.Tree.IsZero() {
		return made[""], nil
	}
	var meta [2]*doc.Metadata
	for i, id := range []git.ID{chosen, made[""]} {
		data, err := v.h.s.Repo().Blob(ctx, id)
		if err != nil {
			return "", err
		}
		if meta[i], err = doc.ParseMetadata(data); err != nil {
			return made[""], nil // the check of documents says what is wrong
		}
	}
	return withFacts(ctx, v.h.s.Repo(), meta[0], meta[1])
}

// withFacts writes metadata with what belongs to one branch as in others.
func withFacts(ctx context.Context, r *git.Repo, meta, of *doc.Metadata) (git.ID, error) {
	if err := meta.SetBranch(of.Branch()); err != nil {
		return "", err
	}
	if err := meta.SetTotals(of.Totals()); err != nil {
		return "", err
	}
	data, err := meta.Bytes()
	if err != nil {
		return "", err
	}
	return r.WriteBlob(ctx, data)
}

// setFacts sets what a commit says of its branch in metadata of another one, of which the counts are not its own.
func setFacts(meta *doc.Metadata, c *git.Commit) error {
	branch := store.BranchOf(c)
	if meta.Branch().Name == branch {
		return nil
	}
	facts := doc.BranchFacts{Name: branch, Purpose: c.Trailer(store.TrailerPurpose), Status: doc.StatusActive}
	at, from := store.ParseCreated(c.Trailer(store.TrailerCreated))
	if at != nil {
		facts.CreatedAt = *at
	}
	if from != nil {
		facts.CreatedFrom = *from
	}
	if err := meta.SetBranch(facts); err != nil {
		return err
	}
	return meta.SetTotals(doc.Totals{Origins: map[string]doc.OriginTotals{branch: {}}})
}
