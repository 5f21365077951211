package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// values returns the values of a kind in a feed.
func values[T any](t *testing.T, f *feed, kind string) (all []T) {
	t.Helper()
	lines, _, _ := f.since(0)
	for _, text := range lines {
		e := struct {
			Kind  string
			Value json.RawMessage
		}{}
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		var v T
		if e.Kind != kind {
			continue
		}
		if err := json.Unmarshal(e.Value, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// TestTap has the messages of a connection, as pages show them.
func TestTap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		near, far := inmem.Pair(0)
		tapped := newTap(near, f, "server", "")
		tapped.own = func(_ context.Context, method string) bool { return method == "tools/list" }
		begun := time.Now().UnixMilli()
		for _, m := range []struct {
			sent bool
			text string
		}{
			{true, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`},
			{false, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26"}}`},
			{true, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
			{true, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
			{false, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`}, // a request of the server, with the same id
			{false, `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`},
			{true, `{"jsonrpc":"2.0","id":2,"result":{}}`},
			{true, `{"jsonrpc":"2.0","id":2,"result":{}}`}, // to nothing
			{true, `{"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`},
			{false, `[1]`},
			{true, `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", maxItemText) + `"}`},
		} {
			time.Sleep(5 * time.Millisecond) // of the bubble
			if m.sent {
				go far.Receive(t.Context())
				if err := tapped.Send(t.Context(), transport.Message{Data: []byte(m.text)}); err != nil {
					t.Fatal(err)
				}
				continue
			}
			go far.Send(t.Context(), transport.Message{Data: []byte(m.text)})
			if got, err := tapped.Receive(t.Context()); err != nil || string(got.Data) != m.text {
				t.Fatalf("received %s, %v", got.Data, err)
			}
		}
		var got []string
		for n, i := range values[wireItem](t, f, "wire") {
			if at := i.At - begun; at != int64(5*(n+1)) || i.Between != "server" || i.Cut != (len(i.Text) == maxItemText) {
				t.Errorf("item %d: at %d, between %s, cut %v", n, at, i.Between, i.Cut)
			}
			got = append(got, fmt.Sprintf("sent=%v rev=%s %.20s %s %s own=%v took=%d", i.Sent, i.Revision, i.Method, i.Kind, i.ID, i.Own, i.Took))
		}
		want := []string{
			"sent=true rev=2025-06-18 initialize request 1 own=false took=0",
			"sent=false rev=2025-03-26 initialize result 1 own=false took=5",
			"sent=true rev=2025-03-26 notifications/initia notification  own=false took=0",
			"sent=true rev=2025-03-26 tools/list request 2 own=true took=0",
			"sent=false rev=2025-03-26 tools/list request 2 own=false took=0",
			"sent=false rev=2025-03-26 tools/list error 2 own=true took=10",
			"sent=true rev=2025-03-26 tools/list result 2 own=false took=10",
			"sent=true rev=2025-03-26  result 2 own=false took=0",
			`sent=true rev=2026-07-28 ping request "a" own=false took=0`,
			"sent=false rev=  batch  own=false took=0",
			"sent=true rev=2026-07-28 xxxxxxxxxxxxxxxxxxxx notification  own=false took=0",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		far.Close()
		if _, err := tapped.Receive(t.Context()); err == nil {
			t.Error("after the end something is received")
		}
		if n := len(values[wireItem](t, f, "wire")); n != len(want) {
			t.Errorf("%d items after the end, want %d", n, len(want))
		}
	})
}

// TestTapForgets sends more requests than are remembered.
func TestTapForgets(t *testing.T) {
	near, _ := inmem.Pair(0)
	tapped := newTap(near, newFeed(), "page", "2025-06-18")
	for i := range maxOpen + 1 {
		tapped.record(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i), true)
	}
	for id, want := range map[int]string{maxOpen: "", maxOpen - 1: "ping"} {
		tapped.feed = newFeed()
		tapped.record(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, id), false)
		got := values[wireItem](t, tapped.feed, "wire")
		if len(got) != 1 || got[0].Method != want || !got[0].Own && want == "" || got[0].Revision != "2025-06-18" {
			t.Errorf("the response to %d: %+v", id, got)
		}
	}
}

// TestFeedOfLongItems adds items that are together larger than a feed: the last stays.
func TestFeedOfLongItems(t *testing.T) {
	f := newFeed()
	half := strings.Repeat("x", maxBytes/2)
	for n, want := range []int{1, 1, 2, 1} {
		f.add("log", []string{half, half, "short", half + half}[n])
		if got := len(f.lists["log"].items); got != want {
			t.Errorf("after %d: %d items, want %d", n+1, got, want)
		}
	}
	if l := f.lists["log"]; l.bytes != len(l.items[0].line) {
		t.Errorf("%d bytes are counted, there are %d", l.bytes, len(l.items[0].line))
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:1": true, "127.0.0.1": true, "127.8.9.1:80": true, "[::1]": true, "[::1]:80": true, "::1": true,
		"": false, "example.com": false, "localhost.": false, "128.0.0.1": false, "[::2]:80": false, "0.0.0.0": false, "127.0.0.1.example.com": false,
	} {
		if isLoopback(host) != want {
			t.Errorf("%s: want %v", host, want)
		}
	}
}

// TestHeaders has the header that every response has, and what becomes of too many requests.
func TestHeaders(t *testing.T) {
	p := New()
	p.Begin(Options{Sandbox: "http://127.0.0.1:8092", Logger: quiet})
	defer p.Close()
	get := func(path string) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
		r.Header.Set(tokenHeader, p.token)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w.Result()
	}
	got := get("/").Header
	for name, want := range map[string]string{
		"Content-Security-Policy": policy + "; frame-src http://127.0.0.1:8092", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
	} {
		if got.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, got.Get(name), want)
		}
	}
	p.opts.Sandbox = ""
	if got := get("/").Header.Get("Content-Security-Policy"); got != policy+"; frame-src 'none'" {
		t.Errorf("without a sandbox the policy is %s", got)
	}
	for range maxRequests {
		p.places <- struct{}{}
	}
	if got := get("/api/events"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("too many requests: got %s", got.Status)
	}
	if got := p.URL("a:1"); got != "http://a:1/?token="+p.token {
		t.Errorf("the URL is %s", got)
	}
}

// TestEvents keeps a connection alive, and ends it with the page.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New()
		w := httptest.NewRecorder()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.events(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/events?after=1", nil))
		}()
		p.Step("building")
		time.Sleep(keepAlive + time.Second) // of the bubble
		p.Close()
		<-ended
		first, rest, _ := strings.Cut(w.Body.String(), "\n")
		if !strings.HasPrefix(first, `{"seq":2,"kind":"state","value":{"phase":"building","serves":false,"step":"building","at":`) || rest != "\n" {
			t.Errorf("got %q", w.Body)
		}
		if got := w.Header().Get("Content-Type"); got != "application/x-ndjson" {
			t.Errorf("the type is %s", got)
		}
	})
}

// TestLinesAndRecords has what logs become.
func TestLinesAndRecords(t *testing.T) {
	p := New()
	out := p.Stderr()
	if n, err := out.Write([]byte("a\nb")); n != 3 || err != nil {
		t.Errorf("written: %d, %v", n, err)
	}
	fmt.Fprint(out, strings.Repeat("x", maxItemText-1)) // with b, as long as a line may be
	fmt.Fprint(out, "end\n")
	var printed bytes.Buffer
	logger := slog.New(p.Handler(slog.NewTextHandler(&printed, &slog.HandlerOptions{Level: slog.LevelWarn}))).WithGroup("g").With("n", 1)
	logger.Debug("unseen")
	logger.Info("level", "level", "x", "data", "y")
	logger.Error(serverLogs, "level", "notice", "data", strings.Repeat("z", maxItemText+1), "logger", "l")
	var got []string
	for _, i := range values[logItem](t, p.feed, "log") {
		got = append(got, fmt.Sprintf("%s|%s|%.30s|%d|%v", i.Level, i.Source, i.Text, len(i.Text), i.Cut))
		if age := time.Now().UnixMilli() - i.At; age < 0 || age > 60_000 {
			t.Errorf("%v is of another time", i)
		}
	}
	want := []string{
		"|stderr|a|1|false",
		fmt.Sprintf("|stderr|b%s|%d|false", strings.Repeat("x", 29), maxItemText),
		"|stderr|end|3|false",
		"info|mcpgen|level level=x data=y|20|false",
		fmt.Sprintf("notice|server|%s|%d|true", strings.Repeat("z", 30), maxItemText),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := printed.String(); !strings.Contains(text, "g.n=1") || strings.Contains(text, "level=x") || strings.Count(text, "\n") != 1 {
		t.Errorf("printed: %.200s", text)
	}
}

// TestAsks asks the person at the page in each of the ways.
func TestAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		a := newAsks(f)
		ctx, cancel := context.WithCancel(t.Context())
		form := func(ctx context.Context) (string, error) {
			var params mcp.ElicitRequestFormParams
			if err := wire.Decode(wire.Raw(`{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`), &params); err != nil {
				return "", err
			}
			r, err := a.form(ctx, "2025-11-25", &params)
			if err != nil {
				return "", err
			}
			return fmt.Sprint(r.Action, " ", r.Content != nil, len(r.Content)), nil
		}
		confirm := func(ctx context.Context) (string, error) {
			r, err := a.form(ctx, "2025-11-25", &mcp.ElicitRequestFormParams{Message: "Sure?"})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(r.Action, " ", r.Content != nil, len(r.Content)), nil
		}
		visit := func(ctx context.Context) (string, error) {
			action, err := a.visit(ctx, "2025-11-25", &mcp.ElicitRequestURLParams{URL: "https://example.com", Message: "Pay"})
			return string(action), err
		}
		sample := func(ctx context.Context) (string, error) {
			r, err := a.sample(ctx, "2025-11-25", &mcp.CreateMessageRequestParams{MaxTokens: 1})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(r.Role, " ", r.Model, " ", r.StopReason, " ", r.Content[0].(*mcp.TextContent).Text), nil
		}
		for n, test := range []struct {
			ask  func(context.Context) (string, error)
			said input
			kind string
			want string
			err  error
		}{
			{form, input{Action: "decline"}, "form", "decline false 0", nil},
			{form, input{Action: "accept", Content: map[string]wire.Raw{"name": wire.Raw(`"Ada"`)}}, "form", "accept true 1", nil},
			{confirm, input{Action: "accept"}, "form", "accept true 0", nil},
			{visit, input{Action: "accept"}, "url", "accept", nil},
			{visit, input{Action: "cancel"}, "url", "cancel", nil},
			{sample, input{Action: "accept", Text: "tea"}, "sample", "assistant person endTurn tea", nil},
			{sample, input{Action: "accept", Text: "tea", Model: "m"}, "sample", "assistant m endTurn tea", nil},
			{sample, input{Action: "cancel"}, "sample", "", client.ErrRejected},
		} {
			done := make(chan error, 1)
			got := ""
			go func() {
				var err error
				got, err = test.ask(ctx)
				done <- err
			}()
			synctest.Wait()
			shown := values[[]ask](t, f, "asks")[0]
			if len(shown) != 1 || shown[0].Kind != test.kind || shown[0].Revision != "2025-11-25" || shown[0].ID != fmt.Sprint(n+1) || len(shown[0].Params) < 10 {
				t.Errorf("shown is %+v", shown)
			}
			test.said.Ask = shown[0].ID
			if err := a.say(test.said); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != test.err || got != test.want {
				t.Errorf("%s %+v: got %s, %v", test.kind, test.said, got, err)
			}
			if left := values[[]ask](t, f, "asks")[0]; len(left) != 0 || left == nil {
				t.Errorf("after the answer %v is shown", left)
			}
		}
		failed := make(chan error, 3*maxAsks)
		for i := range maxAsks {
			go func() {
				_, err := []func(context.Context) (string, error){form, visit, sample}[i%3](ctx)
				failed <- err
			}()
			synctest.Wait()
		}
		if _, err := visit(ctx); err == nil || err.Error() != "32 requests for input wait for the person at the page already" {
			t.Errorf("one too many: %v", err)
		}
		shown := values[[]ask](t, f, "asks")[0]
		if !slices.IsSortedFunc(shown, func(x, y ask) int { return len(x.ID)*1000 - len(y.ID)*1000 + strings.Compare(x.ID, y.ID) }) || len(shown) != maxAsks {
			t.Errorf("shown are %d: %v", len(shown), shown)
		}
		cancel()
		for range maxAsks {
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("a question that nobody waits for: %v", err)
			}
		}
		if left := values[[]ask](t, f, "asks")[0]; len(left) != 0 {
			t.Errorf("%v is left", left)
		}
	})
}

// A gone is a connection to a page that has gone away: so many writes succeed. Unless it is late, flushing says so before.
type gone struct {
	*httptest.ResponseRecorder
	writes int
	late   bool

	deadline time.Time // for the last write
}

func (g *gone) SetWriteDeadline(deadline time.Time) error {
	g.deadline = deadline
	return nil
}

func (g *gone) Write(text []byte) (int, error) {
	if g.writes--; g.writes < 0 {
		return 0, errors.New("gone")
	}
	return g.ResponseRecorder.Write(text)
}

func (g *gone) FlushError() error {
	if g.writes <= 0 && !g.late {
		return errors.New("gone")
	}
	return nil
}

// TestGone ends what is sent to pages that have gone away.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New()
		defer p.Close()
		for late, all := range map[bool][]time.Duration{false: {0, 0, keepAlive, 2 * keepAlive}, true: {0, keepAlive, 2 * keepAlive}} {
			for writes, want := range all { // the state, and what keeps the connection alive
				begun := time.Now()
				g := &gone{ResponseRecorder: httptest.NewRecorder(), writes: writes, late: late}
				p.events(g, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/events", nil))
				if took := time.Since(begun); took != want || writes > 0 && g.deadline.Before(begun.Add(writeTime)) {
					t.Errorf("after %d writes the page is gone, and it ends after %v, want %v; the deadline was %v", writes, took, want, g.deadline)
				}
			}
		}
		var logged bytes.Buffer
		p.opts.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		sandbox := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/"+p.apps.add(shownApp{host: "http://localhost"}), nil)
		p.Sandbox().ServeHTTP(&gone{ResponseRecorder: httptest.NewRecorder()}, sandbox)
		p.respond(&gone{ResponseRecorder: httptest.NewRecorder()}, http.StatusOK, 1)
		p.index(&gone{ResponseRecorder: httptest.NewRecorder()}, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		for _, want := range []string{"cannot send a sandbox", "cannot send a response to a page", "cannot send the page"} {
			if !strings.Contains(logged.String(), want+`" error=gone`) {
				t.Errorf("logged: %s, want: %s", &logged, want)
			}
		}
		for i, want := range []bool{true, true, false, true, false} {
			writes, left := i%3, false
			g := &gone{ResponseRecorder: httptest.NewRecorder(), writes: writes, late: i > 2}
			p.sayer(g, func() { left = true })(line{Task: "1"})
			if left != want || !g.deadline.Equal(time.Now().Add(writeTime)) {
				t.Errorf("after %d writes the page is gone: noticed %v; the deadline was %v", writes, left, g.deadline)
			}
		}
	})
}

// TestSessionsEnd replaces a session that has ended.
func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := begin(t, server.New(mcp.Implementation{Name: "shop"}, &server.Options{Logger: quiet}))
		first, err := p.sessions.of(t.Context(), "2025-11-25")
		if err != nil {
			t.Fatal(err)
		}
		first.Close()
		synctest.Wait()
		if second, err := p.sessions.of(t.Context(), "2025-11-25"); err != nil || second == first {
			t.Errorf("the same session, %v", err)
		}
		if _, err := p.sessions.of(t.Context(), "2030-01-01"); err == nil || err.Error() != "clients do not speak revision 2030-01-01" {
			t.Errorf("a revision that does not exist has a session: %v", err)
		}
		ended := false
		if !p.sessions.run(func() { <-p.ctx.Done(); ended = true }) {
			t.Error("nothing can run")
		}
		p.Close()
		if !ended || p.sessions.run(func() {}) {
			t.Error("something runs after the end")
		}
	})
}

// TestSessionsFail connects to an endpoint that does not answer, and to one that does not speak the revision.
func TestSessionsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New()
		p.Begin(Options{Logger: quiet, About: func() (*client.ServerInfo, wire.Revision, bool) { return nil, 0, false },
			Server: server.New(mcp.Implementation{Name: "shop"}, &server.Options{Logger: quiet, Revisions: []wire.Revision{mcp.V2025_06_18},
				Middleware: []server.Middleware{func(server.Handler) server.Handler {
					return func(ctx context.Context, _ *server.Call) (wire.Encodable, error) {
						<-ctx.Done()
						return nil, ctx.Err()
					}
				}}})})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.sessions.of(ctx, "2025-06-18"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody waits for it any more: got %v", err)
		}
		begun := time.Now()
		if _, err := p.sessions.of(t.Context(), "2025-06-18"); err == nil || time.Since(begun) != connectTime-time.Second {
			t.Errorf("it does not answer: got %v after %v", err, time.Since(begun))
		}
		if _, err := p.sessions.of(t.Context(), "2026-07-28"); err == nil {
			t.Error("it speaks a revision that it does not speak")
		}
		p.Close()
	})
}

// TestShow shows what is wrong with a build, line by line, in place of what was shown before.
func TestShow(t *testing.T) {
	p := New()
	p.Step("building")
	p.Show(dev.State{Phase: dev.Failed, Problem: "order.go:6:35: undefined: cup\nit failed\n"})
	got := values[json.RawMessage](t, p.feed, "state")
	want := `{"phase":"failed","serves":false,"problem":"order.go:6:35: undefined: cup\nit failed\n","mistakes":[{"file":"order.go","line":6,"column":35,"text":"undefined: cup"},{"text":"it failed"}],"at":`
	if len(got) != 1 || !strings.HasPrefix(string(got[0]), want) {
		t.Errorf("shown is %s, want %s", got, want)
	}
}

// TestVerdict validates results.
func TestVerdict(t *testing.T) {
	schema := wire.Raw(`{"type":"object","required":["cups"]}`)
	yes := true
	for _, test := range []struct {
		schema wire.Raw
		result *mcp.CallToolResult
		want   string
	}{
		{nil, &mcp.CallToolResult{StructuredContent: wire.Raw(`{}`)}, "null"},
		{schema, &mcp.CallToolResult{IsError: &yes}, "null"},
		{schema, &mcp.CallToolResult{}, `{"problem":"the structured content that the tool's output schema promises is missing"}`},
		{schema, &mcp.CallToolResult{StructuredContent: wire.Raw(`{"cups":1}`)}, "{}"},
		{schema, &mcp.CallToolResult{StructuredContent: wire.Raw(`{}`)}, `{"problem":"…`},
	} {
		text, err := json.Marshal(new(sessions).verdict(t.Context(), test.schema, test.result))
		start, _ := strings.CutSuffix(test.want, "…")
		if err != nil || !strings.HasPrefix(string(text), start) || start == test.want && string(text) != start {
			t.Errorf("%s for %+v: got %s, %v, want %s", test.schema, test.result, text, err, test.want)
		}
	}
}

// TestChanged shows which lists change.
func TestChanged(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		s := open(t)
		s.lines("/api/definitions?revision="+revision, "")
		for kind, change := range map[string]server.Change{"tools": {Tools: true}, "prompts": {Prompts: true}, "resources": {Resources: true}} {
			s.shop.Changed(change)
			s.event(0, "changed/"+kind, func(v string) bool { return len(v) > 10 })
		}
	}
}

// TestListsThatFail asks for definitions of a server that refuses one of its lists.
func TestListsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := ""
		p := begin(t, server.New(mcp.Implementation{Name: "shop"}, &server.Options{
			Logger:       quiet,
			Capabilities: mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{}, Resources: &mcp.ServerCapabilitiesResources{}},
			Middleware: []server.Middleware{func(next server.Handler) server.Handler {
				return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
					if c.Method() == refused {
						return nil, fmt.Errorf("no %s", refused)
					}
					return next(ctx, c)
				}
			}},
		}))
		for _, refused = range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", ""} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8091/api/definitions", nil)
			r.Header.Set(tokenHeader, p.token)
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			if got := w.Body.String(); strings.HasPrefix(got, `{"error":{"code":`) != (refused != "") || refused == "" && !strings.Contains(got, `"tools":[],"prompts":[],"resources":[],"templates":[]`) {
				t.Errorf("without %s: %s", refused, got)
			}
		}
	})
}
