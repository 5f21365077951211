package interop

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
)

const (
	listenLimit = 20 * time.Second // while other tests use the machine, too
	endLimit    = 10 * time.Second
)

// overHTTP is how our client gets to a server over Streamable HTTP or HTTP+SSE.
func overHTTP(url string) dial {
	return func(t *testing.T, opts *client.Options) transport.Transport {
		return httpclient.New(url, &httpclient.Options{Logger: opts.Logger})
	}
}

// serve starts a server that prints its URL in a line, in a folder, and returns the URL.
func serve(t *testing.T, dir string, args ...string) string {
	t.Helper()
	stdout := start(t, dir, nil, args...)
	line := make(chan string, 1)
	go func() {
		r := bufio.NewReader(stdout)
		text, _ := r.ReadString('\n')
		line <- strings.TrimSpace(text)
		io.Copy(io.Discard, r)
	}()
	select {
	case url := <-line:
		if url == "" {
			t.Fatalf("%q prints no URL", args)
		}
		return url
	case <-time.After(listenLimit):
		t.Fatalf("%q prints no URL within %v", args, listenLimit)
		return ""
	}
}

// serveAt starts a server that takes its port from the variable PORT and returns the URL of a path.
func serveAt(t *testing.T, path string, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	l.Close()
	stdout := start(t, "", []string{fmt.Sprintf("PORT=%d", addr.Port)}, args...)
	go io.Copy(io.Discard, stdout)
	for end := time.Now().Add(listenLimit); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr.String()); err == nil {
			c.Close()
			return "http://" + addr.String() + path
		} else if time.Now().After(end) {
			t.Fatalf("%q does not listen within %v: %v", args, listenLimit, err)
		}
	}
}

// start starts a server, and returns what it prints. When the test is over the server is told to
// end; if it is no script of Node.js but ours, it has to say that all was in order.
func start(t *testing.T, dir string, env []string, args ...string) io.Reader {
	t.Helper()
	return startTo(t, t.Output(), dir, env, args...)
}

// startTo starts a server whose messages are for stderr.
func startTo(t *testing.T, stderr io.Writer, dir string, env []string, args ...string) io.Reader {
	t.Helper()
	// When the server is told to end, the context of the test has ended already.
	ctx, kill := context.WithCancel(context.Background())
	cmd := process(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stderr = stderr
	printed, stdout := io.Pipe()
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		kill()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		stdout.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		defer kill()
		cmd.Process.Signal(os.Interrupt)
		select {
		case err := <-ended:
			if err != nil && args[0] != "node" {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(endLimit):
			kill()
			t.Errorf("the server did not end within %v: %v", endLimit, <-ended)
		}
	})
	return printed
}
