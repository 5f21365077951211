package nats_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	natsserver "github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
)

// An instance is one of several in this process, each with its own server, handler, and connection to NATS.
type instance struct {
	number  int
	server  *server.Server
	handler *streamable.Handler
	cluster *nats.Cluster
	conn    *natsio.Conn
	http    http.Handler
	served  atomic.Int32 // requests that arrived here
	dead    chan struct{}
	leaving atomic.Bool // no more requests arrive
}

// A fleet is several instances behind a proxy that sends each request to the next instance.
type fleet struct {
	*testing.T
	all   []*instance
	site  *httptest.Server
	next  atomic.Int32
	opens atomic.Int32 // sessions opened

	mu    sync.Mutex
	calls map[string]int // how often a call was handled, by its name

	options func(*instance, *streamable.Options) // changes those of an instance; may be nil

	release chan struct{}  // lets the tool "hold" return
	ran     chan *instance // where the tool "begin" began
}

func newFleet(t *testing.T, s *natsserver.Server, n int) *fleet {
	t.Helper()
	f := &fleet{T: t, calls: make(map[string]int), release: make(chan struct{}), ran: make(chan *instance, 10)}
	for i := range n {
		f.all = append(f.all, f.add(i, connect(t, s)))
	}
	f.site = httptest.NewServer(f)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for _, in := range f.all {
			in.handler.Shutdown(ctx)
			in.cluster.Leave(ctx)
		}
		f.site.CloseClientConnections()
		f.site.Close()
	})
	return f
}

func (f *fleet) add(number int, conn *natsio.Conn) *instance {
	f.Helper()
	return f.addTo(number, conn, nats.Options{TTL: 2 * time.Second})
}

func (f *fleet) addTo(number int, conn *natsio.Conn, opts nats.Options) *instance {
	f.Helper()
	in := &instance{number: number, conn: conn, dead: make(chan struct{})}
	in.cluster = join(f, conn, opts)
	in.server = server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{
		Logger: silent, OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
		Setup: []server.Setup{taskserver.Enable(&taskserver.Options{Store: shared.NewTasks(in.cluster.Member()), PollInterval: 50 * time.Millisecond})},
	})
	f.tools(in)
	o := &streamable.Options{Logger: silent, Retry: 50 * time.Millisecond}
	if f.options != nil {
		f.options(in, o)
	}
	in.handler = streamable.NewHandler(in.server, in.cluster.Options(o))
	in.http = in.cluster.Handler(in.handler)
	return in
}

// ServeHTTP sends a request to the next instance that is not dead. The connections of a dead one are cut.
func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range len(f.all) {
		in := f.all[int(f.next.Add(1))%len(f.all)]
		if in.leaving.Load() {
			continue
		}
		select {
		case <-in.dead:
			continue
		default:
		}
		in.served.Add(1)
		if r.Method == "POST" && r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Protocol-Version") < "2026-07-28" {
			f.opens.Add(1)
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		done := make(chan any, 1)
		go func() {
			defer func() { done <- recover() }()
			in.http.ServeHTTP(&mortal{ResponseWriter: w, dead: in.dead}, r.WithContext(ctx))
		}()
		select {
		case p := <-done:
			if p != nil {
				panic(p)
			}
			return
		case <-in.dead:
			cancel()
			<-done
			panic(http.ErrAbortHandler)
		}
	}
	w.WriteHeader(http.StatusBadGateway)
}

// A mortal response writes nothing after its instance has died.
type mortal struct {
	http.ResponseWriter
	dead chan struct{}
}

func (m *mortal) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *mortal) Write(data []byte) (int, error) {
	select {
	case <-m.dead:
		return 0, http.ErrAbortHandler
	default:
		return m.ResponseWriter.Write(data)
	}
}

// kill ends an instance abruptly: nobody sees anything that it does any more.
func (in *instance) kill() {
	close(in.dead)
	in.conn.Close()
}

// holder returns the instance that has the only session.
func (f *fleet) holder(id string) *instance {
	f.Helper()
	for _, in := range f.all {
		if in.cluster.Sessions().Has(id) {
			return in
		}
	}
	f.Fatal("nobody has the session")
	return nil
}

func (f *fleet) handled(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[call]++
}

func (f *fleet) count(call string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[call]
}

// tools adds the tools and resources that the tests use.
func (f *fleet) tools(in *instance) {
	f.Helper()
	add := func(name string, support mcp.ToolExecutionTaskSupport, h server.ToolHandler) {
		def := mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}
		if support != "" {
			def.Execution = &mcp.ToolExecution{TaskSupport: support}
		}
		if err := in.server.AddTool(def, h); err != nil {
			f.Fatal(err)
		}
	}
	add("where", "", func(_ context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		f.handled("where")
		return server.TextResult(fmt.Sprint(in.number)), nil
	})
	add("hold", "", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		f.handled("hold")
		select {
		case <-f.release:
			return server.TextResult("released"), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	add("large", "", func(_ context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(args.StringAt("text")), nil
	})
	add("progress", "", func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for i := range 3 {
			c.Progress().Report(float64(i+1), 3, "step")
			time.Sleep(15 * time.Millisecond) // longer than the interval of progress
		}
		return server.TextResult(fmt.Sprint(in.number)), nil
	})
	add("ask", "", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Name?"})
		if err != nil {
			return nil, err
		}
		return server.TextResult(string(r.Action)), nil
	})
	wait := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		f.handled("wait")
		c.Progress().Report(1, 2, "waiting")
		<-ctx.Done()
		f.handled("cancelled")
		return nil, context.Cause(ctx)
	}
	add("wait", "", wait)
	add("job", mcp.ToolExecutionTaskSupportOptional, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		switch args.StringAt("for") {
		case "ever":
			return wait(ctx, c, args)
		case "input":
			r, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Name?"})
			if err != nil {
				return nil, err
			}
			return server.TextResult(string(r.Action)), nil
		}
		return server.TextResult("done"), nil
	})
	add("begin", mcp.ToolExecutionTaskSupportOptional, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		f.ran <- in
		return wait(ctx, c, args)
	})
	if err := in.server.AddResource(mcp.Resource{Name: "a", URI: "file:///a"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{}, nil
	}); err != nil {
		f.Fatal(err)
	}
}

// dial connects a client through the proxy. It also returns a function that returns the id of the client's session.
func (f *fleet) dial(rev wire.Revision, opts client.Options) (*client.Client, func() string) {
	f.Helper()
	seen := &sessionSeen{RoundTripper: &http.Transport{}}
	opts.Revisions, opts.Logger = []wire.Revision{rev}, silent
	c, err := client.Connect(f.Context(), httpclient.New(f.site.URL, &httpclient.Options{HTTP: &http.Client{Transport: seen}}), &opts)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { c.Close() })
	return c, seen.last
}

// A sessionSeen records the session id of requests.
type sessionSeen struct {
	http.RoundTripper
	mu sync.Mutex
	id string
}

func (s *sessionSeen) RoundTrip(r *http.Request) (*http.Response, error) {
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		s.mu.Lock()
		s.id = id
		s.mu.Unlock()
	}
	return s.RoundTripper.RoundTrip(r)
}

func (s *sessionSeen) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// call calls a tool and returns the text of its result.
func call(ctx context.Context, c *client.Client, name, args string) (string, error) {
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: name, Arguments: wire.Raw(args)})
	if err != nil {
		return "", err
	}
	return r.Content[0].(*mcp.TextContent).Text, nil
}

// until waits until f holds.
func (f *fleet) until(what string, ok func() bool) {
	f.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			f.Fatalf("timed out waiting until %s", what)
		}
	}
}
