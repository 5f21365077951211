package stdio

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
	"github.com/mcpgen/mcpgen/runtime/transport/transporttest"
)

// testOptions has the limit that the ends of connections are tested with.
var testOptions = &Options{MaxMessage: 1100 << 10}

// pairs are ways to connect two transports over streams.
var pairs = map[string]func(t *testing.T) (a, b *Transport){
	"pipes": func(t *testing.T) (a, b *Transport) {
		r1, w1 := filePipe(t)
		r2, w2 := filePipe(t)
		return New(r1, w2, testOptions), New(r2, w1, testOptions)
	},
	"pumped pipes": func(t *testing.T) (a, b *Transport) {
		r1, w1 := filePipe(t)
		r2, w2 := filePipe(t)
		return New(pipes.NewPump(r1), only{w2}, testOptions), New(pipes.NewPump(r2), only{w1}, testOptions)
	},
	"pipes in memory": func(t *testing.T) (a, b *Transport) {
		r1, w1 := io.Pipe()
		r2, w2 := io.Pipe()
		return New(r1, w2, testOptions), New(r2, w1, testOptions)
	},
	// REQ STDIO-18
	"Unix socket": func(t *testing.T) (a, b *Transport) {
		l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Skipf("no Unix sockets here: %v", err)
		}
		c, d := connect(t, l)
		return New(c, c, testOptions), New(d, d, testOptions)
	},
}

// connect returns both ends of a connection to a listener, which it closes.
func connect(t *testing.T, l net.Listener) (client, server net.Conn) {
	t.Helper()
	defer l.Close()
	client, err := net.Dial(l.Addr().Network(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = l.Accept()
	if err != nil {
		client.Close()
		t.Fatal(err)
	}
	return client, server
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

// REQ STDIO-02, STDIO-03, STDIO-05
func TestTransport(t *testing.T) {
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
				testenv.NoGoroutinesLeft(t)
				return pair(t)
			}, &transporttest.Options{MessageLimit: testOptions.MaxMessage})
		})
	}
}

// relayEnv is the address at which the child named relay finds its other side.
const relayEnv = "STDIO_TEST_RELAY"

// The same over the standard streams of a child process: the child passes everything on to the test, so that
// one end is that of the process and what arrives at the other has been through [Server].
//
// REQ STDIO-02, STDIO-03, STDIO-05
func TestProcessTransport(t *testing.T) {
	transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
		testenv.NoGoroutinesLeft(t)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		c := command("relay")
		c.Env = append(c.Env, relayEnv+"="+l.Addr().String())
		c.Options = *testOptions
		p, err := c.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept()
		if err != nil {
			p.Close()
			t.Fatal(err)
		}
		return p, New(conn, conn, testOptions)
	}, &transporttest.Options{MessageLimit: testOptions.MaxMessage})
}

// relay passes on what arrives at one end to the other, both ways.
func relay() {
	a, err := Server(nil)
	if err != nil {
		panic(err)
	}
	conn, err := net.Dial("tcp", os.Getenv(relayEnv))
	if err != nil {
		panic(err)
	}
	b := New(conn, conn, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pass(b, a)
	}()
	pass(a, b)
	<-done
}

// pass passes on what arrives at one end until either of them ends.
func pass(from, to *Transport) {
	defer from.Close()
	defer to.Close()
	ctx := context.Background()
	for {
		m, err := from.Receive(ctx)
		if err != nil || to.Send(ctx, m) != nil {
			return
		}
	}
}
