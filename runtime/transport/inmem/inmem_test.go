package inmem_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

var _ transport.Transport = (*inmem.End)(nil)

func message(text string) transport.Message { return transport.Message{Data: []byte(text)} }

func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inmem.Pair(2)
		for range 2 {
			if err := a.Send(t.Context(), message("x")); err != nil {
				t.Fatal(err)
			}
		}
		why := errors.New("why")
		start := time.Now()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if err := a.Send(ctx, message("x")); err != why || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		sent := make(chan error)
		go func() { sent <- a.Send(t.Context(), message("last")) }()
		synctest.Wait()
		b.Receive(t.Context())
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
}

// What waits at one end is woken by either end's Close.
func TestClose(t *testing.T) {
	for _, c := range []struct {
		name                  string
		near                  bool // the end that waits is the one that is closed
		send, receive, behind error
	}{
		{"this end", true, transport.ErrClosed, transport.ErrClosed, transport.ErrClosed},
		{"the other end", false, io.ErrClosedPipe, io.EOF, io.ErrClosedPipe},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := inmem.Pair(1)
				a.Send(t.Context(), message("fills it"))
				var wg sync.WaitGroup
				wg.Go(func() {
					if err := a.Send(t.Context(), message("x")); err != c.send {
						t.Errorf("Send: %v", err)
					}
				})
				wg.Go(func() {
					if _, err := a.Receive(t.Context()); err != c.receive {
						t.Errorf("Receive: %v", err)
					}
				})
				synctest.Wait()
				end := b
				if c.near {
					end = a
				}
				for range 2 {
					if err := end.Close(); err != nil {
						t.Error(err)
					}
				}
				wg.Wait()
				if err := a.Send(t.Context(), message("x")); err != c.behind {
					t.Errorf("Send afterwards: %v", err)
				}
				if _, err := a.Receive(t.Context()); err != c.receive {
					t.Errorf("Receive afterwards: %v", err)
				}
			})
		})
	}
}

func TestReceiveContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inmem.Pair(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.Receive(ctx); err != context.DeadlineExceeded {
			t.Error(err)
		}
		// The end is none the worse for it.
		b.Send(t.Context(), message("x"))
		if m, err := a.Receive(t.Context()); err != nil || string(m.Data) != "x" {
			t.Errorf("%s, %v", m.Data, err)
		}
	})
}

// A closed end receives nothing that was sent before, and nothing is sent to it, although there is room.
func TestClosed(t *testing.T) {
	a, b := inmem.Pair(0)
	if err := a.Send(t.Context(), message("x")); err != nil {
		t.Fatal(err)
	}
	b.Close()
	for range 20 { // whatever a select chooses
		if m, err := b.Receive(t.Context()); err != transport.ErrClosed {
			t.Errorf("got %s, %v", m.Data, err)
		}
		if err := a.Send(t.Context(), message("x")); err != io.ErrClosedPipe {
			t.Errorf("sent to a closed end: %v", err)
		}
	}
}
