package stdio

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A slow stream keeps what is written to it, by writes. Its Write waits for ready, if there is such
// a channel; writeNow takes as many bytes as there is room for.
type slow struct {
	mu     sync.Mutex
	writes []string
	ready  chan struct{}
	gone   chan struct{} // closed by Close
	room   int
	err    error
	during func() // is called by the next WriteNow
}

func (s *slow) Write(b []byte) (int, error) {
	if s.ready != nil {
		select {
		case <-s.ready:
		case <-s.gone:
			return 0, errors.New("closed")
		}
	}
	return s.put("wait", b)
}

func (s *slow) put(how string, b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	s.writes = append(s.writes, how+" "+strings.ReplaceAll(string(b), "\n", "|"))
	return len(b), nil
}

func (s *slow) Close() error { close(s.gone); return nil }

func (s *slow) take() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.writes
	s.writes = nil
	return w
}

// quickSlow can write at once what there is room for.
type quickSlow struct{ *slow }

func (s quickSlow) WriteNow(b []byte) (int, error) {
	if f := s.during; f != nil {
		s.during = nil
		f()
	}
	n := min(len(b), s.room)
	if s.err == nil && n == 0 {
		return 0, nil
	}
	s.room -= n
	return s.put("now", b[:n])
}

func testWriter(t *testing.T, f func(t *testing.T, w *writer, s *slow, more *atomic.Bool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &slow{gone: make(chan struct{}), room: 1000}
		var w writer
		var more atomic.Bool
		w.init(quickSlow{s}, 20, &more)
		f(t, &w, s, &more)
	})
}

func send(t *testing.T, w *writer, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if err := w.send(t.Context(), []byte(m)); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func wantWrites(t *testing.T, s *slow, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.take(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// REQ STDIO-03
func TestWriter(t *testing.T) {
	t.Run("alone", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			send(t, w, "a", "b")
			wantWrites(t, s, "now a|", "now b|")
			w.close()
		})
	})

	t.Run("while there is more input", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			send(t, w, "a", "b")
			wantWrites(t, s)
			more.Store(false)
			send(t, w, "c", "d")
			wantWrites(t, s, "now a|b|c|", "now d|")
			w.close()
		})
	})

	t.Run("before more input is waited for", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			send(t, w, "a", "b")
			w.writeGathered(false)
			wantWrites(t, s, "now a|b|")
			w.writeGathered(false)
			wantWrites(t, s)
			w.close()
		})
	})

	t.Run("soon, whatever is waited for", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			for range 3 {
				send(t, w, "a", "b")
				wantWrites(t, s)
				time.Sleep(gatherFor)
				wantWrites(t, s, "now a|b|")
			}
			w.close()
		})
	})

	t.Run("soon after the first", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			send(t, w, "a")
			time.Sleep(gatherFor / 2)
			send(t, w, "b")
			time.Sleep(gatherFor / 2)
			wantWrites(t, s, "now a|b|")
			w.close()
		})
	})

	t.Run("just full", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 0, make(chan struct{})
			send(t, w, "1234567890")
			synctest.Wait()
			send(t, w, "123456789", "123456789")
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := w.send(ctx, []byte("y")); err != context.DeadlineExceeded {
				t.Error(err)
			}
			close(s.ready)
			w.close()
		})
	})

	t.Run("one write at a time", func(t *testing.T) {
		for _, gathered := range []bool{false, true} {
			testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
				s.during = func() { send(t, w, "b", "c") }
				more.Store(gathered)
				send(t, w, "a")
				w.writeGathered(false)
				wantWrites(t, s, "now a|", "wait b|c|")
				w.close()
			})
		}
	})

	t.Run("not too much", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			send(t, w, "1234567890", "1234567890") // as much as may wait
			wantWrites(t, s, "now 1234567890|1234567890|")
			w.close()
		})
	})

	t.Run("error of what was gathered", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			send(t, w, "a")
			s.err = errors.New("broken pipe")
			w.writeGathered(false)
			if err := w.send(t.Context(), []byte("b")); !errors.Is(err, s.err) {
				t.Error(err)
			}
			w.close()
		})
	})

	t.Run("closing writes what was gathered", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			more.Store(true)
			send(t, w, "a", "b")
			if err := w.close(); err != nil {
				t.Error(err)
			}
			wantWrites(t, s, "wait a|b|")
		})
	})

	t.Run("the buffer of a burst is used again", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			w.max = 1 << 20 // the default
			s.room, s.ready = 0, make(chan struct{})
			long := strings.Repeat("x", 150_000)
			for range 8 { // the first is being written, the last is one more than may wait
				send(t, w, long)
				synctest.Wait()
			}
			close(s.ready)
			s.take()
			w.mu.Lock()
			if kept := max(cap(w.buf), cap(w.spare)); kept < 7*len(long) {
				t.Errorf("a buffer of %d bytes is kept, want at least %d", kept, 7*len(long))
			}
			w.mu.Unlock()
			w.close()
		})
	})

	t.Run("no room", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 3, make(chan struct{})
			send(t, w, "abcdef", "g", "h")
			wantWrites(t, s, "now abc")
			close(s.ready)
			synctest.Wait()
			if got := strings.Join(s.take(), " "); got != "wait def|g|h|" && got != "wait def| wait g|h|" {
				t.Error(got)
			}
			w.close()
		})
	})

	t.Run("a stream that may always wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &slow{gone: make(chan struct{})}
			var w writer
			w.init(s, 20, new(atomic.Bool))
			send(t, &w, "a")
			wantWrites(t, s, "wait a|")
			w.close()
		})
	})

	t.Run("full", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 0, make(chan struct{})
			send(t, w, "1234567890")
			synctest.Wait()                             // it is being written
			send(t, w, "1234567890", "0123456789xxxxx") // one may exceed the limit
			why := errors.New("why")
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
			defer cancel()
			if err := w.send(ctx, []byte("y")); err != why {
				t.Error(err)
			}
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { send(t, w, "z") })
			}
			synctest.Wait()
			close(s.ready)
			wg.Wait()
			got := strings.ReplaceAll(strings.Join(s.take(), ""), "wait ", "")
			if got != "1234567890|1234567890|0123456789xxxxx|z|z|z|" {
				t.Error(got)
			}
			w.close()
		})
	})

	t.Run("error", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			send(t, w, "a")
			s.err = errors.New("broken pipe")
			for range 2 {
				if err := w.send(t.Context(), []byte("b")); !errors.Is(err, s.err) {
					t.Error(err)
				}
			}
			wantWrites(t, s, "now a|")
			w.close()
		})
	})

	t.Run("error of what was left", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 0, make(chan struct{})
			send(t, w, "a")
			synctest.Wait()
			send(t, w, "0123456789012345678901234567890")
			waiting := make(chan error)
			go func() { waiting <- w.send(t.Context(), []byte("b")) }()
			synctest.Wait()
			s.mu.Lock()
			s.err = errors.New("broken pipe")
			s.mu.Unlock()
			close(s.ready)
			if err := <-waiting; !errors.Is(err, s.err) {
				t.Error(err)
			}
			w.close()
		})
	})

	t.Run("error that nobody has waited for", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 0, make(chan struct{})
			send(t, w, "a")
			broken := errors.New("broken pipe")
			s.err = broken
			close(s.ready)
			synctest.Wait()
			s.err = nil
			if err := w.send(t.Context(), []byte("b")); !errors.Is(err, broken) {
				t.Error(err)
			}
			w.close()
		})
	})

	t.Run("closing writes what is left", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 0, make(chan struct{})
			send(t, w, "a", "b")
			go func() {
				time.Sleep(FlushTime / 2)
				close(s.ready)
			}()
			if err := w.close(); err != nil {
				t.Error(err)
			}
			if got := strings.Join(s.take(), " "); got != "wait a|b|" && got != "wait a| wait b|" {
				t.Error(got)
			}
			if err := w.send(t.Context(), []byte("c")); err != transport.ErrClosed {
				t.Error(err)
			}
			if err := w.close(); err != nil {
				t.Error(err)
			}
		})
	})

	t.Run("closing does not wait for ever", func(t *testing.T) {
		testWriter(t, func(t *testing.T, w *writer, s *slow, more *atomic.Bool) {
			s.room, s.ready = 0, make(chan struct{})
			send(t, w, "0123456789012345678901234567890")
			synctest.Wait()
			send(t, w, "0123456789012345678901234567890")
			waiting := make(chan error)
			go func() { waiting <- w.send(context.Background(), []byte("b")) }()
			synctest.Wait()
			start := time.Now()
			if err := w.close(); err != nil || time.Since(start) != FlushTime {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			if err := <-waiting; err != transport.ErrClosed {
				t.Error(err)
			}
		})
	})
}
