package streamable

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A deadlineWriter counts the deadlines that are set.
type deadlineWriter struct {
	http.ResponseWriter
	mu  sync.Mutex
	all []time.Time
}

func (w *deadlineWriter) set() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

func (w *deadlineWriter) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, at)
	return nil
}

// A watchdog stops what takes too long, and nothing else.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &watchdog{after: time.Minute, stop: stopWriting}
		slow, quick, slower := &deadlineWriter{}, &deadlineWriter{}, &deadlineWriter{}
		one := d.begin(slow)
		time.Sleep(30 * time.Second)
		two, three := d.begin(quick), d.begin(slower)
		time.Sleep(29 * time.Second)
		if d.end(two) || len(slow.set()) > 0 {
			t.Error("after 29 s an operation has taken too long, want after a minute")
		}
		time.Sleep(2 * time.Second)
		if len(slow.set()) != 1 || !slow.set()[0].Equal(longAgo) || len(slower.set()) > 0 {
			t.Errorf("after 61 s: stopped %v, after 31 s: %v", slow.set(), slower.set())
		}
		if !d.end(one) || d.end(three) {
			t.Error("want the stopped operation to have taken too long, and only that")
		}
		again := d.begin(quick)
		time.Sleep(time.Minute + time.Second)
		if !d.end(again) || len(quick.set()) != 1 || len(slower.set()) > 0 {
			t.Errorf("a later operation was not stopped: %v, or one that has ended was: %v", quick.set(), slower.set())
		}
		time.Sleep(time.Hour)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.timer != nil || d.begun != (queue[*watched]{}) {
			t.Error("the watchdog still watches something")
		}
		if none := (&watchdog{after: -1}); none.end(none.begin(quick)) {
			t.Error("an operation without a limit has taken too long")
		}
	})
}

// BenchmarkWatchdog compares a watchdog with the deadlines that it replaces.
func BenchmarkWatchdog(b *testing.B) {
	for name, bound := range map[string]func(d *watchdog, w http.ResponseWriter){
		"watchdog": func(d *watchdog, w http.ResponseWriter) { d.end(d.begin(w)) },
		"deadline": func(d *watchdog, w http.ResponseWriter) {
			rc := http.NewResponseController(w)
			rc.SetWriteDeadline(time.Now().Add(d.after))
			rc.SetWriteDeadline(time.Time{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			d := &watchdog{after: 30 * time.Second, stop: stopWriting}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for b.Loop() {
					bound(d, w)
				}
			}))
			defer srv.Close()
			resp, err := http.Get(srv.URL)
			if err != nil {
				b.Fatal(err)
			}
			resp.Body.Close()
		})
	}
}
