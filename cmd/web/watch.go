package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/refs"
)

// The time between two looks at the files of memory. A look takes a call of stat for each journal and each
// folder of refs; it takes at most a twentieth of the time.
const (
	watchWait  = 200 * time.Millisecond
	watchShare = 20
)

// pulse is the time after which a page that hears nothing gets an empty line, which says that we are there.
const pulse = 15 * time.Second

// watch tells pages that memory has changed. It asks no git: it looks at the files that a change writes. It
// runs while a page is open.
type watch struct {
	files func() (watched, error)

	mu      sync.Mutex
	readers map[chan struct{}]bool
	stop    context.CancelFunc
}

// watched is where changes of memory show.
type watched struct {
	folders []string // with all folders below: a ref that moves changes the time of its folder
	lists   []string // folders whose files grow: journals, merges that wait
	files   []string
}

func watchedOf(s *refs.Store) watched {
	common, own := s.Repo().CommonDir(), s.Repo().GitDir()
	return watched{
		folders: []string{
			filepath.Join(common, "refs", "context"), filepath.Join(common, "refs", "notes"), filepath.Join(common, "worktrees"),
		},
		lists: []string{s.StatePath("journal"), s.StatePath("merge")},
		files: []string{
			filepath.Join(common, "packed-refs"), filepath.Join(common, "reftable", "tables.list"),
			filepath.Join(own, "HEAD"), filepath.Join(own, "logs", "HEAD"), filepath.Join(own, "CONTEXT_HEAD"),
		},
	}
}

// state is what all of it says now. What cannot be read is read by git for the page, which reports it.
func (w watched) state() string {
	var b strings.Builder
	add := func(path string, info fs.FileInfo) {
		fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
	}
	for _, path := range w.files {
		if info, err := os.Stat(path); err == nil {
			add(path, info)
		}
	}
	for _, dir := range w.lists {
		list, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(&b, dir, err)
		}
		for _, e := range list {
			if info, err := e.Info(); err == nil {
				add(e.Name(), info)
			}
		}
	}
	for _, dir := range w.folders {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() {
				return nil // removed meanwhile, or a ref
			}
			info, err := e.Info()
			if err == nil {
				add(path, info)
			}
			return nil
		})
		if err != nil {
			fmt.Fprintln(&b, dir, err)
		}
	}
	return b.String()
}

// join returns a channel that gets a value after each change, and what ends it.
func (w *watch) join() (changed <-chan struct{}, leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.readers) == 0 {
		files, err := w.files()
		if err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithCancel(context.Background())
		w.readers, w.stop = map[chan struct{}]bool{}, cancel
		go w.look(ctx, files, files.state())
	}
	c := make(chan struct{}, 1)
	w.readers[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.readers, c); len(w.readers) == 0 {
			w.stop()
		}
	}, nil
}

func (w *watch) look(ctx context.Context, files watched, was string) {
	wait := watchWait
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		begin := time.Now()
		now := files.state()
		wait = max(watchWait, watchShare*time.Since(begin))
		if now == was {
			continue
		}
		was = now
		w.mu.Lock()
		for c := range w.readers {
			select {
			case c <- struct{}{}:
			default: // it has not heard of the last change yet
			}
		}
		w.mu.Unlock()
	}
}

// serve sends an event after each change, until the page closes.
func (w *watch) serve(out http.ResponseWriter, r *http.Request) {
	changed, leave, err := w.join()
	if err != nil {
		http.Error(out, "The memory cannot be watched: "+cmd.Explain(err).Message, http.StatusServiceUnavailable)
		return
	}
	defer leave()
	out.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(out)
	send := func(text string) bool {
		_, err := out.Write([]byte(text))
		return err == nil && to.Flush() == nil
	}
	for ok := send("retry: 1000\n\n"); ok; {
		select {
		case <-r.Context().Done():
			return
		case <-changed:
			ok = send("event: change\ndata:\n\n")
		case <-time.After(pulse):
			ok = send(":\n\n")
		}
	}
}
