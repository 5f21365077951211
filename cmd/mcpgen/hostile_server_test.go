package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// asHostile is the argument that makes this test a hostile server, of the kind that follows.
const asHostile = "hostile-server"

// hostileText would set the title, clear the screen, write the clipboard, change a colour as no command itself does, change
// the direction of text, go back, and begin lines.
const hostileText = "x\x1b]0;PWNED\a\x1b[2J\x1b]52;c;cm0=\a\x1b[45m\u009b2J\u202e\u2066\x7f\b\b\r\ufeff\u2028fake\nline"

// A hostileServer is a server that is written for one purpose, so that it may break every rule. Its kind says which.
type hostileServer struct {
	kind string
	send func(message map[string]any)
	over <-chan struct{} // closed when nobody reads any more; nil if that is not known

	waiting any // the id of a call that waits for the user
}

// serveHostile serves over standard input and output.
func serveHostile(kind string) {
	out := bufio.NewWriter(os.Stdout)
	h := &hostileServer{kind: kind, send: func(m map[string]any) { writeJSON(out, m); out.Flush() }}
	if kind == "terminal" || kind == "changed" || kind == "dev" {
		fmt.Fprintln(os.Stderr, "standard error:", strings.ReplaceAll(hostileText, "\n", " "))
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if kind == "slow" {
			go func() {
				for { // what never becomes a message
					time.Sleep(50 * time.Millisecond)
					os.Stdout.WriteString(" ")
				}
			}()
			io.Copy(io.Discard, in)
			return
		}
		if !h.handle(line) {
			return
		}
	}
}

// newHostileHTTP serves over HTTP until the test ends. Each response is a stream of events.
func newHostileHTTP(t *testing.T, kind string) (url string) {
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case kind == "bad status":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(conn, "HTTP/1.1 502 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", strings.NewReplacer("\r", "", "\n", "").Replace(hostileText))
			conn.Close()
			return
		case kind == "bad schema":
			fmt.Fprintf(w, "export type %s", hostileText)
			return
		case r.Method != http.MethodPost || err != nil:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case !bytes.Contains(body, []byte(`"id"`)):
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if kind == "slow" || kind == "silent" {
			w.Header().Set("Content-Type", "application/json")
			for {
				if kind == "slow" {
					io.WriteString(w, " ")
					http.NewResponseController(w).Flush()
				}
				select {
				case <-time.After(50 * time.Millisecond):
				case <-r.Context().Done():
					return
				case <-ended:
					return
				}
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		h := &hostileServer{kind: kind, over: r.Context().Done(), send: func(m map[string]any) {
			io.WriteString(w, "data: ")
			writeJSON(w, m)
			io.WriteString(w, "\n")
			http.NewResponseController(w).Flush()
		}}
		h.handle(body)
	}))
	t.Cleanup(func() { close(ended); s.CloseClientConnections(); s.Close() })
	return s.URL
}

func writeJSON(w io.Writer, m map[string]any) {
	m["jsonrpc"] = "2.0"
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		panic(err)
	}
}

// A hostileMessage is what a hostile server reads of a message.
type hostileMessage struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Name            string         `json:"name"`
		Cursor          string         `json:"cursor"`
		ProtocolVersion string         `json:"protocolVersion"`
		InputResponses  any            `json:"inputResponses"`
		Meta            map[string]any `json:"_meta"`
	} `json:"params"`
}

func (m *hostileMessage) modern() bool {
	return m.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil
}

func (h *hostileServer) result(id any, r map[string]any) {
	h.send(map[string]any{"id": id, "result": r})
}

func (h *hostileServer) refuse(id any, code int) {
	h.send(map[string]any{"id": id, "error": map[string]any{"code": code, "message": hostileText, "data": hostileText}})
}

func (h *hostileServer) notify(method string, params map[string]any) {
	h.send(map[string]any{"method": "notifications/" + method, "params": params})
}

// handle handles a message, and reports whether to go on.
func (h *hostileServer) handle(line []byte) bool {
	m := new(hostileMessage)
	if err := json.Unmarshal(line, m); err != nil {
		panic(err)
	}
	if kind, ok := hostileKinds[h.kind]; ok && (kind.method == "" || kind.method == m.Method) {
		kind.do(h, m, kind.size())
		return true
	}
	switch {
	case h.kind == "silent", h.kind == "deaf" && m.Method == "server/discover", h.kind == "stalled" && m.Method != "server/discover" && m.Method != "initialize":
		if h.over != nil {
			<-h.over
		}
		return true
	}
	info := map[string]any{"name": hostileText, "title": hostileText, "version": hostileText}
	switch m.Method {
	case "server/discover":
		h.result(m.ID, map[string]any{"supportedVersions": []any{"2026-07-28"}, "capabilities": hostileCapabilities(), "instructions": hostileText,
			"_meta": map[string]any{"io.modelcontextprotocol/serverInfo": info}})
	case "initialize":
		h.result(m.ID, map[string]any{"protocolVersion": m.Params.ProtocolVersion, "capabilities": hostileCapabilities(), "instructions": hostileText, "serverInfo": info})
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		h.result(m.ID, h.list(m.Method))
	case "tools/call":
		h.call(m)
	case "": // a response
		if h.waiting != nil {
			h.result(h.waiting, map[string]any{"content": []any{map[string]any{"type": "text", "text": hostileText}}})
			h.waiting = nil
		}
	case "prompts/get":
		if m.Params.Name == "refuse" {
			h.refuse(m.ID, 1)
			break
		}
		text := map[string]any{"type": "text", "text": hostileText}
		h.result(m.ID, map[string]any{"description": hostileText, "messages": []any{
			map[string]any{"role": "user", "content": text}, map[string]any{"role": hostileText, "content": text},
		}})
	case "resources/read":
		part := map[string]any{"uri": "x:" + hostileText, "mimeType": hostileText, "text": hostileText}
		h.result(m.ID, map[string]any{"contents": []any{part, part}})
	case "resources/subscribe", "subscriptions/listen":
		h.subscribe(m)
		return h.kind == "dev"
	case "ping", "logging/setLevel":
		h.result(m.ID, map[string]any{})
	default:
		if m.ID != nil {
			h.refuse(m.ID, -32601)
		}
	}
	return true
}

// subscribe notifies of everything.
func (h *hostileServer) subscribe(m *hostileMessage) {
	about := map[string]any{"io.modelcontextprotocol/subscriptionId": m.ID}
	if m.modern() {
		h.notify("subscriptions/acknowledged", map[string]any{"notifications": map[string]any{"resourceSubscriptions": []any{"x:r"}, "toolsListChanged": true}, "_meta": about})
	} else {
		h.result(m.ID, map[string]any{})
	}
	h.notify("resources/updated", map[string]any{"uri": "x:" + hostileText, "_meta": about})
	h.notify("message", map[string]any{"level": "error", "logger": hostileText, "data": hostileText, "_meta": about})
	h.notify("tools/list_changed", map[string]any{"_meta": about})
}

// call calls a tool, in the way that its name says.
func (h *hostileServer) call(m *hostileMessage) {
	text := map[string]any{"type": "text", "text": hostileText}
	ask := map[string]any{"method": "elicitation/create", "params": map[string]any{"mode": "form", "message": hostileText, "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{
		hostileText: map[string]any{"type": "string", "title": hostileText, "description": hostileText, "enum": []any{hostileText}},
	}}}}
	if token := m.Params.Meta["progressToken"]; token != nil {
		h.notify("progress", map[string]any{"progressToken": token, "progress": 1, "total": 2, "message": hostileText})
	}
	h.notify("message", map[string]any{"level": "error", "logger": hostileText, "data": hostileText})
	switch {
	case m.Params.Name == "refuse":
		h.refuse(m.ID, 1)
	case m.Params.Name == "fail":
		h.result(m.ID, map[string]any{"isError": true, "content": []any{text}})
	case m.Params.Name == "wrong":
		h.result(m.ID, map[string]any{"resultType": hostileText, "content": 3})
	case m.Params.Name == "ask" && m.modern() && m.Params.InputResponses == nil:
		h.result(m.ID, map[string]any{"resultType": "input_required", "requestState": "s", "inputRequests": map[string]any{"q": ask}})
	case m.Params.Name == "ask" && !m.modern():
		h.waiting = m.ID
		ask["id"] = "ask"
		h.send(ask)
	default:
		h.result(m.ID, map[string]any{"structuredContent": map[string]any{hostileText: hostileText}, "content": []any{text,
			map[string]any{"type": "resource_link", "uri": "x:" + hostileText, "name": hostileText},
			map[string]any{"type": "audio", "data": "AA==", "mimeType": hostileText},
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "x:" + hostileText, "mimeType": hostileText, "text": hostileText}},
			map[string]any{"type": hostileText, hostileText: hostileText},
		}})
	}
}

func hostileCapabilities() map[string]any {
	changes := map[string]any{"listChanged": true, "subscribe": true}
	return map[string]any{"tools": changes, "prompts": changes, "resources": changes, "logging": map[string]any{}, hostileText: map[string]any{}}
}

// list returns a list.
func (h *hostileServer) list(method string) map[string]any {
	member := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}[method]
	page := func(items ...any) map[string]any { return map[string]any{member: append([]any{}, items...)} }
	if kind, ok := hostileKinds[h.kind]; ok && kind.method == "tools/list" {
		return page()
	}
	name, value := hostileText, hostileText
	if h.kind == "changed" {
		name, value = "y"+name, "y"+value
	}
	schema := map[string]any{"type": "object", "title": hostileText, "description": hostileText, "additionalProperties": false, "required": []any{name}, "properties": map[string]any{
		name:     map[string]any{"type": "string", "title": hostileText, "description": hostileText, "pattern": hostileText, "default": hostileText, "format": hostileText},
		"choice": map[string]any{"enum": []any{value, "b"}, "default": hostileText},
		"either": map[string]any{"oneOf": []any{map[string]any{"type": "string", "const": value}, map[string]any{"type": "integer"}}},
		"ref":    map[string]any{"$ref": "#/$defs/" + name},
	}, "$defs": map[string]any{name: map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "boolean"}}}}}
	tool := func(name string, schema any) any {
		return map[string]any{"name": name, "title": hostileText, "description": hostileText, "inputSchema": schema, "outputSchema": schema,
			"annotations": map[string]any{"title": hostileText}}
	}
	plain := map[string]any{"type": "object"}
	switch member {
	case "tools":
		return page(tool(name, schema), tool("tool", schema), tool("mistaken", map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": hostileText}}}),
			tool("ask", plain), tool("refuse", plain), tool("fail", plain), tool("wrong", plain), tool("plain", plain), tool("plain", plain))
	case "prompts":
		return page(map[string]any{"name": name, "title": hostileText, "description": hostileText, "arguments": []any{map[string]any{"name": name, "title": hostileText, "description": hostileText, "required": true}}},
			map[string]any{"name": "greet", "description": hostileText, "arguments": []any{map[string]any{"name": name, "description": hostileText}}})
	case "resources":
		return page(map[string]any{"name": name, "title": hostileText, "description": hostileText, "uri": "x:" + name, "mimeType": hostileText})
	}
	return page(map[string]any{"name": name, "title": hostileText, "description": hostileText, "uriTemplate": "x:" + name + "{" + name, "mimeType": hostileText},
		map[string]any{"name": name, "title": hostileText, "description": hostileText, "uriTemplate": "x:{a}", "mimeType": hostileText + value})
}
