package dev

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An editor writes a file in several steps, and switching branches writes many files.
const (
	quietTime   = 100 * time.Millisecond // without an event before a change is reported
	longestTime = 2 * time.Second        // from the first event, however many follow
)

// Sources holds the files that a server is built from.
type Sources struct {
	Folders []string // with code
	Files   []string // that are no code: those it embeds
}

// A Watcher reports changes of sources.
type Watcher struct {
	fs *fsnotify.Watcher

	mu    sync.Mutex
	files map[string]bool
}

// NewWatcher returns a watcher. The caller must close it.
func NewWatcher() (*Watcher, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &Watcher{fs: fs}, nil
}

// Close ends the watcher.
func (w *Watcher) Close() error { return w.fs.Close() }

// Watch makes the watcher report changes of these sources, and of no others.
func (w *Watcher) Watch(s Sources) error {
	want := map[string]bool{}
	for _, dir := range s.Folders {
		want[dir] = true
	}
	files := map[string]bool{}
	for _, file := range s.Files {
		files[file] = true
		want[filepath.Dir(file)] = true
	}
	w.mu.Lock()
	w.files = files
	w.mu.Unlock()
	have := w.fs.WatchList()
	for _, dir := range slices.Sorted(maps.Keys(want)) {
		if !slices.Contains(have, dir) {
			if err := w.fs.Add(dir); err != nil {
				return err
			}
		}
	}
	for _, dir := range have {
		if !want[dir] {
			w.fs.Remove(dir) // it fails if the folder is gone, which is as well
		}
	}
	return nil
}

// Changes returns a channel that receives a value some time after sources have changed, until ctx ends.
func (w *Watcher) Changes(ctx context.Context, logger *slog.Logger) <-chan struct{} {
	events := make(chan struct{})
	go func() {
		defer close(events)
		for {
			select {
			case e, ok := <-w.fs.Events:
				if !ok {
					return
				}
				if !w.matters(e) {
					continue
				}
			case err, ok := <-w.fs.Errors:
				if !ok {
					return
				}
				logger.Warn("changes of files may have been missed", "error", err)
			case <-ctx.Done():
				return
			}
			select {
			case events <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return settle(ctx, events)
}

// matters reports whether an event concerns a file that the server is built from.
func (w *Watcher) matters(e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	w.mu.Lock()
	embedded := w.files[e.Name] // whatever its name is
	w.mu.Unlock()
	switch {
	case e.Op == fsnotify.Chmod:
		return false
	case strings.HasPrefix(name, "mcp_gen"): // which a build writes itself
		return e.Op.Has(fsnotify.Remove)
	case embedded:
		return true
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"), strings.HasSuffix(name, "_test.go"):
		return false
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".go", ".mod", ".sum", ".work", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".s", ".syso":
		return true
	}
	return false
}

// settle returns a channel that receives a value when no further events have followed for a while, or events have
// continued for a long time. Until the value is received, further events do not add another one. The channel is
// closed when events is closed.
func settle(ctx context.Context, events <-chan struct{}) <-chan struct{} {
	out := make(chan struct{}, 1)
	go func() {
		defer close(out)
		var quiet, longest <-chan time.Time
		for {
			select {
			case _, ok := <-events:
				if !ok {
					return
				}
				quiet = time.After(quietTime)
				if longest == nil {
					longest = time.After(longestTime)
				}
				continue
			case <-quiet:
			case <-longest:
			case <-ctx.Done():
				return
			}
			quiet, longest = nil, nil
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out
}
