package sse

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func newHandler() *Handler {
	return NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), nil)
}

// As many messages wait as there may be; the next one waits for room, and is refused if there is none in time.
func TestMessagesThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHandler().newSession(t.Context(), httptest.NewRecorder(), "", "")
		defer s.Close()
		take := func() error {
			return s.take(t.Context(), message{data: []byte("{}")}, time.Second)
		}
		for range maxQueued {
			if err := take(); err != nil {
				t.Error(err)
			}
		}
		start := time.Now()
		if err := take(); err != errBusy || time.Since(start) != time.Second {
			t.Errorf("one more: %v after %v, want %v after 1s", err, time.Since(start), errBusy)
		}
		if _, err := s.Receive(context.Background()); err != nil {
			t.Error(err)
		}
		if err := take(); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
	})
}

// A session ends when nothing is sent for an hour, but a minute if nothing was sent at all.
func TestSessionsThatNobodyUsesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler()
		unused := h.newSession(t.Context(), httptest.NewRecorder(), "", "")
		used := h.newSession(t.Context(), httptest.NewRecorder(), "", "")
		defer unused.Close()
		defer used.Close()
		time.Sleep(time.Minute - time.Nanosecond)
		if err := used.take(t.Context(), message{}, time.Second); err != nil || unused.hasEnded() {
			t.Errorf("%v; a session without messages has ended: %v", err, unused.hasEnded())
		}
		for _, c := range []struct {
			after        time.Duration
			unused, used bool
		}{{time.Nanosecond, true, false}, {time.Hour - 2*time.Nanosecond, true, false}, {time.Nanosecond, true, true}} {
			time.Sleep(c.after)
			synctest.Wait()
			if unused.hasEnded() != c.unused || used.hasEnded() != c.used {
				t.Errorf("after %v more: ended %v and %v, want %v and %v", c.after, unused.hasEnded(), used.hasEnded(), c.unused, c.used)
			}
		}
	})
}
