package streamable_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// modernServer has a tool with arguments that are repeated in headers.
func modernServer(t testing.TB) *server.Server {
	s := newServer(&server.Options{
		Anonymous: true,
		Filters: []server.Filter{{Admit: func(_ context.Context, _ *server.Call, i *server.Item) (bool, error) {
			tool, ok := i.Definition.(*mcp.Tool)
			return !ok || tool.Name != "hidden", nil
		}}},
	})
	schema := wire.Raw(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}`)
	for _, name := range []string{"query", "hidden"} {
		if err := s.AddTool(mcp.Tool{Name: name, InputSchema: schema}, echo); err != nil {
			t.Fatal(err)
		}
	}
	tool(t, s, "sample", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1})
		return nil, err
	})
	tool(t, s, "ask", ask)
	return s
}

// Since 2026-07-28, what is wrong with a request, and the status of each.
//
// REQ H26-03, H26-04, H26-05, H26-08, H26-14, H26-15, H26-16, HDR-01, HDR-02, HDR-03, HDR-06, HDR-07, HDR-08
// REQ HDR-11, HDR-12, META-09, META-10, META-18, VER-01, VER-02, CAP-08, XHDR-04, XHDR-10, XHDR-11, AMB-01, AMB-11, AMB-22
func TestModern(t *testing.T) {
	h := serve(t, modernServer(t), nil)
	const (
		version = "Mcp-Protocol-Version: 2026-07-28"
		caps    = `"io.modelcontextprotocol/clientCapabilities":{}`
		pv      = `"io.modelcontextprotocol/protocolVersion":`
		called  = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":`
	)
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	}
	query := request("tools/call", `"name":"query","arguments":{"region":"eu"},`+modernMeta)
	headers := func(more ...string) []string {
		return append([]string{version, "Mcp-Method: tools/call", "Mcp-Name: query"}, more...)
	}
	mismatch := func(msg string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: ` + msg + `"}}`
	}
	served := namesSince(mcp.V2026_07_28)
	tests := []struct {
		name, body string
		headers    []string
		status     int
		want       string
	}{
		{"all well", query, headers("Mcp-Param-Region: eu"), 200, called + `"{\"region\":\"eu\"}"}]}}`},
		{"names in any case", query, []string{"MCP-PROTOCOL-VERSION: 2026-07-28", "mcp-method: tools/call", "mCP-nAME: query", "mcp-param-REGION:   eu  "}, 200, called + "…"},
		{"session and last event are ignored", query, headers("Mcp-Param-Region: eu", "Mcp-Session-Id: nonsense", "Last-Event-ID: nonsense"), 200, called + "…"},
		{"coded", query, headers("Mcp-Param-Region: =?base64?ZXU=?="), 200, called + "…"},
		{"no _meta", request("tools/list", ""), []string{version, "Mcp-Method: tools/list"}, 400,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities"}}`},
		{"no version", request("tools/list", `"_meta":{`+caps+`}`), []string{version, "Mcp-Method: tools/list"}, 400,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta lacks io.modelcontextprotocol/protocolVersion"}}`},
		{"no capabilities", request("tools/list", `"_meta":{`+pv+`"2026-07-28"}`), []string{version, "Mcp-Method: tools/list"}, 400,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta lacks io.modelcontextprotocol/clientCapabilities"}}`},
		{"_meta is no object", request("tools/list", `"_meta":7`), []string{version, "Mcp-Method: tools/list"}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,…`},
		{"versions differ", request("tools/list", `"_meta":{`+pv+`"v999.0.0",`+caps+`}`), []string{version, "Mcp-Method: tools/list"}, 400,
			mismatch(`the header Mcp-Protocol-Version must be \"v999.0.0\" as in params._meta, got \"2026-07-28\"`)},
		{"header of another era", request("tools/list", modernMeta), []string{"Mcp-Protocol-Version: 2025-06-18", "Mcp-Method: tools/list"}, 400,
			mismatch(`the header Mcp-Protocol-Version must be \"2026-07-28\" as in params._meta, got \"2025-06-18\"`)},
		{"no version header", query, headers("Mcp-Protocol-Version:", "Mcp-Param-Region: eu"), 400,
			mismatch(`the header Mcp-Protocol-Version is missing, want \"2026-07-28\"`)},
		{"unknown version", request("tools/list", `"_meta":{`+pv+`"v999.0.0",`+caps+`}`), []string{"Mcp-Protocol-Version: v999.0.0", "Mcp-Method: tools/list"}, 400,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version \"v999.0.0\", want one of ` + strings.Join(served, ", ") +
				`","data":{"supported":["` + strings.Join(served, `","`) + `"],"requested":"v999.0.0"}}}`},
		{"coded version", query, headers("Mcp-Protocol-Version:", "Mcp-Protocol-Version: =?base64?MjAyNi0wNy0yOA==?=", "Mcp-Param-Region: eu"), 400,
			mismatch(`the header Mcp-Protocol-Version must be \"2026-07-28\" as in params._meta, got \"=?base64?MjAyNi0wNy0yOA==?=\"`)},
		{"coded method", query, headers("Mcp-Method:", "Mcp-Method: =?base64?dG9vbHMvY2FsbA==?=", "Mcp-Param-Region: eu"), 400,
			mismatch(`the header Mcp-Method is \"=?base64?dG9vbHMvY2FsbA==?=\", but the method of the request is \"tools/call\"`)},
		{"coded name", query, headers("Mcp-Name:", "Mcp-Name: =?base64?cXVlcnk=?=", "Mcp-Param-Region: eu"), 200, called + "…"},
		{"name in upper case", query, headers("Mcp-Name:", "Mcp-Name: QUERY", "Mcp-Param-Region: eu"), 400, mismatch(`the header Mcp-Name is \"QUERY\", but params.name is \"query\"`)},
		{"param in upper case", query, headers("Mcp-Param-Region: EU"), 400, mismatch(`the header Mcp-Param-Region is \"EU\", but the argument region is \"eu\"`)},
		{"name beyond ASCII", query, headers("Mcp-Name:", "Mcp-Name: qu\xe9ry", "Mcp-Param-Region: eu"), 400, mismatch(`the header Mcp-Name: the byte 0xe9 must be encoded in Base64`)},
		{"argument that no header can hold", request("tools/call", `"name":"query","arguments":{"n":{"a":1}},`+modernMeta), headers(), 400, mismatch(`the argument n must be an integer, because a header repeats it; got object`)},
		{"unsafe integer", request("tools/call", `"name":"query","arguments":{"n":9007199254740992},`+modernMeta), headers("Mcp-Param-N: 9007199254740992"), 400,
			mismatch(`the argument n must be an integer within ±(2^53-1), because a header repeats it; got 9007199254740992`)},
		{"no method header", query, headers("Mcp-Method:"), 400, mismatch(`the header Mcp-Method is missing, want \"tools/call\"`)},
		{"method in upper case", query, headers("Mcp-Method:", "Mcp-Method: TOOLS/CALL"), 400, mismatch(`the header Mcp-Method is \"TOOLS/CALL\", but the method of the request is \"tools/call\"`)},
		{"method twice", query, headers("Mcp-Method: tools/list"), 400, mismatch(`the header Mcp-Method is given 2 times`)},
		{"no name header", query, headers("Mcp-Name:"), 400, mismatch(`the header Mcp-Name is missing, want \"query\"`)},
		{"other name", query, headers("Mcp-Name:", "Mcp-Name: hidden"), 400, mismatch(`the header Mcp-Name is \"hidden\", but params.name is \"query\"`)},
		{"name with bad padding", query, headers("Mcp-Name:", "Mcp-Name: =?base64?cXVlcnk?="), 400, mismatch(`the header Mcp-Name: want standard Base64 with padding between the sentinels`)},
		{"name of no resource", request("resources/read", modernMeta), []string{version, "Mcp-Method: resources/read"}, 404, `…`},
		{"no param header", query, headers(), 400, mismatch(`the header Mcp-Param-Region is missing, want \"eu\"`)},
		{"other param header", query, headers("Mcp-Param-Region: us"), 400, mismatch(`the header Mcp-Param-Region is \"us\", but the argument region is \"eu\"`)},
		{"param header twice", query, headers("Mcp-Param-Region: eu", "mcp-param-region: us"), 400, mismatch(`the header Mcp-Param-Region is given 2 times`)},
		{"param header with bad alphabet", query, headers("Mcp-Param-Region: =?base64?ZX!!U=?="), 400, mismatch(`the header Mcp-Param-Region: want standard Base64 with padding between the sentinels`)},
		{"upper case sentinel is literal", query, headers("Mcp-Param-Region: =?BASE64?ZXU=?="), 400, mismatch(`the header Mcp-Param-Region is \"=?BASE64?ZXU=?=\", but the argument region is \"eu\"`)},
		{"integers by value", request("tools/call", `"name":"query","arguments":{"n":42},`+modernMeta), headers("Mcp-Param-N: 42.0"), 200, called + "…"},
		{"null argument", request("tools/call", `"name":"query","arguments":{"region":null},`+modernMeta), headers(), 200, called + "…"},
		{"hidden tool does not show its headers", request("tools/call", `"name":"hidden","arguments":{"region":"eu"},`+modernMeta), headers("Mcp-Name:", "Mcp-Name: hidden"), 200,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"hidden\""}}`},
		{"unknown method", request("unknown/method", modernMeta), []string{version, "Mcp-Method: unknown/method"}, 404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method \"unknown/method\" not found"}}`},
		{"initialize", request("initialize", `"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"},`+modernMeta), []string{version, "Mcp-Method: initialize"}, 404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,…`},
		{"ping", request("ping", modernMeta), []string{version, "Mcp-Method: ping"}, 404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,…`},
		{"missing capability, found by the handler", request("tools/call", `"name":"sample",`+modernMeta), headers("Mcp-Name:", "Mcp-Name: sample"), 400,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"the client does not declare a capability that is required: sampling","data":{"requiredCapabilities":{"sampling":{}}}}}`},
		{"asked", request("tools/call", `"name":"ask",`+modernMeta), headers("Mcp-Name:", "Mcp-Name: ask"), 200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{…`},
		{"batch", `[` + query + `]`, headers(), 400, `{"jsonrpc":"2.0","error":{"code":-32600,…`},
		{"answer", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{version}, 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"a response: since 2026-07-28 there is no request that it could belong to"}}`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{version}, 202, ""},
		{"notification with another header", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{version, "Mcp-Method: tools/call"}, 400,
			`{"jsonrpc":"2.0","error":{"code":-32020,"message":"header mismatch: the header Mcp-Method is \"tools/call\", but the method of the request is \"notifications/cancelled\""}}`},
		{"no JSON", `{`, []string{version}, 400, `{"jsonrpc":"2.0","error":{"code":-32700,…`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := h.post(test.body, without(test.headers)...)
			got.want(t, test.status, test.want)
			if got.header.Get("Mcp-Session-Id") != "" || strings.Contains(got.body, "\n") {
				t.Errorf("headers %v, body %q", got.header, got.body)
			}
		})
	}
	for _, method := range []string{"GET", "DELETE"} {
		if got := h.send(h.request(method, "", version)); got.status != 405 || got.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow: %s", method, got.status, got.header.Get("Allow"))
		}
	}
}

// without carries out the lines "Name:", which take out the headers of that name before them.
func without(headers []string) []string {
	var out []string
	for _, line := range headers {
		if name, ok := strings.CutSuffix(line, ":"); ok {
			kept := out[:0]
			for _, other := range out {
				if !strings.HasPrefix(other, name+":") {
					kept = append(kept, other)
				}
			}
			out = kept
			continue
		}
		out = append(out, line)
	}
	return out
}

// REQ SUB-02, SUB-03, SUB-05, SUB-08, META-15, AMB-04, H26-08, JRPC-14
func TestListen(t *testing.T) {
	s := modernServer(t)
	h := serve(t, s, nil)
	listen := func(id, filter string) *eventReader {
		return h.stream(h.modernRequest(id, "subscriptions/listen", "", `"notifications":`+filter))
	}
	tools := listen(`"t"`, `{"toolsListChanged":true,"promptsListChanged":true}`)
	tools.want(`data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"t"},"notifications":{"toolsListChanged":true}}}`)
	nothing := listen(`7`, `{}`)
	nothing.want(`data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{}}}`)
	s.Changed(server.Change{Tools: true})
	tools.want(`data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"t"}}}`)
	h.modern(`7`, "subscriptions/listen", "", `"notifications":{}`, "Accept:", "Accept: application/json").
		want(t, 406, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"a subscription is a stream; Accept must list text/event-stream"}}`)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := h.h.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	tools.want(`data: {"jsonrpc":"2.0","id":"t","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"t"},"resultType":"complete"}}`)
	tools.want("end")
	nothing.want(`data: {"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"resultType":"complete"}}`)
	nothing.want("end")
	got := h.modern("1", "tools/list", "", "")
	got.want(t, 503, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server is shutting down; try again later"}}`)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// REQ H26-12, CANC-03, CANC-05: closing the response is the cancellation, with and without a stream.
func TestCloseIsCancel(t *testing.T) {
	s := newServer(nil)
	begun, ended := make(chan struct{}), make(chan error)
	wait := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- c.Notify(ctx, "notifications/late", nil)
		return nil, nil
	}
	tool(t, s, "wait", wait)
	tool(t, s, "stream", func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if err := c.Notify(ctx, "notifications/early", nil); err != nil {
			t.Error(err)
		}
		return wait(ctx, c, args)
	})
	h := serve(t, s, nil)
	for _, name := range []string{"wait", "stream"} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			resp, err := h.http.Client().Do(h.modernRequest("1", "tools/call", name, `"name":"`+name+`"`).WithContext(ctx))
			if err == nil {
				<-ctx.Done()
				resp.Body.Close()
			}
		}()
		<-begun
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: after the end, sending says %v", name, err)
		}
		<-done
	}
}

// A response that the client has closed gets nothing more, even if the handler does not care.
//
// REQ H26-12
func TestClosedResponseStaysEmpty(t *testing.T) {
	s := newServer(nil)
	var closeResponse func()
	tool(t, s, "careless", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		closeResponse()
		return server.TextResult("too late"), nil
	})
	h := serve(t, s, nil)
	for _, accept := range []string{"application/json, text/event-stream", "application/json", "text/event-stream"} {
		ctx, cancel := context.WithCancel(t.Context())
		closeResponse = cancel
		req := h.modernRequest("1", "tools/call", "careless", `"name":"careless"`, "Accept:", "Accept: "+accept).WithContext(ctx)
		w := httptest.NewRecorder()
		h.h.ServeHTTP(w, req)
		if ctx.Err() == nil || w.Body.Len() > 0 {
			t.Errorf("Accept: %s: the handler has run: %t; sent %q, want nothing", accept, ctx.Err() != nil, w.Body)
		}
	}
}

// requestState is sealed: what was changed, or made for another tool or principal, is refused, and
// so is what was used before if that is wanted.
//
// REQ MRTR-11, MRTR-12, MRTR-13, SEC-12, SEC-13
func TestRequestStateOverHTTP(t *testing.T) {
	s := newServer(&server.Options{Anonymous: true, StateOnce: server.OnceInMemory(0)})
	round := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for _, key := range []string{"one", "two"} {
			r, err := c.WithKey(key).Elicit(ctx, &mcp.ElicitRequestFormParams{Message: key})
			if err != nil {
				return nil, err
			}
			if r.Action != mcp.ElicitResultActionAccept {
				return server.TextResult("declined " + key), nil
			}
		}
		return server.TextResult("done"), nil
	}
	tool(t, s, "round", round)
	tool(t, s, "other", round)
	h := serve(t, s, principals())
	call := func(name, params, user string) got {
		t.Helper()
		return h.modern("1", "tools/call", name, `"name":"`+name+`"`+params, "Authorization: "+user)
	}
	const one = `,"inputResponses":{"one":{"action":"accept","content":{}}}`
	const two = `,"inputResponses":{"two":{"action":"accept","content":{}}}`
	call("round", "", "ada").want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"one":…`)
	got := call("round", one, "ada")
	state := wire.Raw(got.body).StringAt("result", "requestState")
	if state == "" {
		t.Fatalf("no state: %s", got.body)
	}
	with := two + `,"requestState":"` + state + `"`
	foreign := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"requestState was not made for this request, or was changed on the way"}}`
	call("round", two+`,"requestState":"`+state+`-TAMPERED"`, "ada").want(t, 200, foreign)
	call("round", two+`,"requestState":"AAAA"`, "ada").want(t, 200, foreign)
	for _, x := range []string{"", "a", "ab"} { // text of each length is more than a whole state
		got := call("round", `,"inputResponses":{"one":{"action":"accept","content":{"x":"`+x+`"}}}`, "ada")
		longer := wire.Raw(got.body).StringAt("result", "requestState") + "!"
		call("round", two+`,"requestState":"`+longer+`"`, "ada").want(t, 200, foreign)
	}
	call("other", with, "ada").want(t, 200, foreign)
	call("round", with, "eve").want(t, 200, foreign)
	call("round", with, "ada").want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`)
	call("round", with, "ada").want(t, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"requestState has been used before: send the request again without it"}}`)
}

// A subscription that is about to open when the handler begins to end ends with it.
func TestListenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		var h *host
		s := newServer(&server.Options{Anonymous: true, OnSubscribe: func(context.Context, *server.Call, string) error {
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				ended <- h.h.Shutdown(ctx)
			}()
			until(t, "ending", h.h.IsEnding)
			return nil
		}})
		if err := s.AddResource(mcp.Resource{Name: "a", URI: "a:1"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "1"), nil
		}); err != nil {
			t.Fatal(err)
		}
		h = air(t, s, new(streamable.Options))
		r := h.stream(h.modernRequest("1", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["a:1"]}`, "Authorization: Bearer ada"))
		r.next()
		if got := r.next(); !strings.Contains(got, `"resultType":"complete"`) {
			t.Errorf("it ends with %s", got)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
