package peer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The test binary is also the servers that the tests start: the environment says which.
const childEnv = "PEER_TEST_CHILD"

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		testenv.RefuseChild()
		os.Exit(m.Run())
	}
	child := children[name]
	if child == nil {
		fmt.Fprintln(os.Stderr, "no such child:", name)
		os.Exit(2)
	}
	child()
}

var children = map[string]func(){
	"floor":       measured(serveFloor),
	"floor-async": measured(serveFloorAsync),
	"peer":        measured(func() { serve(echo{}) }),

	"server": func() {
		serve(answering(map[string]func(context.Context, *transport.Request) (wire.Raw, error){
			"echo": func(_ context.Context, r *transport.Request) (wire.Raw, error) { return r.Params, nil },
			"slow": func(context.Context, *transport.Request) (wire.Raw, error) {
				time.Sleep(300 * time.Millisecond)
				return nil, nil
			},
			"wait": func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
				<-ctx.Done()
				fmt.Fprintln(os.Stderr, context.Cause(ctx))
				return nil, ctx.Err()
			},
			"print": func(context.Context, *transport.Request) (wire.Raw, error) {
				fmt.Println("not a message")
				return nil, nil
			},
			"ask": func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
				return r.Out.Call(ctx, "question", nil)
			},
			"die": func(context.Context, *transport.Request) (wire.Raw, error) {
				fmt.Fprintln(os.Stderr, "fatal: out of luck")
				os.Exit(3)
				return nil, nil
			},
		}))
	},

	"mute": func() { time.Sleep(time.Hour) },

	// A server that says what it should not, before it answers.
	"careless": func() {
		fmt.Println("Server v1.2.3 is ready!\n{\"jsonrpc\":\"2.0\"}\n\x00\x01\n[1,2,3]\n" + strings.Repeat("z", 5000))
		serve(echo{})
	},
}

// run starts a child and runs a connection to it.
func run(t *testing.T, name string, opts *peer.Options) (*peer.Conn, <-chan error) {
	t.Helper()
	before := runtime.NumGoroutine()
	cmd := &stdio.Command{
		Path: os.Args[0], Env: append(os.Environ(), childEnv+"="+name, "GORACE=atexit_sleep_ms=0"), Stderr: io.Discard,
		ExitTime: time.Second, TermTime: time.Second, Options: stdio.Options{MaxMessage: 1000},
	}
	p, err := cmd.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := peer.Options{Logger: (&log{}).logger()}
	if opts != nil {
		o = *opts
	}
	c := newConn(p, answering(map[string]func(context.Context, *transport.Request) (wire.Raw, error){
		"question": func(context.Context, *transport.Request) (wire.Raw, error) { return wire.Raw(`{"answer":42}`), nil },
	}), &o)
	done := make(chan error, 1)
	go func() { done <- c.Run(context.Background(), p) }()
	t.Cleanup(func() {
		c.Close()
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d goroutines, there were %d", runtime.NumGoroutine(), before)
	})
	return c, done
}

func TestProcess(t *testing.T) {
	c, done := run(t, "server", nil)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			method := []string{"echo", "ask", "slow", "print"}[i%4]
			var result wire.Raw
			if err := c.CallWith(t.Context(), method, wire.Raw(fmt.Sprintf(`{"i":%d}`, i)), &result, nil); err != nil {
				t.Error(err)
			}
			want := map[string]string{"echo": fmt.Sprintf(`{"i":%d}`, i), "ask": `{"answer":42}`, "slow": `{}`, "print": `{}`}[method]
			if string(result) != want {
				t.Errorf("%s: %s, want %s", method, result, want)
			}
		})
	}
	wg.Wait()
	if err := c.CallWith(t.Context(), "unknown", nil, nil, nil); !errors.Is(err, jsonrpc.ErrMethodNotFound) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.CallWith(ctx, "wait", nil, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	time.Sleep(50 * time.Millisecond) // the server gets to know that nobody waits
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// REQ STDIO-13
func TestProcessDies(t *testing.T) {
	for range 2 { // and another is started in its place
		c, done := run(t, "server", nil)
		waiting := make(chan error)
		go func() { waiting <- c.CallWith(t.Context(), "wait", nil, nil, nil) }()
		err := c.CallWith(t.Context(), "die", nil, nil, nil)
		var exit *stdio.ExitError
		if !errors.As(err, &exit) || exit.State.ExitCode() != 3 || !errors.As(err, new(*jsonrpc.DisconnectedError)) {
			t.Errorf("%v", err)
		}
		const want = "die: the other side is gone: stdio: the server ended: exit status 3; its standard error ends: fatal: out of luck"
		if err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if err := <-waiting; !errors.As(err, &exit) {
			t.Error(err)
		}
		if err := <-done; !errors.As(err, &exit) {
			t.Error(err)
		}
	}
}

func TestProcessIsMute(t *testing.T) {
	c, _ := run(t, "mute", &peer.Options{Limits: transport.Limits{Timeout: 50 * time.Millisecond}, Logger: (&log{}).logger()})
	if err := c.CallWith(t.Context(), "m", nil, nil, nil); !errors.As(err, new(*jsonrpc.TimeoutError)) {
		t.Error(err)
	}
	begin := time.Now()
	var exit *stdio.ExitError
	if err := c.Close(); !errors.As(err, &exit) || runtime.GOOS != "windows" && exit.Forced != "terminated" {
		t.Error(err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("closing took %v", took)
	}
}

func TestProcessIsCareless(t *testing.T) {
	l := &log{}
	c, _ := run(t, "careless", &peer.Options{Logger: l.logger()})
	c.SetResponding(false)
	for range 3 {
		if err := c.CallWith(t.Context(), "m", wire.Raw(`{}`), nil, nil); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"invalid message refused", "a message is longer than the limit"} {
		if n := strings.Count(l.String(), text); n != 1 {
			t.Errorf("the log says %q %d times:\n%s", text, n, l)
		}
	}
}

// What was asked before the end of the input is answered before the server exits, if that does
// not take too long: a client may send all that it has and close.
// REQ STDIO-11
func TestProcessEndOfInput(t *testing.T) {
	const ask = `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{}}` + "\n"
	const question = `{"jsonrpc":"2.0","id":1,"method":"question"}` + "\n"
	for _, c := range []struct {
		input, until   string // the input ends when the output has this
		stdout, stderr string
	}{
		{fmt.Sprintf(ask, 1, "echo") + fmt.Sprintf(ask, 2, "slow"), "", `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{}}` + "\n", ""},
		{fmt.Sprintf(ask, 1, "wait"), "", "", "the other side is gone: EOF\n"},
		{fmt.Sprintf(ask, 1, "ask"), question, question + `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"question: the other side is gone: EOF"}}` + "\n", ""},
		{"", "", "", ""},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=server", "GORACE=atexit_sleep_ms=0")
		var stderr bytes.Buffer
		stdout := &watched{text: c.until, seen: make(chan struct{})}
		cmd.Stdin = io.MultiReader(strings.NewReader(c.input), stdout.end())
		cmd.Stdout, cmd.Stderr = stdout, &stderr
		begin := time.Now()
		if err := cmd.Run(); err != nil || time.Since(begin) > time.Minute {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		if stdout.all != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: got\n%s%swant\n%s%s", c.input, stdout.all, stderr.String(), c.stdout, c.stderr)
		}
	}
}

// A watched buffer tells when it has a text.
type watched struct {
	all  string
	text string
	seen chan struct{} // closed then
}

func (w *watched) Write(p []byte) (int, error) {
	had := strings.Contains(w.all, w.text)
	w.all += string(p)
	if !had && strings.Contains(w.all, w.text) {
		close(w.seen)
	}
	return len(p), nil
}

// end returns a reader that ends when the buffer has the text.
func (w *watched) end() io.Reader {
	if w.text == "" {
		return strings.NewReader("")
	}
	return endReader(w.seen)
}

type endReader chan struct{}

func (r endReader) Read([]byte) (int, error) {
	<-r
	return 0, io.EOF
}
