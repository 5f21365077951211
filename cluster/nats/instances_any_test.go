package nats_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/nats/internal/ports"
	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Each request of a session reaches the process that has the session, wherever it arrives: calls, progress, what a server
// asks and the response to it, the stream of the session, cancellations, tasks, and the end.
func TestAnyInstance(t *testing.T) {
	f := newFleet(t, startNATS(t), 3)
	updated := make(chan string, 10)
	c, session := f.dial(mcp.V2025_11_25, client.Options{
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitResultActionAccept}, nil
		}},
		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case change.Tools:
				updated <- "tools"
			case change.URI != "":
				updated <- change.URI
			}
		},
		Extensions: []client.Extension{taskclient.Enable(nil)},
	})
	ctx := t.Context()
	var at string
	for i := range 9 {
		got, err := call(ctx, c, "where", "{}")
		if err != nil || at != "" && got != at {
			t.Fatalf("call %d: %q, %v, want %q", i, got, err, at)
		}
		at = got
	}
	holder := f.holder(session())
	if at != fmt.Sprint(holder.number) {
		t.Errorf("calls are handled by %s, not by %d, who has the session", at, holder.number)
	}
	for _, size := range []int{60 << 10, 70 << 10, 3 << 20} {
		text := strings.Repeat("x", size)
		if got, err := call(ctx, c, "large", `{"text":"`+text+`"}`); err != nil || got != text {
			t.Errorf("%d bytes come back as %d, %v", size, len(got), err)
		}
	}
	var reports atomic.Int32
	for range 3 {
		with := client.WithProgress(ctx, func(*mcp.ProgressNotificationParams) { reports.Add(1) })
		if _, err := call(with, c, "progress", "{}"); err != nil {
			t.Fatal(err)
		}
		if got, err := call(ctx, c, "ask", "{}"); err != nil || got != "accept" {
			t.Errorf("asked: %q, %v", got, err)
		}
	}
	if n := reports.Load(); n != 9 {
		t.Errorf("%d reports of progress, want 9", n)
	}
	t.Run("subscription", func(t *testing.T) {
		if _, err := c.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///a"}}); err != nil {
			t.Fatal(err)
		}
		holder.server.ResourceUpdated("file:///a")
		if got := <-updated; got != "file:///a" {
			t.Error(got)
		}
		holder.server.Changed(server.Change{Tools: true})
		if got := <-updated; got != "tools" {
			t.Error(got)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { _, err := call(ctx, c, "wait", "{}"); done <- err }()
		f.until("the call is handled", func() bool { return f.count("wait") == 1 })
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.until("the handler is cancelled", func() bool { return f.count("cancelled") == 1 })
	})
	t.Run("tasks", func(t *testing.T) {
		task, err := taskclient.Start(ctx, c, &mcp.CallToolRequestParams{Name: "job", Arguments: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := task.Result(ctx); err != nil || r.Content[0].(*mcp.TextContent).Text != "done" {
			t.Errorf("%v, %v", r, err)
		}
		task, err = taskclient.Start(ctx, c, &mcp.CallToolRequestParams{Name: "job", Arguments: []byte(`{"for":"ever"}`)})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if s, err := task.Get(ctx); err != nil || s.Status != mcp.TaskStatusWorking {
				t.Errorf("%v, %v", s, err)
			}
		}
		if err := task.Cancel(ctx); err != nil {
			t.Error(err)
		}
		f.until("the handler of the task is cancelled", func() bool { return f.count("cancelled") == 2 })
	})
	for _, in := range f.all {
		if in.served.Load() < 5 {
			t.Errorf("%d requests arrived at %d: the proxy does not take turns", in.served.Load(), in.number)
		}
	}
	c.Close()
	f.until("the session has ended", func() bool {
		list, err := f.all[0].cluster.Store().List(t.Context(), "session", "", 10)
		return err == nil && len(list) == 0
	})
	if n := f.opens.Load(); n != 1 {
		t.Errorf("%d sessions were opened, want 1", n)
	}
}

// The process that has a session dies. Its calls fail once, and the session continues elsewhere, with its subscriptions.
func TestInstanceDies(t *testing.T) {
	f := newFleet(t, startNATS(t), 3)
	updated := make(chan string, 10)
	c, session := f.dial(mcp.V2025_11_25, client.Options{
		OnChange: func(_ context.Context, change client.Change) {
			if change.URI != "" {
				updated <- change.URI
			}
		},
	})
	ctx := t.Context()
	if _, err := c.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///a"}}); err != nil {
		t.Fatal(err)
	}
	const calls = 6
	failed := make(chan error, 2*calls)
	var begun atomic.Int32
	for range calls {
		go func() {
			with := client.WithProgress(ctx, func(*mcp.ProgressNotificationParams) { begun.Add(1) })
			_, err := call(with, c, "wait", "{}")
			failed <- err
		}()
	}
	f.until("the calls are handled", func() bool { return begun.Load() == calls })
	id, holder := session(), f.holder(session())
	holder.kill()
	for range calls {
		err := <-failed
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || !strings.Contains(rpc.Message, "has stopped before it was done") {
			t.Errorf("a call fails with %v", err)
		}
	}
	got, err := call(ctx, c, "where", "{}")
	if err != nil || got == fmt.Sprint(holder.number) {
		t.Fatalf("afterwards: %q, %v", got, err)
	}
	if uri := <-updated; uri != "file:///a" { // nobody knows what was missed
		t.Error(uri)
	}
	if n := f.opens.Load(); n != 1 || session() != id {
		t.Errorf("%d sessions were opened, want 1", n)
	}
	if n := f.count("wait"); n != calls {
		t.Errorf("the calls were handled %d times, want %d", n, calls)
	}
}

// What is passed on to a process that lives is lost on its way. The client hears so soon: as long as it waits, it does not
// send a response again to what a server asks.
func TestPassedOnInVain(t *testing.T) {
	s := startNATS(t)
	f := newFleet(t, s, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	records := f.all[0].cluster.Store()
	for key, value := range map[string]string{"lease.other": "", "session.lost": `{"holder":"other"}`} {
		if _, err := records.Put(ctx, key, []byte(value), 0, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	sub, err := connect(t, s).Subscribe("mcp.node.other.*", func(*natsio.Msg) {})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	for method, want := range map[string]int{"POST": 502, "GET": 503, "DELETE": 503} {
		r, err := http.NewRequestWithContext(ctx, method, f.site.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Mcp-Session-Id", "lost")
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want || !strings.Contains(string(body), "messages between processes were lost") {
			t.Errorf("%s: got status %d, %s, %v, want %d", method, resp.StatusCode, body, err, want)
		}
	}
}

// The process that has a session sees the URL of a request as the one where the request arrived does.
func TestURLIsPassedOn(t *testing.T) {
	s := startNATS(t)
	f := newFleet(t, s, 0)
	seen := make(map[*instance]string)
	see := func(in *instance, r *http.Request) {
		if r.Header.Get("From") == "test" {
			f.mu.Lock()
			defer f.mu.Unlock()
			seen[in] = fmt.Sprintf("%#v %q %q", *r.URL, r.RequestURI, r.Host)
		}
	}
	f.options = func(in *instance, o *streamable.Options) {
		o.Address = func(r *http.Request) string {
			see(in, r)
			return r.RemoteAddr
		}
	}
	f.all = append(f.all, f.add(0, connect(t, s)), f.add(1, connect(t, s)))
	_, session := f.dial(mcp.V2025_11_25, client.Options{})
	f.until("the session is known", func() bool { return session() != "" })
	holder := f.holder(session())
	other := f.all[1-holder.number]
	site := httptest.NewServer(http.StripPrefix("/strip", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		see(other, r)
		other.http.ServeHTTP(w, r)
	})))
	defer site.Close()
	for i, target := range []string{"/strip/mcp?a=1", "/strip//example.com/mcp", "/strip/a%2Fb/%7e?", "/stripped", "/strip", "http://localhost/strip/mcp"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"url%d","method":"ping"}`, i)
		conn, err := net.Dial("tcp", site.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-11-25\r\nFrom: test\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", target, session(), len(body), body)
		got, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(got), "HTTP/1.1 200 ") || err != nil {
			t.Errorf("%s: got %q, %v", target, got, err)
		}
		f.mu.Lock()
		if seen[holder] != seen[other] {
			t.Errorf("%s: got %s, want %s", target, seen[holder], seen[other])
		}
		clear(seen)
		f.mu.Unlock()
	}
}

// A body that does not come, or not all of it, does not hold a request that is passed on.
func TestSlowBodyIsPassedOn(t *testing.T) {
	s := startNATS(t)
	f := newFleet(t, s, 0)
	f.options = func(_ *instance, o *streamable.Options) { o.ReadTimeout = time.Second }
	f.all = append(f.all, f.add(0, connect(t, s)), f.add(1, connect(t, s)))
	_, session := f.dial(mcp.V2025_11_25, client.Options{})
	f.until("the session is known", func() bool { return session() != "" })
	other := httptest.NewServer(f.all[1-f.holder(session()).number].http)
	defer other.Close()
	for _, sent := range []int{0, 1000, 100_000} {
		conn, err := net.Dial("tcp", other.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: 200000\r\n\r\n%s", session(), strings.Repeat(" ", sent))
		got, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(got), "HTTP/1.1 408 ") || err != nil {
			t.Errorf("after %d bytes: got %q, %v", sent, got, err)
		}
	}
}

// Requests whose bodies arrive before they are passed on take part in the limits of those that a process serves.
func TestPassedOnIsBounded(t *testing.T) {
	s := startNATS(t)
	f := newFleet(t, s, 0)
	f.options = func(_ *instance, o *streamable.Options) {
		o.MaxRequests, o.MaxBytes, o.ReadTimeout = 80, 400<<10, -1
		o.Address = func(r *http.Request) string { return r.Header.Get("From") }
	}
	f.all = append(f.all, f.add(0, connect(t, s)), f.add(1, connect(t, s)))
	_, session := f.dial(mcp.V2025_11_25, client.Options{})
	f.until("the session is known", func() bool { return session() != "" })
	other := httptest.NewServer(f.all[1-f.holder(session()).number].http)
	defer other.Close()
	// send sends a request, but of its body only so many bytes.
	send := func(from, body string, sent int) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", other.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(30 * time.Second))
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-11-25\r\nFrom: %s\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", session(), from, len(body), body[:sent])
		return conn
	}
	const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
	var waiting []net.Conn
	limits.Shared(t, 20, func(who string) bool {
		conn := send(who, strings.Repeat(" ", 200_000), 1000)
		got := make([]byte, len(goOn)) // when the body is read
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != goOn {
			conn.Close()
			return false
		}
		waiting = append(waiting, conn)
		return true
	})
	for _, conn := range waiting {
		conn.Close()
	}
	for _, test := range []struct {
		from  string
		sent  int // bytes
		taken int // how many such requests are waited for
		why   string
	}{
		{"mallet", 20_000, 6, "too large together"}, // each counts as 16 KiB
	} {
		n := test.taken + 4
		var all []net.Conn
		refused := make(chan string, n)
		for range n {
			conn := send(test.from, strings.Repeat(" ", 200_000), test.sent)
			all = append(all, conn)
			go func() {
				got, _ := io.ReadAll(conn)
				refused <- strings.TrimPrefix(string(got), goOn)
			}()
		}
		for range n - test.taken {
			if got := <-refused; !strings.HasPrefix(got, "HTTP/1.1 503 ") || !strings.Contains(got, test.why) {
				t.Errorf("%s: got %q, want status 503, %s", test.from, got, test.why)
			}
		}
		ping := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"ping"}`, test.from)
		conn := send("alice", ping, len(ping))
		if got, err := io.ReadAll(conn); !strings.HasPrefix(string(got), goOn+"HTTP/1.1 200 ") {
			t.Errorf("%s: another client: got %q, %v", test.from, got, err)
		}
		conn.Close()
		for _, conn := range all {
			conn.Close()
		}
		for range test.taken {
			<-refused
		}
		f.until("the requests that were given up make room", func() bool {
			text := strings.Repeat("x", 60_000)
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"large","arguments":{"text":%q}}}`, rand.Text(), text)
			conn := send(test.from, body, len(body))
			defer conn.Close()
			got, _ := io.ReadAll(conn)
			return strings.HasPrefix(string(got), goOn+"HTTP/1.1 200 ") && strings.Contains(string(got), text)
		})
	}
}

// The process that has a session loses its connection for a moment. Requests that others pass on to it end soon, since
// messages may have been lost.
func TestInstanceIsCutOff(t *testing.T) {
	s := startNATS(t)
	link := newLink(t, s.Addr().String())
	f := newFleet(t, s, 1)
	conn, err := natsio.Connect("nats://"+link.l.Addr().String(), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond), natsio.IgnoreDiscoveredServers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	f.all = append(f.all, f.addTo(1, conn, nats.Options{TTL: time.Minute}))
	_, session := f.dial(mcp.V2025_11_25, client.Options{})
	f.until("the session is known", func() bool { return session() != "" })
	holder := f.holder(session())
	if holder.number != 1 {
		t.Fatalf("the session is at %d, want 1", holder.number)
	}
	other := httptest.NewServer(f.all[0].http)
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	body := `{"jsonrpc":"2.0","id":"cut","method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{"progressToken":1}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", other.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Session-Id": {session()}, "Mcp-Protocol-Version": {"2025-11-25"},
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v", resp, err)
	}
	defer resp.Body.Close()
	link.set(false)
	f.until("the connection is lost", func() bool { return !conn.IsConnected() })
	link.set(true)
	if _, err := io.Copy(io.Discard, resp.Body); err == nil || ctx.Err() != nil {
		t.Errorf("the response ended with %v, want its connection to be closed", err)
	}
}

// The process that has a session ends gracefully while it is used: no call fails.
func TestHandOver(t *testing.T) {
	f := newFleet(t, startNATS(t), 3)
	c, session := f.dial(mcp.V2025_11_25, client.Options{})
	ctx := t.Context()
	if _, err := call(ctx, c, "where", "{}"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		holder := f.holder(session())
		handedOver := make(chan error, 1)
		holder.leaving.Store(true) // while no call is on its way to it from the proxy
		go func() {
			err := holder.handler.Shutdown(ctx)
			handedOver <- errors.Join(err, holder.cluster.Leave(ctx))
		}()
		for i := range 20 {
			got, err := call(ctx, c, "where", "{}")
			if err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
			if i == 19 && got == fmt.Sprint(holder.number) {
				t.Error("the session was not handed over")
			}
		}
		if err := <-handedOver; err != nil {
			t.Fatal(err)
		}
	}
	if n := f.opens.Load(); n != 1 {
		t.Errorf("%d sessions were opened, want 1", n)
	}
}

// A process that leaves waits for the calls that it has passed on.
func TestLeaveWaitsForCalls(t *testing.T) {
	f := newFleet(t, startNATS(t), 2)
	c, session := f.dial(mcp.V2025_11_25, client.Options{})
	if _, err := call(t.Context(), c, "where", "{}"); err != nil {
		t.Fatal(err)
	}
	holder := f.holder(session())
	other := f.all[1-holder.number]
	holder.leaving.Store(true) // so that all requests are passed on
	done := make(chan error, 1)
	go func() { _, err := call(t.Context(), c, "hold", "{}"); done <- err }()
	f.until("the call is handled", func() bool { return f.count("hold") == 1 })
	left := make(chan error, 1)
	go func() {
		err := other.handler.Shutdown(t.Context())
		left <- errors.Join(err, other.cluster.Leave(t.Context()))
	}()
	f.until("the process is about to leave", other.handler.IsEnding)
	holder.leaving.Store(false)
	other.leaving.Store(true)
	select {
	case err := <-left:
		t.Errorf("it has not waited: %v", err)
	case <-time.After(100 * time.Millisecond): // long enough for it to leave if it does not wait
	}
	close(f.release)
	if err := <-done; err != nil {
		t.Errorf("the call: %v", err)
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
}

// Without NATS, requests of sessions are refused, and others are served. When NATS is back, so are the sessions.
func TestNATSIsDown(t *testing.T) {
	dir := t.TempDir()
	free, err := ports.Free(1)
	if err != nil {
		t.Fatal(err)
	}
	start := func() *natsserver.Server {
		s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: free[0], JetStream: true, JetStreamMaxStore: maxStore, StoreDir: dir, NoSigs: true, NoLog: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(20 * time.Second) {
			t.Fatal("the NATS server does not start")
		}
		return s
	}
	s := start()
	t.Cleanup(func() { // after the instances have left
		s.Shutdown()
		s.WaitForShutdown()
	})
	f := newFleet(t, s, 2)
	c, session := f.dial(mcp.V2025_11_25, client.Options{})
	modern, _ := f.dial(mcp.V2026_07_28, client.Options{})
	ctx := t.Context()
	if _, err := call(ctx, c, "where", "{}"); err != nil {
		t.Fatal(err)
	}
	id := session()
	lease := f.holder(id).cluster.Member().Lease()
	s.Shutdown()
	s.WaitForShutdown()
	<-lease.Done()
	if got, err := call(ctx, c, "where", "{}"); err == nil {
		t.Errorf("without NATS: %q", got)
	}
	for range 4 {
		if _, err := call(ctx, modern, "where", "{}"); err != nil {
			t.Errorf("without NATS and session: %v", err)
		}
	}
	s = start()
	f.until("the session is served again", func() bool {
		_, err := call(ctx, c, "where", "{}")
		return err == nil
	})
	if n := f.opens.Load(); n != 1 || session() != id {
		t.Errorf("%d sessions were opened, want 1", n)
	}
}
