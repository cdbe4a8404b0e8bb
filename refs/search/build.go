package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/oklog/ulid/v2"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
)

// builders is how many goroutines tokenize texts while git reads.
func builders() int { return min(runtime.GOMAXPROCS(0), 4) }

// build reads units and makes shards of them; read is how many bytes it read. The same
// units give the same shards, byte for byte, on the same machine.
func (c *corpus) build(ctx context.Context, keys []index.Key) (shards [][]byte, read int64, err error) {
	if len(keys) == 0 {
		return nil, 0, nil
	}
	ids, byBlob := c.blobsOf(keys)
	// A failure of the reader ends the builders, and one of a builder ends the reader.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lanes := make([]lane, min(builders(), 1+len(ids)/32))
	made := make([][][]byte, len(lanes))
	var wg sync.WaitGroup
	for i := range lanes {
		lanes[i] = lane{make(chan git.Object, 16), make(chan []byte, 16)}
		wg.Go(func() {
			var err error
			if made[i], err = c.builder(lanes[i], byBlob); err != nil {
				cancel(err)
			}
		})
	}
	meter := c.s.Repo().Meter("Indexing texts", len(ids))
	defer meter.End()
	next := 0 // in turn, not to a free one, so that the division is the same each time
	isTopic := func(id git.ID) bool {
		return !slices.ContainsFunc(byBlob[id], func(key index.Key) bool { return key.Kind != index.Topics })
	}
	err = c.readShort(ctx, ids, isTopic, func(o git.Object) error {
		meter.Add(1)
		read += int64(len(o.Data))
		l := lanes[next%len(lanes)]
		next++
		return l.put(ctx, o)
	})
	for _, l := range lanes {
		close(l.blobs)
	}
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil { // a builder failed, maybe after the last blob
		return nil, 0, cause
	}
	return slices.Concat(made...), read, err
}

// searchedText is how many bytes of one text are searched, from its beginning: a step of 16 MiB would take a
// second and a gigabyte.
const searchedText = 256 << 10

// readShort reads files, with no more of each text than is searched: entries in the order of ids, then topics.
func (c *corpus) readShort(ctx context.Context, ids []git.ID, isTopic func(git.ID) bool, each func(git.Object) error) error {
	var entries, topics []git.ID
	for _, id := range ids {
		if isTopic(id) {
			topics = append(topics, id)
		} else {
			entries = append(entries, id)
		}
	}
	err := c.s.Repo().ReadAll(ctx, entries, func(o git.Object) error {
		o.Data = doc.ShortTexts(o.Data, searchedText)
		return each(o)
	})
	if err != nil {
		return err
	}
	return c.s.Repo().ReadStarts(ctx, topics, doc.TopicHead+searchedText, func(start git.Start) error {
		start.Data = start.Text()
		return each(start.Object)
	})
}

// lane passes blobs to a builder and their memory back: to allocate for each costs more
// than to read it.
type lane struct {
	blobs chan git.Object
	used  chan []byte
}

// put sends a copy of o, whose data is valid only during the call.
func (l lane) put(ctx context.Context, o git.Object) error {
	var room []byte
	select {
	case room = <-l.used:
	default:
	}
	o.Data = append(room[:0], o.Data...)
	select {
	case l.blobs <- o:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// blobsOf returns the blobs of units, in a fixed order, and the units of each.
func (c *corpus) blobsOf(keys []index.Key) (ids []git.ID, byBlob map[git.ID][]index.Key) {
	slices.SortFunc(keys, func(a, b index.Key) int {
		return cmp.Or(bytes.Compare(a.ID[:], b.ID[:]), cmp.Compare(a.Kind, b.Kind))
	})
	byBlob = make(map[git.ID][]index.Key, len(keys))
	for _, key := range keys {
		id := c.places[key].blob
		if byBlob[id] == nil {
			ids = append(ids, id)
		}
		byBlob[id] = append(byBlob[id], key)
	}
	return ids, byBlob
}

// builder makes shards of the blobs that it receives.
func (c *corpus) builder(l lane, byBlob map[git.ID][]index.Key) (shards [][]byte, err error) {
	b := index.NewBuilder()
	for o := range l.blobs {
		for _, key := range byBlob[o.ID] {
			if err := c.addUnit(b, key, o.Data); err != nil {
				return nil, err
			}
		}
		select {
		case l.used <- o.Data:
		default:
		}
		if b.Full() {
			shards = append(shards, b.Bytes())
		}
	}
	if b.Units() > 0 {
		shards = append(shards, b.Bytes())
	}
	return shards, nil
}

// titleWeight is how often a word of a summary or a key counts.
const titleWeight = 2

// addUnit indexes one file.
func (c *corpus) addUnit(b *index.Builder, key index.Key, data []byte) error {
	b.Unit(key)
	p := c.places[key]
	if key.Kind == index.Topics {
		b.Document(topicDoc(key))
		b.Text(topicName(p.path), titleWeight)
		b.Text(string(data), 1)
		return nil
	}
	if err := addEntries(b, p.file, data); err != nil {
		return p.wrap(err)
	}
	return nil
}

// addEntries indexes the texts of steps and commits. It omits births of branches, and
// purposes and progress summaries, which repeat other entries.
func addEntries(b *index.Builder, file string, data []byte) error {
	if file == doc.LogFile {
		steps, err := doc.ParseLog(data)
		for i := range steps {
			if err := addStep(b, &steps[i]); err != nil {
				return err
			}
		}
		return err
	}
	commits, err := doc.ParseCommits(data)
	for i := range commits {
		m := &commits[i]
		if m.Kind == doc.KindBirth {
			continue
		}
		if err := addDocument(b, m.ID, m.Summary, m.Contribution); err != nil {
			return err
		}
	}
	return err
}

func addStep(b *index.Builder, s *doc.Step) error {
	return addDocument(b, s.ID, "", s.Observation, s.Thought, s.Action)
}

func addDocument(b *index.Builder, id, title string, texts ...string) error {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return fmt.Errorf("entry '%s': %w", id, err)
	}
	b.Document(index.DocID(u))
	b.Text(doc.ShortText(title, searchedText), titleWeight)
	for _, text := range texts {
		b.Text(doc.ShortText(text, searchedText), 1)
	}
	return nil
}

func topicDoc(key index.Key) (id index.DocID) {
	copy(id[:], key.ID[:])
	return id
}

func topicName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, doc.TopicDir+"/"), ".md")
}

// indexPending indexes pending steps if they are wanted. It reads them in any case, because
// the command that shows a step depends on their number.
func (c *corpus) indexPending(ctx context.Context) error {
	if !c.wanted.pending || !c.wanted.kinds(index.Steps) {
		return nil
	}
	if err := c.journals(); err != nil {
		return err
	}
	b := index.NewBuilder()
	for _, branch := range c.branches {
		steps := c.waiting[branch.branch]
		if len(steps) == 0 {
			continue
		}
		key := pendingKey(branch.branch)
		c.places[key] = &place{file: doc.LogFile, branches: []string{branch.branch}, docs: -1}
		b.Unit(key)
		for _, step := range steps {
			if err := addStep(b, &step); err != nil {
				return fmt.Errorf("journal of branch '%s', step %d: %w", branch.branch, step.Number, err)
			}
		}
	}
	if b.Units() == 0 {
		return nil
	}
	shard, err := memoryShard(b.Bytes())
	if err == nil {
		c.add(shard)
	}
	return err
}

// readJournals reads the pending steps of all branches.
func (c *corpus) readJournals(ctx context.Context) error {
	for branch := range c.tips {
		steps, err := c.pendingSteps(ctx, branch)
		if err != nil {
			return err
		}
		c.waiting[branch] = steps
	}
	return nil
}

// pendingSteps reads the pending steps of a branch.
func (c *corpus) pendingSteps(ctx context.Context, branch string) ([]doc.Step, error) {
	if _, err := os.Stat(c.s.JournalPath(branch)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	tip, err := c.s.TipAt(ctx, branch, c.tips[branch])
	if err != nil {
		return nil, err
	}
	p, err := c.s.PendingOf(ctx, tip)
	if err != nil {
		return nil, err
	}
	return c.s.WaitingSteps(ctx, branch, p)
}
