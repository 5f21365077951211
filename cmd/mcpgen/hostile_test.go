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
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
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
		h := &hostileServer{kind: kind, send: func(m map[string]any) {
			var text bytes.Buffer
			writeJSON(&text, m)
			fmt.Fprintf(w, "data: %s\n\n", bytes.TrimSpace(text.Bytes()))
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
	if h.kind == "silent" || h.kind == "stalled" && m.Method != "server/discover" && m.Method != "initialize" {
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
		h.result(m.ID, h.list(m.Method, m.Params.Cursor))
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

// list returns a page of a list.
func (h *hostileServer) list(method, cursor string) map[string]any {
	member := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}[method]
	page := func(items ...any) map[string]any { return map[string]any{member: append([]any{}, items...)} }
	if next, ok := hostileSizes[h.kind]; ok {
		if member != "tools" {
			return page()
		}
		return next(cursor)
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

// hostileSizes are kinds of servers whose lists are large, by the cursor.
var hostileSizes = map[string]func(cursor string) map[string]any{
	"pages": func(cursor string) map[string]any { // never ends
		return map[string]any{"tools": []any{map[string]any{"name": "t" + cursor, "description": strings.Repeat("x", 1<<20), "inputSchema": map[string]any{"type": "object"}}}, "nextCursor": cursor + "x"}
	},
	"small items": func(cursor string) map[string]any {
		items := make([]any, 20_000)
		for i := range items {
			items[i] = map[string]any{"name": "", "inputSchema": map[string]any{}}
		}
		return map[string]any{"tools": items, "nextCursor": cursor + "x"}
	},
	"small pages": func(cursor string) map[string]any {
		return map[string]any{"tools": []any{}, "nextCursor": cursor + "x"}
	},
	"enum": func(string) map[string]any {
		values := make([]any, 50_000)
		for i := range values {
			values[i] = fmt.Sprint("v", i)
		}
		return map[string]any{"tools": []any{map[string]any{"name": "t", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"enum": values}}}}}}
	},
	"members": func(string) map[string]any {
		members, required := map[string]any{}, []any{}
		for i := range 5_000 {
			members[fmt.Sprint("m", i)], required = map[string]any{"type": "string"}, append(required, fmt.Sprint("m", i))
		}
		return map[string]any{"tools": []any{map[string]any{"name": "t", "inputSchema": map[string]any{"type": "object", "properties": members, "required": required}}}}
	},
	"deep": func(string) map[string]any {
		schema := map[string]any{"type": "string"}
		for range 20 {
			schema = map[string]any{"type": "object", "properties": map[string]any{"a": schema}}
		}
		return map[string]any{"tools": []any{map[string]any{"name": "t", "inputSchema": schema}}}
	},
	"long": func(string) map[string]any {
		return map[string]any{"tools": []any{map[string]any{"name": "t", "description": strings.Repeat("word ", 1<<20), "inputSchema": map[string]any{"type": "object"}}}}
	},
}

// TestHostileLimits runs the commands with servers that never end a list or a response, or list what is large, and checks
// how long they take and how much memory.
func TestHostileLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many programs, which -short does without")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const patience = "-timeout 500ms "
	type test struct {
		kind, args string
		http       bool
		code       int
		says       string
	}
	tests := []test{
		{"pages", "inspect", false, 3, "tools/list: want a list of at most 67108864 bytes, got more"},
		{"pages", "client -out p", true, 3, "tools/list: want a list of at most 67108864 bytes, got more"},
		{"pages", "call absent", false, 3, "tools/list: want a list of at most 67108864 bytes, got more"},
		{"pages", "dev -http 127.0.0.1:0", false, 3, "tools/list: want a list of at most 67108864 bytes, got more"},
		{"small items", "inspect", false, 3, "tools/list: want a list of at most 67108864 bytes, got more"},
		{"small pages", "inspect", false, 3, "tools/list: want at most 1000 pages, got more"},
		{"enum", "client -out p", false, 0, "package p: 1 tool"},
		{"members", "client -out p", false, 0, "package p: 1 tool"},
		{"members", "inspect t", false, 0, "m4999"},
		{"enum", "inspect t", false, 0, "v49999"},
		{"deep", "client -out p", false, 0, "package p: 1 tool"},
		{"long", "client -out p", false, 0, "package p: 1 tool"},
		{"long", "inspect t", false, 0, "word word"},
	}
	operands := map[string]string{"inspect": " ", "call": " t ", "read": " x:r ", "prompt": " t ", "watch": " ", "client": " -out p "}
	for _, c := range newRoot(console.NewPrinter(nil, os.Getenv), console.NewPrinter(nil, os.Getenv)).Commands() {
		if c.Flags().Lookup("timeout") == nil {
			continue
		}
		if operands[c.Name()] == "" {
			t.Errorf("mcpgen %s uses a server, and is not run here with a silent one", c.Name())
		}
		args := c.Name() + operands[c.Name()]
		for _, kind := range []string{"silent", "slow"} {
			tests = append(tests, test{kind, args + patience, true, 3, "500ms"})
		}
		tests = append(tests, test{"silent", args + patience, false, 3, "500ms"})
		if c.Name() != "watch" { // which waits for ever
			tests = append(tests, test{"stalled", args + patience, false, 3, "500ms"})
		}
	}
	tests = append(tests, test{"slow", "inspect " + patience, false, 3, "500ms"}, test{"slow", "inspect -no-login " + patience, true, 3, "500ms"},
		test{"silent", "inspect -revision 2025-11-25 " + patience, true, 3, "500ms"})
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %s http=%v", test.args, test.kind, test.http), func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(test.args)
			if test.http {
				args = append(args, "-url", newHostileHTTP(t, test.kind))
			} else {
				args = append(args, "--", self, asHostile, test.kind)
			}
			cmd := command(t, t.TempDir(), args...)
			peak := filepath.Join(t.TempDir(), "peak")
			cmd.Env = append(cmd.Env, peakFile+"="+peak, "XDG_CONFIG_HOME="+t.TempDir())
			start := time.Now()
			late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
			out, err := cmd.CombinedOutput()
			late.Stop()
			took, spent := time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(string(out), test.says) {
				t.Errorf("exit code %d (%v), want %d, and a text with %q: %.1000s", code, err, test.code, test.says, out)
			}
			if spent > 10*time.Second || strings.Contains(test.args, patience) && took > 8*time.Second { // it takes half a second on an idle machine
				t.Errorf("it took %v, and %v of the processor's time", took, spent)
			}
			text, err := os.ReadFile(peak)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %v of the processor's time, %s KiB", took, spent, text)
			if n, err := strconv.Atoi(string(text)); err != nil || n > maxPeak {
				t.Errorf("it had %s KiB of memory, want at most %d", text, maxPeak)
			}
		})
	}
}

// maxPeak is how much memory a command may have with any server, in KiB.
const maxPeak = 600 << 10
