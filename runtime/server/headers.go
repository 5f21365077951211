package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
)

// headerKeyword marks a property of an input schema whose value HTTP clients repeat in a header.
const headerKeyword = "x-mcp-header"

// checkHeaders checks where and how the input schema of a tool names headers. Clients drop tools
// that do it wrong.
func checkHeaders(t *mcp.Tool) error {
	if !bytes.Contains(t.InputSchema, []byte(headerKeyword)) {
		return nil
	}
	var root map[string]any
	if err := json.Unmarshal(t.InputSchema, &root); err != nil {
		return err
	}
	h := headers{seen: make(map[string]string)}
	if err := h.schema(root, "", true); err != nil {
		return fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	return nil
}

type headers struct {
	seen map[string]string // path by header in lower case
}

// schema checks one schema. Only properties of the root, and properties of these, can be reached.
func (h *headers) schema(s map[string]any, path string, reachable bool) error {
	if name, ok := s[headerKeyword]; ok {
		if err := h.header(name, s["type"], path, reachable); err != nil {
			return fmt.Errorf("%s: %s: %w", path, headerKeyword, err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		value := s[key]
		switch key {
		case headerKeyword, "const", "enum", "default", "examples": // no schemas
		case "properties":
			properties, _ := value.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(properties)) {
				if sub, ok := properties[name].(map[string]any); ok {
					if err := h.schema(sub, path+"/"+name, reachable); err != nil {
						return err
					}
				}
			}
		default:
			if err := h.below(value, path+"/"+key); err != nil {
				return err
			}
		}
	}
	return nil
}

// below checks what a keyword holds whose schemas cannot be reached.
func (h *headers) below(value any, path string) error {
	switch v := value.(type) {
	case map[string]any:
		return h.schema(v, path, false)
	case []any:
		for _, item := range v {
			if err := h.below(item, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *headers) header(name, kind any, path string, reachable bool) error {
	text, ok := name.(string)
	switch {
	case path == "" || !reachable:
		return fmt.Errorf("only a property that is reached by properties alone may have it")
	case !ok || !isToken(text):
		return fmt.Errorf("want a header name, got %v", name)
	case kind != "string" && kind != "integer" && kind != "boolean":
		return fmt.Errorf("want a property of type string, integer or boolean, got %v", kind)
	}
	lower := strings.ToLower(text)
	if other, ok := h.seen[lower]; ok {
		return fmt.Errorf("the header %q is that of %s already", text, other)
	}
	h.seen[lower] = path
	return nil
}

// isToken reports whether s is a token as RFC 9110 has it.
func isToken(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
