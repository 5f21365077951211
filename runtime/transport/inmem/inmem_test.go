package inmem_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

var _ transport.Transport = (*inmem.End)(nil)

func message(text string) transport.Message { return transport.Message{Data: []byte(text)} }

func TestPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		a, b := inmem.Pair(0)
		data := []byte("1")
		for _, end := range []*inmem.End{a, b} { // both ways
			if err := end.Send(ctx, transport.Message{Data: data}); err != nil {
				t.Fatal(err)
			}
		}
		data[0] = 'x' // the buffer is the sender's again
		for _, end := range []*inmem.End{a, b} {
			if m, err := end.Receive(ctx); err != nil || string(m.Data) != "1" {
				t.Errorf("%s, %v", m.Data, err)
			}
		}
	})
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inmem.Pair(3)
		go func() {
			for i := range 100 {
				a.Send(t.Context(), message(strconv.Itoa(i)))
			}
			a.Close()
		}()
		for i := range 100 {
			if m, err := b.Receive(t.Context()); err != nil || string(m.Data) != strconv.Itoa(i) {
				t.Fatalf("%s, %v, want %d", m.Data, err, i)
			}
		}
		if _, err := b.Receive(t.Context()); err != io.EOF {
			t.Error(err)
		}
	})
}

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

// What was sent before the end is received.
func TestCloseAfterSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inmem.Pair(0)
		a.Send(t.Context(), message("1"))
		a.Send(t.Context(), message("2"))
		a.Close()
		for _, want := range []string{"1", "2"} {
			if m, err := b.Receive(t.Context()); err != nil || string(m.Data) != want {
				t.Errorf("%s, %v", m.Data, err)
			}
		}
		if _, err := b.Receive(t.Context()); err != io.EOF {
			t.Error(err)
		}
	})
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
