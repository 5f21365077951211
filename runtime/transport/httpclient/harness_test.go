package httpclient_test

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var silent = slog.New(slog.DiscardHandler)

// A site is an HTTP server that does what a test says, by the HTTP method or, for a POST, by the
// method of the message. What it is not told it does like a server of 2025-11-25 that has nothing.
type site struct {
	on map[string]func(x *visit)

	mu   sync.Mutex
	log  []string // "POST tools/call" and the headers of the protocol
	open int      // requests at work
}

// A visit is an HTTP request at a site.
type visit struct {
	http.ResponseWriter
	req  *http.Request
	site *site
	msg  jsonrpc.Message
}

var loggedHeaders = []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-Id"}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &visit{ResponseWriter: w, req: r, site: s}
	key := r.Method
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		v.msg, _ = jsonrpc.Parse(body)
		key = v.msg.Method
		if v.msg.IsResponse() {
			key = "answer " + string(v.msg.Result)
			if v.msg.Error != nil {
				key += v.msg.Error.Error()
			}
		}
	}
	line := r.Method
	if key != line {
		line += " " + key
	}
	for _, name := range loggedHeaders {
		if value, ok := r.Header[name]; ok {
			line += " " + strings.Join(value, ",")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if strings.HasPrefix(name, "Mcp-Param-") {
			line += fmt.Sprintf(" %s=%q", strings.TrimPrefix(name, "Mcp-Param-"), r.Header.Get(name))
		}
	}
	s.mu.Lock()
	s.log = append(s.log, line)
	s.open++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	}()
	s.mu.Lock()
	f := s.on[key]
	s.mu.Unlock()
	switch {
	case f != nil:
		f(v)
	case key == "initialize":
		w.Header().Set("Mcp-Session-Id", "s1")
		v.answer(initialized("2025-11-25"))
	case v.msg.Kind == jsonrpc.Request:
		v.fail(-32601, http.StatusOK)
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodGet:
		w.Header().Set("Allow", "POST, DELETE")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// does says what the site does from now on, nil for as usual.
func (s *site) does(key string, f func(*visit)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == nil {
		s.on = map[string]func(*visit){}
	}
	s.on[key] = f
}

const everything = `{"logging":{},"completions":{},"prompts":{"listChanged":true},` +
	`"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`

func initialized(version string) string {
	return `{"protocolVersion":"` + version + `","capabilities":` + everything + `,"serverInfo":{"name":"s","version":"1"}}`
}

const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + everything + `,"ttlMs":0,"cacheScope":"private"}`

func answerTo(id wire.ID, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// answer answers the request with a result, as JSON.
func (v *visit) answer(result string) {
	v.Header().Set("Content-Type", "application/json")
	io.WriteString(v, answerTo(v.msg.ID, result))
}

// fail answers the request with an error.
func (v *visit) fail(code int64, status int) {
	v.Header().Set("Content-Type", "application/json")
	v.WriteHeader(status)
	v.Write(jsonrpc.AppendError(nil, v.msg.ID, &jsonrpc.Error{Code: code, Message: "error"}))
}

// stream begins a stream, and sends what it is given.
func (v *visit) stream(events ...string) {
	v.Header().Set("Content-Type", "text/event-stream")
	v.WriteHeader(http.StatusOK)
	for _, e := range events {
		io.WriteString(v, e)
	}
	v.flush()
}

func (v *visit) flush() { v.ResponseWriter.(http.Flusher).Flush() }

// wait waits until the client hangs up.
func (v *visit) wait() { <-v.req.Context().Done() }

// sleep waits for a time, or until the client hangs up.
func (v *visit) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-v.req.Context().Done():
	}
}

// event is an event with a message.
func event(data string) string { return "data: " + data + "\n\n" }

// took returns what the site was asked since the last time, one line for each request.
func (s *site) took() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.log, "\n")
	s.log = nil
	return text
}

// atWork returns how many requests have not been answered.
func (s *site) atWork() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// bubble runs a test where time is fake and goroutines must end.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// transportTo returns a client of a site, for a bubble.
func transportTo(s *site, opts *httpclient.Options) *httpclient.Client {
	var o httpclient.Options
	if opts != nil {
		o = *opts
	}
	o.HTTP = &http.Client{Transport: testenv.Wireless{Handler: s}}
	if o.Logger == nil {
		o.Logger = silent
	}
	return httpclient.New("http://site.test/mcp", &o)
}

// connectTo connects a client to a site. It must be called in a bubble.
func connectTo(t *testing.T, s *site, rev wire.Revision, topts *httpclient.Options, opts *client.Options) (*client.Client, error) {
	t.Helper()
	var o client.Options
	if opts != nil {
		o = *opts
	}
	o.Info = mcp.Implementation{Name: "c", Version: "1"}
	o.AllowUndeclared = true
	if o.Logger == nil {
		o.Logger = silent
	}
	if rev != wire.Any {
		o.Revisions = []wire.Revision{rev}
	}
	c, err := client.Connect(t.Context(), transportTo(s, topts), &o)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

// dial is connectTo where the connection itself is not what is tested.
func dial(t *testing.T, s *site, rev wire.Revision, topts *httpclient.Options, opts *client.Options) *client.Client {
	t.Helper()
	if rev == mcp.V2026_07_28 && s.on["server/discover"] == nil {
		s.does("server/discover", func(v *visit) { v.answer(discovered) })
	}
	c, err := connectTo(t, s, rev, topts, opts)
	if err != nil {
		t.Fatal(err)
	}
	s.took()
	return c
}

func callTool(t *testing.T, c *client.Client, arguments string) (string, error) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "tool", Arguments: wire.Raw(arguments)})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, b := range r.Content {
		texts = append(texts, b.(*mcp.TextContent).Text)
	}
	return strings.Join(texts, " "), nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

const textResult = `{"resultType":"complete","content":[{"type":"text","text":"hi"}]}`

func revision(t *testing.T, name string) wire.Revision {
	t.Helper()
	rev, err := wire.ParseRevision(name)
	if err != nil {
		t.Fatal(err)
	}
	return rev
}
