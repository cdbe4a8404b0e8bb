package loss

// recent keeps what was read lately, in two generations: when what came since the last change of generation
// weighs more than most, it becomes the older one, and the older one is forgotten. So what is read again and again
// is read once, if all of it together weighs no more than that; a cache that is emptied when it is full reads a
// cycle of one thing more than it has room for from the beginning each time.
type recent[K comparable, V any] struct {
	weigh func(V) int
	most  int

	now, before map[K]V
	weight      int // of now
}

func newRecent[K comparable, V any](most int, weigh func(V) int) *recent[K, V] {
	return &recent[K, V]{weigh: weigh, most: most, now: map[K]V{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	v, ok := r.now[key]
	if !ok {
		if v, ok = r.before[key]; ok {
			r.put(key, v)
		}
	}
	return v, ok
}

func (r *recent[K, V]) put(key K, v V) {
	if r.weight += r.weigh(v); r.weight > r.most {
		r.before, r.now, r.weight = r.now, map[K]V{}, r.weigh(v)
	}
	r.now[key] = v
}
