package dev

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan struct{})
		out := settle(t.Context(), events)
		begun := time.Now()
		for range 5 { // an editor that writes a file in steps
			events <- struct{}{}
			time.Sleep(quietTime / 2)
		}
		<-out
		if took, want := time.Since(begun), 3*quietTime; took != want {
			t.Errorf("five events are reported after %v, want %v", took, want)
		}

		begun = time.Now()
		reported := make(chan time.Duration, 1)
		go func() {
			<-out
			reported <- time.Since(begun)
		}()
		for range 40 { // something that writes without end
			events <- struct{}{}
			time.Sleep(longestTime / 29)
		}
		if took := <-reported; took != longestTime {
			t.Errorf("events without end are reported after %v, want %v", took, longestTime)
		}
		time.Sleep(time.Hour)
		<-out // the last of them

		for range 3 { // while nobody listens
			events <- struct{}{}
			time.Sleep(time.Hour)
		}
		<-out
		select {
		case <-out:
			t.Error("the same changes are reported twice")
		default:
		}
		close(events)
		if _, ok := <-out; ok {
			t.Error("something is reported after the end")
		}
	})
}

func TestMatters(t *testing.T) {
	w := &Watcher{files: map[string]bool{"shop/menu.html": true, "shop/.menu.html": true, "shop/order_test.go": true, "shop/mcp_gen.go": true, "shop/mcp_gen_chart.html": true}}
	for _, test := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"shop/order.go", fsnotify.Write, true},
		{"shop/order.go", fsnotify.Write | fsnotify.Chmod, true},
		{"shop/order.go", fsnotify.Chmod, false},
		{"shop/menu_test.go", fsnotify.Write, false},
		{"shop/order_test.go", fsnotify.Write, true}, // it is embedded
		{"shop/.menu.html", fsnotify.Write, true},    // likewise
		{"shop/.menu.html", fsnotify.Chmod, false},
		{"shop/.order.go.swp", fsnotify.Create, false},
		{"shop/order.go~", fsnotify.Create, false},
		{"shop/.#order.go", fsnotify.Create, false},
		{"shop/_order.go", fsnotify.Write, false},
		{"shop/mcp_gen.go", fsnotify.Create, false},
		{"shop/mcp_gen.go", fsnotify.Remove, true},
		{"shop/mcp_gen_chart.html", fsnotify.Write, false}, // embedded, but written by the build itself
		{"shop/mcp_gen_chart.html", fsnotify.Remove, true},
		{"shop/mcp.lock.json", fsnotify.Write, false},
		{"shop/go.mod", fsnotify.Rename, true},
		{"shop/menu.html", fsnotify.Write, true},
		{"shop/orders.db", fsnotify.Write, false},
	} {
		if got := w.matters(fsnotify.Event{Name: test.name, Op: test.op}); got != test.want {
			t.Errorf("%s %v: got %v, want %v", test.name, test.op, got, test.want)
		}
	}
}

// TestWatcher watches folders, then others.
func TestWatcher(t *testing.T) {
	w, err := NewWatcher()
	must(t, err)
	defer w.Close()
	var logged strings.Builder
	changes := w.Changes(t.Context(), slog.New(slog.NewTextHandler(&logged, nil)))
	first, second, third := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, "order.go"), []byte("package shop\n"), 0o666))
	}
	for range 2 { // once more changes nothing
		must(t, w.Watch(Sources{Folders: []string{first}}))
	}
	write(first)
	<-changes
	must(t, w.Watch(Sources{Folders: []string{second}, Files: []string{filepath.Join(second, "menu.html")}}))
	if got := w.fs.WatchList(); len(got) != 1 || got[0] != second {
		t.Errorf("watched are %q, want %q", got, second)
	}
	write(second)
	<-changes
	must(t, w.Watch(Sources{Folders: []string{second}, Files: []string{filepath.Join(third, "menu.html")}}))
	must(t, os.WriteFile(filepath.Join(third, "menu.html"), []byte("tea"), 0o666))
	<-changes
	if err := w.Watch(Sources{Folders: []string{filepath.Join(first, "absent")}}); err == nil {
		t.Error("a folder that does not exist is watched")
	}
	w.fs.Errors <- fsnotify.ErrEventOverflow // what else has changed is not known
	<-changes
	must(t, w.Close())
	if _, ok := <-changes; ok || !strings.Contains(logged.String(), "may have been missed") {
		t.Errorf("after the end a change is reported: %t; logged: %s", ok, &logged)
	}
}

// TestWatcherEvents reports what matters alone, and ends with the events or with the errors.
func TestWatcherEvents(t *testing.T) {
	for _, end := range []func(*fsnotify.Watcher){
		func(fs *fsnotify.Watcher) { close(fs.Events) },
		func(fs *fsnotify.Watcher) { close(fs.Errors) },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &Watcher{fs: &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}}
			changes := w.Changes(t.Context(), slog.New(slog.DiscardHandler))
			for _, test := range []struct {
				name    string
				changes int
			}{{"shop/orders.db", 0}, {"shop/order.go", 1}, {"shop/mcp_gen.go", 0}} {
				w.fs.Events <- fsnotify.Event{Name: test.name, Op: fsnotify.Write}
				time.Sleep(longestTime)
				synctest.Wait()
				if got := len(changes); got != test.changes {
					t.Errorf("%s is reported %d times, want %d", test.name, got, test.changes)
				}
				for range len(changes) {
					<-changes
				}
			}
			end(w.fs)
			if _, ok := <-changes; ok {
				t.Error("the end is reported as a change")
			}
		})
	}
}

// TestWatcherEnds ends reports with their context.
func TestWatcherEnds(t *testing.T) {
	w, err := NewWatcher()
	must(t, err)
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	changes := w.Changes(ctx, slog.New(slog.DiscardHandler))
	cancel()
	if _, ok := <-changes; ok {
		t.Error("a change is reported")
	}
}
