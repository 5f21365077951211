package streamable_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ VER-05, VER-06, H26-06, HTTP-12, HTTP-10, SESS-01: both eras at one endpoint, at the same time.
func TestBothEras(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "echo", echo)
	h := serve(t, s, nil)
	modern := func() {
		t.Helper()
		h.modern("1", "tools/call", "echo", `"name":"echo","arguments":{"a":1}`).
			want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"a\":1}"}]}}`)
	}
	modern()
	for i, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		h.session, h.version = "", ""
		h.open(rev)
		got := h.post(`{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`)
		got.want(t, 200, `{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"{\"a\":1}"}]}}`)
		if kind := got.header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("%s: Content-Type %q", rev, kind)
		}
		if i > 0 { // the version of a session is known
			h.post(`{"jsonrpc":"2.0","id":"2","method":"ping"}`, "Mcp-Protocol-Version:").want(t, 200, `{"jsonrpc":"2.0","id":"2","result":{}}`)
		}
	}
	h.session, h.version = "", ""
	modern()
}

const (
	noSession = `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the header Mcp-Session-Id is missing: send initialize first, or say in every request which revision it follows"}}`
	gone      = `"error":{"code":-32600,"message":"the session does not exist, or has ended: send initialize without Mcp-Session-Id"}}`
	ping      = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

// What is refused before it is looked at what is asked for, through 2025-11-25.
//
// REQ HTTP-08, HTTP-11, SESS-06, SESS-07, SESS-14, JRPC-17, JRPC-18, BATCH-07, BATCH-03, AMB-09, AMB-18, HTTP-25, H26-01, JRPC-06
func TestRefused(t *testing.T) {
	h := serve(t, newServer(nil), nil)
	h.open("2025-06-18")
	own, id := h.version, h.session
	h.version, h.session = "", ""
	session := "Mcp-Session-Id: " + id
	tests := []struct {
		name, method, body string
		headers            []string
		status             int
		want               string
	}{
		{"no JSON", "POST", `{"jsonrpc":`, []string{session}, 400, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: …`},
		{"empty", "POST", ``, []string{session}, 400, `{"jsonrpc":"2.0","error":{"code":-32700,…`},
		{"two messages", "POST", ping + ping, []string{session}, 400, `{"jsonrpc":"2.0","error":{"code":-32700,…`},
		{"no UTF-8", "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", []string{session}, 400, `{"jsonrpc":"2.0","error":{"code":-32700,…`},
		{"no message", "POST", `{"jsonrpc":"2.0","id":1}`, []string{session}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,…`},
		{"other version of JSON-RPC", "POST", `{"jsonrpc":"1.0","id":"x","method":"ping"}`, []string{session}, 400, `{"jsonrpc":"2.0","id":"x","error":{"code":-32600,…`},
		{"id null", "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{session}, 400, `{"jsonrpc":"2.0","error":{"code":-32600,…`},
		{"params are an array", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, []string{session}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,…`},
		{"array", "POST", `[` + ping + `]`, []string{session}, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: an array: batches of messages exist only in revision 2025-03-26"}}`},
		{"array without session", "POST", `[` + initialize("2025-03-26") + `]`, nil, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the header Mcp-Session-Id is missing: …`},
		{"no session", "POST", ping, nil, 400, noSession},
		{"notification without session", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the header Mcp-Session-Id is missing: …`},
		{"answer without session", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the header Mcp-Session-Id is missing: …`},
		{"unknown session", "POST", ping, []string{"Mcp-Session-Id: nonsense"}, 404, `{"jsonrpc":"2.0","id":1,` + gone},
		{"two sessions", "POST", ping, []string{session, session}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the header Mcp-Session-Id is given 2 times"}}`},
		{"unknown version", "POST", ping, []string{session, "Mcp-Protocol-Version: 2020-01-01"}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the version \"2020-01-01\" of the header Mcp-Protocol-Version is not served here, but ` + strings.Join(namesSince(0), ", ") + `"}}`},
		{"version of nonsense", "POST", ping, []string{session, "Mcp-Protocol-Version: nonsense"}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta lacks …`},
		{"two versions", "POST", ping, []string{session, "Mcp-Protocol-Version: 2025-06-18", "Mcp-Protocol-Version: 2025-06-18"}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"the header Mcp-Protocol-Version is given 2 times"}}`},
		{"no type", "POST", ping, []string{session, "Content-Type:"}, 415, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body must be JSON in UTF-8: Content-Type: application/json"}}`},
		{"other type", "POST", ping, []string{session, "Content-Type:", "Content-Type: text/plain"}, 415, `…`},
		{"other charset", "POST", ping, []string{session, "Content-Type:", "Content-Type: application/json; charset=latin1"}, 415, `…`},
		{"same charset", "POST", ping, []string{session, "Content-Type:", "Content-Type: application/json; charset=UTF-8"}, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"takes neither", "POST", ping, []string{session, "Accept:", "Accept: text/html"}, 406, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"responses are application/json or text/event-stream; Accept must list both"}}`},
		{"takes neither, by quality", "POST", ping, []string{session, "Accept:", "Accept: application/json;q=0, text/event-stream; q=0.000"}, 406, `…`},
		{"takes anything", "POST", strings.Replace(ping, "1", "2", 1), []string{session, "Accept:", "Accept: */*"}, 200, `…`},
		{"stream without session", "GET", "", nil, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the header Mcp-Session-Id is missing: …`},
		{"stream of unknown session", "GET", "", []string{"Mcp-Session-Id: nonsense"}, 404, `{"jsonrpc":"2.0",` + gone},
		{"stream of JSON", "GET", "", []string{session, "Accept:", "Accept: application/json"}, 406, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"a stream is text/event-stream; Accept must list it"}}`},
		{"stream of unknown version", "GET", "", []string{session, "Mcp-Protocol-Version: 2020-01-01"}, 400, `…`},
		{"stream of a later version", "GET", "", []string{session, "Mcp-Protocol-Version: 2099-01-01"}, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the version \"2099-01-01\" of the header Mcp-Protocol-Version is not served here, …`},
		{"stream of version nonsense", "GET", "", []string{session, "Mcp-Protocol-Version: nonsense"}, 400, `…`},
		{"stream of a version without streams", "GET", "", []string{session, "Mcp-Protocol-Version: 2026-07-28"}, 405, `…`},
		{"end of a later version", "DELETE", "", []string{session, "Mcp-Protocol-Version: 2099-01-01"}, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the version \"2099-01-01\" of the header Mcp-Protocol-Version is not served here, …`},
		{"end of version nonsense", "DELETE", "", []string{session, "Mcp-Protocol-Version: nonsense"}, 400, `…`},
		{"later version", "POST", ping, []string{session, "Mcp-Protocol-Version: 2099-01-01"}, 400, `…`},
		{"stream after nonsense", "GET", "", []string{session, "Last-Event-ID: nonsense"}, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the stream cannot be resumed after event \"nonsense\": streamable: the event is unknown, or no longer kept"}}`},
		{"end of unknown session", "DELETE", "", []string{"Mcp-Session-Id: nonsense"}, 404, `{"jsonrpc":"2.0",` + gone},
		{"end of no session", "DELETE", "", nil, 400, `…`},
		{"method of HTTP", "PUT", ping, []string{session}, 405, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"this endpoint takes DELETE, GET, POST"}}`},
		{"initialize with another version", "POST", initialize("2025-06-18"), []string{"Mcp-Protocol-Version: 2020-01-01"}, 400, `{"jsonrpc":"2.0","id":"init","error":{"code":-32600,"message":"the version \"2020-01-01\" of the header Mcp-Protocol-Version is not served here, …`},
		{"preflight", "OPTIONS", "", nil, 405, `…`},
		{"initialize again", "POST", initialize("2025-06-18"), []string{session, "Mcp-Protocol-Version: " + own}, 400, `{"jsonrpc":"2.0","id":"init","error":{"code":-32600,"message":"invalid request: the id was that of an earlier request, and an id is good for one"}}`},
		{"initialize with params of nonsense", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, nil, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,…`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := h.send(h.request(test.method, test.body, test.headers...))
			start, cut := strings.CutSuffix(test.want, "…`")
			if cut {
				test.want = start + "…"
			}
			got.want(t, test.status, test.want)
			if kind := got.header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("Content-Type %q", kind)
			}
			if strings.Contains(got.body, "\n") {
				t.Errorf("the body has several lines: %q", got.body)
			}
			if got.status != 200 && got.header.Get("Mcp-Session-Id") != "" {
				t.Error("a session was opened")
			}
		})
	}
	if got := h.send(h.request("PUT", "")); got.header.Get("Allow") != "DELETE, GET, POST" {
		t.Errorf("Allow: %s", got.header.Get("Allow"))
	}
	// A session whose initialize failed does not exist.
	got := h.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	if id := got.header.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("the session %s was opened", id)
	}
}

// A server of one era alone, as the clients of the other see it.
//
// REQ H26-01, H26-02, VER-07, VER-17, H26-16
func TestOneEra(t *testing.T) {
	modern := serve(t, newServer(&server.Options{Anonymous: true, Revisions: []wire.Revision{mcp.V2026_07_28}}), nil)
	modern.post(initialize("2025-06-18")).want(t, 400,
		`{"jsonrpc":"2.0","id":"init","error":{"code":-32022,"message":"unsupported protocol version \"2025-06-18\", want one of 2026-07-28","data":{"supported":["2026-07-28"],"requested":"2025-06-18"}}}`)
	for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28", "2099-01-01"} { // which clients that try one after the other may still send
		modern.post(initialize("2025-06-18"), "Mcp-Protocol-Version: "+version).want(t, 400,
			`{"jsonrpc":"2.0","id":"init","error":{"code":-32022,"message":"unsupported protocol version \"2025-06-18\", want one of 2026-07-28",…`)
	}
	modern.post(ping).want(t, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta lacks …`)
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		got := modern.send(modern.request(method, "", "Mcp-Session-Id: x"))
		got.want(t, 405, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"this endpoint takes POST"}}`)
		if got.header.Get("Allow") != "POST" {
			t.Errorf("%s: Allow: %s", method, got.header.Get("Allow"))
		}
	}

	legacy := serve(t, newServer(&server.Options{Anonymous: true, Revisions: []wire.Revision{mcp.V2025_06_18}}), nil)
	legacy.modern("1", "tools/list", "", "").want(t, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the version \"2026-07-28\" of the header Mcp-Protocol-Version is not served here, but 2025-06-18"}}`)
	legacy.open("2025-06-18")
	legacy.post(ping, "Mcp-Protocol-Version:", "Mcp-Protocol-Version: 2025-11-25").want(t, 400, `…`)
}

// REQ SESS-13, BATCH-01, BATCH-05, LIFE-07
func TestStateless(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "echo", echo)
	tool(t, s, "talk", talk)
	tool(t, s, "ask", ask)
	h := serve(t, s, &streamable.Options{Stateless: true})
	got := h.post(initialize("2025-06-18"))
	got.want(t, 200, `{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"2025-06-18",…`)
	if id := got.header.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("session %s", id)
	}
	h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Protocol-Version: 2025-06-18").want(t, 202, "")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	for range 2 { // the same id: there is nothing to remember it
		h.post(list, "Mcp-Protocol-Version: 2025-06-18").want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}}`)
	}
	h.post(`[`+list+`,{"jsonrpc":"2.0","method":"notifications/initialized"}]`).
		want(t, 200, `[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}}]`)
	h.post(`[`+list+`]`, "Mcp-Protocol-Version: 2025-06-18").want(t, 400, `{"jsonrpc":"2.0","error":{"code":-32600,…`)
	h.post(`{"jsonrpc":"2.0","id":1,"result":{}}`).want(t, 202, "")
	for _, method := range []string{"GET", "DELETE"} {
		if got := h.send(h.request(method, "")); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow: %s", method, got.status, got.header.Get("Allow"))
		}
	}
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":7}}}`, "Mcp-Protocol-Version: 2025-11-25"))
	r.want(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"one"}}`)
	r.want(`data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
	r.want("end")
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`, "Mcp-Protocol-Version: 2025-11-25").
		want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the client does not declare…`)
}

// Without sessions nothing outlives a request, however many there are: not even the handler of a
// notification, which ends with the request at the latest.
func TestStatelessNotifications(t *testing.T) {
	s := newServer(nil)
	var running atomic.Int32
	var quick atomic.Int32
	if err := s.AddNotification("x/slow", func(ctx context.Context, _ *server.Call) error {
		running.Add(1)
		defer running.Add(-1)
		<-ctx.Done()
		return ctx.Err()
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddNotification("x/quick", func(context.Context, *server.Call) error {
		time.Sleep(20 * time.Millisecond)
		quick.Add(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	h := serve(t, s, &streamable.Options{Stateless: true})
	h.post(`{"jsonrpc":"2.0","method":"x/quick"}`).want(t, 202, "")
	h.post(`[{"jsonrpc":"2.0","method":"x/quick"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`).want(t, 200, `[{"jsonrpc":"2.0","id":1,"result":{}}]`)
	if quick.Load() == 0 {
		t.Error("the batch has its response, and the handler of its notification has not returned")
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			resp, err := h.http.Client().Do(h.request("POST", `{"jsonrpc":"2.0","method":"x/slow"}`).WithContext(ctx))
			if err == nil {
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	for end := time.Now().Add(time.Minute); (running.Load() > 0 || quick.Load() < 2) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if slow, quick := running.Load(), quick.Load(); slow != 0 || quick != 2 {
		t.Errorf("%d handlers are still at work, %d have returned; want 0 and 2", slow, quick)
	}
}
