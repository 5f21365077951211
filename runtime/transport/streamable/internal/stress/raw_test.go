package stress

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// A visitor sends what a test says, in a session, without a client that knows the protocol.
type visitor struct {
	http    http.RoundTripper
	url     string
	session string
}

const (
	initializeBody  = `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"visitor","version":"1"}}}`
	initializedBody = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// visit opens a session.
func visit(t testing.TB, rt http.RoundTripper, url string) *visitor {
	t.Helper()
	v := &visitor{http: rt, url: url}
	header, status, body := v.post(t, initializeBody)
	v.session = header.Get("Mcp-Session-Id")
	if status != http.StatusOK || v.session == "" {
		t.Fatalf("initialize: status %d, session %q, %s", status, v.session, body)
	}
	if _, status, body := v.post(t, initializedBody); status != http.StatusAccepted {
		t.Fatalf("initialized: status %d, %s", status, body)
	}
	return v
}

// request returns an HTTP request in the session. There is no body if it is no POST.
func (v *visitor) request(t testing.TB, method, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, v.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Mcp-Protocol-Version", mcp.V2025_11_25.String())
	if v.session != "" {
		r.Header.Set("Mcp-Session-Id", v.session)
	}
	return r
}

// post sends a message and returns what is answered.
func (v *visitor) post(t testing.TB, message string) (http.Header, int, string) {
	t.Helper()
	resp, err := v.http.RoundTrip(v.request(t, http.MethodPost, message))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header, resp.StatusCode, string(body)
}

// leave ends the session.
func (v *visitor) leave(t testing.TB) {
	t.Helper()
	resp, err := v.http.RoundTrip(v.request(t, http.MethodDelete, ""))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Errorf("DELETE: %s", resp.Status)
	}
}

// callOf returns the message that calls the tool.
func callOf(id string, q question) string {
	args, err := json.Marshal(q)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"double","arguments":%s}}`, id, args)
}

// nextData returns the next data of a stream of events that is not empty.
func nextData(in *bufio.Reader) (string, error) {
	for {
		line, err := in.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok && data != "\n" || err != nil {
			return strings.TrimSuffix(data, "\n"), err
		}
	}
}
