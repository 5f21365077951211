package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A widening adds members to results. It knows their schemas from the lists of tools that pass.
type widening struct {
	mu      sync.Mutex
	schemas map[string]map[string]any
}

func (w *widening) wrap(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		result, err := next(ctx, c)
		switch r := result.(type) {
		case wire.Raw:
			if err == nil && c.Method() == "tools/list" {
				w.remember(r)
			}
		case *mcp.CallToolResult:
			var call struct{ Name string }
			if err == nil && json.Unmarshal(c.Params(), &call) == nil && r.StructuredContent != nil {
				return w.widened(call.Name, r)
			}
		}
		return result, err
	}
}

func (w *widening) remember(list wire.Raw) {
	var page struct {
		Tools []struct {
			Name         string
			OutputSchema map[string]any
		}
	}
	if err := json.Unmarshal(list, &page); err != nil {
		panic(err) // the server has made it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.schemas == nil {
		w.schemas = map[string]map[string]any{}
	}
	for _, t := range page.Tools {
		w.schemas[t.Name] = t.OutputSchema
	}
}

func (w *widening) widened(tool string, r *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	w.mu.Lock()
	schema := w.schemas[tool]
	w.mu.Unlock()
	d := json.NewDecoder(bytes.NewReader(r.StructuredContent))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	widen(schema, schema, v)
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	other := *r
	other.StructuredContent = text
	return &other, nil
}

// widen adds a member to each object that is a struct's, unless the type has a schema of its own that forbids it.
func widen(root, schema map[string]any, v any) {
	if ref, ok := schema["$ref"].(string); ok {
		defs, _ := root["$defs"].(map[string]any)
		schema, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	part := func(keyword string) map[string]any { s, _ := schema[keyword].(map[string]any); return s }
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			widen(root, part("items"), item)
		}
	case map[string]any:
		properties := part("properties")
		for name, member := range v {
			if s, ok := properties[name].(map[string]any); ok {
				widen(root, s, member)
			} else {
				widen(root, part("additionalProperties"), member)
			}
		}
		if properties != nil && schema["additionalProperties"] == nil {
			v["later"] = map[string]any{"version": 2}
		}
	}
}
