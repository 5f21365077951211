package streamable

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// An appendOnly store counts what is appended to it.
type appendOnly struct {
	EventStore
	n int
}

func (a *appendOnly) Append(context.Context, string, string, []byte) (string, error) {
	a.n++
	return "r1-1", nil
}

// A lostKeeper has lost all sessions.
type lostKeeper struct{ Keeper }

func (lostKeeper) Holds(*KeptSession) bool { return false }

// A session that was lost stores no more events: the same process may have continued it meanwhile, and then the store would
// take them for those of that.
func TestLostSessionStoresNothing(t *testing.T) {
	events := new(appendOnly)
	h := &Handler{opts: Options{Events: events, Sessions: lostKeeper{}}}
	lost := &liveSession{h: h, kept: new(KeptSession)}
	f := &stream{h: h, session: lost, name: "r1"}
	if err := f.send(t.Context(), []byte("{}")); err != errNoConnection || events.n != 0 {
		t.Errorf("%v, and %d events are stored", err, events.n)
	}
	f.session = new(liveSession)
	if id, err := f.keep(t.Context(), []byte("{}")); id == "" || err != nil || events.n != 1 {
		t.Errorf("a session without a keeper: %q, %v, %d events are stored", id, err, events.n)
	}
}

// What arrives when a session has just ended is not accepted.
//
// REQ SESS-07
func TestEndedSessionAcceptsNothing(t *testing.T) {
	h := NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Anonymous: true}), nil)
	defer h.Shutdown(t.Context())
	post := func(body, session string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	id := post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, "").
		Result().Header.Get("Mcp-Session-Id")
	h.sessions.all[id].peer.Close()
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		if w := post(body, id); w.Code != 404 || !strings.Contains(w.Body.String(), "the session does not exist, or has ended") {
			t.Errorf("%s: got %d %s, want 404", body, w.Code, w.Body)
		}
	}
}
