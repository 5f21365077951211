package dev

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errNobody is the error of a connection to where nobody listens.
var errNobody = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// TestForeign uses a server that is not built here: it starts late, is lost, and comes back as another one.
func TestForeign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeProject{source: "Orders", broken: errNobody}
		r := opened(t, p, false)
		r.says("no connection to the server: dial tcp: connection refused", "the next attempt is in 1s")
		if want := (State{Phase: Failed, Problem: "no connection to the server: dial tcp: connection refused"}); r.shows() != want {
			t.Errorf("shown is %+v, want %+v", r.shows(), want)
		}
		r.order("dial tcp: connection refused; the next attempt is in 1s")
		time.Sleep(time.Second)
		synctest.Wait()
		r.says("no connection to the server: dial tcp: connection refused", "the next attempt is in 2s")
		if want := (State{Phase: Failed, Problem: "no connection to the server: dial tcp: connection refused"}); r.shows() != want {
			t.Errorf("shown is %+v, want %+v", r.shows(), want)
		}
		r.order("no connection to the server: dial tcp: connection refused; the next attempt is in 2s")
		r.breaks(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		r.order("Orders")
		<-r.changed
		if want := (State{Phase: Serving, Serves: true, Summary: "connected: 3 tools, 1 prompt, 1 resource"}); r.shows() != want {
			t.Errorf("shown is %+v, want %+v", r.shows(), want)
		}

		lost := r.near
		p.last.Close()
		synctest.Wait()
		if shown := r.shows(); shown.Phase != Lost || shown.Serves || shown.Problem != "the server exited" {
			t.Errorf("shown is %+v", shown)
		}
		r.says("the server exited", "the next attempt is in 4s")
		<-lost.closed
		p.becomes("Sells")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		r.says("connected: 3 tools, 1 prompt, 1 resource; changed: order")
		<-r.changed
		r.order("Sells")
	})
}

// TestForeignUnreachable calls a tool of a server over HTTP that has disappeared.
func TestForeignUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, &fakeProject{source: "Orders"}, true)
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		r.near.breaks(errNobody)
		r.order("the server failed during the call: tools/call: dial tcp: connection refused")
		synctest.Wait()
		r.says("the server failed: dial tcp: connection refused", "the next attempt is in 1s")
		time.Sleep(time.Second)
		synctest.Wait()
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		r.order("Orders")
	})
}

// TestForeignShutsDown has a server over HTTP shut down gracefully: it ends its subscriptions, and another one comes back at
// once, or later.
func TestForeignShutsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeProject{source: "Orders"}
		r := opened(t, p, true)
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		result := make(chan string, 1)
		go func() { result <- r.client.CallText("wait", nil) }()
		first := p.server
		<-first.waiting
		ends := func(wait string) {
			t.Helper()
			go p.server.Shutdown(context.Background()) // which waits for calls
			synctest.Wait()
			r.says("the server has ended the subscription to its changes; the next connection is made in " + wait)
			if shown := r.shows(); shown.Phase != Serving {
				t.Errorf("shown is %+v", shown)
			}
		}
		ends("1s")
		p.becomes("Sells")
		time.Sleep(time.Second)
		synctest.Wait()
		r.says("connected: 3 tools, 1 prompt, 1 resource; changed: order")
		<-r.changed
		r.order("Sells")
		time.Sleep(longestWait + time.Second)
		close(first.finish) // the old server lets its calls end
		if got := <-result; got != "finished" {
			t.Errorf("the call at work: got %q", got)
		}

		ends("1s") // since it has served for long
		r.breaks(errNobody)
		time.Sleep(time.Second)
		synctest.Wait()
		r.says("the server failed: dial tcp: connection refused", "the next attempt is in 1s")
		if shown := r.shows(); shown.Phase != Lost {
			t.Errorf("shown is %+v", shown)
		}
		r.breaks(nil)
		time.Sleep(time.Second)
		synctest.Wait()
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		ends("2s") // since it has not
	})
}

// TestForeignDisappears loses a server over HTTP that nobody calls: the client finds that out when it subscribes again.
func TestForeignDisappears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, &fakeProject{source: "Orders"}, true)
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		r.near.breaks(errNobody)
		r.near.ends <- &transport.RequestError{ID: r.near.listening, Err: errors.New("unexpected end")}
		time.Sleep(1500 * time.Millisecond) // the first attempt comes after a second and a random part
		synctest.Wait()
		r.says("the server failed: dial tcp: connection refused", "the next attempt is in 1s")
		time.Sleep(time.Second)
		synctest.Wait()
		r.says("connected: 3 tools, 1 prompt, 1 resource")
		r.order("Orders")
	})
}

// TestForeignFails begins with a server that another attempt would not help.
func TestForeignFails(t *testing.T) {
	broken := errors.New("no such file")
	r := &Runner{Endpoint: newEndpoint(t), Foreign: func(context.Context) (transport.Transport, error) { return nil, broken }}
	if err := r.Run(t.Context()); err != broken {
		t.Errorf("got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx); err != nil {
		t.Errorf("after the end: got %v", err)
	}
	// Nobody listens any more when the first message is sent.
	near, _ := serve(t, newShop(t, "Orders").Server)
	gone := &breakable{Transport: near, http: true, broken: make(chan error, 9), ends: make(chan error), closed: make(chan struct{})}
	for range cap(gone.broken) { // whatever is tried
		gone.breaks(errNobody)
	}
	if _, err := new(Connection).Connect(t.Context(), r.Endpoint, gone); !isUnreachable(err) {
		t.Errorf("a connection to nobody: got %v", err)
	}
	// A child that was closed does not say more by the end of its subscription.
	child, _ := begin(t, r.Endpoint, newShop(t, "Orders"))
	child.lose(errNobody)
	r.child, r.Say = child, func(text string) { t.Errorf("said %s", text) }
	if r.deafened(); r.again != nil {
		t.Error("the next connection is planned")
	}
	build := &foreign{}
	if !build.Same(build) || build.Same(&foreign{}) || build.Same(nil) {
		t.Error("which servers are the same is wrong")
	}
}

// A foreignRun is a runner for a server that is not built here; the server is that of a fake project.
type foreignRun struct {
	*run
	near    *breakable    // of the last connection
	shown   State         // last
	changed chan struct{} // receives a value when the client is notified of other tools
}

// show keeps what is shown.
func (r *foreignRun) show(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = s
}

// shows returns what is shown.
func (r *foreignRun) shows() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown
}

// opened starts a runner in a synctest bubble. Its connections may be like those over HTTP.
func opened(t *testing.T, p *fakeProject, http bool) *foreignRun {
	p.t = t
	e := newEndpoint(t)
	r := &foreignRun{run: &run{fakeProject: p, t: t}, changed: make(chan struct{}, 10)}
	ctx, cancel := context.WithCancel(context.Background())
	runner := &Runner{Endpoint: e, Say: r.say, Show: r.show, Foreign: func(ctx context.Context) (transport.Transport, error) {
		p.mu.Lock()
		build := &fakeBuild{p, p.source}
		p.mu.Unlock()
		near, err := build.Start(ctx)
		r.near = &breakable{Transport: near, http: http, broken: make(chan error, 1), ends: make(chan error), closed: make(chan struct{})}
		return r.near, err
	}}
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the runner failed: %v", err)
		}
	})
	synctest.Wait()
	r.client = connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
		OnChange: func(_ context.Context, change client.Change) {
			if change.Tools {
				r.changed <- struct{}{}
			}
		},
	}})
	return r
}

// A breakable is a transport whose requests may fail one by one, as they do over HTTP.
type breakable struct {
	transport.Transport
	http      bool // it does not end by itself
	broken    chan error
	ends      chan error // what Receive returns next
	listening wire.ID    // the last request for a subscription
	once      sync.Once
	closed    chan struct{}
}

// Close implements transport.Transport.
func (b *breakable) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Transport.Close()
}

// PerRequest implements transport.PerRequest.
func (b *breakable) PerRequest() bool { return b.http }

// Receive implements transport.Receiver.
func (b *breakable) Receive(ctx context.Context) (transport.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		select {
		case err := <-b.ends:
			ended <- err
			cancel()
		case <-ctx.Done():
			ended <- nil
		}
	}()
	m, err := b.Transport.Receive(ctx)
	if b.http && err == io.EOF {
		<-b.closed
	}
	cancel()
	if end := <-ended; end != nil {
		return transport.Message{}, end
	}
	return m, err
}

// breaks makes the next message fail.
func (b *breakable) breaks(err error) { b.broken <- err }

// Send implements transport.Sender.
func (b *breakable) Send(ctx context.Context, m transport.Message) error {
	select {
	case err := <-b.broken:
		return err
	default:
		if sent, err := jsonrpc.Parse(m.Data); err == nil && sent.Method == mcp.MethodSubscriptionsListen.Name {
			b.listening = sent.ID
		}
		return b.Transport.Send(ctx, m)
	}
}
