package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// A hostileKind is what a hostile server does to a request of one method, or of any.
type hostileKind struct {
	method      string
	small, full int // how much of it; full with MCPGEN_FULL
	do          func(h *hostileServer, m *hostileMessage, n int)

	stalls  bool   // it never comes to an end
	endless bool   // it ends where a limit of the client is
	says    string // what the command says then
}

func (k *hostileKind) size() int {
	if testenv.Full() {
		return k.full
	}
	return k.small
}

// wait waits, and reports whether somebody still reads.
func (h *hostileServer) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-h.over:
		return false
	}
}

// hostileKinds are by their names.
var hostileKinds = map[string]*hostileKind{
	"drip": {method: "tools/list", stalls: true, do: func(h *hostileServer, m *hostileMessage, _ int) {
		h.wait(400 * time.Millisecond)
		h.tools(m, m.Params.Cursor+"x")
	}},
	"progress": {method: "tools/call", stalls: true, do: func(h *hostileServer, m *hostileMessage, _ int) {
		for i := 0; h.wait(50 * time.Millisecond); i++ {
			h.notify("progress", map[string]any{"progressToken": m.Params.Meta["progressToken"], "progress": i})
		}
	}},

	"pages": {method: "tools/list", small: 1 << 20, full: 1 << 20, endless: true, says: "tools/list: want a list of at most 67108864 bytes, got more",
		do: func(h *hostileServer, m *hostileMessage, n int) {
			h.tools(m, m.Params.Cursor+"x", map[string]any{"name": "t" + m.Params.Cursor, "description": strings.Repeat("x", n), "inputSchema": map[string]any{"type": "object"}})
		}},
	"small items": {method: "tools/list", small: 20_000, full: 20_000, endless: true, says: "tools/list: want a list of at most 67108864 bytes, got more",
		do: func(h *hostileServer, m *hostileMessage, n int) {
			h.tools(m, m.Params.Cursor+"x", many(n, func(int) any { return map[string]any{"name": "", "inputSchema": map[string]any{}} })...)
		}},
	"small pages": {method: "tools/list", endless: true, says: "tools/list: want at most 1000 pages, got more",
		do: func(h *hostileServer, m *hostileMessage, _ int) { h.tools(m, m.Params.Cursor+"x") }},

	"enum": {method: "tools/list", small: 3_000, full: 50_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.tool(m, map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"enum": many(n, func(i int) any { return fmt.Sprint("v", i) })}}})
	}},
	"members": {method: "tools/list", small: 300, full: 5_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		members := map[string]any{}
		for i := range n {
			members[fmt.Sprint("m", i)] = map[string]any{"type": "string"}
		}
		h.tool(m, map[string]any{"type": "object", "properties": members, "required": many(n, func(i int) any { return fmt.Sprint("m", i) })})
	}},
	"deep": {method: "tools/list", small: 20, full: 20, do: func(h *hostileServer, m *hostileMessage, n int) {
		schema := map[string]any{"type": "string"}
		for range n {
			schema = map[string]any{"type": "object", "properties": map[string]any{"a": schema}}
		}
		h.tool(m, schema)
	}},
	"words": {method: "tools/list", small: 10_000, full: 1 << 20, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.tools(m, "", map[string]any{"name": "t", "description": strings.Repeat("word ", n), "inputSchema": map[string]any{"type": "object"}})
	}},
	"tools": {method: "tools/list", small: 200, full: 5_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.tools(m, "", many(n, func(i int) any {
			return map[string]any{"name": fmt.Sprint("t", i), "inputSchema": map[string]any{"type": "object"}}
		})...)
	}},

	"long text": {method: "tools/call", small: 100_000, full: 15 << 20, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("text\n", n/5)}}})
	}},
	"too long text": {method: "tools/call", small: 17 << 20, full: 17 << 20, says: "16777216", do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("x", n)}}})
	}},
	"blocks": {method: "tools/call", small: 5_000, full: 200_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"content": many(n, func(int) any { return map[string]any{"type": "text", "text": ""} })})
	}},
	"sounds": {method: "tools/call", small: 200, full: 100_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"content": many(n, func(int) any { return map[string]any{"type": "audio", "mimeType": "audio/wav", "data": "AA=="} })})
	}},
	"structured": {method: "tools/call", small: 20_000, full: 2_000_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"content": []any{}, "structuredContent": map[string]any{"a": many(n, func(i int) any { return i })}})
	}},
	"flooded call": {method: "tools/call", small: 1_000, full: 100_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.flood(m, n)
		h.result(m.ID, map[string]any{"content": []any{}})
	}},
	"form": {method: "tools/call", small: 1_000, full: 20_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		properties := map[string]any{"choice": map[string]any{"type": "string", "enum": many(n, func(i int) any { return fmt.Sprint("v", i) })}}
		for i := range n {
			properties[fmt.Sprint("m", i)] = map[string]any{"type": "string", "title": "a title"}
		}
		h.ask(m, map[string]any{"mode": "form", "message": strings.Repeat("word ", n), "requestedSchema": map[string]any{"type": "object", "properties": properties}})
	}},

	"long resource": {method: "resources/read", small: 200_000, full: 15 << 20, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"contents": []any{map[string]any{"uri": "x:r", "text": strings.Repeat("x", n)}}})
	}},
	"parts": {method: "resources/read", small: 5_000, full: 200_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"contents": many(n, func(int) any { return map[string]any{"uri": "x:r", "text": "x"} })})
	}},
	"binary parts": {method: "resources/read", small: 200, full: 100_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"contents": many(n, func(int) any { return map[string]any{"uri": "x:r", "blob": "AA=="} })})
	}},

	"messages": {method: "prompts/get", small: 5_000, full: 100_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		text := map[string]any{"type": "text", "text": "x"}
		h.result(m.ID, map[string]any{"messages": many(n, func(int) any { return map[string]any{"role": "user", "content": text} })})
	}},
	"long message": {method: "prompts/get", small: 200_000, full: 15 << 20, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.result(m.ID, map[string]any{"messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": strings.Repeat("word ", n/5)}}}})
	}},

	"flooded watch": {method: "subscriptions/listen", small: 1_000, full: 100_000, do: func(h *hostileServer, m *hostileMessage, n int) {
		h.subscribe(m)
		h.flood(m, n)
		h.result(m.ID, map[string]any{})
	}},
}

// many returns n items.
func many(n int, item func(i int) any) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = item(i)
	}
	return items
}

// tools sends a page of tools, and the cursor of the next one unless it is empty.
func (h *hostileServer) tools(m *hostileMessage, next string, tools ...any) {
	page := map[string]any{"tools": append([]any{}, tools...)}
	if next != "" {
		page["nextCursor"] = next
	}
	h.result(m.ID, page)
}

// tool sends a list of one tool.
func (h *hostileServer) tool(m *hostileMessage, schema map[string]any) {
	h.tools(m, "", map[string]any{"name": "t", "inputSchema": schema})
}

// ask asks the user in a call.
func (h *hostileServer) ask(m *hostileMessage, form map[string]any) {
	if m.Params.InputResponses != nil {
		h.result(m.ID, map[string]any{"content": []any{}})
		return
	}
	request := map[string]any{"method": "elicitation/create", "params": form}
	h.result(m.ID, map[string]any{"resultType": "input_required", "requestState": "s", "inputRequests": map[string]any{"q": request}})
}

// flood sends notifications of all kinds.
func (h *hostileServer) flood(m *hostileMessage, n int) {
	about := map[string]any{"io.modelcontextprotocol/subscriptionId": m.ID}
	for i := range n {
		h.notify("resources/updated", map[string]any{"uri": fmt.Sprint("x:r", i), "_meta": about})
		h.notify("message", map[string]any{"level": "info", "data": "text", "_meta": about})
		h.notify("tools/list_changed", map[string]any{"_meta": about})
		if token := m.Params.Meta["progressToken"]; token != nil {
			h.notify("progress", map[string]any{"progressToken": token, "progress": i, "message": "text"})
		}
	}
}
