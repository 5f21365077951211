package shared_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A cutStore cannot be reached while it is cut, and does not acknowledge sessions while it is silent.
type cutStore struct {
	store.Store
	cut, silent atomic.Bool
}

var errCut = errors.New("the network is down")

func (s *cutStore) Get(ctx context.Context, key string) (store.Record, error) {
	if s.cut.Load() {
		return store.Record{}, errCut
	}
	return s.Store.Get(ctx, key)
}

func (s *cutStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if s.cut.Load() {
		return 0, errCut
	}
	revision, err := s.Store.Put(ctx, key, value, revision, ttl)
	if s.silent.Load() && strings.HasPrefix(key, "session.") {
		return 0, errCut
	}
	return revision, err
}

func (s *cutStore) Delete(ctx context.Context, key string, revision uint64) error {
	if s.cut.Load() {
		return errCut
	}
	return s.Store.Delete(ctx, key, revision)
}

// An instance is one process of several, as far as a handler can tell.
type instance struct {
	*host
	server     *server.Server
	store      *cutStore
	member     *store.Member
	sessions   *shared.Sessions
	mu         sync.Mutex
	subscribed []string
}

// leaseTime is for tests that wait for the end of a lease: one that is shorter ends by itself on a slow machine.
const leaseTime = 5 * time.Second

// memoryEvents is a store of events in the memory of this process, which all instances are in.
type memoryEvents struct{ streamable.EventStore }

func (memoryEvents) Fence(context.Context, string, int64) error { return nil }

// instances returns several instances that share a store and events.
func instances(t *testing.T, n int, ttl time.Duration, opts streamable.Options, tools func(*server.Server)) []*instance {
	t.Helper()
	records, events := new(store.Memory), memoryEvents{streamable.NewMemoryStore(nil)}
	silent := slog.New(slog.DiscardHandler)
	var list []*instance
	for range n {
		in := &instance{store: &cutStore{Store: records}}
		var err error
		if in.member, err = store.Join(t.Context(), in.store, &store.MemberOptions{TTL: ttl, Logger: silent}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.member.Leave(context.Background()) })
		in.server = newServer(&server.Options{Anonymous: true, Logging: true, Logger: silent, OnSubscribe: func(_ context.Context, _ *server.Call, uri string) error {
			in.mu.Lock()
			defer in.mu.Unlock()
			in.subscribed = append(in.subscribed, uri)
			return nil
		}})
		if err := in.server.AddResource(mcp.Resource{Name: "a", URI: "file:///a"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return nil, errors.New("nobody reads it")
		}); err != nil {
			t.Fatal(err)
		}
		tools(in.server)
		own := opts
		own.Logger = silent
		all, ok := opts.Events.(shared.Events)
		if !ok {
			all = events
		}
		in.sessions = shared.NewSessions(in.member, all, nil)
		in.host = serve(t, in.server, in.sessions.Options(&own))
		list = append(list, in)
	}
	return list
}

// goOn makes an instance continue the session of another one.
func (in *instance) goOn(other *instance) { in.session, in.version = other.session, other.version }

func whoami(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	return server.TextResult(fmt.Sprint(c.Revision(), c.Client().Name, c.Capabilities().Elicitation != nil, c.Principal())), nil
}

const whoamiCall = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"whoami"}}`

// A session continues in another process when the one that had it has left, with all that belongs to it, and only for
// its owner.
//
// REQ SESS-07, SEC-10, SEC-11
func TestSessionGoesOnElsewhere(t *testing.T) {
	in := instances(t, 3, time.Minute, *principals(), func(s *server.Server) {
		tool(t, s, "whoami", whoami)
		tool(t, s, "log", func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Logger().Debug("deep")
			return nil, nil
		})
	})
	a, b, c := in[0], in[1], in[2]
	const ada = "Authorization: ada"
	a.open("2025-06-18", ada)
	a.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, ada).want(t, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	a.post(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"file:///a"}}`, ada).want(t, 200, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	b.goOn(a)
	c.goOn(a)
	got := b.post(whoamiCall, ada)
	got.want(t, 503, `{"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the session is served by another process; try again later"}}`)
	if got.header.Get("Retry-After") != "1" {
		t.Error("the refusal does not say when to try again")
	}
	if err := a.h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.member.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.post(whoamiCall, "Authorization: eve").want(t, 404, "…")
	b.post(whoamiCall, ada).want(t, 200, `{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"2025-06-18testtrueada"}]}}`)
	if got := b.post(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"log"}}`, ada).body; !strings.Contains(got, "deep") {
		t.Errorf("the log level is not that of the session: %s", got)
	}
	b.mu.Lock()
	if fmt.Sprint(b.subscribed) != "[file:///a]" {
		t.Errorf("B was subscribed to %v", b.subscribed)
	}
	b.mu.Unlock()
	r := b.stream(b.request("GET", "", ada))
	if event := r.next(); !strings.Contains(event, "list_changed") {
		t.Errorf("the client is not notified of what may have changed: %s", event)
	}
	b.server.ResourceUpdated("file:///a")
	for {
		event := r.next()
		if strings.Contains(event, "notifications/resources/updated") {
			break
		}
		if event == "end" {
			t.Fatal("the client is not notified of the resource")
		}
	}
	b.send(b.request("DELETE", "", ada)).want(t, 204, "")
	b.post(whoamiCall, ada).want(t, 404, "…")
	c.post(whoamiCall, ada).want(t, 404, "…")
	if list, err := a.store.List(t.Context(), "session", "", 1); err != nil || len(list) != 0 {
		t.Errorf("what is left: %v, %v", list, err)
	}
}

// A record that no handler has written is a failure of the store: its session may be alive, so no client is told that
// it has ended, and nothing in it overflows.
func TestRecordsThatNobodyWrote(t *testing.T) {
	in := instances(t, 2, time.Minute, streamable.Options{}, func(s *server.Server) { tool(t, s, "whoami", whoami) })
	a, b := in[0], in[1]
	a.open("2025-06-18")
	a.post(strings.Replace(whoamiCall, "9", "8", 1))
	b.goOn(a)
	var list []store.Record
	var err error
	for { // until the client is known to be ready, which changes the record
		if list, err = a.store.List(t.Context(), "session", "", 10); err != nil || len(list) != 1 {
			t.Fatalf("the sessions are %v, %v", list, err)
		}
		if strings.Contains(string(list[0].Value), `"ready":true`) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	r := list[0]
	good := string(r.Value)
	replaced := func(member, value string) string {
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(good), &all); err != nil {
			t.Fatal(err)
		}
		all["holder"] = json.RawMessage(`"GONE"`)
		all[member] = json.RawMessage(value)
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	state := func(member, value string) string {
		var rec struct {
			State map[string]json.RawMessage `json:"state"`
		}
		if err := json.Unmarshal([]byte(good), &rec); err != nil {
			t.Fatal(err)
		}
		rec.State[member] = json.RawMessage(value)
		text, err := json.Marshal(rec.State)
		if err != nil {
			t.Fatal(err)
		}
		return replaced("state", string(text))
	}
	for i, value := range []string{
		"", "garbage", "null", "[]", "{}", `{"state":{}}`, `{"holder":"GONE"}`, `{"holder":"GONE","state":{}}`, `{"holder":"GONE","state":"x"}`,
		replaced("holder", `""`), replaced("holder", "5"),
		state("continued", "9223372036854775807"), state("continued", "2147483647"), state("continued", "-1"), state("continued", "1e30"),
		state("session", `{"revision":20250618}`), state("session", `{"revision":20250618,"client":5,"capabilities":{}}`),
		state("session", `{"revision":20250618,"client":{"name":"a","version":"1"},"capabilities":[]}`),
	} {
		if r.Revision, err = a.store.Put(t.Context(), r.Key, []byte(value), r.Revision, time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := b.post(whoamiCall); got.status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d, %s", value, got.status, got.body)
		}
		if got := a.post(strings.Replace(whoamiCall, "9", fmt.Sprint(10+i), 1)); got.status != http.StatusOK {
			t.Errorf("%s: the holder: status %d, %s", value, got.status, got.body)
		}
		id := strings.TrimPrefix(r.Key, "session.")
		if holder, err := a.sessions.Holder(t.Context(), id); holder != "" || err == nil && !strings.Contains(value, "GONE") {
			t.Errorf("%s: its holder is %q, %v", value, holder, err)
		}
	}
	// The greatest number of takeovers that a process may have written, and a revision that the server no longer has.
	for value, want := range map[string]int{
		state("continued", "2147483645"): http.StatusOK,
		state("session", `{"revision":20260728,"client":{"name":"a","version":"1"},"capabilities":{}}`): http.StatusNotFound,
	} {
		b := instances(t, 1, time.Minute, streamable.Options{}, func(s *server.Server) { tool(t, s, "whoami", whoami) })[0]
		b.goOn(a)
		if _, err := b.store.Put(t.Context(), r.Key, []byte(value), 0, time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := b.post(whoamiCall); got.status != want {
			t.Errorf("%s: status %d, %s, want %d", value, got.status, got.body, want)
		}
	}
}

// A call whose handler is cut off is reported once to the client that resumes its stream elsewhere, whatever the
// handler does.
func TestCallIsLostElsewhere(t *testing.T) {
	t.Parallel() // it waits for the end of a lease
	goOn, cutOff := make(chan struct{}), make(chan struct{}, 1)
	in := instances(t, 2, leaseTime, streamable.Options{}, func(s *server.Server) {
		tool(t, s, "slow", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 0, "one")
			<-ctx.Done()
			cutOff <- struct{}{}
			<-goOn
			return server.TextResult("too late"), nil
		})
	})
	a, b := in[0], in[1]
	defer close(goOn)
	a.open("2025-11-25")
	r := a.stream(a.request("POST", `{"jsonrpc":"2.0","id":"x \"y","method":"tools/call","params":{"name":"slow","_meta":{"progressToken":1}}}`))
	if prime := r.next(); !strings.HasPrefix(prime, "id: r1!") {
		t.Fatalf("the first event is %s", prime)
	}
	event := r.next()
	if !strings.Contains(event, `"progress":1`) {
		t.Fatalf("no progress: %s", event)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(event, "id: "), " ")
	a.store.cut.Store(true)
	<-cutOff // the lease has ended, and with it what it held
	b.goOn(a)
	const lost = `data: {"jsonrpc":"2.0","id":"x \"y","error":{"code":-32603,"message":"the process that handled the request has stopped before it was done; what it did until then is not known"}}`
	resumed := func() *eventReader {
		for {
			resp := b.do(b.request("GET", "", "Last-Event-ID: "+id))
			if resp.StatusCode == 200 {
				resp.Body.Close()
				return b.stream(b.request("GET", "", "Last-Event-ID: "+id))
			}
			if resp.StatusCode != 503 {
				t.Fatal(resp.Status)
			}
			time.Sleep(20 * time.Millisecond) // until the store knows, too
		}
	}()
	event = resumed.next()
	if !strings.HasSuffix(event, lost) {
		t.Errorf("got %s\nwant %s", event, lost)
	}
	resumed.want("end")
	last, _, _ := strings.Cut(strings.TrimPrefix(event, "id: "), " ")
	b.send(b.request("GET", "", "Last-Event-ID: "+last)).want(t, 204, "")

	// Ids of requests to the client, and names of streams, differ from those of A.
	r = b.stream(b.request("GET", ""))
	if prime := r.next(); !strings.HasPrefix(prime, "id: s4294967297-") {
		t.Errorf("the first event of B is %s", prime)
	}
}

// Without its lease a process serves no sessions, but it serves requests without one. It recovers by itself.
func TestStoreIsOutOfReach(t *testing.T) {
	t.Parallel() // it waits for the end of a lease
	a := instances(t, 1, leaseTime, streamable.Options{}, func(s *server.Server) { tool(t, s, "echo", echo); tool(t, s, "whoami", whoami) })[0]
	a.open("2025-11-25")
	lease := a.member.Lease()
	a.store.cut.Store(true)
	<-lease.Done()
	for _, got := range []got{
		a.post(whoamiCall), a.send(a.request("GET", "")), a.send(a.request("DELETE", "")), a.post(initialize("2025-11-25"), "Mcp-Session-Id:"),
	} {
		if got.status != 503 || got.header.Get("Retry-After") == "" || got.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	}
	session := a.session
	a.session, a.version = "", ""
	a.modern("1", "tools/call", "echo", `"name":"echo","arguments":{}`).want(t, 200, "…")
	a.store.cut.Store(false)
	a.session, a.version = session, "2025-11-25"
	for {
		got := a.post(whoamiCall)
		if got.status == 200 {
			break
		}
		if got.status != 503 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Nothing is reported as done that cannot be stored, and a session that is not stored does not exist.
func TestSessionIsNotStored(t *testing.T) {
	a := instances(t, 1, time.Minute, streamable.Options{}, func(*server.Server) {})[0]
	a.open("2025-06-18")
	a.store.cut.Store(true)
	const setLevel = `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`
	for _, got := range []got{a.post(setLevel), a.send(a.request("DELETE", "")), a.post(initialize("2025-06-18"), "Mcp-Session-Id:")} {
		if got.status != 503 || got.header.Get("Retry-After") == "" || got.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	}
	a.store.cut.Store(false)
	list, err := a.store.List(t.Context(), "session", "", 10)
	if err != nil || len(list) != 1 || strings.Contains(string(list[0].Value), "debug") {
		t.Fatalf("stored: %v, %v", list, err)
	}
	a.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`).want(t, 200, "…") // the next request stores what was not stored
	if list, err := a.store.List(t.Context(), "session", "", 10); err != nil || !strings.Contains(string(list[0].Value), "debug") {
		t.Errorf("stored: %v, %v", list, err)
	}
	a.send(a.request("DELETE", "")).want(t, 204, "")
}

// A store may have written what it could not acknowledge. A session that was not opened leaves nothing behind, and one that
// was goes on, and can be ended.
func TestStoredWithoutAcknowledgement(t *testing.T) {
	a := instances(t, 1, time.Minute, streamable.Options{}, func(*server.Server) {})[0]
	stored := func() int {
		list, err := a.store.List(t.Context(), "session", "", 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	a.store.silent.Store(true)
	a.post(initialize("2025-06-18")).want(t, 503, "…")
	a.store.silent.Store(false)
	until(t, "gone from the store", func() bool { return stored() == 0 })
	a.open("2025-06-18")
	a.store.silent.Store(true)
	a.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`).want(t, 503, "…")
	a.store.silent.Store(false)
	until(t, "ended", func() bool { return a.send(a.request("DELETE", "")).status == 204 })
	if n := stored(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// Of many requests that find a session without a holder, one restores it.
func TestOneTakesOver(t *testing.T) {
	in := instances(t, 3, time.Minute, streamable.Options{}, func(s *server.Server) { tool(t, s, "whoami", whoami) })
	a := in[0]
	a.open("2025-06-18")
	a.h.Shutdown(t.Context())
	a.member.Leave(t.Context())
	var all sync.WaitGroup
	var served [3]atomic.Int32
	for i := range 16 {
		at := 1 + i%2
		in[at].goOn(a)
		req := in[at].request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+10))
		all.Go(func() {
			resp, err := in[at].http.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			switch resp.StatusCode {
			case 200:
				served[at].Add(1)
			case 503:
			default:
				t.Error(resp.Status)
			}
		})
	}
	all.Wait()
	if x, y := served[1].Load(), served[2].Load(); max(x, y) != 8 || min(x, y) != 0 {
		t.Errorf("the two have served %d and %d, want one of them all", x, y)
	}
}

// A slowTakeOver takes its time to take a session over.
type slowTakeOver struct{ shared.Events }

func (s slowTakeOver) Fence(ctx context.Context, session string, number int64) error {
	time.Sleep(50 * time.Millisecond) // longer than notifications wait for others
	return s.Events.Fence(ctx, session, number)
}

// Notifications of a session wait until they can be sent, however long the takeover takes.
func TestRestoredSessionIsSilentAtFirst(t *testing.T) {
	in := instances(t, 2, time.Minute, streamable.Options{Events: slowTakeOver{memoryEvents{streamable.NewMemoryStore(nil)}}}, func(s *server.Server) { tool(t, s, "whoami", whoami) })
	a, b := in[0], in[1]
	a.open("2025-06-18")
	a.h.Shutdown(t.Context())
	a.member.Leave(t.Context())
	b.goOn(a)
	b.post(whoamiCall).want(t, 200, "…")
	if event := b.stream(b.request("GET", "")).next(); !strings.Contains(event, "list_changed") {
		t.Errorf("the client is not notified of what may have changed: %s", event)
	}
}

// A request that was handled is not handled again by the process that continues the session.
//
// REQ JRPC-03
func TestUsedIDsGoOnElsewhere(t *testing.T) {
	var calls atomic.Int32
	in := instances(t, 2, time.Minute, streamable.Options{}, func(s *server.Server) {
		tool(t, s, "pay", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			calls.Add(1)
			return server.TextResult("paid"), nil
		})
	})
	a, b := in[0], in[1]
	a.open("2025-11-25")
	pay := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"pay"}}`
	}
	const paid = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"paid"}]}}`
	for _, id := range []string{"5", "6", `"x"`} {
		a.post(pay(id)).want(t, 200, fmt.Sprintf(paid, id))
	}
	a.h.Shutdown(t.Context())
	a.member.Leave(t.Context())
	b.goOn(a)
	for _, id := range []string{"5", "6", `"x"`} {
		b.post(pay(id)).want(t, 400, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32600,"message":"invalid request: the id was that of an earlier request, and an id is good for one"}}`)
	}
	for _, id := range []string{"7", `"y"`} {
		b.post(pay(id)).want(t, 200, fmt.Sprintf(paid, id))
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("%d calls were handled, want 5", n)
	}
}

// A handler that cannot store what it hands over ends nevertheless.
func TestShutdownWithoutStore(t *testing.T) {
	t.Parallel() // it waits for the end of a lease
	a := instances(t, 1, leaseTime, streamable.Options{}, func(*server.Server) {})[0]
	a.open("2025-11-25")
	a.store.cut.Store(true)
	if err := a.h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// brokenEvents does not keep the next events that have data.
type brokenEvents struct {
	shared.Events
	fails atomic.Int32
}

func (b *brokenEvents) Append(ctx context.Context, session, stream string, data []byte) (string, error) {
	if len(data) > 0 && b.fails.Add(-1) >= 0 {
		return "", errCut
	}
	return b.Events.Append(ctx, session, stream, data)
}

// Messages that wait for a stream keep their order, even if the first of them cannot be stored at once.
func TestPendingKeepsItsOrder(t *testing.T) {
	events := &brokenEvents{Events: memoryEvents{streamable.NewMemoryStore(nil)}}
	a := instances(t, 1, time.Minute, streamable.Options{Events: events}, func(s *server.Server) {
		tool(t, s, "log", func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			log := slog.New(c.Session().LogHandler())
			for i := range 3 {
				log.Info(fmt.Sprint("number ", i))
			}
			return nil, nil
		})
	})[0]
	a.open("2025-11-25")
	a.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log"}}`)
	events.fails.Store(1)
	r := a.stream(a.request("GET", ""))
	for r.next() != "end" {
	}
	r = a.stream(a.request("GET", ""))
	r.next() // it primes the stream
	for i := range 3 {
		if event, want := r.next(), fmt.Sprint("number ", i); !strings.Contains(event, want) {
			t.Errorf("got %s, want %s", event, want)
		}
	}
}

// A losing identity loses the lease of an instance while its scopes are looked at.
type losing struct{ lose func() }

func (l losing) Authorize(*http.Request) (transport.Identity, error) { return l, nil }
func (losing) Refuse(w http.ResponseWriter, _ *http.Request, _ error, _ []byte) {
	w.WriteHeader(http.StatusUnauthorized)
}
func (losing) Principal() string  { return "ada" }
func (losing) Expires() time.Time { return time.Time{} }

func (l losing) Missing([]string) []string {
	l.lose()
	return nil
}

// A session that is lost to another process while a request for it is looked at has not ended: its client tries again,
// and reaches whoever continues it.
func TestLostDuringRequest(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"scoped"}}`,
		`[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"scoped"}}]`,
	} {
		var lose func()
		in := instances(t, 1, time.Minute, streamable.Options{Auth: losing{func() { lose() }}}, func(s *server.Server) {
			if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "scoped"}, Handler: server.ToolHandler(whoami), Access: server.Access{Scopes: []string{"a"}}}); err != nil {
				t.Fatal(err)
			}
		})[0]
		in.open("2025-03-26")
		r := in.stream(in.request("GET", ""))
		lose = sync.OnceFunc(func() {
			in.member.Leave(t.Context())
			io.Copy(io.Discard, r.resp.Body) // it ends with the session
		})
		got := in.post(body)
		if got.status != 503 || !strings.Contains(got.body, "sessions cannot be served at the moment; try again later") {
			t.Errorf("got %d %s, want 503", got.status, got.body)
		}
	}
}
