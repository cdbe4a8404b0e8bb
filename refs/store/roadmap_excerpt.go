package store

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

const (
	// cacheRoadmap is the excerpt of the newest large main.md: a line with the id of its blob and what the
	// excerpt leaves out, and the excerpt. To read a million to-dos takes git 100 ms and us a second.
	cacheRoadmap = "roadmap"

	largeRoadmap = 256 << 10 // bytes; what is smaller is read whole

	// MostItems is how many items of a kind the excerpt of a large roadmap contains.
	MostItems = 4096
)

// RoadmapExcerpt reads main.md as [Store.Roadmap] does. Of a large one it leaves out the items that
// [doc.Roadmap.Excerpt] leaves out for MostItems, and counts them.
func (s *Store) RoadmapExcerpt(ctx context.Context, t *Tip) (v RoadmapView, e doc.Excerpt, err error) {
	tip, err := s.roadmapTipOf(ctx, t)
	if err != nil {
		return v, e, err
	}
	blob, err := s.roadmapBlob(ctx, tip)
	if err != nil {
		return v, e, err
	}
	e, ok := cachedExcerpt(s.repo, blob)
	if !ok {
		if e, err = s.readExcerpt(ctx, t, tip, blob); err != nil {
			return v, e, err
		}
	}
	return t.roadmapView(doc.ParseRoadmap(e.Text), tip), e, nil
}

// readExcerpt reads a blob. It keeps the excerpt of a large one for the next reader, if it is still the
// present one: what expunge removed must not come back.
func (s *Store) readExcerpt(ctx context.Context, t *Tip, tip, blob git.ID) (e doc.Excerpt, err error) {
	if blob != "" {
		e.Text, err = s.repo.Blob(ctx, blob)
	}
	if err != nil || len(e.Text) < largeRoadmap {
		return e, err
	}
	e = doc.ParseRoadmap(e.Text).Excerpt(MostItems)
	if now, err := s.RoadmapTip(ctx); err != nil || now != tip {
		return e, err
	}
	keepExcerpt(s.repo, blob, e)
	return e, nil
}

// keepExcerpt writes the excerpt of a large roadmap into the cache.
func keepExcerpt(repo *git.Repo, blob git.ID, e doc.Excerpt) {
	if left, err := json.Marshal(e.Left); err == nil {
		cache.Write(repo, cacheRoadmap, string(blob)+" "+string(left)+"\n"+string(e.Text))
	}
}

// cachedExcerpt returns the excerpt of a blob, if it is in the cache.
func cachedExcerpt(repo *git.Repo, blob git.ID) (e doc.Excerpt, ok bool) {
	head, text, _ := strings.Cut(cache.Read(repo, cacheRoadmap), "\n")
	id, left, _ := strings.Cut(head, " ")
	if blob == "" || id != string(blob) || json.Unmarshal([]byte(left), &e.Left) != nil {
		return doc.Excerpt{}, false
	}
	e.Text = []byte(text)
	return e, true
}
