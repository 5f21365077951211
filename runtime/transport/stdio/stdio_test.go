package stdio

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

var (
	_ transport.Transport = (*Transport)(nil)
	_ transport.Transport = (*Process)(nil)
)

// pairs are ways to connect two transports.
var pairs = map[string]func(t *testing.T) (a, b *Transport){
	"pipes": func(t *testing.T) (a, b *Transport) {
		r1, w1 := filePipe(t)
		r2, w2 := filePipe(t)
		return New(r1, w2, nil), New(r2, w1, nil)
	},
	"pumped pipes": func(t *testing.T) (a, b *Transport) {
		r1, w1 := filePipe(t)
		r2, w2 := filePipe(t)
		return New(newPump(r1), only{w2}, nil), New(newPump(r2), only{w1}, nil)
	},
	"pipes in memory": func(t *testing.T) (a, b *Transport) {
		r1, w1 := io.Pipe()
		r2, w2 := io.Pipe()
		return New(r1, w2, nil), New(r2, w1, nil)
	},
	// REQ STDIO-18
	"Unix socket": func(t *testing.T) (a, b *Transport) {
		l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Skipf("no Unix sockets here: %v", err)
		}
		defer l.Close()
		accepted := make(chan net.Conn)
		go func() {
			c, _ := l.Accept()
			accepted <- c
		}()
		c, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		d := <-accepted
		return New(c, c, nil), New(d, d, nil)
	},
}

func filePipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// only hides what else a stream can do.
type only struct{ io.WriteCloser }

func newPump(f *os.File) *pump {
	return &pump{file: f, ask: make(chan struct{}), chunks: make(chan chunk), done: make(chan struct{})}
}

// eachPair runs f for each way to connect two transports, and checks that no goroutine is left.
func eachPair(t *testing.T, f func(t *testing.T, a, b *Transport)) {
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			testenv.NoGoroutinesLeft(t)
			a, b := pair(t)
			defer b.Close()
			defer a.Close()
			f(t, a, b)
		})
	}
}

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

func TestMessages(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b *Transport) {
		say(t, a, "1")
		hear(t, b, "1")
		say(t, b, "2")
		hear(t, a, "2")
		long := strings.Repeat("long ", 100_000)
		go func() {
			for i := range 100 {
				say(t, a, strconv.Itoa(i))
			}
			say(t, a, long)
			say(t, a, "last")
		}()
		for i := range 100 {
			hear(t, b, strconv.Itoa(i))
		}
		hear(t, b, long)
		hear(t, b, "last")
		say(t, a, "before the end")
		closed := make(chan error)
		go func() { closed <- a.Close() }()
		hear(t, b, "before the end")
		hear(t, b, "error: EOF")
		if err := <-closed; err != nil {
			t.Error(err)
		}
		hear(t, a, "error: transport: closed")
		if err := a.Send(t.Context(), transport.Message{}); err != transport.ErrClosed {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The messages of many senders do not mix.
func TestManySenders(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b *Transport) {
		const senders, each = 8, 200
		for s := range senders {
			go func() {
				for i := range each {
					say(t, a, strconv.Itoa(s)+" "+strconv.Itoa(i)+strings.Repeat(" x", s*s*s))
				}
			}()
		}
		next := make([]int, senders)
		for range senders * each {
			m, err := b.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fields := strings.Fields(string(m.Data))
			s, _ := strconv.Atoi(fields[0])
			if i, _ := strconv.Atoi(fields[1]); i != next[s] || len(fields) != 2+s*s*s {
				t.Fatalf("sender %d: message %d with %d fields, want %d", s, i, len(fields), next[s])
			}
			next[s]++
		}
	})
}

func TestCloseWakes(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b *Transport) {
		var wg sync.WaitGroup
		wg.Go(func() { hear(t, a, "error: transport: closed") })
		wg.Go(func() { // nobody reads what is sent
			var err error
			for err == nil {
				err = a.Send(context.Background(), transport.Message{Data: make([]byte, 100_000)})
			}
			if !errors.Is(err, transport.ErrClosed) {
				t.Error(err)
			}
		})
		time.Sleep(20 * time.Millisecond)
		start := time.Now()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if took := time.Since(start); took > FlushTime+5*time.Second {
			t.Errorf("closing took %v", took)
		}
	})
}

func TestReceiveContext(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b *Transport) {
		why := errors.New("why")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
		defer cancel()
		if _, err := a.Receive(ctx); err != why {
			t.Error(err)
		}
		hear(t, b, "error: EOF")
	})
}

func TestTooLong(t *testing.T) {
	r, w := io.Pipe()
	tr := New(r, only{w}, &Options{MaxMessage: 5})
	defer tr.Close()
	go io.WriteString(w, "12345\n123456\n12345\n")
	hear(t, tr, "12345")
	hear(t, tr, "error: transport: a message is longer than the limit of 5 bytes")
	hear(t, tr, "12345")
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
