package index

import "fmt"

// Merge joins shards into one and returns it as a file. It leaves out units for which keep
// is false, and all but the first unit of each key. It returns nil if no unit remains. It
// fails if a shard is damaged (ErrDamaged) or the result too large.
func Merge(shards []*Shard, keep func(Key) bool) ([]byte, error) {
	m := merger{shards: shards, numbers: make([][]int32, len(shards))}
	w := m.documents(keep)
	if w == nil {
		return nil, nil
	}
	if w.docs >= docLimit {
		return nil, fmt.Errorf("the shard has %d documents; at most %d are allowed", w.docs, docLimit-1)
	}
	terms, size := 0, 0
	err := m.each(func(_ uint64, posts []post) {
		terms++
		size += 2 * len(posts)
	})
	if err != nil {
		return nil, err
	}
	w.begin(terms, size)
	if err := m.each(w.term); err != nil {
		return nil, err
	}
	if len(w.out) > maxShard {
		return nil, fmt.Errorf("the shard has %d bytes; at most %d are allowed", len(w.out), maxShard)
	}
	return w.finish(), nil
}

type merger struct {
	shards  []*Shard
	numbers [][]int32 // by shard and document: the new number, -1 for a dropped document
}

// documents numbers the documents that are kept.
func (m *merger) documents(keep func(Key) bool) *writer {
	var units []unit
	var docs []document
	text := int64(0)
	seen := map[Key]bool{}
	for i, s := range m.shards {
		numbers := make([]int32, s.count)
		for d := range numbers {
			numbers[d] = -1
		}
		kept := 0
		for _, u := range s.units {
			if seen[u.Key] || !keep(u.Key) {
				continue
			}
			seen[u.Key] = true
			units = append(units, unit{u.Key, uint32(u.Docs)})
			for d := u.first; d < u.first+u.Docs; d++ {
				numbers[d] = int32(len(docs))
				docs = append(docs, document{s.id(d), uint32(s.length(d))})
			}
			kept += u.Docs
		}
		if s.count > 0 {
			text += s.text * int64(kept) / int64(s.count)
		}
		m.numbers[i] = numbers
	}
	if len(units) == 0 {
		return nil
	}
	return newWriter(units, docs, int(text))
}

// each calls visit for the terms that have postings to keep, in the order of their hashes.
func (m *merger) each(visit func(uint64, []post)) error {
	streams := make([]stream, len(m.shards))
	for i, s := range m.shards {
		streams[i].shard = s
		if err := streams[i].next(); err != nil {
			return err
		}
	}
	var posts []post
	for {
		least, any := uint64(0), false
		for i := range streams {
			if s := &streams[i]; s.ready && (!any || s.queue[0].hash < least) {
				least, any = s.queue[0].hash, true
			}
		}
		if !any {
			return nil
		}
		posts = posts[:0]
		for i := range streams {
			s := &streams[i]
			if !s.ready || s.queue[0].hash != least {
				continue
			}
			var err error
			if posts, err = m.take(posts, i, s.queue[0].list); err != nil {
				return err
			}
			if err := s.next(); err != nil {
				return err
			}
		}
		if len(posts) > 0 {
			visit(least, posts)
		}
	}
}

// take appends the postings of one shard under their new numbers.
func (m *merger) take(posts []post, shard int, l list) ([]post, error) {
	for {
		p, ok, err := l.read()
		if err != nil || !ok {
			return posts, err
		}
		if n := m.numbers[shard][p.doc]; n >= 0 {
			posts = append(posts, newPost(0, uint32(n), p.count))
		}
	}
}

// stream reads the terms of a shard in order.
type stream struct {
	shard  *Shard
	bucket int      // the next one to read
	queue  []record // the unread records of the current bucket
	ready  bool     // whether queue[0] is the next term
}

func (s *stream) next() error {
	before, begun := uint64(0), s.ready
	if s.ready {
		before = s.queue[0].hash
		s.queue = s.queue[1:]
	}
	for len(s.queue) == 0 {
		if s.bucket == 1<<s.shard.bits {
			s.ready = false
			return nil
		}
		err := s.shard.each(s.bucket, func(r record) bool {
			s.queue = append(s.queue, r)
			return true
		})
		if err != nil {
			return err
		}
		s.bucket++
	}
	if s.ready = true; begun && s.queue[0].hash <= before {
		return fmt.Errorf("%w: terms out of order", ErrDamaged)
	}
	return nil
}
