package stdio

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

var (
	_ transport.Transport = (*Transport)(nil)
	_ transport.Transport = (*Process)(nil)
)

func say(t *testing.T, tr transport.Transport, text string) {
	t.Helper()
	if err := tr.Send(t.Context(), transport.Message{Data: []byte(text)}); err != nil {
		t.Errorf("send %.20s: %v", text, err)
	}
}

func hear(t *testing.T, tr transport.Transport, want string) {
	t.Helper()
	m, err := tr.Receive(context.Background())
	got := string(m.Data)
	if err != nil {
		got = "error: " + err.Error()
	}
	if got != want {
		t.Errorf("got %.200q, want %.200q", got, want)
	}
}

// A peer that is gone is an error for the one who sends.
func TestBrokenPipe(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	r1, w1 := filePipe(t)
	r2, w2 := filePipe(t)
	a := New(r1, w2, nil)
	defer a.Close()
	r2.Close()
	w1.Close()
	var err error
	for range 100 {
		if err = a.Send(t.Context(), transport.Message{Data: []byte("x")}); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Error(err)
	}
	hear(t, a, "error: EOF")
}

// An error of closing the output is that of Close, since what was sent may be lost.
func TestCloseFails(t *testing.T) {
	failed := errors.New("disk full")
	in, _ := io.Pipe()
	if err := New(in, failingCloser{failed}, nil).Close(); err != failed {
		t.Errorf("got %v, want %v", err, failed)
	}
}

type failingCloser struct{ err error }

func (c failingCloser) Write(b []byte) (int, error) { return len(b), nil }
func (c failingCloser) Close() error                { return c.err }

// The largest limit there is is none.
func TestLargestLimit(t *testing.T) {
	in, w := io.Pipe()
	r, out := filePipe(t)
	defer r.Close()
	tr := New(in, out, &Options{MaxMessage: math.MaxInt})
	defer tr.Close()
	go func() {
		w.Write([]byte("hel"))
		w.Write([]byte("lo\n"))
	}()
	hear(t, tr, "hello")
}
