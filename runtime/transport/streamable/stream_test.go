package streamable_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const talkCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":7}}}`

// An answer is a stream when something comes before it, with a first event to go on from since
// 2025-11-25.
//
// REQ HTTP-12, HTTP-14, HTTP-15, HTTP-17, HTTP-20, HTTP-31, HTTP-32, H26-07, H26-09, H26-10
func TestStream(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "talk", talk)
	h := serve(t, s, &streamable.Options{Retry: 1500 * time.Millisecond})
	const (
		progress = `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"one"}}`
		result   = `data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`
	)
	for rev, want := range map[string][]string{
		"2025-03-26": {"id: r1-N " + progress, "id: r1-N " + result, "end"},
		"2025-06-18": {"id: r1-N " + progress, "id: r1-N " + result, "end"},
		"2025-11-25": {"id: r1-N retry: 1500 data: ", "id: r1-N " + progress, "id: r1-N " + result, "end"},
	} {
		h.session, h.version = "", ""
		h.open(rev)
		r := h.stream(h.request("POST", talkCall))
		for _, event := range want {
			if got := numbered(r.next()); got != event {
				t.Errorf("%s: event %s\nwant %s", rev, got, event)
			}
		}
		if cache, buffering := r.resp.Header.Get("Cache-Control"), r.resp.Header.Get("X-Accel-Buffering"); cache != "no-store" || buffering != "no" {
			t.Errorf("%s: Cache-Control %q, X-Accel-Buffering %q", rev, cache, buffering)
		}
	}
	h.session, h.version = "", ""
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk",` + strings.Replace(modernMeta, "{", `{"progressToken":7,`, 1) + `}}`
	r := h.stream(h.request("POST", body, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: talk"))
	r.want(progress)
	r.want(`data: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`)
	r.want("end")
}

// numbered replaces the number in the id of an event by N.
func numbered(event string) string {
	start, rest, ok := strings.Cut(event, "-")
	if !ok || !strings.HasPrefix(event, "id: ") {
		return event
	}
	return start + "-N" + strings.TrimLeft(rest, "0123456789")
}

// eventID returns the id of an event.
func eventID(event string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(event, "id: "), " ")
	return id
}

// A client that takes one kind of answers gets that, if there is a way.
//
// REQ AMB-09
func TestAccept(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "talk", talk)
	tool(t, s, "echo", echo)
	tool(t, s, "ask", ask)
	const result = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}`
	for name, opts := range map[string]*streamable.Options{"JSON only": {JSONOnly: true}, "accepted": nil} {
		h := serve(t, s, opts)
		accept := "Accept: application/json, text/event-stream"
		if opts == nil {
			accept = "Accept: application/json"
		}
		h.open("2025-06-18")
		got := h.post(strings.Replace(talkCall, `"id":1`, `"id":2`, 1), "Accept:", accept)
		if got.status != 200 || got.body != result {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		h.post(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask"}}`, "Accept:", accept).
			want(t, 200, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"the client cannot be asked for input here"}],"isError":true}}`)
	}
	for _, only := range []bool{false, true} {
		h := serve(t, s, &streamable.Options{JSONOnly: only})
		h.open("2025-06-18")
		r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, "Accept:", "Accept: text/event-stream"))
		if got := numbered(r.next()); got != `id: r1-N data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}}` {
			t.Error(got)
		}
		r.want("end")
	}
}

// The answer to a request is one object or a stream with it at the end, whichever the client takes
// and the server is told to prefer.
//
// REQ HTTP-12, H26-06
func TestKindOfAnswer(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "talk", talk)
	tool(t, s, "echo", echo)
	const (
		object = "application/json"
		stream = "text/event-stream"
		both   = object + ", " + stream
	)
	tests := []struct {
		jsonOnly     bool
		accept       string
		echoes, talk string // the type of the answer
	}{
		{false, both, object, stream},
		{false, object, object, object},
		{false, stream, stream, stream},
		{true, both, object, object},
		{true, object, object, object},
		{true, stream, stream, stream},
	}
	for _, test := range tests {
		h := serve(t, s, &streamable.Options{JSONOnly: test.jsonOnly})
		for _, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
			h.session, h.version = "", ""
			if rev != "2026-07-28" {
				h.open(rev)
			}
			for id, name := range []string{"echo", "talk"} {
				want := test.echoes
				if name == "talk" {
					want = test.talk
				}
				meta := `"_meta":{"progressToken":7}`
				headers := []string{"Accept:", "Accept: " + test.accept}
				if rev == "2026-07-28" {
					meta = strings.Replace(modernMeta, "{", `{"progressToken":7,`, 1)
					headers = append(headers, "Mcp-Protocol-Version: "+rev, "Mcp-Method: tools/call", "Mcp-Name: "+name)
				}
				got := h.post(`{"jsonrpc":"2.0","id":`+strconv.Itoa(id)+`,"method":"tools/call","params":{"name":"`+name+`",`+meta+`}}`, headers...)
				if kind := got.header.Get("Content-Type"); got.status != 200 || kind != want {
					t.Errorf("%s, Accept: %s, JSONOnly %t, %s: %d %s, want %s", rev, test.accept, test.jsonOnly, name, got.status, kind, want)
				}
				if strings.Count(got.body, `"jsonrpc"`) != 1+strings.Count(got.body, `"method"`) || want == object && !strings.HasPrefix(got.body, `{"jsonrpc":`) {
					t.Errorf("%s, Accept: %s, JSONOnly %t, %s: %q", rev, test.accept, test.jsonOnly, name, got.body)
				}
			}
		}
		// Errors that have a status of HTTP are objects, whatever the client takes.
		h.modern("1", "no/such", "", "", "Accept:", "Accept: "+test.accept).
			want(t, 404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method \"no/such\" not found"}}`)
	}
}

// A server asks its client on the stream of the request, and gets the answer by a POST.
//
// REQ HTTP-10, HTTP-17, HTTP-30, SEED-12
func TestAsk(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "ask", ask)
	h := serve(t, s, nil)
	h.open("2025-06-18")
	unrelated := h.stream(h.request("GET", ""))
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`))
	if got := numbered(r.next()); got != `id: r2-N data: {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{}}}}` {
		t.Fatal(got)
	}
	h.post(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`).want(t, 202, "")
	if got := numbered(r.next()); got != `id: r2-N data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"decline"}]}}` {
		t.Error(got)
	}
	r.want("end")
	h.post(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`).want(t, 202, "") // once more
	h.post(`{"jsonrpc":"2.0","id":1,"result":7}`).want(t, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: result: want object, got number"}}`)
	s.Changed(server.Change{Tools: true})
	if got := numbered(unrelated.next()); got != `id: s1-N data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}` {
		t.Error(got)
	}
}

// An answer that is no valid one fails the call that it answers.
//
// REQ HTTP-11
func TestAskAnsweredByNonsense(t *testing.T) {
	s := newServer(nil)
	failed := make(chan error, 1)
	tool(t, s, "ask", func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		_, err := ask(ctx, c, args)
		failed <- err
		return nil, err
	})
	h := serve(t, s, nil)
	h.open("2025-06-18")
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`))
	r.next()
	h.post(`{"jsonrpc":"2.0","id":1,"result":[]}`).want(t, 400, "…")
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "the response is invalid") {
		t.Errorf("the handler got %v", err)
	}
}

// Each message goes to one stream, the newest; without one it waits. Answers to requests go to none
// of these.
//
// REQ HTTP-25, HTTP-26, HTTP-27, HTTP-30, SESS-07
func TestSessionStreams(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "echo", echo)
	h := serve(t, s, nil)
	h.open("2025-11-25")
	changed := func() {
		s.Changed(server.Change{Tools: true})
		time.Sleep(50 * time.Millisecond) // longer than changes are gathered
	}
	changed() // before there is a stream
	first := h.stream(h.request("GET", ""))
	if got := numbered(first.next()); got != `id: s1-N retry: 1000 data: ` {
		t.Error(got)
	}
	const event = ` data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`
	if got := numbered(first.next()); got != "id: s1-N"+event {
		t.Error(got)
	}
	second := h.stream(h.request("GET", ""))
	if got := numbered(second.next()); got != `id: s2-N retry: 1000 data: ` {
		t.Error(got)
	}
	changed()
	got := second.next()
	if numbered(got) != "id: s2-N"+event {
		t.Error(got)
	}

	second.resp.Body.Close()
	time.Sleep(50 * time.Millisecond)
	changed()
	if got := numbered(first.next()); got != "id: s1-N"+event {
		t.Error(got)
	}
	// The second one goes on where it was: what the first one got is not for it.
	second = h.stream(h.request("GET", "", "Last-Event-ID: "+eventID(got)))
	changed()
	if got := numbered(second.next()); got != "id: s2-N"+event {
		t.Error(got)
	}

	for range 6 {
		h.stream(h.request("GET", "")).next()
	}
	h.send(h.request("GET", "")).want(t, 429, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the session has too many streams open"}}`)
	h.post(ping).want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	h.send(h.request("DELETE", "")).want(t, 204, "")
	first.want("retry: 1000")
	first.want("end")
	second.want("retry: 1000")
	second.want("end")
	h.post(ping).want(t, 404, "…")
	h.send(h.request("DELETE", "")).want(t, 404, "…")
}

// A request goes on when its connection breaks, and its answer is there for the client that comes
// back.
//
// REQ HTTP-18, HTTP-34, HTTP-35
func TestResume(t *testing.T) {
	s := newServer(nil)
	goOn := make(chan struct{})
	ended := make(chan error, 1)
	tool(t, s, "slow", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		p := c.Progress()
		p.Report(1, 0, "one")
		<-goOn
		p.Report(2, 0, "two")
		ended <- ctx.Err()
		return server.TextResult("done"), nil
	})
	tool(t, s, "talk", talk)
	h := serve(t, s, nil)
	h.open("2025-11-25")
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"x"}}}`))
	primed := r.next()
	one := r.next()
	if !strings.Contains(one, `"progress":1`) {
		t.Fatal(one)
	}
	r.resp.Body.Close()
	other := h.stream(h.request("POST", talkCall)) // another stream, whose events are not replayed
	for other.next() != "end" {
	}

	// It comes back while the request is at work, from the very beginning.
	r = h.stream(h.request("GET", "", "Last-Event-ID: "+eventID(primed)))
	r.want(one)
	time.Sleep(20 * time.Millisecond) // progress has a least interval
	close(goOn)
	if err := <-ended; err != nil {
		t.Errorf("the handler's context: %v", err)
	}
	two := r.next()
	if !strings.Contains(two, `"progress":2`) {
		t.Error(two)
	}
	result := r.next()
	if numbered(result) != `id: r1-N data: {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}` {
		t.Error(result)
	}
	r.want("end")

	// And afterwards.
	r = h.stream(h.request("GET", "", "Last-Event-ID: "+eventID(one)))
	r.want(two)
	r.want(result)
	r.want("end")
	h.send(h.request("GET", "", "Last-Event-ID: "+eventID(result))).want(t, 204, "")
	h.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`).
		want(t, 400, `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"invalid request: the id was that of an earlier request, and an id is good for one"}}`)

	// Another session has nothing of it.
	h.session = ""
	h.open("2025-11-25")
	h.send(h.request("GET", "", "Last-Event-ID: "+eventID(one))).want(t, 400, "…")
}

// REQ HTTP-16, HTTP-21: the stream is closed early, and the client asks for the rest.
func TestPolling(t *testing.T) {
	s := newServer(nil)
	goOn := make(chan struct{})
	tool(t, s, "poll", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		err := streamable.CloseStream(ctx)
		if errors.Is(err, streamable.ErrNoPolling) {
			return server.TextResult("no polling"), nil
		}
		<-goOn
		return server.TextResult("done"), err
	})
	h := serve(t, s, &streamable.Options{Polling: true, Retry: 20 * time.Millisecond})
	const poll = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"poll"}}`
	h.open("2025-11-25")
	r := h.stream(h.request("POST", poll))
	first := r.next()
	if numbered(first) != `id: r1-N retry: 20 data: ` {
		t.Error(first)
	}
	r.want("retry: 20")
	r.want("end")
	r = h.stream(h.request("GET", "", "Last-Event-ID: "+eventID(first)))
	close(goOn)
	if got := numbered(r.next()); got != `id: r1-N data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}` {
		t.Error(got)
	}
	r.want("end")

	for rev, headers := range map[string][]string{"2025-06-18": nil, "2025-11-25": {"Accept:", "Accept: application/json"}} {
		h.session, h.version = "", ""
		h.open(rev)
		h.post(poll, headers...).want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no polling"}]}}`)
	}
	h.session, h.version = "", ""
	h.modern("1", "tools/call", "poll", `"name":"poll"`).want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"no polling"}]}}`)
	h = serve(t, s, &streamable.Options{Polling: true, Stateless: true})
	h.post(poll, "Mcp-Protocol-Version: 2025-11-25").want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no polling"}]}}`)
}

// REQ CANC-05, CANC-06, PING-01, HTTP-12
func TestCancel(t *testing.T) {
	s := newServer(nil)
	begun, ended := make(chan struct{}), make(chan error)
	var call *server.Call
	tool(t, s, "wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		call = c
		begun <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	h := serve(t, s, nil)
	h.open("2025-11-25")
	answered := make(chan got)
	go func() {
		resp, err := h.http.Client().Do(h.request("POST", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wait"}}`))
		if err != nil {
			t.Error(err)
		}
		answered <- got{status: resp.StatusCode, header: resp.Header}
	}()
	<-begun
	h.post(ping).want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	// The same request once more, while the first is at work.
	h.post(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wait"}}`).
		want(t, 400, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"invalid request: the id is that of another request, which has no response yet"}}`)
	h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}`).want(t, 202, "")
	h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`).want(t, 202, "")
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context: %v", err)
	}
	// There is nothing to answer: the response is a stream without events.
	if got := <-answered; got.status != http.StatusOK || got.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("the cancelled request: %d %v", got.status, got.header)
	}
	if err := call.Notify(context.Background(), "notifications/late", nil); err == nil {
		t.Error("after its end something is sent for it")
	}
}

// The response to a cancelled request is over: a handler that shuts down waits for nothing.
//
// REQ HTTP-12
func TestCancelledIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		tool(t, s, "wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		h := air(t, s, new(streamable.Options))
		h.open("2025-11-25", "Authorization: Bearer ada")
		answered := make(chan got)
		go func() {
			answered <- h.post(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wait"}}`, "Authorization: Bearer ada")
		}()
		synctest.Wait()
		h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`, "Authorization: Bearer ada").want(t, 202, "")
		(<-answered).want(t, 200, "")
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := h.h.Shutdown(ctx); err != nil || time.Since(begun) > 0 {
			t.Errorf("it shut down in %v: %v", time.Since(begun), err)
		}
	})
}

// A cancelled request whose response cannot be a stream has a JSON object all the same.
//
// REQ HTTP-12, CANC-05, JRPC-05
func TestCancelWithoutStream(t *testing.T) {
	s := newServer(nil)
	begun := make(chan struct{})
	tool(t, s, "wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for name, opts := range map[string]*streamable.Options{"Accept: application/json": nil, "Accept: application/json, text/event-stream": {JSONOnly: true}} {
		h := serve(t, s, opts)
		for _, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
			h.session, h.version = "", ""
			h.open(rev)
			answered := make(chan got)
			go func() {
				answered <- h.post(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wait"}}`, "Accept:", name)
			}()
			<-begun
			h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`).want(t, 202, "")
			got := <-answered
			got.want(t, 200, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"the client has cancelled the request"}}`)
			if kind := got.header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("%s, %s: Content-Type %q", name, rev, kind)
			}
		}
	}
}

// REQ BATCH-01, BATCH-02, BATCH-03, BATCH-04, BATCH-05, JRPC-06
func TestBatch(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "talk", talk)
	tool(t, s, "echo", echo)
	h := serve(t, s, nil)
	h.open("2025-03-26")
	h.post(`[`+ping+`,{"jsonrpc":"2.0","method":"notifications/initialized"}]`).want(t, 200, `[{"jsonrpc":"2.0","id":1,"result":{}}]`)
	h.post(`[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":9,"result":{}}]`).want(t, 202, "")
	h.post(`[]`).want(t, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: the batch is empty"}}`)
	h.post(`[1,{"jsonrpc":"2.0","id":2,"method":"ping"}]`).want(t, 200, `[{"jsonrpc":"2.0","error":{"code":-32600,…`)
	h.post(`[`+strings.Replace(initialize("2025-03-26"), `"init"`, `3`, 1)+`]`).want(t, 200, `[{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"the session is open already"}}]`)
	r := h.stream(h.request("POST", `[`+strings.Replace(talkCall, `"id":1`, `"id":4`, 1)+`]`))
	if got := numbered(r.next()); !strings.HasPrefix(got, `id: r1-N data: {"jsonrpc":"2.0","method":"notifications/progress"`) {
		t.Error(got)
	}
	if got := numbered(r.next()); got != `id: r1-N data: [{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"done"}]}}]` {
		t.Error(got)
	}
	r.want("end")
}

// A batch whose requests were all cancelled is answered as a cancelled request is: by a stream without
// events, or an object where there must be one.
//
// REQ BATCH-05, HTTP-12
func TestCancelledBatch(t *testing.T) {
	for i := range 4 {
		only, stateless := i&1 > 0, i&2 > 0
		s := newServer(nil)
		tool(t, s, "wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		h := serve(t, s, &streamable.Options{JSONOnly: only, Stateless: stateless})
		if !stateless {
			h.open("2025-03-26")
		}
		kind, body := "text/event-stream", ""
		if only {
			kind, body = "application/json", `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the client has cancelled the request"}}`
		}
		for _, cancelled := range []string{
			`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`,
			`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}},` +
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}]`,
		} {
			got := h.post(cancelled)
			got.want(t, 200, body)
			if got.header.Get("Content-Type") != kind {
				t.Errorf("Content-Type %q, want %q", got.header.Get("Content-Type"), kind)
			}
		}
	}
}

// A request that is delivered many times at once, by a network that repeats it, runs once.
//
// REQ JRPC-03
func TestRepeatedRequest(t *testing.T) {
	s := newServer(nil)
	var runs atomic.Int32
	tool(t, s, "count", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		runs.Add(1)
		time.Sleep(10 * time.Millisecond)
		return nil, nil
	})
	h := serve(t, s, nil)
	h.open("2025-11-25")
	var wg sync.WaitGroup
	var answers, refusals atomic.Int32
	for range 20 {
		wg.Go(func() {
			switch got := h.post(`{"jsonrpc":"2.0","id":"once","method":"tools/call","params":{"name":"count"}}`); got.status {
			case 200:
				answers.Add(1)
			case 400:
				refusals.Add(1)
			default:
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	wg.Wait()
	if runs.Load() != 1 || answers.Load() != 1 || refusals.Load() != 19 {
		t.Errorf("%d runs, %d answers, %d refusals", runs.Load(), answers.Load(), refusals.Load())
	}
}

// The end of a session ends what is at work in it.
func TestSessionEndsRequests(t *testing.T) {
	s := newServer(nil)
	begun, causes := make(chan struct{}), make(chan error, 1)
	tool(t, s, "wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, "one")
		begun <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		if err := c.Notify(context.Background(), "notifications/late", nil); err == nil {
			t.Error("after the end something is sent")
		}
		return nil, ctx.Err()
	})
	h := serve(t, s, nil)
	for _, meta := range []string{``, `,"_meta":{"progressToken":1}`} {
		h.session, h.version = "", ""
		h.open("2025-11-25")
		answered := make(chan got)
		go func() {
			answered <- h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"` + meta + `}}`)
		}()
		<-begun
		h.send(h.request("DELETE", "")).want(t, 204, "")
		if err := <-causes; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("the handler's context ended with %v", err)
		}
		if got := <-answered; meta == "" {
			got.want(t, 404, `{"jsonrpc":"2.0","id":1,`+gone)
		} else if got.status != 200 || strings.Contains(got.body, `"result"`) || strings.Contains(got.body, `"error"`) {
			t.Errorf("the stream: %d %s", got.status, got.body)
		}
	}
}

// Where events cannot be kept, streams work, and cannot be resumed.
func TestStoreFails(t *testing.T) {
	for _, test := range []struct {
		name  string
		store brokenStore
		why   string
	}{
		{"errors", brokenStore{func() error { return errBroken }}, "the store is broken"},
		{"panics", brokenStore{func() error { panic("secret") }}, "the event store failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(nil)
			tool(t, s, "talk", talk)
			h := serve(t, s, &streamable.Options{Events: test.store, Logger: slog.New(slog.DiscardHandler)})
			h.open("2025-11-25")
			r := h.stream(h.request("POST", talkCall))
			r.want(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"one"}}`)
			r.want(`data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
			r.want("end")
			h.send(h.request("GET", "", "Last-Event-ID: x")).
				want(t, 503, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the stream cannot be resumed after event \"x\": `+test.why+`"}}`)
			h.send(h.request("GET", "", "Last-Event-ID: nothing")).want(t, 400, "…")
			for range 2 { // the second finds no lock that the first left
				h.send(h.request("GET", "", "Last-Event-ID: known")).want(t, 503, "…")
			}
			h.send(h.request("DELETE", "")).want(t, 204, "")
		})
	}
}

type brokenStore struct{ fail func() error }

var errBroken = errors.New("the store is broken")

func (s brokenStore) Append(context.Context, string, string, []byte) (string, error) {
	return "", s.fail()
}

func (s brokenStore) Stream(_ context.Context, _, id string) (string, error) {
	switch id {
	case "nothing":
		return "", nil
	case "known":
		return "s1", nil
	}
	return "", s.fail()
}

func (s brokenStore) After(context.Context, string, string) ([]streamable.StoredEvent, error) {
	return nil, s.fail()
}

func (s brokenStore) Last(context.Context, string, string) (streamable.StoredEvent, error) {
	return streamable.StoredEvent{}, s.fail()
}

func (s brokenStore) Forget(context.Context, string) error { return s.fail() }

// Messages that wait for a stream are bounded; the oldest are dropped.
func TestPending(t *testing.T) {
	var session *server.Session
	ready := make(chan struct{})
	s := newServer(&server.Options{Anonymous: true, Logging: true, Logger: slog.New(slog.DiscardHandler), OnInitialized: func(_ context.Context, s *server.Session) {
		session = s
		close(ready)
	}})
	h := serve(t, s, nil)
	h.open("2025-06-18")
	<-ready
	log := slog.New(session.LogHandler())
	for i := range 5 {
		log.Info(strconv.Itoa(i) + strings.Repeat("x", 80<<10)) // three of which may wait altogether
	}
	log.Info(strings.Repeat("x", 300<<10)) // more than may wait altogether
	if err := session.Notify(t.Context(), "notifications/x", wire.Raw(`{"x":"`+strings.Repeat("x", 300<<10)+`"}`)); err == nil {
		t.Error("the server does not learn that a message is dropped")
	}
	r := h.stream(h.request("GET", ""))
	for _, text := range []string{"2", "3", "4"} {
		if got := r.next(); !strings.Contains(got, `"`+text+`x`) {
			t.Errorf("got %.100s, want %s", got, text)
		}
	}
	log.Info("5")
	if got := r.next(); !strings.Contains(got, `"5"`) {
		t.Error(got)
	}
}

// More requests at work than a session may have.
func TestTooManyRequests(t *testing.T) {
	s := newServer(&server.Options{Logger: slog.New(slog.DiscardHandler), Limits: transport.Limits{MaxRequests: 1}})
	begun, goOn := make(chan struct{}), make(chan struct{})
	tool(t, s, "wait", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		close(begun)
		<-goOn
		return nil, nil
	})
	h := serve(t, s, nil)
	h.open("2025-06-18")
	var waiting sync.WaitGroup
	waiting.Go(func() { h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`) })
	<-begun
	got := h.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	got.want(t, 503, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"too many requests at the same time; try again later"}}`)
	if got.header.Get("Retry-After") != "1" {
		t.Error("no Retry-After")
	}
	close(goOn)
	waiting.Wait()
}

// A watcher notes the operations that begin.
type watcher struct{ seen chan observe.Operation }

func (w *watcher) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	w.seen <- *o
	return ctx, nil
}

// An observer learns whose streams are open; an empty Last-Event-ID opens one like none.
func TestObservedStreams(t *testing.T) {
	w := &watcher{make(chan observe.Operation, 2)}
	opts := principals()
	opts.Observer, opts.Address = w, func(*http.Request) string { return "192.0.2.1" }
	h := serve(t, newServer(nil), opts)
	h.open("2025-11-25", "Authorization: ada")
	r := h.request("GET", "", "Authorization: ada")
	r.Header["Last-Event-Id"] = []string{""}
	want := func(want observe.Operation) {
		t.Helper()
		got := <-w.seen
		want.Begun = got.Begun
		if got := fmt.Sprintf("%+v", got); got != fmt.Sprintf("%+v", want) {
			t.Errorf("got  %s\nwant %+v", got, want)
		}
	}
	h.stream(r) // whose headers may be there before it is observed
	want(observe.Operation{Kind: observe.Stream, HTTP: true, Session: h.session, Address: "192.0.2.1", Principal: "ada", Revision: mcp.V2025_11_25})
	h.session, h.version = "", ""
	h.stream(h.modernRequest(`1`, "subscriptions/listen", "", `"notifications":{}`, "Authorization: ada"))
	want(observe.Operation{Kind: observe.Stream, HTTP: true, Method: "subscriptions/listen", Address: "192.0.2.1", Principal: "ada", Revision: mcp.V2026_07_28})
}

// While a request is waited for, a handler that shuts down accepts no others.
func TestEndingRefuses(t *testing.T) {
	s := newServer(nil)
	begun, end := make(chan struct{}), make(chan struct{})
	tool(t, s, "wait", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		close(begun)
		<-end
		return nil, nil
	})
	h := serve(t, s, nil)
	h.open("2025-11-25")
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}`).want(t, 200, "…")
	}()
	<-begun
	ended := make(chan error)
	go func() { ended <- h.h.Shutdown(t.Context()) }()
	until(t, "it ends", h.h.IsEnding)
	const ending = `"error":{"code":-32603,"message":"the server is shutting down; try again later"}}`
	h.post(ping).want(t, 503, `{"jsonrpc":"2.0","id":1,`+ending)
	h.version = ""
	h.modern("1", "tools/list", "", "").want(t, 503, `{"jsonrpc":"2.0","id":1,`+ending)
	h.post(`{"jsonrpc":"2.0","method":"notifications/x"}`, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: notifications/x").want(t, 503, `{"jsonrpc":"2.0",`+ending)
	close(end)
	<-done
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
